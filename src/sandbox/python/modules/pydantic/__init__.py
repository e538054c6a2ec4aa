"""Replacement for the parts of pydantic that tools of skills use: models, their JSON Schema, and validation. A wheel of the same name
in the package's vendor/ takes precedence."""

import annotationlib, copy, enum, inspect, json, sys, types, typing

_MISSING = object()
_BOUNDS = {
    **{"ge": "minimum", "le": "maximum", "gt": "exclusiveMinimum", "lt": "exclusiveMaximum", "pattern": "pattern"},
    **{"min_length": "minLength", "max_length": "maxLength", "multiple_of": "multipleOf"},
}
_LISTS = {"minLength": "minItems", "maxLength": "maxItems"}


class ValidationError(ValueError):
    pass


class FieldInfo:
    def __init__(self, default=_MISSING, *, default_factory=None, description=None, title=None, alias=None, **more):
        self.default = _MISSING if default is ... else default
        self.default_factory, self.description, self.title, self.alias = default_factory, description, title, alias
        self.more = more

    def is_required(self):
        return self.default is _MISSING and self.default_factory is None

    def get_default(self):
        return self.default_factory() if self.default_factory is not None else copy.deepcopy(self.default)


def Field(default=_MISSING, **more):
    return FieldInfo(default, **more)


def PrivateAttr(default=None, **more):
    return FieldInfo(default, **more)


def ConfigDict(**more):
    return more


def field_validator(*fields, mode="after"):
    def mark(method):
        method = method if isinstance(method, classmethod) else classmethod(method)
        method.__func__._validates = (fields, mode)
        return method

    return mark


class BaseModel:
    model_config = {}

    def __init__(self, **given):
        cls = type(self)
        for name, value in _private(cls).items():
            object.__setattr__(self, name, value.get_default())
        for name, (hint, info) in cls._fields().items():
            key = info.alias if info.alias in given else name
            if key in given:
                value = cls._checked(name, hint, given.pop(key))
            elif info.is_required():
                raise ValidationError(f"1 validation error for {cls.__name__}\n{name}\n  Field required")
            else:
                value = info.get_default()
            object.__setattr__(self, name, value)
        for name, value in given.items():
            object.__setattr__(self, name, value)
        self.model_post_init(None)

    def model_post_init(self, context):
        pass

    @classmethod
    def _fields(cls):
        found = {}
        for base in reversed(cls.__mro__):
            if base in (object, BaseModel):
                continue
            for name, hint in annotationlib.get_annotations(base, format=annotationlib.Format.FORWARDREF).items():
                hint = _resolved(hint, base)
                if name.startswith("_") or name == "model_config" or typing.get_origin(hint) is typing.ClassVar or hint is typing.ClassVar:
                    continue
                hint, info = _annotated(hint)
                default = base.__dict__.get(name, _MISSING)
                found[name] = hint, default if isinstance(default, FieldInfo) else info or FieldInfo(default)
                if info is not None and default is not _MISSING and not isinstance(default, FieldInfo):
                    info.default = default
            # A subclass overrides the default of a field without repeating its type.
            for name, value in base.__dict__.items():
                if name in found and not isinstance(value, FieldInfo) and found[name][1].default is not value:
                    found[name] = found[name][0], FieldInfo(value, description=found[name][1].description)
        return found

    @classmethod
    def _checked(cls, name, hint, value):
        rules = [each for base in cls.__mro__ for each in vars(base).values() if hasattr(getattr(each, "__func__", None), "_validates")]
        rules = [(rule, rule.__func__._validates[1]) for rule in rules if name in rule.__func__._validates[0]]
        try:
            for rule, mode in rules:
                value = rule.__func__(cls, value) if mode == "before" else value
            value = _convert(hint, value)
            for rule, mode in rules:
                value = rule.__func__(cls, value) if mode == "after" else value
        except (ValueError, AssertionError, TypeError) as e:
            raise ValidationError(f"1 validation error for {cls.__name__}\n{name}\n  {e}") from None
        return value

    @classmethod
    def model_json_schema(cls, **_):
        properties, required = {}, []
        for name, (hint, info) in cls._fields().items():
            schema = _schema(hint)
            if info.title:
                schema["title"] = info.title
            if info.description:
                schema["description"] = info.description
            for rule, word in _BOUNDS.items():
                if info.more.get(rule) is not None:
                    schema[_LISTS.get(word, word) if schema.get("type") == "array" else word] = info.more[rule]
            if info.is_required():
                required.append(name)
            elif info.default is not _MISSING:
                value = info.default.value if isinstance(info.default, enum.Enum) else info.default
                try:
                    json.dumps(value)
                    schema["default"] = value
                except TypeError:
                    pass
            properties[name] = schema
        made = {"type": "object", "properties": properties}
        if required:
            made["required"] = required
        if cls.__doc__ and cls.__doc__ is not BaseModel.__doc__:
            made["description"] = inspect.cleandoc(cls.__doc__)
        return made

    schema = model_json_schema

    @classmethod
    def model_validate(cls, value, **_):
        if isinstance(value, cls):
            return value
        if not isinstance(value, dict):
            raise ValidationError(f"1 validation error for {cls.__name__}\n  Input should be a valid dictionary")
        return cls(**value)

    parse_obj = model_validate

    @classmethod
    def model_validate_json(cls, text, **_):
        return cls.model_validate(json.loads(text))

    def model_dump(self, *, exclude_none=False, exclude=(), include=None, mode="python", **_):
        found = {name: _plain(getattr(self, name), mode) for name in type(self)._fields()}
        return {
            name: value
            for name, value in found.items()
            if name not in exclude and (include is None or name in include) and not (exclude_none and value is None)
        }

    dict = model_dump

    def model_dump_json(self, *, indent=None, **how):
        return json.dumps(self.model_dump(mode="json", **how), indent=indent, ensure_ascii=False)

    json = model_dump_json

    def model_copy(self, *, update=None, **_):
        other = copy.copy(self)
        for name, value in (update or {}).items():
            object.__setattr__(other, name, value)
        return other

    def __eq__(self, other):
        return type(self) is type(other) and self.model_dump() == other.model_dump()

    def __repr__(self):
        return f"{type(self).__name__}({', '.join(f'{name}={getattr(self, name)!r}' for name in type(self)._fields())})"


def _private(cls):
    found = {}
    for base in reversed(cls.__mro__):
        found.update({name: value for name, value in vars(base).items() if name.startswith("_") and isinstance(value, FieldInfo)})
    return found


def _resolved(hint, base):
    """Resolves a type that is written as a string, or that is only imported for type checking."""
    if isinstance(hint, annotationlib.ForwardRef):
        hint = hint.__forward_arg__
    if not isinstance(hint, str):
        return hint
    try:
        return eval(hint, dict(vars(sys.modules.get(base.__module__, typing))), dict(vars(base)))
    except Exception:
        return typing.Any


def _annotated(hint):
    if typing.get_origin(hint) is not typing.Annotated:
        return hint, None
    hint, *notes = typing.get_args(hint)
    return hint, next((note for note in notes if isinstance(note, FieldInfo)), None)


def _is(hint, kind):
    return isinstance(hint, type) and issubclass(hint, kind)


def _schema(hint):
    hint, _ = _annotated(hint)
    origin, args = typing.get_origin(hint), typing.get_args(hint)
    simple = {str: "string", bool: "boolean", int: "integer", float: "number", type(None): "null"}.get(hint)
    if simple is not None:
        return {"type": simple}
    if hint in (list, tuple, set) or origin in (list, tuple, set, frozenset):
        return {"type": "array", "items": _schema(args[0]) if args else {}}
    if hint is dict or origin is dict:
        more = _schema(args[1]) if len(args) == 2 else {}
        return {"type": "object", **({"additionalProperties": more} if more else {})}
    if origin is typing.Literal:
        return {"enum": list(args), **({"type": "string"} if all(isinstance(arg, str) for arg in args) else {})}
    if origin in (typing.Union, types.UnionType):
        return {"anyOf": [_schema(arg) for arg in args]}
    if _is(hint, BaseModel):
        return hint.model_json_schema()
    if _is(hint, enum.Enum):
        return {"enum": [each.value for each in hint]}
    return {}


def _convert(hint, value):
    """Returns the JSON value converted to its type, including models and enum members. Raises ValueError if it does not match."""
    hint, _ = _annotated(hint)
    origin, args = typing.get_origin(hint), typing.get_args(hint)
    if origin in (typing.Union, types.UnionType):
        for arg in args:
            try:
                return _convert(arg, value)
            except ValueError as e:
                failure = e
        raise failure
    if origin is typing.Literal and value not in args:
        raise ValueError(f"Input should be {' or '.join(map(repr, args))}")
    if hint is type(None) and value is not None:
        raise ValueError("Input should be None")
    if _is(hint, BaseModel):
        return hint.model_validate(value)
    if _is(hint, enum.Enum):
        return hint(value)
    if hint is float and isinstance(value, int) and not isinstance(value, bool):
        return float(value)
    for kind, name in ((bool, "boolean"), (str, "string"), (int, "integer"), (float, "number"), (list, "list"), (dict, "dictionary")):
        if (hint is kind or origin is kind) and (not isinstance(value, kind) or (kind in (int, float) and isinstance(value, bool))):
            raise ValueError(f"Input should be a valid {name}")
    if origin is list and args:
        return [_convert(args[0], each) for each in value]
    if origin is dict and len(args) == 2:
        return {key: _convert(args[1], each) for key, each in value.items()}
    return value


def _plain(value, mode):
    if isinstance(value, BaseModel):
        return value.model_dump(mode=mode)
    if isinstance(value, enum.Enum) and mode == "json":
        return value.value
    if isinstance(value, list):
        return [_plain(each, mode) for each in value]
    if isinstance(value, dict):
        return {key: _plain(each, mode) for key, each in value.items()}
    return value
