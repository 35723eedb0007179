"""CUSTOM_TOOLS, followed through the statements that make it: one after the other, loops and branches included.

Only statements that may change the list, or a list that it is made of, are looked at (`Bindings.changers`).
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from adal_ls.lint.body import is_main
from adal_ls.lint.lists.cells import Cell, Held, joined, separate
from adal_ls.lint.lists.elements import Element
from adal_ls.lint.lists.followed import FollowedNames, bodies_of, changes
from adal_ls.lint.lists.list_changes import ListChanges
from adal_ls.lint.modules.bindings import Bindings, Placed, is_type_checking
from adal_ls.lint.reading.blocks import Part, leftmost
from adal_ls.lint.reading.chunks import Chunk
from adal_ls.lint.reading.text import Lines, Range

_ROUNDS = 5_000  # of loops at the top level


class Followed(NamedTuple):
    """What a list holds at the end of the file. `range` is the statement that gave it its value, None where there is
    none. `display`: the opening of the list that is cut into parts, where nothing but its elements, each as it stands
    there, makes the list."""

    cell: Cell
    range: Range | None
    display: Lines | None = None
    registered: bool = False
    """Whether a function of the module adds to it, whoever calls that."""


def follow(name: str, bindings: Bindings) -> Followed:
    """The list that `name` means once the file has run."""
    followed = FollowedNames(name, bindings)
    reader = _Reader(followed, bindings)
    statements = followed.statements()
    for placed in statements:
        reader.read(placed)
    reader.end()
    display = statements[0].chunk.lines if _is_display([placed.chunk for placed in statements]) else None
    registered = any(changes(function, name) for function in followed.mutators.values())
    return Followed(reader.held.get(name) or Cell(), reader.range, display, registered)


def _is_display(chunks: Sequence[Chunk]) -> bool:
    """Whether chunks are the parts of one list, whose elements stand for themselves."""
    if not chunks or chunks[0].part is not Part.OPENING or not chunks[0].statements:
        return False
    parts = chunks[1:]
    if isinstance(chunks[0].statements[0], ast.AugAssign) or any(chunk.part is Part.CLOSING for chunk in parts[:-1]):
        return False
    return all(chunk.part in (Part.ELEMENTS, Part.CLOSING) and are_elements(chunk) for chunk in parts)


def are_elements(chunk: Chunk) -> bool:
    """Whether a part of a list holds nothing but elements that stand for themselves."""
    if not chunk.statements:
        return True
    first, *rest = chunk.statements
    display = first.value if isinstance(first, ast.Expr) else None
    if rest or not isinstance(display, ast.List):
        return False
    return not any(isinstance(node, ast.Starred | ast.IfExp) for node in display.elts)


def elements_of(chunk: Chunk) -> Iterator[Element]:
    """The elements in such a part."""
    at = _beside(chunk)
    for node in chunk.statements[:1]:
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.List):
            yield from (at.of(inner) for inner in node.value.elts)


def _beside(chunk: Chunk) -> Element:
    return Element(ast.Constant(None), chunk.lines, salvaged=not chunk.parsed.readable)


class _Reader(ListChanges):
    """Runs statements as far as they concern the lists that are followed."""

    def __init__(self, followed: FollowedNames, bindings: Bindings) -> None:
        super().__init__(followed, bindings)
        self._rounds = 0
        self._opened: _Opened | None = None

    def read(self, placed: Placed) -> None:
        chunk = placed.chunk
        at = _beside(chunk)
        statements = chunk.statements
        if chunk.part in (Part.ELEMENTS, Part.CLOSING) and statements:
            self._go_on(statements[0], at, is_last=chunk.part is Part.CLOSING)
            statements = statements[1:]
        elif chunk.part not in (Part.ELEMENTS, Part.CLOSING):
            self.end()
        self._lines = chunk.lines
        if chunk.part is Part.OPENING and statements:
            self._opened = _Opened(statements[0], chunk.lines)
        else:
            self._block(statements, at)

    def end(self) -> None:
        """A list that is cut ends here, whether it is closed or not."""
        if self._opened is not None:
            nothing = ast.copy_location(ast.List([], ast.Load()), self._opened.statement)
            part = ast.copy_location(ast.Expr(nothing), self._opened.statement)
            self._go_on(part, Element(nothing, self._opened.lines), is_last=True)

    def _go_on(self, part: ast.stmt, at: Element, *, is_last: bool) -> None:
        """The next part of a list that is cut; with the last one the statement that opened it is run."""
        if self._opened is None or not isinstance(part, ast.Expr):
            return
        opened, begun = self._opened, leftmost(part.value)
        here = self._sequences.iterated(at.of(begun)) if isinstance(begun, ast.List) else None
        if here is not None:
            opened.cell.add(here)
        if not is_last:
            return
        self._opened, self._lines = None, at.lines
        self._sequences.begun = (begun, opened.cell) if here is not None else None
        before = self.range
        self._statement(ast.copy_location(_with_value(opened.statement, part.value), part), at)
        self._sequences.begun = None
        if self.range is not None and self.range is not before:
            self.range = Range(opened.lines.range_of(opened.statement).start, self.range.end)

    def _block(self, statements: Iterable[ast.stmt], at: Element) -> None:
        for statement in statements:
            self._statement(statement, at)

    def _statement(self, node: ast.stmt, at: Element) -> None:
        if isinstance(node, ast.Assign | ast.AnnAssign):
            self._assign(node, at)
        elif isinstance(node, ast.AugAssign):
            self._augment(node, at)
        elif isinstance(node, ast.Expr):
            self._expression(node, at)
        elif isinstance(node, ast.If):
            self._if(node, at)
        elif isinstance(node, ast.For):
            self._for(node, at)
        elif isinstance(node, ast.Try) or type(node).__name__ == "TryStar":
            self._try(node, at)  # type: ignore[arg-type]
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            self._defined(node, at)
        elif isinstance(node, ast.Delete):
            self._delete(node, at)
        elif isinstance(node, ast.Import | ast.ImportFrom):
            self._imported(node, at)
        elif not isinstance(node, ast.ClassDef):
            self._other(node, at)

    def _if(self, node: ast.If, at: Element) -> None:
        if is_type_checking(node.test) or is_main(node) or _is_constant(node.test, truth=False):
            self._block(node.orelse, at)
        elif _is_constant(node.test, truth=True):
            self._block(node.body, at)
        else:
            bodies = [node.body]
            while len(node.orelse) == 1 and isinstance(node.orelse[0], ast.If):  # `elif`: not as deep as it is long
                node = node.orelse[0]
                bodies.append(node.body)
            bodies.append(node.orelse)
            concerned = [body for body in bodies if any(self._concerns(one) for one in body)]
            self._branches(concerned if len(concerned) == len(bodies) else [*concerned, []], at)

    def _branches(self, bodies: Sequence[Sequence[ast.stmt]], at: Element) -> None:
        """One of several bodies runs."""
        before, ends = self.held, list[Held]()
        for body in bodies:
            self.held = separate(before)
            self._block(body, replace(at, conditional=True))
            ends.append(self.held)
        self.held = joined(ends)

    def _try(self, node: ast.Try, at: Element) -> None:
        if node.handlers:
            handlers = [handler.body for handler in node.handlers]
            if any(self._concerns(statement) for body in handlers for statement in body):
                self._branches([[*node.body, *node.orelse], *handlers], at)
            else:
                self._branches([[*node.body, *node.orelse], []], at)
        else:
            self._block([*node.body, *node.orelse], at)
        self._block(node.finalbody, at)

    def _for(self, node: ast.For, at: Element) -> None:
        if not any(self._concerns(statement) for statement in node.body + node.orelse):
            self._target(node, node.target, at)
            return
        notes = Cell()
        leaves = any(isinstance(inner, ast.Break | ast.Continue) for one in node.body for inner in ast.walk(one))
        rounds = self._sequences.rounds(at, node.target, at.of(node.iter), notes)
        named = isinstance(node.target, ast.Name) and node.target.id == self._followed.name
        if rounds is None or named or self._rounds + len(rounds) > _ROUNDS:
            self._other(node, at)
            return
        self._rounds += len(rounds)
        outer = self._unknown
        self._unknown |= _made_anew(node)
        for place in rounds:
            self._block(node.body, replace(place, conditional=place.conditional or leaves))
        self._unknown = outer
        for cell in {id(cell): cell for cell in self.held.values()}.values():
            cell.computed += notes.computed if rounds else []
        self._block(node.orelse, at)

    def _other(self, node: ast.stmt, at: Element) -> None:
        """A statement of which it cannot be told how often its body runs, if at all."""
        for target in _targets(node):
            self._target(node, target, at)
        if isinstance(node, ast.With | ast.AsyncWith) and not _may_suppress(node):
            self._block(node.body, at)
            return
        bodies = [body for body in bodies_of(node) if any(self._concerns(statement) for statement in body)]
        if bodies:
            outer = self._unknown
            stored = (one for target in _targets(node) for one in ast.walk(target))
            self._unknown |= {inner.id for inner in stored if isinstance(inner, ast.Name)}
            self._branches([*bodies, []], at)
            self._unknown = outer

    def _concerns(self, statement: ast.stmt) -> bool:
        names = self._followed.names | self._followed.mutators.keys()
        return any(isinstance(inner, ast.Name) and inner.id in names for inner in ast.walk(statement)) or any(
            (alias.asname or alias.name) in names
            for inner in ast.walk(statement)
            if isinstance(inner, ast.Import | ast.ImportFrom)
            for alias in inner.names
        )


@dataclass(slots=True)
class _Opened:
    """A list that is cut, as far as its parts were read: the statement with none of its elements, and those."""

    statement: ast.stmt
    lines: Lines
    cell: Cell = field(default_factory=Cell)


def _with_value(statement: ast.stmt, value: ast.expr) -> ast.stmt:
    if isinstance(statement, ast.Assign):
        return ast.Assign(statement.targets, value)
    if isinstance(statement, ast.AnnAssign):
        return ast.AnnAssign(statement.target, statement.annotation, value, statement.simple)
    assert isinstance(statement, ast.AugAssign)  # noqa: S101 - the three that a list can begin in
    return ast.AugAssign(statement.target, statement.op, value)


def _may_suppress(node: ast.With | ast.AsyncWith) -> bool:
    """Whether the body may end early without an error: `with suppress(ImportError):`."""
    named = (getattr(inner, "id", getattr(inner, "attr", "")) for item in node.items for inner in ast.walk(item))
    return any("suppress" in name or "raises" in name for name in named)


def _targets(node: ast.stmt) -> Iterator[ast.expr]:
    """What a compound statement assigns to in its own clause."""
    if isinstance(node, ast.For | ast.AsyncFor):
        yield node.target
    for item in getattr(node, "items", ()):
        if item.optional_vars is not None:
            yield item.optional_vars


def _made_anew(node: ast.For) -> frozenset[str]:
    """The names of functions and classes that each round of a loop defines for itself."""
    definitions = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
    found = (inner for statement in node.body for inner in ast.walk(statement))
    return frozenset(inner.name for inner in found if isinstance(inner, definitions))


def _is_constant(test: ast.expr, *, truth: bool) -> bool:
    return isinstance(test, ast.Constant) and bool(test.value) is truth
