"""Cuts CUSTOM_TOOLS element by element, where it stands as formatters write it: the bracket ends its line, and each
element ends one with a comma. So an edit re-reads the element it is in, and a slip in one leaves the others readable.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from enum import Enum
from typing import NamedTuple

from adal_ls.lint.reading.pieces import HEADS_IN_BRACKETS, TOKENS, Cutter, Head

_OPENING = re.compile(r"CUSTOM_TOOLS\b[ \t]*(?::[^=\r\n#]+)?\+?=[ \t]*\[[ \t]*(?:#[^\r\n]*)?(?:\r\n|\r|\n)")
# Most elements: a name, or a dict of names and plain strings, alone on its line and followed by another.
_PLAIN = re.compile(
    r"""[ \t]*(?:[A-Za-z_][\w.]*|\{(?:[^"'\\\#{}()\[\]\r\n]|"[^"\\\r\n]*"|'[^'\\\r\n]*')*\})[ \t]*,[ \t]*\r?\n"""
    r"""(?=[ \t]+[^\s#]|[\])}])"""
)
_NOTHING = re.compile(r"[ \t\f]*(?:[#\r\n]|$)")
_ELEMENT = re.compile(r"([ \t]*)(?:\{|\*|[^\W\d][\w.]*[ \t]*(?:,|$|[#\r\n]))")
_CLOSING = re.compile(r"[ \t]*\]")
_INDENT = re.compile(r"[ \t]*")


class Part(Enum):
    """What a chunk holds of a list that is cut."""

    OPENING = "opening"  # `CUSTOM_TOOLS = [`
    ELEMENTS = "elements"  # whole elements, the last comma included
    CLOSING = "closing"  # from the line with the closing bracket to the end of the statement


class Place(Enum):
    """Where a chunk begins."""

    OUTSIDE = "outside"
    OPENED = "opened"  # in a list, before its first element
    WITHIN = "within"  # in a list, behind an element


class Block(NamedTuple):
    """A part of a list, by offsets. `resume`, `in_string` and `unterminated` are as for a `Piece`."""

    start: int
    end: int
    part: Part
    resume: int | None = None
    in_string: bool = False
    unterminated: bool = False


def opening_end(text: str, start: int) -> int | None:
    """Where the line ends that begins a list which can be cut; None if none begins at `start`."""
    found = _OPENING.match(text, start)
    return found.end() if found else None


def goes_on(cutter: Cutter, start: int) -> bool:
    """Whether a list that is open may go on at `start`: no statement begins there."""
    return cutter.head(start) not in HEADS_IN_BRACKETS


def block_at(cutter: Cutter, start: int) -> Block:
    """The elements, or the end of the list, at `start`, read as if everything that is open were meant."""
    plain = _PLAIN.match(cutter.text, start)
    if plain is not None:
        cutter.reached(plain.end())
        return Block(start, plain.end(), Part.ELEMENTS)
    return _Scan(cutter, start).block()


class _Scan:
    """Looks for the end of one block."""

    def __init__(self, cutter: Cutter, start: int) -> None:
        self._cutter, self._start = cutter, start
        self._depth = 0
        self._closed = False
        self._complete = False
        self._line = start
        self._comment: int | None = None
        self._open_string = False
        self._resume: int | None = None
        self._in_string = False

    def block(self) -> Block:
        cutter, text, offset = self._cutter, self._cutter.text, self._start
        while token := TOKENS.search(text, offset):
            offset, kind = token.end(), token.lastgroup
            if kind == "newline":
                if (found := self._line_end(token.start(), offset)) is not None:
                    cutter.reached(offset)
                    return found
            elif kind == "comment":
                self._comment = token.start()
            elif kind == "string":
                quotes = token.group()
                self._open_string = self._open_string or len(quotes) == 1 or quotes[-1] != quotes[0]
            elif kind == "opening":
                self._depth += 1
            elif kind == "closing":
                self._closed = self._closed or self._depth == 0
                self._depth = max(self._depth - 1, 0)
            elif kind == "triple":
                end = cutter.string_end(token.group(), offset)
                self._note(cutter.heads_between(offset, end or len(text)), in_string=True)
                if end is None:  # the quotes are the slip: they cost the line they stand on
                    following = cutter.next_line(offset)
                    self._note([] if following is None else [following], in_string=True)
                    self._depth += 1
                    break
                offset = end
        cutter.reach = len(text) + 1
        return self._found(len(text), unterminated=self._depth > 0)

    def _line_end(self, end: int, following: int) -> Block | None:
        """The block, if it ends with the line that ends here."""
        cutter = self._cutter
        code = cutter.text[self._line : end if self._comment is None else self._comment].rstrip()
        self._line, self._comment = following, None
        head = cutter.head(following)
        broken, self._open_string = self._open_string, False
        if self._depth:
            if head is Head.DEFINITION:  # never inside brackets: the open one is the slip
                return self._found(following)
            if head in HEADS_IN_BRACKETS or self._begins_element(following):
                self._note([following], in_string=False)
                if broken:
                    return self._found(following)
            elif broken and _CLOSING.match(cutter.text, following):
                return self._found(following)
            return None
        if self._closed:
            return None if head is None else self._found(following)
        if head in HEADS_IN_BRACKETS:
            return self._found(following)
        self._complete = self._complete or broken or code.endswith(",")
        if self._complete and not _NOTHING.match(cutter.text, following):
            return self._found(following)
        return None

    def _begins_element(self, offset: int) -> bool:
        """Whether a line looks like the next element: not further in than this block."""
        text = self._cutter.text
        found = _ELEMENT.match(text, offset)
        return found is not None and len(found[1]) <= len(_INDENT.match(text, self._start)[0])  # type: ignore[index]

    def _note(self, offsets: list[int], *, in_string: bool) -> None:
        if offsets and self._resume is None:
            self._resume, self._in_string = offsets[0], in_string

    def _found(self, end: int, *, unterminated: bool = False) -> Block:
        part = Part.CLOSING if self._closed else Part.ELEMENTS
        resume = None if self._resume == end else self._resume
        return Block(self._start, end, part, resume, self._in_string, unterminated)


def spine(value: ast.expr) -> Iterator[ast.expr]:
    """The expressions that begin where `value` does, from the outermost on: the last of `[...] + more` is the list."""
    inner: ast.expr | None = value
    while inner is not None:
        yield inner
        inner = _first(inner)


def leftmost(value: ast.expr) -> ast.expr:
    """The innermost expression that begins where `value` does."""
    *_, last = spine(value)
    return last


def _first(value: ast.expr) -> ast.expr | None:
    if isinstance(value, ast.BinOp | ast.Compare):
        return value.left
    if isinstance(value, ast.Attribute | ast.Subscript | ast.Starred):
        return value.value
    if isinstance(value, ast.Call):
        return value.func
    if isinstance(value, ast.IfExp):
        return value.body
    if isinstance(value, ast.BoolOp):
        return value.values[0]
    return value.elts[0] if isinstance(value, ast.Tuple) and value.elts else None
