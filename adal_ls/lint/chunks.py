"""A file as a row of chunks, one for each top-level statement, each read on its own.

Where a chunk ends and what is in it follows from its text and the few lines behind it (`Cut.reach`). So an edit leaves
all chunks alone but those around it, and reading a file anew gives the same chunks as editing it step by step.
"""

from __future__ import annotations

import ast
import unicodedata
import warnings
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass

from adal_ls.lint.bindings import Bound, Function, collect, collect_unreadable
from adal_ls.lint.changes import changed_names
from adal_ls.lint.parsing import (
    Parsed,
    SyntaxProblem,
    illegal_character,
    is_code,
    legal,
    next_piece,
    parse,
    refusal_of_whole,
)
from adal_ls.lint.pieces import Cutter, Head
from adal_ls.lint.salvage import salvage
from adal_ls.lint.stopping import look_up
from adal_ls.lint.text import Lines, Range, count_line_ends
from adal_ls.schema.scope import Scope
from adal_ls.schema.scope import read as read_scope

LIST_NAME = "CUSTOM_TOOLS"
BYTE_ORDER_MARK = "\ufeff"

_NO_NAMES = Scope()
_DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


@dataclass(frozen=True, slots=True)
class Cut:
    """A chunk's text. `reach`: how many lines, from its first on, decide where it ends; None: all that follow."""

    text: str
    head: Head
    reach: int | None


def cut(text: str, start: int) -> Cut:
    """The chunk that begins at an offset."""
    cutter = Cutter(text, is_code)
    piece = next_piece(cutter, start)
    reach = None if cutter.reach > len(text) else count_line_ends(text[start : cutter.reach]) + 1
    return Cut(text[start : piece.end], piece.head, reach)


class Chunk:
    """One top-level statement, with the comments and empty lines behind it. Never changes.

    Its places count lines from `lines.first` on: in a file as it was read, that is the line on which it begins.
    """

    __slots__ = (
        "_placed",
        "bound",
        "changes",
        "declares_global",
        "functions",
        "head",
        "imports_future",
        "lines",
        "parsed",
        "reach",
        "salvaged",
        "scope",
        "size",
        "text",
    )

    def __init__(self, cut: Cut, first: int, numbered: int | None = None) -> None:
        self.text, self.head, self.reach = cut.text, cut.head, cut.reach
        self.size = count_line_ends(cut.text)
        source = legal(cut.text, begins_file=first == 0)
        self.lines = Lines(source, first if numbered is None else numbered, parsed=0)
        self.parsed: Parsed = parse(cut.text, self.lines)
        body = self.parsed.body
        self.bound: Bound = (
            collect(body, self.lines) if self.parsed.readable else collect_unreadable(self.lines, cut.head)
        )
        plain = all(isinstance(node, _DEFINITIONS) for node in body)
        self.scope = _NO_NAMES if plain else read_scope(body)
        broken_list = cut.head is Head.TOOL_LIST and not self.parsed.readable
        self.salvaged = salvage(source) if broken_list else ()
        self.changes = changed_names(body or self.salvaged, source)
        self.declares_global = not plain and "global" in source and any(_declares_global(node) for node in body)
        self.imports_future = not plain and any(_is_future(node) for node in body)
        self.functions: dict[Range, Function] = dict(self._functions())
        self._placed: list[ast.stmt] | None = None

    def placed(self) -> list[ast.stmt]:
        """Its statements once more, with the line numbers that `lines` has."""
        if self._placed is None:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                tree = ast.parse(self.lines.text) if self.parsed.body else ast.Module([], [])
            self._placed = ast.increment_lineno(tree, self.lines.first).body
        return self._placed

    @property
    def statements(self) -> Sequence[ast.stmt]:
        """What the list is read from: of a statement with a slip that makes it, what can be read."""
        return self.parsed.body or self.salvaged

    @property
    def is_troubled(self) -> bool:
        """Whether there is anything to say about its syntax."""
        return self.parsed.refused or bool(self.parsed.illegal)

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
    while offset < len(text):
        look_up()
        chunk = Chunk(cut(text, offset), first)
        offset += len(chunk.text)
        first += chunk.size
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
            yield parsed.problem.told(first)
        if parsed.refused:
            broken_up_to = first + chunk.size


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
