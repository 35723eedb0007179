"""Cuts a text into its top-level statements without parsing it, so that a slip in one leaves the others readable.

A statement begins at a line whose first column holds something (comments, closing brackets and `else`-like clauses
aside); decorators stay with what they decorate. Inside open brackets and strings nothing begins, but a line there that
looks like a beginning is remembered: it shows where to go on if the bracket or string turns out to be the slip.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from enum import Enum
from typing import NamedTuple


class Head(Enum):
    """What a line that begins a statement looks like."""

    DECORATOR = "decorator"
    DEFINITION = "definition"
    TOOL_LIST = "tool list"
    STATEMENT = "statement"
    OTHER = "other"


_HEADS = re.compile(
    r"""
      (?P<none>[\s\#)\]}\\]|$|(?:else|elif|except|finally)\b)
    | (?P<DECORATOR>@)
    | (?P<DEFINITION>(?:async[ \t]+def|def|class)\b)
    | (?P<TOOL_LIST>CUSTOM_TOOLS\b[ \t]*(?::|\+?=))
    | (?P<STATEMENT>(?:import|from|try|with|while|return|raise|global|assert|del|pass)\b|\w+[ \t]*(?::[^=\r\n]+)?=(?!=))
    | (?P<OTHER>)
    """,
    re.VERBOSE,
)
_TOKENS = r"""
      (?P<comment>\#[^\r\n]*)
    | (?P<triple>\"\"\"|''')
    | (?P<string>"[^"\\\r\n]*(?:\\(?:\r\n|.)[^"\\\r\n]*)*"?|'[^'\\\r\n]*(?:\\(?:\r\n|.)[^'\\\r\n]*)*'?)
    | (?P<opening>[(\[{])
    | (?P<closing>[)\]}])
    | (?P<joined>\\(?:\r\n|.))
    | (?P<newline>(?:\r\n|\r|\n)%s)
    """
TOKENS = re.compile(_TOKENS % "", re.VERBOSE | re.DOTALL)
# The same, but of the line ends only those that a statement may stand behind.
_STATEMENT_TOKENS = re.compile(_TOKENS % r"(?=[^\s\#)\]}\\])", re.VERBOSE | re.DOTALL)
_TRIPLE_ENDS = {'"""': re.compile(r'\\.|"""', re.DOTALL), "'''": re.compile(r"\\.|'''", re.DOTALL)}
# What can go wrong inside a string is prose, and prose begins lines with "for" and "from".
_HEADS_IN_STRINGS = frozenset({Head.DECORATOR, Head.DEFINITION, Head.TOOL_LIST})
HEADS_IN_BRACKETS = _HEADS_IN_STRINGS | {Head.STATEMENT}
# Behind stray quotes, code is string and string is code up to the end of the file: a few such strings are enough.
_MANY = 4
_LINE_END = re.compile(r"\r\n|\r|\n")
_LIKE_A_HEAD_IN_STRINGS = re.compile(r"(?:\r\n|\r|\n)(?=[@adcC])")


class Piece(NamedTuple):
    """One top-level statement, by offsets.

    `resume` is the first place inside an open bracket or string where a statement could begin, if any; `in_string`
    tells which of the two, and `unterminated` that the text ended (or the search was given up) inside of it.
    `definition` is where the decorated definition begins in a statement that starts with decorators. `stray`: it is
    certain that a bracket or quote before `resume` is the slip.
    """

    start: int
    end: int
    head: Head
    resume: int | None = None
    in_string: bool = False
    unterminated: bool = False
    definition: int | None = None
    stray: bool = False


def head_at(text: str, offset: int) -> Head | None:
    """What the line that starts at an offset begins; None where no statement begins."""
    match = _HEADS.match(text, offset)
    group = match.lastgroup if match else None
    return Head[group] if group and group != "none" else None


class Cutter:
    """Finds the pieces of a text, or of a part of one.

    `reach` is the first offset that no answer so far depends on; past the end of the text where it may depend on what
    follows.
    """

    def __init__(self, text: str, is_code: Callable[[str], bool]) -> None:
        """`is_code` tells whether Python reads a text."""
        self.text = text
        self._reads = is_code
        self.reach = 0
        self._heads: dict[int, Head | None] = {}

    def piece(self, start: int) -> Piece:
        """The statement that begins at `start`, read as if nothing were open there."""
        text, depth, offset = self.text, 0, start
        head = self.head(start) or Head.OTHER
        decorating = head is Head.DECORATOR
        embedded = _Embedded(start, head)
        while token := _STATEMENT_TOKENS.search(text, offset):
            offset = token.end()
            kind = token.lastgroup
            if kind == "newline":
                found = self.head(offset)
                if found is None:
                    continue
                if depth:
                    if found in HEADS_IN_BRACKETS:
                        embedded.add([offset], in_string=False)
                    if found is Head.DEFINITION:  # never inside brackets: the open one is the slip
                        self.reached(offset)
                        return embedded.piece(offset)
                elif decorating and found in (Head.DECORATOR, Head.DEFINITION):
                    decorating = found is Head.DECORATOR
                    embedded.definition = None if decorating else offset
                else:
                    self.reached(offset)
                    return embedded.piece(offset)
            elif kind == "opening":
                depth += 1
            elif kind == "closing":
                depth = max(depth - 1, 0)
            elif kind == "triple":
                end = self.string_end(token.group(), offset)
                embedded.add(self.heads_between(offset, end or len(text)), in_string=True)
                if end is None:
                    break
                offset = end
                if embedded.strings == _MANY and embedded.resume is not None and self._is_code(embedded.resume):
                    self.reached(offset)
                    return embedded.piece(offset, stray=True)
        else:
            self.reach = len(text) + 1
            return embedded.piece(len(text), unterminated=depth > 0)
        self.reach = len(text) + 1
        return embedded.piece(len(text), unterminated=True)

    def head(self, offset: int) -> Head | None:
        """What the line at `offset` begins; None where no statement begins."""
        if offset not in self._heads:
            self._heads[offset] = head_at(self.text, offset)
        return self._heads[offset]

    def _is_code(self, start: int) -> bool:
        piece = self.piece(start)
        return self._reads(self.text[piece.start : piece.end])

    def reached(self, offset: int) -> None:
        """The line at `offset` was looked at; behind a `\\r` also whether a `\\n` follows."""
        end = _LINE_END.search(self.text, offset)
        self.reach = max(self.reach, end.end() + (end.group() == "\r") if end else len(self.text) + 1)

    def next_line(self, offset: int) -> int | None:
        """Where the line behind an offset begins."""
        end = _LINE_END.search(self.text, offset)
        return end.end() if end and end.end() < len(self.text) else None

    def string_end(self, quotes: str, start: int) -> int | None:
        """Where a string ends that three `quotes` open."""
        for match in _TRIPLE_ENDS[quotes].finditer(self.text, start):
            if match.group() == quotes:
                return match.end()
        return None

    def heads_between(self, start: int, end: int) -> list[int]:
        """The lines inside a string that look as if a statement began there."""
        lines = (match.end() for match in _LIKE_A_HEAD_IN_STRINGS.finditer(self.text, start, end))
        return [offset for offset in lines if offset < end and self.head(offset) in _HEADS_IN_STRINGS]


class _Embedded:
    """What is met inside one piece while its end is looked for."""

    def __init__(self, start: int, head: Head) -> None:
        self._start, self._head = start, head
        self.resume: int | None = None
        self.strings = 0
        self._in_string = False
        self.definition: int | None = None

    def add(self, offsets: list[int], *, in_string: bool) -> None:
        if offsets and self.resume is None:
            self.resume, self._in_string = offsets[0], in_string
        self.strings += bool(offsets) and in_string

    def piece(self, end: int, *, unterminated: bool = False, stray: bool = False) -> Piece:
        return Piece(self._start, end, self._head, self.resume, self._in_string, unterminated, self.definition, stray)
