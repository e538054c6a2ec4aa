"""Replacement for the sandbox of Wegent: the files of this run, and the gateway's shell."""

import json, os, time
from dataclasses import dataclass

import chat_shell


@dataclass
class CommandResult:
    exit_code: int
    stdout: str
    stderr: str
    error: str = ""


@dataclass
class EntryInfo:
    name: str
    path: str
    type: str
    size: int
    permissions: str
    owner: str
    group: str
    modified_time: float

    @classmethod
    def of(cls, path):
        stat = os.stat(path)
        kind = "dir" if os.path.isdir(path) else "file"
        return cls(os.path.basename(path), path, kind, stat.st_size, oct(stat.st_mode & 0o777), "skill", "skill", stat.st_mtime)


#: Home and default working directory of a sandbox in Wegent. Here it is the empty folder of the run.
_HOME, _WORKSPACE = "/home/user", "/workspace"


def _place(path):
    path = os.path.join(_WORKSPACE, path or "")
    return _WORKSPACE + path[len(_HOME) :] if path == _HOME or path.startswith(_HOME + "/") else path


class Commands:
    """The gateway's shell, with the files of this run."""

    async def run(self, cmd, cwd=None, envs=None, timeout=None, **_):
        place = _place(cwd)
        if not os.path.isdir(place):
            return CommandResult(1, "", f"bash: cd: {place}: No such file or directory\n", "the folder is not there")
        ask = {"language": "shell", "text": cmd, "args": [], "input": "", "cwd": place}
        ask["env"] = {str(name): str(value) for name, value in (envs or {}).items()}
        if timeout:
            ask["ms"] = timeout * 1000
        done = json.loads(await chat_shell.execute(json.dumps(ask)))
        error = done.get("error")
        if error is not None:
            return CommandResult(126, "", f"{error}\n", error)
        return CommandResult(done["exit"], done["stdout"], done["stderr"])


class Files:
    async def list(self, path, depth=1, **_):
        path, found = _place(path), []
        for folder, folders, names in os.walk(path):
            deep = os.path.relpath(folder, path).count(os.sep) + (folder != path)
            found += [EntryInfo.of(os.path.join(folder, name)) for name in sorted([*folders, *names])]
            if deep + 1 >= depth:
                folders.clear()
        return found

    async def get_info(self, path, **_):
        return EntryInfo.of(_place(path))

    async def exists(self, path, **_):
        return os.path.exists(_place(path))

    async def read(self, path, format="text", **_):
        with open(_place(path), "rb") as file:
            data = file.read()
        return data if format == "bytes" else data.decode("utf-8")

    async def write(self, path, data, **_):
        path = _place(path)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as file:
            file.write(data if isinstance(data, bytes) else data.encode("utf-8"))
        return EntryInfo.of(path)

    async def make_dir(self, path, **_):
        os.makedirs(_place(path), exist_ok=True)
        return True

    async def remove(self, path, **_):
        os.remove(_place(path))


class Sandbox:
    def __init__(self):
        self.sandbox_id = "run"
        self.commands, self.files = Commands(), Files()
        self.started_at = time.time()


class SandboxManager:
    _one = None

    def __init__(self, *_, **__):
        self._sandbox = None

    @classmethod
    def get_instance(cls, *_, **__):
        cls._one = cls._one or cls()
        return cls._one

    async def get_or_create_sandbox(self, *_, **__):
        """Returns the sandbox and, if there is none, an error message."""
        self._sandbox = self._sandbox or Sandbox()
        return self._sandbox, None
