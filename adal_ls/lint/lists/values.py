"""Expressions as far as they can be read without running them."""

from __future__ import annotations

import ast
from dataclasses import dataclass, field, replace
from enum import Enum

from adal_ls.lint.lists.elements import Element, dotted
from adal_ls.lint.reading.text import Lines, Range


class ValueKind(Enum):
    CONSTANT = "constant"
    F_STRING = "f-string"
    CONTAINER = (
        "container"  # a list, dict, set or tuple display, or a generator: certainly neither a name nor a constant
    )
    LAMBDA = "lambda"
    NAME = "name"
    ATTRIBUTE = "attribute"
    PARTIAL = "partial"  # functools.partial(...): callable, and without a name
    COMPUTED = "computed"


@dataclass(frozen=True, slots=True)
class Value:
    """One expression. `words` name it in a message ("the string 'f'", "a list"); `name` is set for names and
    attributes ("f", "pack.f"), `constant` for constants."""

    kind: ValueKind
    range: Range
    words: str
    constant: object = None
    name: str | None = None
    source: Element | None = field(default=None, compare=False, repr=False)
    """What it was read from."""

    @property
    def module_name(self) -> str | None:
        """`name`, where the names of the file's top level tell what it is."""
        source = self.source
        if source is None or self.root is None:
            return self.name
        local = source.function is not None or self.root in source.given or source.home is not None
        return None if local else self.name

    @property
    def is_none(self) -> bool:
        """Whether it is the literal None, which the runtime takes for "not given"."""
        return self.kind is ValueKind.CONSTANT and self.constant is None

    @property
    def root(self) -> str | None:
        """The name that must be bound for the value to exist: "pack" for `pack.f`."""
        return self.name.partition(".")[0] if self.name else None


_CONTAINERS: dict[type[ast.expr], str] = {
    ast.List: "a list",
    ast.Tuple: "a tuple",
    ast.Dict: "a dict",
    ast.Set: "a set",
    ast.SetComp: "a set",
    ast.DictComp: "a dict",
    ast.ListComp: "a list",
    ast.GeneratorExp: "a generator",
}


def read_element(element: Element) -> Value:
    """Classify one expression, and remember what it was read from."""
    value = read_value(element.node, element.lines)
    place = value.range if element.shown is None else element.shown
    return replace(value, range=place, source=element)


def read_value(node: ast.expr, lines: Lines) -> Value:
    """Classify one expression."""
    place = lines.range_of(node)
    if isinstance(node, ast.Constant):
        return Value(ValueKind.CONSTANT, place, _constant_words(node.value), constant=node.value)
    if isinstance(node, ast.UnaryOp) and not isinstance(node.op, ast.Not) and isinstance(node.operand, ast.Constant):
        return Value(ValueKind.CONSTANT, place, "a number", constant=...)
    if isinstance(node, ast.JoinedStr):
        return Value(ValueKind.F_STRING, place, "an f-string")
    if isinstance(node, ast.Lambda):
        return Value(ValueKind.LAMBDA, place, "a lambda")
    if isinstance(node, ast.Name):
        return Value(ValueKind.NAME, place, f"'{node.id}'", name=node.id)
    path = dotted(node)
    if path is not None:
        return Value(ValueKind.ATTRIBUTE, place, f"'{path}'", name=path)
    if isinstance(node, ast.Call) and (dotted(node.func) or "").endswith("partial"):
        return Value(ValueKind.PARTIAL, place, "a partial")
    words = _CONTAINERS.get(type(node))
    if words is not None:
        return Value(ValueKind.CONTAINER, place, words)
    return Value(ValueKind.COMPUTED, place, "a computed value")


def _constant_words(value: object) -> str:
    if value is None or isinstance(value, bool) or value is ...:
        return str(value) if value is not ... else "..."
    if isinstance(value, str):
        shown = value if len(value) <= 40 else f"{value[:39]}…"
        return f"the string {shown!r}"
    if isinstance(value, bytes):
        return "a bytes literal"
    return f"the number {value!r}" if abs(value) < 10**20 else "a number"  # type: ignore[arg-type]
