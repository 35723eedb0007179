"""Type hints as pydantic can check them. In the worker.

Rewritten are: members of enums in a Literal (a model sends their values), Iterable (pydantic would check items while
the tool runs), `Field(...)` (its default and alias are the signature's matter), and before Python 3.12
`typing.TypedDict`, which pydantic refuses there.
"""

from __future__ import annotations

import collections.abc
import dataclasses
import enum
import functools
import sys
import types
import typing
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import typing_extensions
from pydantic import AfterValidator

from adal_ls.schema.live_notes import is_field
from adal_ls.schema.live_records import is_typed_dict, namespace, own_annotations
from adal_ls.schema.live_types import resolve

_LAZY = (collections.abc.Iterable, collections.abc.Collection, collections.abc.Container)
_QUALIFIERS = ("Required", "NotRequired", "ReadOnly")
# Where pydantic looks up the names of records that hold themselves.
_RECORDS = types.ModuleType("adal_ls.worker.hints.records")


def checkable(hint: object, names: Mapping[str, object]) -> object:
    """`hint` itself, or where pydantic needs another one, that.

    Args:
        hint: a type, quotes at the top resolved.
        names: where quoted names inside are looked up.

    Raises:
        UnknownTypeError: a quoted name inside that does not exist.
    """
    return _Rewriter(names).rewrite(hint)


class _Rewriter:
    def __init__(self, names: Mapping[str, object]) -> None:
        self._names = names
        self._open: set[int] = set()
        self._made: dict[type, object] = {}

    def rewrite(self, hint: Any) -> object:
        if isinstance(hint, (str, typing.ForwardRef)):
            return self.rewrite(resolve(hint, self._names))
        if isinstance(hint, type) and typing.get_origin(hint) is None:
            return self._class(hint)
        origin, arguments = typing.get_origin(hint), typing.get_args(hint)
        if origin is typing.Literal:
            return _literal(hint, arguments)
        if origin is typing.Annotated:
            inner = self.rewrite(arguments[0])
            extras = [kept for extra in arguments[1:] for kept in bounds(extra)]
            return annotated(inner, extras)
        if origin in _LAZY:
            return list[self.rewrite(arguments[0]) if arguments else Any]  # type: ignore[misc]
        if not arguments or origin is None or not isinstance(arguments, tuple):
            return hint
        rewritten = tuple(self._argument(argument) for argument in arguments)
        if all(new is old for new, old in zip(rewritten, arguments, strict=True)):
            return hint
        if origin in (typing.Union, types.UnionType):
            return typing.Union[rewritten]  # noqa: UP007
        return origin[rewritten]

    def _argument(self, argument: object) -> object:
        return argument if argument is ... or isinstance(argument, (list, tuple)) else self.rewrite(argument)

    def _class(self, kind: type) -> object:
        if kind in self._made:
            return self._made[kind]
        old_typed_dict = is_typed_dict(kind) and type(kind).__module__ == "typing" and sys.version_info < (3, 12)
        if not old_typed_dict and not (dataclasses.is_dataclass(kind) and not hasattr(kind, "__pydantic_fields__")):
            return kind
        if id(kind) in self._open:
            return typing.ForwardRef(_key(kind)) if old_typed_dict else kind
        self._open.add(id(kind))
        try:
            made = self._typed_dict(kind) if old_typed_dict else self._dataclass(kind)
        finally:
            self._open.discard(id(kind))
        self._made[kind] = made
        return made

    def _typed_dict(self, kind: Any) -> object:
        fields: dict[str, object] = {}
        for name, annotation in own_annotations(kind).items():
            hint, qualifier = _unqualified(resolve(annotation, namespace(kind), of_class=True))
            required = qualifier == "Required" or (name in kind.__required_keys__ and qualifier != "NotRequired")
            fields[name] = _keyed(self._in(kind).rewrite(hint), required=required)
        return _record(kind, fields)

    def _dataclass(self, kind: Any) -> object:
        """The class itself unless one of its fields must be rewritten; then what makes it of checked fields."""
        fields: dict[str, object] = {}
        changed = False
        for name, field in kind.__dataclass_fields__.items():
            owner = next((base for base in kind.__mro__ if name in own_annotations(base)), kind)
            hint = resolve(own_annotations(owner).get(name, field.type), namespace(owner), of_class=True)
            if isinstance(hint, dataclasses.InitVar):
                hint = hint.type
            if typing.get_origin(hint) is typing.ClassVar or hint is typing.ClassVar or not field.init:
                continue
            if is_field(field.default):
                return kind
            rewritten = self._in(owner).rewrite(hint)
            changed = changed or rewritten is not hint
            required = field.default is dataclasses.MISSING and field.default_factory is dataclasses.MISSING
            fields[name] = _keyed(rewritten, required=required)
        if not changed:
            return kind
        return annotated(_record(kind, fields), [AfterValidator(functools.partial(_made_of, kind))])

    def _in(self, kind: type) -> _Rewriter:
        """The same work with the names of a class's module."""
        inner = _Rewriter(namespace(kind))
        inner._open, inner._made = self._open, self._made
        return inner


def annotated(hint: object, extras: Iterable[object]) -> object:
    """`Annotated[hint, *extras]`, of which Python 3.10 has no such form; `hint` itself where there are none."""
    form: Any = typing.Annotated
    parts = (hint, *extras)
    return form[parts] if len(parts) > 1 else hint


def bounds(extra: object) -> tuple[object, ...]:
    """What of an argument of `Annotated` is for checking: of a `Field(...)` its bounds."""
    if is_field(extra) and getattr(extra, "discriminator", None) is None:
        return tuple(extra.metadata)  # type: ignore[attr-defined]
    return (extra,)


def _literal(hint: object, values: tuple[object, ...]) -> object:
    members = {value.value: value for value in values if isinstance(value, enum.Enum)}
    if not members:
        return hint
    plain = tuple(value.value if isinstance(value, enum.Enum) else value for value in values)
    return annotated(typing.Literal[plain], [AfterValidator(lambda value: members.get(value, value))])


def _unqualified(hint: Any) -> tuple[object, str | None]:
    """A TypedDict's hint without `Required` and the like, and which of those it had."""
    qualifier: str | None = None
    while (name := getattr(typing.get_origin(hint), "_name", None)) in _QUALIFIERS:
        qualifier = qualifier if name == "ReadOnly" else name
        hint = typing.get_args(hint)[0]
    return hint, qualifier


def _keyed(hint: Any, *, required: bool) -> object:
    return typing_extensions.Required[hint] if required else typing_extensions.NotRequired[hint]


def _record(kind: type, fields: dict[str, object]) -> object:
    make: Any = typing_extensions.TypedDict
    made = make(kind.__name__, fields)
    made.__module__ = _RECORDS.__name__
    sys.modules.setdefault(_RECORDS.__name__, _RECORDS)
    setattr(_RECORDS, _key(kind), made)
    return made


def _made_of(kind: Callable[..., object], fields: Mapping[str, object]) -> object:
    return kind(**fields)


def _key(kind: type) -> str:
    return f"{kind.__name__}_{id(kind)}"
