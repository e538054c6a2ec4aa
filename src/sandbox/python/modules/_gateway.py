"""Runs Python code of a skill, each time as in a new process. The harness calls `run`."""

import _gateway_state as state
import asyncio, atexit, contextvars, json, os, signal, sys, traceback, types
import _gateway_bridge as bridge
import _gateway_network as network
import _gateway_provider as provider
from pyodide.ffi import can_run_sync, run_sync

TIME_UP, CANCELLED = 124, 130
settle = state.settle


class TimeUp(BaseException):
    """Not an Exception, so that `except Exception` does not catch it."""


TimeUp.__module__ = "builtins"


def _time_up(*_):
    raise TimeUp("The time is over")


def _breathe(*_):
    if can_run_sync():
        run_sync(bridge.breathe())


_HERE = _breathe.__code__.co_filename


def run(text):
    ask = json.loads(text)
    state.prepare()
    signal.signal(signal.SIGXCPU, _time_up)
    signal.signal(signal.SIGUSR1, _breathe)
    root = os.path.dirname(ask["path"])
    sys.path[:0] = [root, *ask["wheels"]] if ask["kind"] == "script" else [ask["root"], *ask["wheels"]]
    os.environ.update(ask.get("env") or {})
    network.begin(ask.get("network"))
    os.chdir(ask["cwd"])
    # Context variables, which include the decimal context, end with the run.
    answer = contextvars.copy_context().run(_answer, ask)
    spent = not state.restore()
    return json.dumps({**answer, "spent": spent})


def _answer(ask):
    if ask["kind"] == "script":
        return {"exit": _script(ask)}
    return _guarded(lambda: asyncio.run(provider.answer(ask, bridge)))


def _script(ask):
    path, text = ask["path"], ask.get("text")
    if text is None:
        sys.argv[:] = [path, *ask["args"]]
    else:
        # As in `python -c` and `python -`: argv[0] is the option, and the working directory is on the module path.
        path = "<string>" if ask["args"][:1] == ["-c"] else "<stdin>"
        sys.argv[:] = ask["args"]
        sys.path[0] = ""
    main = types.ModuleType("__main__")
    main.__dict__.update(__file__=path, __cached__=None, __builtins__=__builtins__)
    if text is not None:
        del main.__file__
    sys.modules["__main__"] = main

    def body():
        source = text
        if source is None:
            with open(path, "rb") as file:
                source = file.read()
        exec(compile(source, path, "exec", dont_inherit=True), main.__dict__)

    code = _exit_of(body)
    _exit_of(atexit._run_exitfuncs)
    _exit_of(state.end_tasks)
    state.restore_builtins()
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except Exception:
            pass
    main.__dict__.clear()
    return code


def _exit_of(body):
    """Returns the exit code that a process would have. Tracebacks are printed without the frames of this file."""
    try:
        body()
        return 0
    except SystemExit as e:
        if e.code is None:
            return 0
        if isinstance(e.code, int):
            return e.code & 255
        print(e.code, file=sys.stderr)
        return 1
    except BaseException as e:
        # Printing a traceback needs them too.
        state.restore_builtins()
        shown = e.__traceback__
        while shown and shown.tb_frame.f_code.co_filename == _HERE:
            shown = shown.tb_next
        hook = sys.excepthook
        try:
            if hook is state.EXCEPTHOOK:
                traceback.print_exception(type(e), e, shown)
            else:
                hook(type(e), e, shown)
        except BaseException:
            traceback.print_exception(type(e), e, shown)
        return TIME_UP if isinstance(e, TimeUp) else CANCELLED if isinstance(e, KeyboardInterrupt) else 1


def _guarded(body):
    """Returns the result of a provider, or an error message."""
    try:
        return {"ok": True, "value": body()}
    except TimeUp:
        return {"over": True}
    except BaseException as e:
        name = type(e).__name__
        return {"ok": False, "message": (str(e) if name in ("Exception", "ToolException") and str(e) else f"{name}: {e}")[:2000]}
    finally:
        _exit_of(state.end_tasks)

