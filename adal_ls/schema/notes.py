"""What stands beside a type, in `Annotated[...]` and `Field(...)`: texts, bounds, defaults; one form for both readers.

Source: pydantic's `Field`, annotated-types, PEP 593, PEP 727.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from adal_ls.schema.types import ABSENT, NULL, AnyOf, Limits, Noted, Type, union

BOUNDS = ("ge", "gt", "le", "lt", "multiple_of", "min_length", "max_length", "pattern")


class _Unset:
    """Nothing is said of a default."""


UNSET = _Unset()


@dataclass(frozen=True, slots=True)
class Notes:
    """`description` is a `Field`'s, which wins over `text`, a plain one.

    `default`: a JSON value, ABSENT for one that JSON cannot hold, UNSET where nothing is said.
    `alias` is the key that callers use for a field; `init` is False for a field that they cannot give.
    """

    description: str | None = None
    text: str | None = None
    limits: Limits = ()
    default: object = UNSET
    alias: str | None = None
    init: bool = True

    def then(self, later: Notes) -> Notes:
        """Both: the first text wins, the later of other things."""
        return Notes(
            self.description or later.description,
            self.text or later.text,
            merged(self.limits, later.limits),
            self.default if later.default is UNSET else later.default,
            later.alias or self.alias,
            self.init and later.init,
        )

    def over(self, weaker: Notes) -> Notes:
        """Both: what is said here wins over `weaker`, as a default `Field(...)` does over the annotation."""
        if weaker is NONE:
            return self
        both = weaker.then(self)
        return replace(both, description=self.description or both.description, text=self.text or both.text)

    @property
    def shown(self) -> str | None:
        """The text for the model."""
        return self.description or self.text


NONE = Notes()


def joined(parts: Iterable[Notes]) -> Notes:
    found = NONE
    for part in parts:
        found = found.then(part)
    return found


def limits(values: Mapping[str, object]) -> Limits:
    """The bounds among `values` that JSON Schema can hold."""
    found: list[tuple[str, int | float | str]] = []
    for name in BOUNDS:
        value = values.get(name)
        if name == "pattern":
            value = value.pattern if isinstance(value, re.Pattern) else value
            if isinstance(value, str):
                found.append((name, value))
        elif type(value) in (int, float) and math.isfinite(value) and (name, value) != ("min_length", 0):  # type: ignore[arg-type]
            found.append((name, value))  # type: ignore[arg-type]
    return tuple(found)


def merged(weaker: Limits, stronger: Limits) -> Limits:
    """Both, in one order."""
    return limits({**dict(weaker), **dict(stronger)}) if weaker and stronger else weaker or stronger


def noted(node: Type, notes: Notes) -> Type:
    """`node` with the text and bounds of `notes`, for a type inside another one."""
    node = bounded(node, notes)
    return Noted(node, notes.shown, ()) if notes.shown else node


def bounded(node: Type, notes: Notes) -> Type:
    """`node` with the bounds of `notes` alone, for a parameter or field, which keeps its own text; each member of a
    choice has them."""
    if not notes.limits or node == NULL:
        return node
    if isinstance(node, AnyOf):
        return union([bounded(member, notes) for member in node.members])
    if isinstance(node, Noted) and not node.description:
        return Noted(node.inner, None, merged(node.limits, notes.limits))
    return Noted(node, None, notes.limits)


def has_default(notes: Notes) -> bool:
    return notes.default is not UNSET


def json_part(notes: Notes) -> object:
    """The default as JSON, ABSENT where there is none to show."""
    return ABSENT if notes.default is UNSET else notes.default
