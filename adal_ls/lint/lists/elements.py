"""An expression with what is needed to read it where it will be evaluated."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import TYPE_CHECKING

from adal_ls.lint.modules.bindings import Function
from adal_ls.lint.reading.text import Lines, Range

if TYPE_CHECKING:
    from adal_ls.lint.modules.around import Sibling

NOTHING: Mapping[str, Element] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Element:
    """One element of CUSTOM_TOOLS, or an expression that one is made of. `lines` are those of its chunk.

    `given`: what the variables of a comprehension or loop, and the parameters of a function that makes entries, stand
    for. `function`: the definition that it is, where no name of the module means it; `node` is its name then. `home`:
    the module in which it is written, None for the file itself; `shown` is the place of this file that stands for it.
    """

    node: ast.expr
    lines: Lines = field(repr=False)
    conditional: bool = False
    given: Mapping[str, Element] = field(default_factory=lambda: NOTHING, repr=False)
    function: Function | None = field(default=None, repr=False)
    home: Sibling | None = field(default=None, repr=False)
    shown: Range | None = None
    salvaged: bool = False
    """Read from a statement with a slip, so that parts of it may be missing."""

    @property
    def range(self) -> Range:
        """Where it is written; for one that another module has, where this file names it."""
        return self.lines.range_of(self.node) if self.shown is None else self.shown

    def of(self, node: ast.expr) -> Element:
        """Another expression that stands beside this one, such as a part of it."""
        return Element(node, self.lines, self.conditional, self.given, None, self.home, self.shown, self.salvaged)

    def meant(self) -> Element:
        """What a variable stands for; itself where it is none."""
        element = self
        while isinstance(element.node, ast.Name) and element.function is None:
            given = element.given.get(element.node.id)
            if given is None:
                break
            element = given
        return element

    def of_statement(self, node: ast.stmt) -> Range:
        """Where a statement is written that stands beside it."""
        return self.lines.range_of(node) if self.shown is None else self.shown

    def made(self, node: ast.expr) -> Element:
        """The element that an expression beside this one makes: what a variable stands for, or the expression with
        those variables that it has."""
        if not self.given:
            return self.of(node)
        used = {inner.id for inner in ast.walk(node) if isinstance(inner, ast.Name)}
        given = {name: one for name, one in self.given.items() if name in used}
        element = replace(self, given=given or NOTHING).of(node).meant()
        return replace(element, conditional=True) if self.conditional and not element.conditional else element

    def place(self) -> tuple[object, ...]:
        """Tells it from other elements of the file, as long as nothing is edited."""
        line, home = self.lines.first - self.lines.parsed + self.node.lineno, self.home.name if self.home else ""
        at = line, self.node.col_offset, home
        return (*at, *(self.given[name].place() for name in sorted(self.given))) if self.given else at

    def reads_as(self, other: Element) -> bool:
        """Whether another element, at whose place this one stood, is written in the same way."""
        if self.conditional != other.conditional or self.given.keys() != other.given.keys():
            return False
        if self.home is not other.home or self.shown != other.shown or self.salvaged != other.salvaged:
            return False
        if (self.function is None) != (other.function is None):
            return False
        if not self._is_written_as(other):
            return False
        return all(one.reads_as(other.given[name]) for name, one in self.given.items())

    def _is_written_as(self, other: Element) -> bool:
        if self.lines is other.lines:
            return self.node is other.node
        mine, its = self.node, other.node
        end = mine.end_lineno or mine.lineno
        if (end, mine.end_col_offset) != (its.end_lineno, its.end_col_offset):
            return False
        first, last = mine.lineno - 1 - self.lines.parsed, end - self.lines.parsed
        return self.lines.raw(first, last) == other.lines.raw(first, last)


def parts(element: Element) -> Iterator[Element]:
    """The elements that one is read from: itself, and what its variables stand for."""
    yield element
    for one in element.given.values():
        yield from parts(one)


def name_of(function: Function, lines: Lines) -> ast.Name:
    """An expression at the name of a definition, which stands for it."""
    place = lines.name_of(function)
    moved = lines.parsed - lines.first + 1

    def column(line: int, at: int) -> int:
        return len(lines.line(line)[:at].encode("utf-8", "surrogatepass"))

    return ast.Name(
        function.name,
        ast.Load(),
        lineno=place.start.line + moved,
        col_offset=column(place.start.line, place.start.column),
        end_lineno=place.end.line + moved,
        end_col_offset=column(place.end.line, place.end.column),
    )


def dotted(node: ast.expr) -> str | None:
    """`a.b.c` as text; None for anything that is not names and dots."""
    parts: list[str] = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    return ".".join([node.id, *reversed(parts)]) if isinstance(node, ast.Name) else None
