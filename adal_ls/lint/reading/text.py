"""Places in a text: LSP lines, columns in code points.

A line ends at `\\n`, `\\r\\n` or `\\r` and nowhere else (LSP 3.17, "Text Documents"); Python's tokenizer counts lines
the same way, `str.splitlines` does not. `ast` counts columns in UTF-8 bytes; here they become code points.
"""

from __future__ import annotations

import ast
import re
from bisect import bisect_right
from typing import NamedTuple

_DEFINITION = re.compile(r"(?:async(?:\s|\\\r?\n)+)?(?:def|class)(?:\s|\\\r?\n)+(\w+)")
_LINE_END = re.compile(r"\r\n|\r|\n")


class Position(NamedTuple):
    """A place between two characters: zero-based line, column in code points."""

    line: int
    column: int


class Range(NamedTuple):
    """From `start` up to, not including, `end`."""

    start: Position
    end: Position

    def contains(self, other: Range) -> bool:
        """Whether `other` lies inside this range; a range contains itself."""
        return self.start <= other.start and other.end <= self.end


class Lines:
    """The line table of one text, whole or a part of a file.

    `first` is the number of the text's first line, wherever lines are counted from; `parsed` is the number by which the
    syntax nodes of this text know that line.
    """

    __slots__ = ("_ascii", "first", "parsed", "starts", "text")

    def __init__(self, text: str, first: int = 0, parsed: int | None = None) -> None:
        self.text = text
        self.first = first
        self.parsed = first if parsed is None else parsed
        self.starts = [0, *(match.end() for match in _LINE_END.finditer(text))]
        self._ascii = text.isascii()

    def line(self, number: int) -> str:
        """The text of a line without its line end; "" outside the text."""
        number -= self.first
        if not 0 <= number < len(self.starts):
            return ""
        end = self.starts[number + 1] if number + 1 < len(self.starts) else len(self.text)
        return self.text[self.starts[number] : end].rstrip("\r\n")

    def raw(self, start: int, stop: int) -> str:
        """The lines from `start` up to `stop`, counted from the first of this text, with their ends."""
        end = self.starts[stop] if stop < len(self.starts) else len(self.text)
        return self.text[self.starts[start] : end]

    def position(self, offset: int) -> Position:
        """The place of a code point offset; offsets outside the text are moved to its nearest end."""
        offset = min(max(offset, 0), len(self.text))
        line = bisect_right(self.starts, offset) - 1
        return Position(line + self.first, offset - self.starts[line])

    def offset(self, position: Position) -> int:
        """The code point offset of a place; a place outside the text is moved to the nearest inside."""
        line = max(position.line - self.first, 0)
        if line >= len(self.starts):
            return len(self.text)
        return self.starts[line] + min(max(position.column, 0), len(self.line(position.line)))

    def column(self, line: int, byte_column: int) -> int:
        """The code point column for a column that counts UTF-8 bytes, as in `ast`."""
        if self._ascii:
            return byte_column
        text = self.line(line)
        if text.isascii():
            return byte_column
        return len(text.encode("utf-8", "surrogatepass")[:byte_column].decode("utf-8", "ignore"))

    def range_of(
        self, node: ast.expr | ast.stmt | ast.alias | ast.excepthandler | ast.pattern | ast.arg | ast.keyword
    ) -> Range:
        """The range of a syntax node parsed from this text."""
        moved = self.first - self.parsed - 1
        start, end = node.lineno + moved, (node.end_lineno or node.lineno) + moved
        return Range(
            Position(start, self.column(start, node.col_offset)),
            Position(end, self.column(end, node.end_col_offset or node.col_offset)),
        )

    def name_of(self, node: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) -> Range:
        """The range of the name in a definition parsed from this text."""
        line = node.lineno - self.parsed - 1
        begin = self.starts[line] + self.column(line + self.first, node.col_offset)
        match = _DEFINITION.match(self.text, begin)
        return self.range(match.start(1), match.end(1)) if match else self.range_of(node)

    def range(self, start: int, end: int) -> Range:
        """The range between two code point offsets."""
        return Range(self.position(start), self.position(end))

    def span(self, start: Position, length: int) -> Range:
        """The range of `length` characters from `start` on, cut at the end of the line."""
        end = min(start.column + length, len(self.line(start.line)))
        return Range(start, Position(start.line, max(end, start.column)))

    def slice(self, range_: Range) -> str:
        """The text inside a range."""
        return self.text[self.offset(range_.start) : self.offset(range_.end)]


def line_end(text: str) -> str:
    """The line end that `text` uses (its first one), "\\n" if it has none."""
    found = _LINE_END.search(text)
    return found.group() if found else "\n"


def count_line_ends(text: str) -> int:
    """How many line ends a text has."""
    found = text.count("\n")
    return found + text.count("\r") - text.count("\r\n") if "\r" in text else found
