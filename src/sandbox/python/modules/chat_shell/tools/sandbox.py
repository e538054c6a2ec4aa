"""A stand-in for the predecessor's sandbox: the files of this run, and Python. There are no processes and no shell."""

import contextlib, io, os, shlex, time, traceback
from dataclasses import dataclass


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


class Commands:
    async def run(self, cmd, cwd=None, envs=None, timeout=None, **_):
        words = shlex.split(cmd)
        if not words or words[0] not in ("python", "python3"):
            name = words[0] if words else "a command"
            return CommandResult(127, "", f"{name}: not here: of commands only python3 runs\n", "command not found")
        out, err = io.StringIO(), io.StringIO()
        before = os.getcwd()
        os.chdir(cwd or before)
        try:
            with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
                code = _python(words[1:])
        finally:
            os.chdir(before)
        return CommandResult(code, out.getvalue(), err.getvalue())


def _python(words):
    import sys

    if words[:1] == ["-c"]:
        source, name, args = words[1], "<string>", ["-c", *words[2:]]
    else:
        name, args = words[0], words
        with open(name, encoding="utf-8") as file:
            source = file.read()
    kept, sys.argv = sys.argv, args
    try:
        exec(compile(source, name, "exec"), {"__name__": "__main__", "__file__": name})
        return 0
    except SystemExit as e:
        return 0 if e.code is None else e.code if isinstance(e.code, int) else 1
    except Exception:
        traceback.print_exc()
        return 1
    finally:
        sys.argv = kept


class Files:
    async def list(self, path, depth=1, **_):
        found = []
        for folder, folders, names in os.walk(path):
            deep = os.path.relpath(folder, path).count(os.sep) + (folder != path)
            found += [EntryInfo.of(os.path.join(folder, name)) for name in sorted([*folders, *names])]
            if deep + 1 >= depth:
                folders.clear()
        return found

    async def get_info(self, path, **_):
        return EntryInfo.of(path)

    async def exists(self, path, **_):
        return os.path.exists(path)

    async def read(self, path, format="text", **_):
        with open(path, "rb") as file:
            data = file.read()
        return data if format == "bytes" else data.decode("utf-8")

    async def write(self, path, data, **_):
        os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
        with open(path, "wb") as file:
            file.write(data if isinstance(data, bytes) else data.encode("utf-8"))
        return EntryInfo.of(path)

    async def make_dir(self, path, **_):
        os.makedirs(path, exist_ok=True)
        return True

    async def remove(self, path, **_):
        os.remove(path)


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
        """The sandbox, and in words why there is none."""
        self._sandbox = self._sandbox or Sandbox()
        return self._sandbox, None
