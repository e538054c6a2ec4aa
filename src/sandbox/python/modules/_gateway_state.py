"""Restores the interpreter state that a run can change. Runs of the same user and package share an interpreter."""

import _gateway_loop as loop
import builtins, gc, io, linecache, logging, os, random, signal, sys, threading, warnings

EXCEPTHOOK = sys.__excepthook__
#: Modules that give access to JavaScript or native code of this isolate. Importing them fails, as if they did not exist.
HIDDEN = frozenset(("js", "pyodide", "pyodide_js", "_pyodide", "_pyodide_core", "ctypes", "_ctypes"))
_OWN = "_gateway"
#: The namespace of built-in names. Saved here, because a script may have emptied it.
_NAMES = vars(builtins)
_LISTS = (sys.path, sys.meta_path, sys.path_hooks, sys.argv, warnings.filters, gc.callbacks)


class _HiddenModules:
    @staticmethod
    def find_spec(name, path=None, target=None):
        head = name.partition(".")[0]
        if head in HIDDEN or head.startswith(_OWN):
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
        return None


def settle():
    """Saves the current state as the one to restore. Called once, after all modules of the gateway are imported."""
    global _modules, _lists, _builtins, _environ, _signals, _folder
    for name in [name for name in sys.modules if name.partition(".")[0] in HIDDEN or name.startswith(_OWN)]:
        del sys.modules[name]
    sys.meta_path[:] = [_HiddenModules] + [finder for finder in sys.meta_path if type(finder).__module__.partition(".")[0] != "_pyodide"
                                     and getattr(finder, "__module__", "").partition(".")[0] != "_pyodide"]
    _environ = {name: value for name, value in os.environ.items() if name in ("HOME", "LANG", "PATH")}
    _environ["PATH"] = "/usr/bin:/bin"
    os.environ.clear()
    os.environ.update(_environ)
    _modules, _builtins = dict(sys.modules), dict(_NAMES)
    _lists = [list(each) for each in _LISTS]
    _signals = {number: signal.getsignal(number) for number in signal.valid_signals() if number not in (9, 19)}
    _folder = os.getcwd()


def restore_builtins():
    """Restores built-in names, which all other code needs."""
    if _NAMES != _builtins:
        _NAMES.clear()
        _NAMES.update(_builtins)


def restore():
    for name, module in list(sys.modules.items()):
        if name not in _modules and not _is_library(module):
            del sys.modules[name]
    sys.modules.update(_modules)
    for each, before in zip(_LISTS, _lists):
        each[:] = before
    sys.path_importer_cache.clear()
    linecache.clearcache()
    os.environ.clear()
    os.environ.update(_environ)
    os.umask(0o022)
    for number, handler in _signals.items():
        try:
            if signal.getsignal(number) is not handler and handler is not None:
                signal.signal(number, handler)
        except (OSError, ValueError):
            pass
    sys.setrecursionlimit(1000)
    sys.settrace(None)
    sys.setprofile(None)
    sys.excepthook, sys.displayhook, sys.unraisablehook = EXCEPTHOOK, sys.__displayhook__, sys.__unraisablehook__
    sys.last_exc = None
    sys.dont_write_bytecode = True
    threading.excepthook = threading.__excepthook__
    _quiet_logging()
    random.seed()
    gc.enable()
    sys.stdin, sys.stdout, sys.stderr = (_stream(number, mode) for number, mode in enumerate("rww"))
    sys.__stdin__, sys.__stdout__, sys.__stderr__ = sys.stdin, sys.stdout, sys.stderr


def release():
    """Releases objects that a run has left, so that their files are closed."""
    for name, module in list(sys.modules.items()):
        if name not in _modules and not _is_library(module):
            del sys.modules[name]
    sys.modules.update(_modules)
    sys.last_exc = None


def has_streams():
    """Whether the standard streams are usable for the next run."""
    try:
        return all(os.fstat(number) for number in range(3))
    except OSError:
        return False


end_tasks = loop.end_tasks


def _is_library(module):
    """Whether a module is in the standard library. Importing it again would be too slow."""
    return str(getattr(module, "__file__", None) or "").startswith("/lib/python") or getattr(
        getattr(module, "__spec__", None), "origin", None
    ) in ("built-in", "frozen")


def _quiet_logging():
    root = logging.getLogger()
    for handler in root.handlers[:]:
        root.removeHandler(handler)
    root.setLevel(logging.WARNING)
    root.manager.loggerDict.clear()
    root.manager.disable = 0
    logging.lastResort = logging._defaultLastResort


def _stream(number, mode):
    """Line-buffered, so that output is not lost if the script is ended."""
    raw = open(number, mode + "b", closefd=False)
    errors = "backslashreplace" if number == 2 else "strict"
    return io.TextIOWrapper(raw, encoding="utf-8", errors=errors, line_buffering=mode == "w")
