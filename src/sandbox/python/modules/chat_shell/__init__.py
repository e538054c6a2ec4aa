"""Replacement for the package of Wegent: see `skills` and `tools`."""


async def execute(ask):
    """Runs a command. The harness replaces this function during a tool call."""
    raise RuntimeError("Commands run only in calls of a provider's tools.")
