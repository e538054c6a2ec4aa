"""Lists the tools of a skill's provider and calls them."""

import importlib
import importlib.machinery
import json
import re
import sys
import types


async def answer(ask, bridge):
    provider = _made(ask)
    if ask["kind"] == "describe":
        return [_described(provider, tool, ask) for tool in ask["tools"]]
    import chat_shell

    chat_shell.execute = bridge.execute
    made = _tool(provider, ask["tool"], _context(ask, Emitter(bridge)))
    value = await made.ainvoke(ask["arguments"]) if hasattr(made, "ainvoke") else await _awaited(made._run(**ask["arguments"]))
    return value if isinstance(value, str) else json.loads(json.dumps(value, default=_shown))


class Emitter:
    """Sends events to the user's page. A method `emit_<name>` sends an event of that name."""

    def __init__(self, bridge):
        self._bridge = bridge

    async def emit_tool_call(self, *args, **named):
        await self._emit("tool_call", args, named)

    def __getattr__(self, name):
        if not name.startswith("emit_"):
            raise AttributeError(name)

        async def emit(*args, **named):
            await self._emit(name.removeprefix("emit_"), args, named)

        return emit

    async def _emit(self, action, args, named):
        payload = {**named, **({"args": list(args)} if args else {})}
        await self._bridge.emit(action, json.dumps(payload, default=_shown))


class _Silent(Emitter):
    async def _emit(self, action, args, named):
        raise RuntimeError("Nothing can be emitted while a tool is being described.")


def _made(ask):
    """Loads the provider from a module in a synthetic package, so that `from .x import Y` works with or without an `__init__.py`."""
    folder, _, name = ask["module"].rpartition("/")
    package = "skill_pkg_" + re.sub(r"\W", "_", ask["context"]["skillName"])
    made = types.ModuleType(package)
    made.__path__ = [f"{ask['root']}/{folder}".rstrip("/")]
    made.__spec__ = importlib.machinery.ModuleSpec(package, None, is_package=True)
    sys.modules[package] = made
    module = importlib.import_module(f"{package}.{name}")
    cls = getattr(module, ask["class"], None)
    if not isinstance(cls, type):
        raise TypeError(f"The module has no class '{ask['class']}'.")
    return cls()


def _context(ask, emitter):
    from chat_shell.skills import SkillToolContext

    return SkillToolContext(ask["context"], ask["config"], emitter)


def _tool(provider, tool, context):
    if tool.get("provider") is not None and provider.provider_name != tool["provider"]:
        raise TypeError(f"The tool wants the provider '{tool['provider']}', and the class calls itself '{provider.provider_name}'.")
    if tool["name"] not in list(provider.supported_tools):
        raise TypeError(f"The class's supported_tools does not list '{tool['name']}'.")
    made = provider.create_tool(tool["name"], context, tool.get("config") or {})
    if made is None:
        raise TypeError("create_tool made no tool.")
    return made


def _described(provider, tool, ask):
    try:
        made = _tool(provider, tool, _context(ask, _Silent(None)))
        schema = getattr(made, "args_schema", None)
        schema = schema.model_json_schema() if isinstance(schema, type) else schema
        return {"name": tool["name"], "description": made.description, "inputSchema": schema or {"type": "object", "properties": {}}}
    except Exception as e:
        return {"name": tool["name"], "problem": f"{type(e).__name__}: {e}"}


async def _awaited(value):
    return await value if hasattr(value, "__await__") else value


def _shown(value):
    return value.model_dump(mode="json") if hasattr(value, "model_dump") else str(value)
