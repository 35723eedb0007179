"""Texts, bounds and defaults beside a type, read from live objects.

pydantic and annotated-types are recognised by what their objects are called and hold: they are not imported here.
"""

from __future__ import annotations

import dataclasses

from adal_ls.schema import notes
from adal_ls.schema.notes import NONE, UNSET, Notes
from adal_ls.schema.signature import json_default
from adal_ls.schema.types import ABSENT, Limits, UnknownTypeError

_ABSENT = object()


def is_field(value: object) -> bool:
    """Whether it is what pydantic's `Field(...)` gives."""
    return any(kind.__name__ == "FieldInfo" and _package(kind) == "pydantic" for kind in type(value).__mro__)


def beside(extra: object) -> Notes:
    """What one argument of `Annotated` after the first says."""
    if isinstance(extra, str):
        return Notes(text=extra)
    if is_field(extra):
        return field(extra)
    text = getattr(extra, "documentation", None) if type(extra).__name__ == "Doc" else None
    if isinstance(text, str):
        return Notes(text=text)
    return Notes(limits=bounds(extra)) if _package(type(extra)) in ("annotated_types", "pydantic") else NONE


def default(value: object) -> Notes:
    """What a default says: a value, or all that a `Field(...)` does."""
    if is_field(value):
        return field(value)
    if isinstance(value, dataclasses.Field):
        return dataclass_field(value)
    return Notes(default=json_default(value))


def field(info: object) -> Notes:
    """What pydantic's `Field(...)` says."""
    said = Notes(
        description=getattr(info, "description", None),
        default=_default(getattr(info, "default", _ABSENT), getattr(info, "default_factory", None)),
        alias=_alias(getattr(info, "validation_alias", None) or getattr(info, "alias", None)),
        init=getattr(info, "init", None) is not False,
    )
    # Of a model's field, all that stands in its annotation is found there.
    return said.then(notes.joined(beside(extra) for extra in getattr(info, "metadata", ())))


def dataclass_field(info: dataclasses.Field[object]) -> Notes:
    """What `dataclasses.field(...)`, or a default, says of a field of a dataclass."""
    if is_field(info.default):
        return field(info.default)
    factory = None if info.default_factory is dataclasses.MISSING else info.default_factory
    return Notes(default=_default(_ABSENT if info.default is dataclasses.MISSING else info.default, factory))


def bounds(extra: object) -> Limits:
    return notes.limits({name: getattr(extra, name, None) for name in notes.BOUNDS})


def _default(value: object, factory: object) -> object:
    if factory is not None:
        return [] if factory is list else {} if factory is dict else ABSENT
    if value is _ABSENT or value is ... or type(value).__name__ == "PydanticUndefinedType":
        return UNSET
    return json_default(value)


def _alias(alias: object) -> str | None:
    choices = getattr(alias, "choices", None)
    first = choices[0] if choices else alias
    if first is not None and not isinstance(first, str):
        raise UnknownTypeError(f"alias {first!r}")
    return first


def _package(kind: type) -> str:
    return kind.__module__.partition(".")[0]
