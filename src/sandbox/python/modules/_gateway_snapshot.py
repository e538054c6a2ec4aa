"""Restores the modules of the standard library, their classes and their containers to the state after their import."""

import _frozen_importlib as bootstrap
import _gateway_bridge as bridge
import abc, builtins, collections, gc, linecache, re, sys, types
from operator import is_

#: Called while a script may have replaced the built-in names.
all, dict, id, int, isinstance, len, list, map, set, type = all, dict, id, int, isinstance, len, list, map, set, type

#: Containers that the harness compares in memory. Of the others it only reports that they may have changed.
_IN_MEMORY = ((dict, "dict"), (collections.defaultdict, "dict"), (list, "list"), (set, "set"))
_CONTAINERS = (dict, list, set, bytearray, collections.OrderedDict, collections.defaultdict, collections.deque)
#: Flags of `type`: created at run time, and not writable.
_HEAP, _IMMUTABLE = 1 << 9, 1 << 8
_Function, _Module, _Builtin = types.FunctionType, types.ModuleType, types.BuiltinFunctionType
_MISSING = object()
#: Scripts replace these for themselves, and no module reads them when it is imported.
_HOOKS = frozenset(("excepthook", "displayhook", "unraisablehook", "breakpointhook"))
#: The interpreter's own table of modules. A script can replace `sys.modules`.
MODULES = sys.modules
#: The namespace of built-in names. Saved here, because a script may have emptied it.
_NAMES = vars(builtins)
#: Not restored here: the table of modules and the caches, whose content depends only on their keys.
_EXEMPT = (MODULES, re._cache, re._cache2, linecache.cache, sys.path_importer_cache)


class _Entry:
    """A dictionary or another container, its saved content, and the module or class that it is the namespace of."""

    __slots__ = ("live", "saved", "owner")

    def __init__(self, live, owner):
        self.live, self.saved, self.owner = live, _copy(live), owner


def _copy(live):
    return dict(live) if type(live) is dict else live.copy()


def is_library(spec):
    origin = str(getattr(spec, "origin", None) or "")
    return origin.startswith("/lib/python") or origin in ("built-in", "frozen")


class Snapshot:
    def __init__(self):
        self._entries, self._seen, self._of_module = [], set(map(id, _EXEMPT)), {}
        self._memory = _memory()
        #: Entries whose memory was not saved since their content was copied.
        self._unsaved = []
        #: The modules that stay loaded, by their names.
        self._known = {}
        #: The functions of the library that a run has examined or changed, with their former parts.
        self._functions = {}
        self._is_reading = False
        self._depth, self._fresh, self._before = 0, [], {}
        self._builtins = dict(_NAMES)
        self._token = abc.get_cache_token()
        #: Whether the interpreter contains a change that cannot be reverted.
        self.is_spoiled = False
        #: Whether modules were imported since the last `end`.
        self.has_grown = True
        load = bootstrap._load_unlocked
        bootstrap._load_unlocked = lambda spec: self._loading(load, spec)
        sys.addaudithook(self._audit)
        for name, module in list(MODULES.items()):
            self._known[name] = module
            self._add_module(module)
        self._save(self._unsaved)

    # Saving

    def _add_module(self, module):
        if type(module) is not _Module or id(vars(module)) in self._seen:
            return
        names = vars(module)
        self._of_module[module.__name__] = self._add(names, module)
        for value in list(names.values()):
            self._add_value(value)

    def _add(self, live, owner=None):
        self._seen.add(id(live))
        entry = _Entry(live, owner)
        self._entries.append(entry)
        self._unsaved.append(entry)
        return entry

    def _save(self, entries):
        """Saves the memory of containers, unless one differs from its copy: a finalizer can change it while others are restored."""
        for entry in entries:
            if differs(entry.live, entry.saved):
                self.is_spoiled = True
                return
        lives = [entry.live for entry in entries]
        self._memory.save(id(lives))
        self._unsaved.clear()

    def _add_value(self, value):
        kind = type(value)
        if kind in _CONTAINERS:
            if id(value) not in self._seen:
                self._add(value)
        elif isinstance(value, type):
            self._add_class(value)
        elif kind.__flags__ & _HEAP and not kind.__flags__ & _IMMUTABLE and kind is not _Module:
            names = getattr(value, "__dict__", None)
            if type(names) is dict and id(names) not in self._seen:
                self._add(names)
                for inner in list(names.values()):
                    if type(inner) in _CONTAINERS and id(inner) not in self._seen:
                        self._add(inner)

    def _add_class(self, cls):
        if id(cls) in self._seen or not cls.__flags__ & _HEAP or cls.__flags__ & _IMMUTABLE:
            return
        self._seen.add(id(cls))
        # The mapping proxy of a class hides its dictionary, which compares much faster.
        names = gc.get_referents(vars(cls))[0]
        self._add(names, cls)
        for value in list(names.values()):
            self._add_value(value)

    # Imports of the library during a run

    def _loading(self, load, spec):
        if not is_library(spec):
            return load(spec)
        if self._depth == 0:
            self._begin_import()
        self._depth += 1
        try:
            return load(spec)
        finally:
            self._fresh.append(spec.name)
            self._depth -= 1
            if self._depth == 0:
                self._end_import()

    def _begin_import(self):
        """Notes what the script has changed. A module that is imported now may have copied such a change."""
        self._fresh.clear()
        self._before = {id(entry): (entry, _copy(entry.live)) for entry in self._changed() if entry.owner is not sys}
        if abc.get_cache_token() != self._token or _is_suspicious(_NAMES, self._builtins):
            self.is_spoiled = True
        for entry in self._changed():
            if entry.owner is not None and _is_suspicious(entry.live, entry.saved, entry.owner is sys):
                self.is_spoiled = True

    def _end_import(self):
        """Saves the new modules, and the changes that they made to others when they were imported."""
        for entry in self._changed():
            if entry.owner is sys:
                continue
            _, before = self._before.get(id(entry), (None, None))
            if before is None:
                entry.saved = _copy(entry.live)
                self._unsaved.append(entry)
            elif differs(entry.live, before):
                self.is_spoiled = True
        self._before = {}
        self._token = abc.get_cache_token()
        self.has_grown = True
        for name in self._fresh:
            module = MODULES.get(name)
            if module is None:
                continue
            self._known[name] = module
            self._add_module(module)
            parent, _, child = name.rpartition(".")
            # The import system sets this attribute after the module is loaded, and interns its name.
            if parent in self._of_module:
                entry = self._of_module[parent]
                entry.saved[sys.intern(child)] = module
                self._unsaved.append(entry)

    def _changed(self):
        return [entry for entry in self._candidates() if differs(entry.live, entry.saved)]

    def _candidates(self):
        """Returns all entries that may have changed. Comparing all of them in Python takes longer than most runs."""
        found = self._memory.changed()
        entries = [self._entries[int(index)] for index in found.split(",")] if found else []
        return list(dict.fromkeys(entries + self._unsaved))

    # Functions

    def _audit(self, event, args):
        if event in ("object.__setattr__", "object.__delattr__", "object.__getattr__"):
            function = args[0]
            if self._is_reading or type(function) is not _Function or args[1] not in ("__code__", "__defaults__", "__kwdefaults__"):
                return
            self._is_reading = True
            try:
                names = function.__globals__
                entry = self._of_module.get(names.get("__name__"))
                if entry is not None and entry.live is names:
                    self._functions.setdefault(id(function), (function, *_parts_of(function)))
            finally:
                self._is_reading = False
        elif event == "sys.addaudithook":
            self.is_spoiled = True

    # Restoring

    def restore_builtins(self):
        """Restores built-in names, which all other code needs."""
        if differs(_NAMES, self._builtins):
            _NAMES.clear()
            _NAMES.update(self._builtins)

    def restore_modules(self):
        known = self._known
        if differs(MODULES, known):
            MODULES.clear()
            MODULES.update(known)

    def restore(self):
        """Restores everything after a run. Returns whether objects of the script were released, whose finalizers may change something."""
        self.restore_builtins()
        self.restore_modules()
        if abc.get_cache_token() != self._token:
            self.is_spoiled = True
        candidates, has_changed = self._candidates(), False
        for entry in candidates:
            if differs(entry.live, entry.saved):
                has_changed = True
                if not _restore(entry):
                    self.is_spoiled = True
        if candidates:
            self._save(candidates)
        self._is_reading = True
        for function, code, defaults, named in self._functions.values():
            if _parts_of(function) != (code, defaults, named):
                function.__code__, function.__defaults__, function.__kwdefaults__ = code, defaults, named
                has_changed = True
        self._functions.clear()
        self._is_reading = False
        return has_changed

    def is_restored(self):
        """Whether nothing has changed since `restore`."""
        return not (self.is_spoiled or self._changed() or differs(_NAMES, self._builtins) or differs(MODULES, self._known))

    def collect(self):
        """Collects the garbage of a run. The library's objects are exempt from then on, which makes the next collections faster."""
        gc.collect()
        if self.has_grown:
            gc.freeze()
            self.has_grown = False


def _memory():
    memory = bridge.containers()
    for kind, name in _IN_MEMORY:
        memory.define(name, id(kind))
    return memory


def verify():
    """Fails if the harness does not notice changes in memory, as it would with another layout of objects."""
    a, b = "a", "b"
    shared = type("Shared", (), {"__init__": lambda self: setattr(self, "a", a)})()
    for live, change in (
        ({"a": a}, lambda each: each.update(a=b)),
        ({"a": a, 1: b}, lambda each: each.update({1: a})),
        # A full table.
        (dict.fromkeys("abcde", a), lambda each: each.update(e=b)),
        ({"a": a}, lambda each: each.update(dict.fromkeys("bcdefg"))),
        ({"a": a, "b": b}, lambda each: each.update(a=each.pop("a"))),
        (vars(shared), lambda each: setattr(shared, "a", b)),
        (vars(type("Shared", (), {})()), lambda each: each.update(a=a)),
        (collections.defaultdict(list, a=a), lambda each: each.update(a=b)),
        ([a, b], lambda each: each.reverse()),
        ([], lambda each: each.append(a)),
        ({a, b}, lambda each: each.remove(a)),
        ({a, b}, lambda each: (each.clear(), each.update((a, "c")))),
        (set(range(20)), lambda each: each.symmetric_difference_update((1, 50))),
    ):
        memory, lives = _memory(), [[], live]
        memory.save(id(lives))
        before = memory.changed()
        change(live)
        if before != "" or memory.changed() != "1":
            raise RuntimeError("The memory of this Python has another layout.")


def _parts_of(function):
    named = function.__kwdefaults__
    return function.__code__, function.__defaults__, None if named is None else dict(named)


def differs(live, saved):
    """Whether a container has other members than its copy. Members are compared by identity: scripts can define what is equal."""
    if len(live) != len(saved):
        return True
    if isinstance(live, dict):
        return not (all(map(is_, live, saved)) and all(map(is_, live.values(), saved.values())))
    if isinstance(live, bytearray):
        return live != saved
    if isinstance(live, set):
        # A copy of a set can have another order.
        return set(map(id, live)) != set(map(id, saved))
    return not all(map(is_, live, saved))


def _is_suspicious(live, saved, is_system=False):
    """Whether a value was replaced or deleted. Modules set their own variables late, but those are empty before."""
    for name, value in saved.items():
        if value is None or value is False or type(value) in _CONTAINERS or live.get(name, _MISSING) is value:
            continue
        if not is_system or (type(value) is _Builtin and name not in _HOOKS):
            return True
    return False


def _restore(entry):
    """Returns `False` if code of the script, such as a finalizer, has changed the container in the meantime."""
    live, saved = entry.live, entry.saved
    if isinstance(live, dict) and isinstance(entry.owner, (type, _Module)):
        is_class = isinstance(entry.owner, type)
        for name in [name for name in live if name not in saved]:
            if is_class:
                type.__delattr__(entry.owner, name)
            else:
                del live[name]
        for name, value in saved.items():
            if live.get(name, _MISSING) is value:
                continue
            if is_class:
                type.__setattr__(entry.owner, name, value)
            else:
                live[name] = value
    elif isinstance(live, (list, bytearray)):
        live[:] = saved
    else:
        live.clear()
        (live.extend if isinstance(live, collections.deque) else live.update)(saved)
    if isinstance(live, dict):
        if len(live) != len(saved) or not all(live.get(name, _MISSING) is value for name, value in saved.items()):
            return False
    elif differs(live, saved):
        return False
    # A name that was deleted and restored is now the last one.
    entry.saved = _copy(live)
    return True
