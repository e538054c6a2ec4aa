"""A stand-in for the predecessor system: see `skills` and `tools`."""


async def execute(ask):
    """Runs a command; the harness puts its own in its place where a tool is being called."""
    raise RuntimeError("Commands run only in calls of a provider's tools.")
