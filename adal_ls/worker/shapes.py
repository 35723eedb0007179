"""Checking the shapes of what a worker sends: it runs the workspace's code, and can send anything."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeVar, cast

from adal_ls.wire.peer import ProtocolViolationError

T = TypeVar("T")

Shape = Mapping[str, type | tuple[type, ...]]
"""Field → its type, or types."""

OPTIONAL_TEXT = (str, type(None))

DEPTH = 100
"""Levels of nesting that a value may have."""


def record(kind: type[T], value: object, shape: Shape) -> T:
    data = typed(value, dict, kind.__name__)
    return kind(**{name: typed(data.get(name), types, name) for name, types in shape.items()})


def typed(value: object, kind: type[T] | tuple[type, ...], what: str) -> T:
    if not isinstance(value, kind):
        raise ProtocolViolationError(f"{what} is a {type(value).__name__}")
    if isinstance(value, str):
        # Half a surrogate pair can be neither stored nor sent on everywhere.
        return cast("T", value.encode("utf-8", "backslashreplace").decode())
    return cast("T", value)


def is_deeper(value: object, levels: int) -> bool:
    if levels == 0:
        return True
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return any(is_deeper(item, levels - 1) for item in inner if isinstance(item, (dict, list)))


def texts(value: object, what: str) -> tuple[str, ...]:
    return tuple(typed(item, str, what) for item in typed(value, list, what))
