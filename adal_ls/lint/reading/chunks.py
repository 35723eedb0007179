"""A file as a row of chunks, one for each top-level statement, each read on its own.

Where a chunk ends and what is in it follows from its text and the few lines behind it (`Cut.reach`). So an edit leaves
all chunks alone but those around it, and reading a file anew gives the same chunks as editing it step by step.
"""

from __future__ import annotations

import ast
import unicodedata
from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import NamedTuple

from adal_ls.lint.lists.changes import changed_names
from adal_ls.lint.modules.bindings import Bound, Function, collect, collect_unreadable
from adal_ls.lint.reading.blocks import Part, Place, goes_on, leftmost, opening_end, spine
from adal_ls.lint.reading.newer import Older, as_older
from adal_ls.lint.reading.parsing import (
    Parsed,
    SyntaxProblem,
    around,
    illegal_character,
    is_code,
    legal,
    lines_before,
    name_type_parameters,
    newer_in,
    next_block,
    next_piece,
    parse,
    parse_block,
    refusal_of_whole,
)
from adal_ls.lint.reading.pieces import Cutter, Head
from adal_ls.lint.reading.salvage import salvage
from adal_ls.lint.reading.stopping import look_up
from adal_ls.lint.reading.text import Lines, Range, count_line_ends
from adal_ls.schema.scope import Scope
from adal_ls.schema.scope import read as read_scope

LIST_NAME = "CUSTOM_TOOLS"
BYTE_ORDER_MARK = "\ufeff"

_NO_NAMES = Scope()
_DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


class Cut(NamedTuple):
    """A chunk's text. `reach`: how many lines, from its first on, decide where it ends; None: all that follow.

    `part` is what it holds of a list that is cut; `before` and `after` tell whether such a list is open.
    """

    text: str
    head: Head
    reach: int | None
    part: Part | None = None
    before: Place = Place.OUTSIDE

    @property
    def after(self) -> Place:
        if self.part is Part.OPENING:
            return Place.OPENED
        return Place.WITHIN if self.part is Part.ELEMENTS else Place.OUTSIDE


def cut(text: str, start: int, place: Place = Place.OUTSIDE) -> Cut:
    """The chunk that begins at an offset."""
    cutter = Cutter(text, is_code)
    part, head = None, Head.OTHER
    if place is not Place.OUTSIDE and goes_on(cutter, start):
        block = next_block(cutter, start)
        end, part = block.end, block.part
    elif (opened := opening_end(text, start)) is not None:
        end, part, head = opened, Part.OPENING, Head.TOOL_LIST
        cutter.reached(end)
    else:
        piece = next_piece(cutter, start)
        end, head = piece.end, piece.head
    reach = None if cutter.reach > len(text) else count_line_ends(text[start : cutter.reach]) + 1
    return Cut(text[start:end], head, reach, part, place)


class Chunk:
    """One top-level statement, or a part of CUSTOM_TOOLS, with the comments and empty lines behind it. Never changes.

    Its places count lines from `lines.first` on: in a file as it was read, that is the line on which it begins.
    """

    __slots__ = (
        "_placed",
        "after",
        "before",
        "bound",
        "changes",
        "declares_global",
        "functions",
        "head",
        "imports_future",
        "lines",
        "older",
        "parsed",
        "part",
        "reach",
        "salvaged",
        "scope",
        "size",
        "text",
    )

    def __init__(self, cut: Cut, first: int, numbered: int | None = None) -> None:
        self.text, self.head, self.reach = cut.text, cut.head, cut.reach
        self.part, self.before, self.after = cut.part, cut.before, cut.after
        self.size = count_line_ends(cut.text)
        source = legal(cut.text, begins_file=first == 0)
        number = first if numbered is None else numbered
        self.older: Older | None = None
        self.lines = Lines(source, number, lines_before(cut.part))
        self.parsed: Parsed = self._parse()
        if self.parsed.refused and (older := as_older(source, around=around(cut.part))) is not None:
            self.older = older
            self.lines = Lines(older.text, number, lines_before(cut.part))
            self.parsed = self._parse()._replace(newer=newer_in(self.lines, older))
        body = self.parsed.body
        self.bound: Bound = (
            collect(body, self.lines) if self.parsed.readable else collect_unreadable(self.lines, cut.head)
        )
        plain = all(isinstance(node, _DEFINITIONS) for node in body)
        self.scope = _NO_NAMES if plain else read_scope(body)
        self.salvaged = () if self.parsed.readable else self._salvage()
        self.changes = self._changes()
        self.declares_global = not plain and "global" in source and any(_declares_global(node) for node in body)
        self.imports_future = not plain and any(_is_future(node) for node in body)
        self.functions: dict[Range, Function] = dict(self._functions())
        self._placed: list[ast.stmt] | None = None

    def placed(self) -> list[ast.stmt]:
        """Its statements once more, with the line numbers that `lines` has."""
        if self._placed is None:
            tree = ast.Module([*self._parse().body] if self.parsed.body else [], [])
            self._placed = ast.increment_lineno(tree, self.lines.first - self.lines.parsed).body
        return self._placed

    def _salvage(self) -> tuple[ast.stmt, ...]:
        """What can be read of a list, or of a part of one, that has a slip in it."""
        source = self.lines.text
        if self.part in (Part.ELEMENTS, Part.CLOSING):
            beginning = f"{LIST_NAME} = [\n"  # one line, as where it is parsed
            return tuple(
                ast.Expr(node.value, lineno=node.lineno, col_offset=node.col_offset)
                for node in salvage(beginning + source)
                if isinstance(node, ast.Assign)
            )
        return salvage(source) if self.head is Head.TOOL_LIST else ()

    def _changes(self) -> frozenset[str]:
        """The names that it may change what they hold."""
        body, source = self.statements, self.lines.text
        if self.part in (Part.ELEMENTS, Part.CLOSING):
            first = [ast.Assign([ast.Name(LIST_NAME)], node.value) for node in body[:1] if isinstance(node, ast.Expr)]
            return changed_names([*first, *body[1:]], source) | {LIST_NAME}
        return changed_names(body, source)

    def cut(self, reach: int | None) -> Cut:
        """What it was made of."""
        return Cut(self.text, self.head, reach, self.part, self.before)

    def _parse(self) -> Parsed:
        if self.part is not None:
            return parse_block(self.text, self.lines, self.part, self.before)
        parsed = parse(self.text, self.lines)
        if self.older is not None:
            name_type_parameters(parsed.body, self.lines, self.older)
        return parsed

    @property
    def statements(self) -> Sequence[ast.stmt]:
        """What the list is read from: of a statement with a slip that makes it, what can be read."""
        return self.parsed.body or self.salvaged

    @property
    def leaves_list_open(self) -> bool:
        """Whether a list is open when this statement begins, so that its bracket was never closed."""
        return self.part is None and self.before is not Place.OUTSIDE

    @property
    def is_refused(self) -> bool:
        """Whether Python takes it in no version that is known here."""
        return self.parsed.refused or bool(self.parsed.illegal)

    @property
    def is_troubled(self) -> bool:
        """Whether there is anything to say about its syntax."""
        return self.is_refused or bool(self.parsed.newer)

    @property
    def is_doubtful(self) -> bool:
        """Whether Python takes it only where certain others do not stand before it."""
        return self.declares_global or self.imports_future

    @property
    def may_come_first(self) -> bool:
        """Whether a `from __future__` import may follow it."""
        return all(
            _is_future(node)
            or (
                isinstance(node, ast.Expr)
                and isinstance(node.value, ast.Constant)
                and isinstance(node.value.value, str)
            )
            for node in self.parsed.body
        )

    def _functions(self) -> Iterator[tuple[Range, Function]]:
        """Every function that an entry may list, by the place of its name: those of the module, and methods."""
        for definition in self.bound.definitions:
            if definition.node is not None:
                yield definition.name_range, definition.node
        for owner in self.scope.names.values():
            if isinstance(owner, ast.ClassDef):
                for method in owner.body:
                    if isinstance(method, ast.FunctionDef | ast.AsyncFunctionDef):
                        yield self.lines.name_of(method), method


def read_chunks(text: str) -> Iterator[Chunk]:
    """The chunks of a whole text, numbered as its lines are."""
    offset = first = 0
    place = Place.OUTSIDE
    while offset < len(text):
        look_up()
        chunk = Chunk(cut(text, offset, place), first)
        offset += len(chunk.text)
        first += chunk.size
        place = chunk.after
        yield chunk


def syntax_problems(chunks: Iterable[tuple[int, Chunk]]) -> Iterator[SyntaxProblem]:
    """What Python says against the troubled chunks of a file, in order, each with its first line; each slip once."""
    troubled = [*chunks]
    illegal = [(chunk, match) for _, chunk in troubled for match in chunk.parsed.illegal]
    if illegal:
        yield illegal_character(illegal[0][0].lines, illegal[0][1], more=len(illegal) - 1)
    broken_up_to = -1
    for first, chunk in troubled:
        parsed = chunk.parsed
        # After a broken statement, prose, or a body at the margin ("return" outside a function), is the same slip.
        same = broken_up_to == first and (chunk.head is Head.OTHER or parsed.readable)
        if parsed.problem is not None and not same:
            yield parsed.problem.told(first - chunk.lines.parsed)
        if parsed.refused:
            broken_up_to = first + chunk.size


def never_closed(opening: Chunk, last: Chunk) -> Iterator[SyntaxProblem]:
    """What is wrong with a list that is open behind `last`; nothing where a slip in `last` tells why."""
    if not last.parsed.refused:
        place = opening.lines.text.rindex("[", 0, len(opening.lines.text.partition("#")[0]))
        yield SyntaxProblem("Syntax error: '[' was never closed", opening.lines.range(place, place + 1))


def lists_never_closed(chunks: Iterable[Chunk]) -> Iterator[SyntaxProblem]:
    """All such lists of a file."""
    opening: Chunk | None = None
    last: Chunk | None = None
    for chunk in chunks:
        if chunk.leaves_list_open and opening is not None and last is not None:
            yield from never_closed(opening, last)
        opening, last = chunk if chunk.part is Part.OPENING else opening, chunk
    if last is not None and last.after is not Place.OUTSIDE and opening is not None:
        yield from never_closed(opening, last)


def must_be_judged_whole(chunks: Iterable[Chunk], doubtful: Collection[Chunk]) -> bool:
    """Whether Python may refuse a file all of whose chunks are right: `doubtful` are those where the order counts."""
    if any(chunk.declares_global for chunk in doubtful):
        return True
    rest = {*doubtful}
    for chunk in chunks:
        rest.discard(chunk)
        if not rest:
            return False
        if not chunk.may_come_first:
            return True
    return False


def joined(chunks: Iterable[Chunk]) -> Iterator[ast.stmt]:
    """The statements of a file with its line numbers; a list that is cut is one statement again."""
    opened: ast.stmt | None = None
    for chunk in chunks:
        placed = chunk.placed()
        if chunk.part is Part.OPENING:
            opened = placed[0] if placed else None
        elif chunk.part is not None and opened is not None and placed:
            _continue(opened, placed.pop(0))
        yield from placed


def _continue(opened: ast.stmt, part: ast.stmt) -> None:
    """Put the next part of a list into the statement that opened it."""
    assert isinstance(part, ast.Expr)  # noqa: S101
    assert isinstance(opened, ast.Assign | ast.AnnAssign | ast.AugAssign)  # noqa: S101
    before, start = opened.value, leftmost(part.value)
    assert before is not None  # noqa: S101
    if isinstance(before, ast.List) and isinstance(start, ast.List):
        start.elts[:0] = before.elts
    for node in spine(part.value):
        node.lineno, node.col_offset = before.lineno, before.col_offset
    opened.value = part.value
    opened.end_lineno, opened.end_col_offset = part.end_lineno, part.end_col_offset


def text_for_us(chunks: Iterable[Chunk]) -> str:
    """The text of chunks as our Python reads it."""
    return "".join(chunk.text if chunk.older is None else chunk.lines.text for chunk in chunks)


def problem_of_whole(text: str) -> SyntaxProblem | None:
    """What Python says against a whole text, told with its line numbers."""
    lines = Lines(legal(text, begins_file=True))
    return refusal_of_whole(lines)


def says(source: str, name: str) -> bool:
    """Whether a name may stand in a source; Python takes names that are equal in NFKC for the same."""
    return name in source or (not source.isascii() and name in unicodedata.normalize("NFKC", source))


def _is_future(node: ast.stmt) -> bool:
    return isinstance(node, ast.ImportFrom) and node.module == "__future__"


def _declares_global(node: ast.stmt) -> bool:
    return not isinstance(node, ast.ClassDef) and any(isinstance(inner, ast.Global) for inner in ast.walk(node))
