"""Live annotations, turned into the type tree."""

from __future__ import annotations

import enum
import inspect
import types
import typing
from collections.abc import Iterator, Mapping
from typing import Any, cast

from adal_ls.schema import live_notes, notes
from adal_ls.schema.json_schema import json_scalar
from adal_ls.schema.notes import NONE, Notes
from adal_ls.schema.types import (
    ANY,
    INTEGER,
    MOST_STEPS,
    NULL,
    SCALARS,
    TYPING_ALIASES,
    JsonScalar,
    Record,
    Reference,
    Type,
    UnknownTypeError,
    choice,
    generic,
    is_generic,
    union,
)

_DEPTH = 60  # aliases may refer to themselves

Namespace = Mapping[str, object]
"""The globals of the module that an annotation stands in."""


class Types:
    """Reads annotations. One for each function; it keeps the classes it has read."""

    def __init__(self) -> None:
        self._records: dict[type, Type] = {}
        self._steps = 0
        self._open: set[type] = set()

    def annotated(self, hint: object) -> tuple[object, Notes]:
        """What `Annotated[X, ...]` is of, with all that stands beside it; other annotations as they are."""
        for _ in range(_DEPTH):
            if type(hint).__name__ != "TypeAliasType":  # `type X = ...`, Python 3.12
                break
            hint = alias_value(hint)
        if typing.get_origin(hint) is not typing.Annotated:
            return hint, NONE
        inner, *extras = typing.get_args(hint)
        within, said = self.annotated(inner)  # an alias may hold another Annotated
        return within, notes.joined([said, *(live_notes.beside(extra) for extra in extras)])

    def type(self, hint: object, namespace: Namespace, depth: int = 0) -> Type:
        """Raises: UnknownTypeError."""
        self._steps += 1
        if depth > _DEPTH or self._steps > MOST_STEPS:
            raise UnknownTypeError("it refers to itself" if depth > _DEPTH else "it is too large")
        if hint is None:
            return NULL
        if isinstance(hint, (str, typing.ForwardRef)):  # Python 3.10 leaves the quotes inside list["int"]
            return self.type(resolve(hint, namespace), namespace, depth + 1)
        origin, arguments = typing.get_origin(hint), typing.get_args(hint)
        if origin is typing.Literal:
            return choice(_literals(arguments))
        if origin is typing.Annotated:
            inner, said = self.annotated(hint)
            return notes.noted(self.type(inner, namespace, depth + 1), said)
        if origin is typing.Union or origin is types.UnionType:
            return union([self.type(argument, namespace, depth + 1) for argument in arguments])
        if type(hint).__name__ == "TypeAliasType":
            return self.type(alias_value(hint), namespace, depth + 1)
        if isinstance(hint, typing.TypeVar):
            return self._variable(hint, namespace, depth)
        if hasattr(hint, "__supertype__"):
            return self.type(hint.__supertype__, namespace, depth + 1)
        if origin is None and isinstance(hint, enum.EnumMeta):
            return _enum(hint)
        name = dotted(hint if origin is None else origin)
        if origin is None and name in SCALARS:
            return SCALARS[name]
        if origin is None and (found := self._record(hint, depth)) is not None:
            return found
        if not is_generic(name):
            raise UnknownTypeError(shown(hint))
        open_ended = len(arguments) == 2 and arguments[1] is ...
        if open_ended:
            arguments = arguments[:1]
        elif arguments == ((),):  # tuple[()] before Python 3.11
            arguments = ()
        parts = [self.type(argument, namespace, depth + 1) for argument in arguments]
        try:
            return generic(name, parts, open_ended=open_ended)
        except UnknownTypeError:
            raise UnknownTypeError(shown(hint)) from None

    def _variable(self, hint: typing.TypeVar, namespace: Namespace, depth: int) -> Type:
        if hint.__bound__ is not None:
            return self.type(hint.__bound__, namespace, depth + 1)
        constraints = [self.type(constraint, namespace, depth + 1) for constraint in hint.__constraints__]
        return union(constraints) if constraints else ANY

    def _record(self, kind: object, depth: int) -> Type | None:
        from adal_ls.schema import live_records  # each reads the other's part of the tree

        if not isinstance(kind, type):
            return None
        if kind in self._records:
            return self._records[kind]
        if kind in self._open:
            return Reference(kind)
        self._open.add(kind)
        try:
            found = live_records.read(kind, self, depth + 1)
        except UnknownTypeError:
            self._records.clear()  # some may refer to this one
            raise
        finally:
            self._open.discard(kind)
        if isinstance(found, Record):
            self._records[kind] = found
        return found


def resolve(annotation: object, namespace: Namespace, *, of_class: bool = False) -> object:
    """The type that an annotation means, quoted names looked up in `namespace`.

    Args:
        annotation: as it stands in `__annotations__`.
        namespace: the globals of its module.
        of_class: it is a class's, where `ClassVar` and `Final` may stand.

    Raises:
        UnknownTypeError: it cannot be evaluated.
    """
    if type(annotation) is type:  # int, str, a plain class: most of them, and nothing to look up
        return annotation
    # One at a time: `get_type_hints` of a whole function gives nothing when one name is missing.
    holds = {"__annotations__": {"it": annotation}}
    carrier: Any = type("Carrier", (), holds) if of_class else types.SimpleNamespace(**holds)
    try:
        # With locals of their own, typing does not take what `Optional["Point"]` meant in another module.
        return typing.get_type_hints(carrier, dict(namespace), {}, include_extras=True)["it"]
    except Exception as fault:  # evaluating an annotation runs code of the project
        raise UnknownTypeError(shown(annotation)) from fault


def alias_value(alias: object) -> object:
    """What `type X = ...` stands for, which Python evaluates when it is asked.

    Raises:
        UnknownTypeError: it cannot be evaluated.
    """
    try:
        return alias.__value__  # type: ignore[attr-defined]
    except Exception as fault:
        raise UnknownTypeError(shown(alias)) from fault


def dotted(kind: object) -> str:
    """The name of a type in the form of the tables in `types`."""
    if kind is typing.Any:
        return "typing.Any"
    # Where a class is written differs from where it is found: pathlib keeps Path in pathlib._local since 3.13.
    module = str(getattr(kind, "__module__", ""))
    name = str(getattr(kind, "__qualname__", getattr(kind, "_name", kind)))
    if module.partition(".")[0] == "pydantic":
        return f"pydantic.{name}"
    if module in ("typing", "typing_extensions"):
        return TYPING_ALIASES.get(name, f"typing.{name}")
    return f"{module.partition('._')[0]}.{name}"


def shown(hint: object) -> str:
    if isinstance(hint, str):
        return hint
    if isinstance(hint, typing.ForwardRef):
        return hint.__forward_arg__
    return hint.__qualname__ if inspect.isclass(hint) and typing.get_origin(hint) is None else str(hint)


def _literals(values: tuple[object, ...]) -> Iterator[JsonScalar]:
    for value in values:
        member = isinstance(value, enum.Enum)
        try:
            yield json_scalar(value.value if isinstance(value, enum.Enum) else value, numbers=member)
        except ValueError:
            raise UnknownTypeError(f"Literal of {value!r}") from None


def _enum(kind: enum.EnumMeta) -> Type:
    if issubclass(kind, enum.Flag):
        return INTEGER
    members: list[enum.Enum] = list(cast("enum.EnumMeta", kind).__members__.values())
    if not members:
        raise UnknownTypeError(f"{kind.__name__}, which has no values")
    try:
        return choice([json_scalar(member.value) for member in members])
    except ValueError:
        raise UnknownTypeError(f"{kind.__name__}, whose values JSON cannot hold") from None
