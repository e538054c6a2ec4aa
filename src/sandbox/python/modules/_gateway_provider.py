"""Placeholder until stand-ins follow."""


async def answer(ask, bridge):
    raise NotImplementedError
