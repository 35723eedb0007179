"""String literals of a source, f-strings as Python 3.12 and later read them: anything may stand in their braces."""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterator
from typing import NamedTuple

_DEEPEST = 20
"""F-strings in each other that are followed; Python takes more, people do not."""
_LITERAL = r"(?P<letters>(?<!\w)(?:[bB][rR]?|[rR][bBfFtT]?|[fFtT][rR]?|[uU])|)(?P<quotes>\"{3}|'{3}|\"|')"
_STRING_OR_COMMENT = re.compile(rf"\#[^\r\n]*|{_LITERAL}")
_IN_STRING = re.compile(r"\\N\{[^{}\r\n]*\}|\\(?:\r\n|[^{}])|\{\{|\}\}|[{}\r\n\"']", re.DOTALL)
_IN_FIELD = re.compile(rf"\#[^\r\n]*|!=|{_LITERAL}|[()\[\]{{}}:!]")
_CONVERSION = re.compile(r"![ \t]*[rsa][ \t]*(?=[:}])")
_COMMENT = re.compile(r"#[^\r\n]*")
_EQUALS = re.compile(r"(?<![=!<>])=\s*$")  # `{x=}`, which shows the expression too
_IN_FORMAT = re.compile(r"[{}\"'\r\n]")
_REFUSALS = (SyntaxError, ValueError, RecursionError, MemoryError, OverflowError)


class String(NamedTuple):
    """A string literal. `whole`: it is closed, and each of its expressions is code."""

    letters: str
    quotes: int
    start: int
    end: int
    whole: bool


class Scanner:
    """Finds where string literals end: f-strings as Python 3.12 and later read them, with anything inside."""

    def __init__(self, source: str) -> None:
        self.source = source
        self._expressions: list[tuple[int, int]] = []
        self._inner: list[tuple[int, int]] = []
        self._depth = 0

    def strings(self) -> Iterator[String]:
        """The literals of the text, those inside of other ones left out."""
        offset = 0
        while (found := _STRING_OR_COMMENT.search(self.source, offset)) is not None:
            offset = found.end()
            if found["quotes"] is not None:
                self._expressions, self._inner, self._depth = [], [], 0
                offset, closed = self._closing(found, len(self.source))
                whole = closed and all(self._is_code(*place) for place in self._expressions)
                yield String(found["letters"], len(found["quotes"]), found.start(), offset, whole)

    def _closing(self, opening: re.Match[str], end: int) -> tuple[int, bool]:
        """Where the literal ends that begins there, and whether it is closed."""
        quotes, offset = opening["quotes"], opening.end()
        formatted = bool({"f", "t"} & set(opening["letters"].lower()))
        while (found := _IN_STRING.search(self.source, offset, end)) is not None:
            char, offset = found.group(), found.start()
            if self.source.startswith(quotes, offset):
                return offset + len(quotes), True
            if char in "\r\n" and len(quotes) == 1:
                return offset, False
            if formatted and char == "{":
                offset, closed = self._field(offset + 1, end, quotes)
                if not closed:
                    return offset, False
            else:
                if formatted and char == "}":
                    self._expressions.append((offset, offset))  # it closes nothing, which is no code
                offset += len(char)
        return end, False

    def _field(self, offset: int, end: int, quotes: str) -> tuple[int, bool]:
        """Where the replacement field ends whose expression begins there, and whether it does."""
        start, depth = offset, 0
        self._depth += 1
        if self._depth > _DEEPEST:
            return end, False
        while (found := _IN_FIELD.search(self.source, offset, end)) is not None:
            offset = found.end()
            if found["quotes"] is not None:
                offset, closed = self._closing(found, end)
                self._inner.append((found.start(), offset))
                if not closed:
                    return offset, False
            elif (mark := found.group()) in "([{":
                depth += 1
            elif depth == 0 and mark in "}:!":
                self._expressions.append((start, found.start()))
                self._depth -= 1
                return (offset, True) if mark == "}" else self._format(found.start(), end, quotes)
            elif mark in ")]}":
                if depth == 0:
                    return offset, False
                depth -= 1
        return end, False

    def _format(self, offset: int, end: int, quotes: str) -> tuple[int, bool]:
        """The same from the `!` or `:` behind the expression on; fields can stand in there."""
        if self.source[offset] == "!" and _CONVERSION.match(self.source, offset, end) is None:
            return offset, False
        while (found := _IN_FORMAT.search(self.source, offset, end)) is not None:
            if self.source.startswith(quotes, found.start()) or (len(quotes) == 1 and found.group() in "\r\n"):
                return found.start(), False
            offset = found.end()
            if found.group() == "}":
                return offset, True
            if found.group() == "{":
                offset, closed = self._field(offset, end, quotes)
                if not closed:
                    return offset, False
        return end, False

    def _is_code(self, start: int, end: int) -> bool:
        """Whether an expression is one; literals in it are judged by their own expressions."""
        text = self.source[start:end]
        for inner_start, inner_end in self._inner:
            if start <= inner_start and inner_end <= end and inner_end - inner_start > 1:
                at, behind = inner_start - start, inner_end - start
                text = f'{text[:at]}""{" " * (behind - at - 2)}{text[behind:]}'
        text = _EQUALS.sub("", text)
        written = _COMMENT.sub("", text).strip()
        return bool(written) and not text.endswith("\\") and is_code(f"({text}\n)")


def is_code(source: str) -> bool:
    """Whether this Python takes a source."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            compile(source, "tools.py", "exec", dont_inherit=True)
        except _REFUSALS:
            return False
    return True
