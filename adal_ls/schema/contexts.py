"""A first parameter that is meant for a context object, which tools do not get: `ctx: Context`.

Other frameworks fill it; a model cannot. It is left out of the schema, and calls get None for it.
"""

from __future__ import annotations

import os
import re
import sys
import typing
from collections.abc import Iterator, Mapping

NAMES = frozenset({"ctx", "context"})
_TYPE = re.compile(r"\b\w*Context\w*")


def is_meant(name: str, hint: str | None) -> bool:
    """Whether a first parameter of this name, with this hint as text, is for a context object, unless its type is one
    of the project's that JSON can hold. Without a hint `context` may well be a text."""
    return name == "ctx" if hint is None else name in NAMES and _TYPE.search(hint) is not None


def is_elsewhere(hint: object, namespace: Mapping[str, object]) -> bool:
    """Whether the context class of a live hint is defined outside of the project's folder of tools."""
    return any(_TYPE.search(kind.__name__) is not None and not _is_beside(kind, namespace) for kind in _classes(hint))


def _classes(hint: object) -> Iterator[type]:
    if isinstance(hint, type):
        yield hint
    for part in typing.get_args(hint):
        yield from _classes(part)


def _is_beside(kind: type, namespace: Mapping[str, object]) -> bool:
    place = getattr(sys.modules.get(kind.__module__), "__file__", None)
    home = namespace.get("__file__")
    if kind.__module__ == namespace.get("__name__") or not isinstance(place, str) or not isinstance(home, str):
        return True
    return os.path.dirname(place).startswith(os.path.dirname(home))  # noqa: PTH120
