"""Cuts a text into its top-level statements without parsing it, so that a slip in one leaves the others readable.

A statement begins at a line whose first column holds something (comments, closing brackets and `else`-like clauses
aside); decorators stay with what they decorate. Inside open brackets and strings nothing begins, but a line there that
looks like a beginning is remembered: it shows where to go on if the bracket or string turns out to be the slip.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from dataclasses import dataclass
from enum import Enum

from adal_ls.lint.text import Lines


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
_TOKENS = re.compile(
    r"""
      (?P<comment>\#[^\r\n]*)
    | (?P<triple>\"\"\"|''')
    | (?P<string>"[^"\\\r\n]*(?:\\(?:\r\n|.)[^"\\\r\n]*)*"?|'[^'\\\r\n]*(?:\\(?:\r\n|.)[^'\\\r\n]*)*'?)
    | (?P<opening>[(\[{])
    | (?P<closing>[)\]}])
    | (?P<joined>\\(?:\r\n|.))
    | (?P<newline>\r\n|\r|\n)
    """,
    re.VERBOSE | re.DOTALL,
)
_TRIPLE_ENDS = {'"""': re.compile(r'\\.|"""', re.DOTALL), "'''": re.compile(r"\\.|'''", re.DOTALL)}
# What can go wrong inside a string is prose, and prose begins lines with "for" and "from".
_HEADS_IN_STRINGS = frozenset({Head.DECORATOR, Head.DEFINITION, Head.TOOL_LIST})
_HEADS_IN_BRACKETS = _HEADS_IN_STRINGS | {Head.STATEMENT}
# A bracket that is never closed reaches to the end of the file: the first few beginnings in it are enough.
_ENOUGH = 8


@dataclass(frozen=True, slots=True)
class Piece:
    """One top-level statement, by offsets.

    `resume` is the first place inside an open bracket or string where a statement could begin, if any; `in_string`
    tells which of the two, and `unterminated` that the text ended (or the search was given up) inside of it.
    `definition` is where the decorated definition begins in a statement that starts with decorators.
    """

    start: int
    end: int
    head: Head
    resume: int | None = None
    in_string: bool = False
    unterminated: bool = False
    definition: int | None = None


class Cutter:
    """Finds the pieces of one text."""

    def __init__(self, lines: Lines) -> None:
        self._text = lines.text
        self._heads: dict[int, Head] = {}
        for start in lines.starts:
            match = _HEADS.match(self._text, start)
            if match and match.lastgroup and match.lastgroup != "none":
                self._heads[start] = Head[match.lastgroup]
        self._starts = list(self._heads)

    def piece(self, start: int) -> Piece:
        """The statement that begins at `start`, read as if nothing were open there."""
        head = self._heads.get(start, Head.OTHER)
        decorating = head is Head.DECORATOR
        depth, offset, embedded = 0, start, _Embedded(start, head)
        while (token := _TOKENS.search(self._text, offset)) and embedded.in_brackets < _ENOUGH:
            offset = token.end()
            if token.lastgroup == "opening":
                depth += 1
            elif token.lastgroup == "closing":
                depth = max(depth - 1, 0)
            elif token.lastgroup == "triple":
                end = self._string_end(token.group(), offset)
                embedded.add(self._heads_between(offset, end or len(self._text)), in_string=True)
                if end is None:
                    return embedded.piece(len(self._text), unterminated=True)
                offset = end
            elif token.lastgroup == "newline" and (found := self._heads.get(offset)):
                if depth:
                    if found in _HEADS_IN_BRACKETS:
                        embedded.add([offset], in_string=False)
                elif decorating and found in (Head.DECORATOR, Head.DEFINITION):
                    decorating = found is Head.DECORATOR
                    embedded.definition = None if decorating else offset
                else:
                    return embedded.piece(offset)
        return embedded.piece(len(self._text), unterminated=depth > 0)

    def _string_end(self, quotes: str, start: int) -> int | None:
        for match in _TRIPLE_ENDS[quotes].finditer(self._text, start):
            if match.group() == quotes:
                return match.end()
        return None

    def _heads_between(self, start: int, end: int) -> list[int]:
        first, last = bisect_left(self._starts, start), bisect_left(self._starts, end)
        return [offset for offset in self._starts[first:last] if self._heads[offset] in _HEADS_IN_STRINGS]


class _Embedded:
    """What is met inside one piece while its end is looked for."""

    def __init__(self, start: int, head: Head) -> None:
        self._start, self._head = start, head
        self._resume: int | None = None
        self._in_string = False
        self.in_brackets = 0
        self.definition: int | None = None

    def add(self, offsets: list[int], *, in_string: bool) -> None:
        if offsets and self._resume is None:
            self._resume, self._in_string = offsets[0], in_string
        if not in_string:
            self.in_brackets += len(offsets)

    def piece(self, end: int, *, unterminated: bool = False) -> Piece:
        return Piece(self._start, end, self._head, self._resume, self._in_string, unterminated, self.definition)
