"""Replacement for the base class of tools."""

import typing

from pydantic import BaseModel


class ToolException(Exception):
    pass


class BaseTool(BaseModel):
    name: str = ""
    description: str = ""
    args_schema: typing.Any = None
    return_direct: bool = False
    handle_tool_error: typing.Any = False

    def _run(self, *args, **named):
        raise NotImplementedError(f"{type(self).__name__} has neither _run nor _arun")

    async def _arun(self, *args, **named):
        return self._run(*args, **named)

    async def ainvoke(self, given, config=None, **_):
        given = dict(given) if isinstance(given, dict) else {}
        if isinstance(self.args_schema, type):
            made = self.args_schema.model_validate(given)
            given = {name: getattr(made, name) for name in type(made)._fields()} if hasattr(made, "_fields") else made.model_dump()
        if type(self)._arun is not BaseTool._arun:
            return await self._arun(**given)
        return self._run(**given)


class StructuredTool(BaseTool):
    func: typing.Any = None
    coroutine: typing.Any = None

    @classmethod
    def from_function(cls, func=None, coroutine=None, name=None, description=None, args_schema=None, **more):
        made = func or coroutine
        text = description or made.__doc__ or ""
        return cls(func=func, coroutine=coroutine, name=name or made.__name__, description=text, args_schema=args_schema, **more)

    def _run(self, *args, **named):
        return self.func(*args, **named)

    async def _arun(self, *args, **named):
        return await self.coroutine(*args, **named) if self.coroutine else self.func(*args, **named)


def tool(*_, **__):
    raise ImportError("langchain_core.tools.tool is not here: derive the tool from BaseTool")
