"""The neutral type tree between Python annotations and JSON Schema, and the names of the types both readers know.

The readers of source (`from_ast`) and of live functions (`from_runtime`) meet here: both turn an annotation into
these nodes with the functions below, so that what they agree on is written once.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from dataclasses import dataclass
from typing import Literal

JsonScalar = str | int | float | bool | None


@dataclass(frozen=True, slots=True)
class AnyType:
    """Everything; `{}` in JSON Schema."""


@dataclass(frozen=True, slots=True)
class Scalar:
    name: Literal["string", "integer", "number", "boolean", "null"]
    format: str | None = None


@dataclass(frozen=True, slots=True)
class Choice:
    """A fixed set of values; `type` is None where they are of several types."""

    values: tuple[JsonScalar, ...]
    type: Literal["string", "integer", "number", "boolean", "null"] | None


@dataclass(frozen=True, slots=True)
class Array:
    items: Type
    unique: bool = False
    length: int | None = None


@dataclass(frozen=True, slots=True)
class Mapping:
    """A JSON object with free keys."""

    values: Type


@dataclass(frozen=True, slots=True)
class AnyOf:
    """Build with `union`, which keeps the rules of the form."""

    members: tuple[Type, ...]


@dataclass(frozen=True, slots=True)
class Noted:
    """A type with what `Annotated` or `Field` says of it inside another one."""

    inner: Type
    description: str | None
    limits: Limits


@dataclass(frozen=True, slots=True)
class Record:
    """A JSON object with known keys: TypedDict, dataclass, NamedTuple, model.

    `key` tells the class apart from others of the same name. `closed`: other keys are refused.
    """

    name: str
    key: Hashable
    fields: tuple[Field, ...]
    description: str = ""
    closed: bool = False


@dataclass(frozen=True, slots=True)
class Reference:
    """A record inside itself."""

    key: Hashable


Type = AnyType | Scalar | Choice | Array | Mapping | AnyOf | Noted | Record | Reference

Limits = tuple[tuple[str, int | float | str], ...]
"""Bounds by the names that `pydantic.Field` has for them (`ge`, `min_length`, ...)."""


class _Absent:
    """No default, or none that JSON can hold."""


ABSENT = _Absent()


@dataclass(frozen=True, slots=True)
class Field:
    """A parameter, or a key of a record.

    `default` is a JSON value, or ABSENT where there is none or JSON cannot hold it (then `required` tells).
    """

    name: str
    type: Type
    required: bool
    default: object = ABSENT
    description: str | None = None


ANY = AnyType()
STRING = Scalar("string")
INTEGER = Scalar("integer")
NUMBER = Scalar("number")
BOOLEAN = Scalar("boolean")
NULL = Scalar("null")


MOST_STEPS = 2000
"""Types that are read for one function at most: aliases that hold each other twice double with every line."""


class UnknownTypeError(Exception):
    """An annotation, or a part of one, that has no JSON Schema here; the text names it.

    `certain`: whatever the modules hold that cannot be read from here.
    """

    def __init__(self, text: str, *, certain: bool = False) -> None:
        super().__init__(text)
        self.certain = certain


SCALARS: dict[str, Type] = {
    "builtins.str": STRING,
    "builtins.int": INTEGER,
    "builtins.float": NUMBER,
    "builtins.bool": BOOLEAN,
    "builtins.NoneType": NULL,
    "builtins.object": ANY,
    "typing.Any": ANY,
    "builtins.bytes": STRING,
    "datetime.datetime": Scalar("string", "date-time"),
    "datetime.date": Scalar("string", "date"),
    "datetime.time": Scalar("string", "time"),
    "datetime.timedelta": Scalar("string", "duration"),
    "decimal.Decimal": Scalar("string", "decimal"),
    "pathlib.Path": Scalar("string", "path"),
    "pathlib.PurePath": Scalar("string", "path"),
    "uuid.UUID": Scalar("string", "uuid"),
    "ipaddress.IPv4Address": Scalar("string", "ipv4"),
    "ipaddress.IPv6Address": Scalar("string", "ipv6"),
    **{
        f"pydantic.{name}": node
        for names, node in (
            (("StrictStr", "SecretStr"), STRING),
            (("StrictInt",), INTEGER),
            (("StrictFloat", "FiniteFloat"), NUMBER),
            (("StrictBool",), BOOLEAN),
            (("FilePath", "DirectoryPath", "NewPath"), Scalar("string", "path")),
            (("AnyUrl", "AnyHttpUrl", "HttpUrl"), Scalar("string", "uri")),
            (("EmailStr",), Scalar("string", "email")),
            (("AwareDatetime", "NaiveDatetime", "PastDatetime", "FutureDatetime"), Scalar("string", "date-time")),
            (("PastDate", "FutureDate"), Scalar("string", "date")),
        )
        for name in names
    },
    **{
        f"pydantic.{sign}{kind}": Noted(node, None, ((limit, 0),))
        for kind, node in (("Int", INTEGER), ("Float", NUMBER))
        for sign, limit in (("Positive", "gt"), ("NonNegative", "ge"), ("NonPositive", "le"), ("Negative", "lt"))
    },
}

ARRAYS = frozenset(
    {
        "builtins.list",
        *(f"collections.abc.{name}" for name in ("Sequence", "MutableSequence", "Collection", "Iterable")),
        "collections.deque",
    }
)
SETS = frozenset(
    {"builtins.set", "builtins.frozenset", "collections.abc.Set", "collections.abc.MutableSet"},
)
TUPLE = "builtins.tuple"
MAPPINGS = frozenset(
    {
        "builtins.dict",
        "collections.abc.Mapping",
        "collections.abc.MutableMapping",
        "collections.OrderedDict",
        "collections.defaultdict",
    }
)

TYPING_ALIASES = {
    "Text": "builtins.str",
    "LiteralString": "builtins.str",
    "List": "builtins.list",
    "Dict": "builtins.dict",
    "Set": "builtins.set",
    "FrozenSet": "builtins.frozenset",
    "Tuple": TUPLE,
    "AbstractSet": "collections.abc.Set",
    "Deque": "collections.deque",
    "OrderedDict": "collections.OrderedDict",
    "DefaultDict": "collections.defaultdict",
    **{
        name: f"collections.abc.{name}"
        for name in ("Sequence", "MutableSequence", "Collection", "Iterable", "MutableSet", "Mapping", "MutableMapping")
    },
}
"""What the generic names of `typing` stand for."""


def choice(values: Iterable[JsonScalar]) -> Type:
    """The type of `Literal[...]` or of an enum's values: typed where all values share a type, null set apart."""
    kept: list[JsonScalar] = []
    seen: set[tuple[type, JsonScalar]] = set()
    for value in values:
        if (type(value), value) not in seen:  # True and 1 are two values
            seen.add((type(value), value))
            kept.append(value)
    named = tuple(value for value in kept if value is not None)
    if not named:
        return NULL
    types = {_json_type(value) for value in named}
    node = Choice(named, types.pop() if len(types) == 1 else None)
    return union([node, NULL]) if len(named) < len(kept) else node


def union(members: Iterable[Type]) -> Type:
    """One of `members`: nested unions are flattened, repeats dropped, null stands last, and anything absorbs all."""
    flat: list[Type] = []
    for member in members:
        flat.extend(member.members if isinstance(member, AnyOf) else (member,))
    if ANY in flat:
        return ANY
    kept: dict[object, Type] = {}
    for member in flat:
        kept.setdefault(_unordered(member), member)
    ordered = [member for member in kept.values() if member != NULL]
    if len(ordered) < len(kept):
        ordered.append(NULL)
    return ordered[0] if len(ordered) == 1 else AnyOf(tuple(ordered))


def nullable(node: Type) -> Type:
    return union([node, NULL])


def is_generic(name: str) -> bool:
    """Whether `generic` knows the container."""
    return name in ARRAYS or name in SETS or name in MAPPINGS or name == TUPLE


def generic(name: str, arguments: list[Type], *, open_ended: bool = False) -> Type:
    """The container `name` (a dotted name of this module's tables) of `arguments`; none given means of anything.

    `open_ended` is `tuple[X, ...]`.

    Raises:
        UnknownTypeError: not a container, or a number of arguments it does not take.
    """
    if name in ARRAYS or name in SETS:
        if len(arguments) <= 1:
            return Array(arguments[0] if arguments else ANY, unique=name in SETS)
    elif name == TUPLE:
        if open_ended and len(arguments) == 1:
            return Array(arguments[0])
        if not open_ended:
            return Array(union(arguments), length=len(arguments)) if arguments else Array(ANY)
    elif name in MAPPINGS and len(arguments) in (0, 2):
        return Mapping(arguments[1] if arguments else ANY)
    raise UnknownTypeError(name.removeprefix("builtins."))


def _unordered(node: Type) -> object:
    """What two types share that are the same but for the order of members, as `typing` compares them."""
    if isinstance(node, Choice):
        return frozenset((type(value), value) for value in node.values)
    if isinstance(node, AnyOf):
        return frozenset(_unordered(member) for member in node.members)
    if isinstance(node, Array):
        return "array", _unordered(node.items), node.unique, node.length
    if isinstance(node, Mapping):
        return "mapping", _unordered(node.values)
    if isinstance(node, Noted):
        return "noted", _unordered(node.inner), node.description, node.limits
    if isinstance(node, Record | Reference):
        return "record", node.key
    return node


def _json_type(value: JsonScalar) -> Literal["string", "integer", "number", "boolean", "null"]:
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, int):
        return "integer"
    return "number" if isinstance(value, float) else "string"
