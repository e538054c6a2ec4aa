"""Restores the interpreter state that a run can change. Runs of the same user and package share an interpreter."""

import _gateway_loop as loop
import _gateway_snapshot as snapshots
import _locale, asyncio, atexit, codecs, encodings, gc, io, linecache, logging, os, random, signal, sys, threading, warnings

EXCEPTHOOK = sys.__excepthook__
#: Modules that give access to JavaScript or native code of this isolate. Importing them fails, as if they did not exist.
HIDDEN = frozenset(("js", "pyodide", "pyodide_js", "_pyodide", "_pyodide_core", "ctypes", "_ctypes"))
_OWN = "_gateway"
_STREAMS = ("stdin", "stdout", "stderr", "__stdin__", "__stdout__", "__stderr__")
#: Called while a script may have replaced them.
_putenv, _unsetenv, _disable_collection = os.putenv, os.unsetenv, gc.disable
_filters, _line_cache, _path_cache = warnings.filters, linecache.cache, sys.path_importer_cache


class _HiddenModules:
    @staticmethod
    def find_spec(name, path=None, target=None):
        head = name.partition(".")[0]
        if head in HIDDEN or head.startswith(_OWN):
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
        return None


def settle():
    """Saves the current state as the one to restore. Called once, after all modules of the gateway are imported."""
    global _snapshot, _lists, _signals, _numbers, _codec_lists, _initial_locale, _loop, _loop_state, _variables, _streams
    for name in [name for name in sys.modules if name.partition(".")[0] in HIDDEN or name.startswith(_OWN)]:
        del sys.modules[name]
    sys.meta_path[:] = [_HiddenModules] + [finder for finder in sys.meta_path if type(finder).__module__.partition(".")[0] != "_pyodide"
                                     and getattr(finder, "__module__", "").partition(".")[0] != "_pyodide"]
    environ = {name: value for name, value in os.environ.items() if name in ("HOME", "LANG", "PATH")}
    os.environ.clear()
    os.environ.update(environ, PATH="/usr/bin:/bin")
    _lists = [(each, list(each)) for each in (sys.path, sys.meta_path, sys.path_hooks, sys.argv, warnings.filters, gc.callbacks)]
    _signals = {number: signal.getsignal(number) for number in signal.valid_signals() if number not in (9, 19)}
    _numbers = (sys.get_int_max_str_digits(), sys.getswitchinterval(), gc.get_threshold(), sys.get_asyncgen_hooks())
    _codec_lists = _find_codec_lists()
    _initial_locale = _locale.setlocale(_locale.LC_ALL)
    _loop = asyncio.get_event_loop()
    _loop_state = dict(vars(_loop))
    _variables = os.environ._data, dict(os.environ._data)
    _streams = {name: getattr(sys, name) for name in _STREAMS}
    _reset_interpreter()
    atexit._clear()
    # It also runs at the end of each run.
    logging.shutdown()
    snapshots.verify()
    _snapshot = snapshots.Snapshot()
    _snapshot.collect()


def _find_codec_lists():
    """Returns the interpreter's search functions and error handlers of codecs, which only the garbage collector can find."""
    functions = [each for each in gc.get_referrers(encodings.search_function) if type(each) is list]
    strict = codecs.lookup_error("strict")
    handlers = [each for each in gc.get_referrers(strict) if type(each) is dict and each.get("strict") is strict and "ignore" in each]
    if len(functions) != 1 or len(handlers) != 1:
        raise RuntimeError("The codec registry was not found.")
    return (functions[0], list(functions[0])), (handlers[0], dict(handlers[0]))


def restore_builtins():
    _snapshot.restore_builtins()


def prepare():
    """Prepares the interpreter for a run."""
    _snapshot.restore_builtins()
    _reset_lists()
    os.umask(0o022)
    sys.dont_write_bytecode = True
    _set_signals()
    random.seed()
    gc.enable()
    atexit.register(logging.shutdown)
    sys.stdin, sys.stdout, sys.stderr = (_stream(number, mode) for number, mode in enumerate("rww"))
    sys.__stdin__, sys.__stdout__, sys.__stderr__ = sys.stdin, sys.stdout, sys.stderr


def restore():
    """Ends a run: restores everything that it has changed. Returns `False` if the interpreter must not be used again."""
    try:
        # No finalizer runs between the comparison of a container and the moment when its content is saved.
        _disable_collection()
        atexit._clear()
        sys.settrace(None)
        sys.setprofile(None)
        _snapshot.restore_builtins()
        _snapshot.restore_modules()
        has_filters = _reset_lists()
        _reset_environ()
        _reset_streams()
        # Releases what the run has left, and flushes its open files. Finalizers can change the library, so it is restored afterwards.
        _snapshot.collect()
        has_changed = _snapshot.restore()
        if has_filters:
            with warnings._lock:
                warnings._filters_mutated_lock_held()
        _reset_interpreter()
        _reset_codecs()
        _reset_libraries()
        if has_changed:
            _snapshot.collect()
            return _snapshot.is_restored() and _has_streams()
        return not _snapshot.is_spoiled and _has_streams()
    except BaseException:
        # The deadline can pass here, and objects of the script can raise errors.
        return False


def _reset_lists():
    """Returns whether the filters of warnings have changed, which the interpreter caches."""
    has_filters = False
    for each, before in _lists:
        if snapshots.differs(each, before):
            each[:] = before
            has_filters |= each is _filters
    _path_cache.clear()
    _line_cache.clear()
    return has_filters


def _reset_streams():
    names = vars(sys)
    for name, stream in _streams.items():
        if names.get(name) is not stream:
            names[name] = stream


def _reset_environ():
    """Restores the environment of C. `os.environ` is a copy that the snapshot restores."""
    variables, before = _variables
    if not snapshots.differs(variables, before):
        return
    for name in variables:
        _unsetenv(name)
    for name, value in before.items():
        _putenv(name, value)


def _reset_interpreter():
    _set_signals()
    if hasattr(signal, "setitimer"):
        for timer in (signal.ITIMER_REAL, signal.ITIMER_VIRTUAL, signal.ITIMER_PROF):
            signal.setitimer(timer, 0)
    digits, interval, thresholds, hooks = _numbers
    sys.set_int_max_str_digits(digits)
    sys.setswitchinterval(interval)
    sys.set_asyncgen_hooks(*hooks)
    sys.set_coroutine_origin_tracking_depth(0)
    sys.setrecursionlimit(1000)
    sys.excepthook, sys.displayhook, sys.unraisablehook = EXCEPTHOOK, sys.__displayhook__, sys.__unraisablehook__
    threading.excepthook = threading.__excepthook__
    asyncio.set_event_loop(_loop)
    if snapshots.differs(vars(_loop), _loop_state):
        vars(_loop).clear()
        vars(_loop).update(_loop_state)
    for tool in range(6):
        if sys.monitoring.get_tool(tool) is not None:
            sys.monitoring.free_tool_id(tool)
    gc.set_threshold(*thresholds)
    gc.set_debug(0)
    gc.enable()


def _set_signals():
    for number, handler in _signals.items():
        try:
            if signal.getsignal(number) is not handler and handler is not None:
                signal.signal(number, handler)
        except (OSError, ValueError):
            pass


def _reset_codecs():
    (functions, former_functions), (handlers, former_handlers) = _codec_lists
    if snapshots.differs(handlers, former_handlers):
        handlers.clear()
        handlers.update(former_handlers)
    if snapshots.differs(functions, former_functions):
        functions[:] = former_functions
        # Found codecs are cached. Removing a search function clears the cache.
        codecs.register(_no_codec)
        codecs.unregister(_no_codec)


def _no_codec(_):
    return None


def _reset_libraries():
    """Restores the state of library modules that is not an attribute."""
    loaded = sys.modules
    if "_decimal" in loaded:
        _reset_decimal(loaded["_decimal"])
    if _locale.setlocale(_locale.LC_ALL) != _initial_locale:
        _locale.setlocale(_locale.LC_ALL, _initial_locale)
    if "_csv" in loaded:
        loaded["_csv"].field_size_limit(131072)
    if "_socket" in loaded:
        loaded["_socket"].setdefaulttimeout(None)
    if "faulthandler" in loaded:
        loaded["faulthandler"].disable()
    if "_tracemalloc" in loaded:
        loaded["_tracemalloc"].stop()


def _reset_decimal(decimal):
    for context, prec, rounding, traps in (
        (decimal.DefaultContext, 28, decimal.ROUND_HALF_EVEN, (decimal.DivisionByZero, decimal.Overflow, decimal.InvalidOperation)),
        (decimal.BasicContext, 9, decimal.ROUND_HALF_UP,
         (decimal.DivisionByZero, decimal.Overflow, decimal.InvalidOperation, decimal.Clamped, decimal.Underflow)),
        (decimal.ExtendedContext, 9, decimal.ROUND_HALF_EVEN, ()),
    ):
        context.prec, context.rounding, context.Emin, context.Emax, context.capitals, context.clamp = prec, rounding, -999999, 999999, 1, 0
        context.clear_flags()
        for kind in context.traps:
            context.traps[kind] = kind in traps


def _has_streams():
    """Whether the standard streams are usable for the next run."""
    try:
        return all(os.fstat(number) for number in range(3))
    except OSError:
        return False


end_tasks = loop.end_tasks


def _stream(number, mode):
    """Line-buffered, so that output is not lost if the script is ended."""
    raw = open(number, mode + "b", closefd=False)
    errors = "backslashreplace" if number == 2 else "strict"
    return io.TextIOWrapper(raw, encoding="utf-8", errors=errors, line_buffering=mode == "w")
