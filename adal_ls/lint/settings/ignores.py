"""`# adal: ignore[CODE, ...]`: which findings it silences, and which comments silence nothing.

A code is also the name of a rule or the beginning of a family's codes, in any case.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from adal_ls.lint.findings import Finding, Fix, TextEdit
from adal_ls.lint.reading.text import Lines
from adal_ls.lint.rules.base import Unused
from adal_ls.lint.settings.codes import LOADING, read_code, unknown_code
from adal_ls.lint.settings.config import FIXED, Config

# Without brackets, or with an open one, it names nothing; that is told, as it silences nothing.
_MARK = re.compile(r"#[ \t]*adal:[ \t]*ignore(?:\[([^\]\r\n]*)\]|(?![\w-])(?:\[[^\]\r\n]*)?)[ \t]*", re.IGNORECASE)
_WORD = re.compile(r"[^\s,]+")
# Comments, and strings so that what looks like a comment inside of them is passed by.
_TOKEN = re.compile(
    r"""
      (?P<comment>\#[^\r\n]*)
    | \"\"\"(?:\\.|[^\\])*?\"\"\" | '''(?:\\.|[^\\])*?'''
    | "(?:\\.|[^"\\\r\n])*" | '(?:\\.|[^'\\\r\n])*'
    """,
    re.VERBOSE | re.DOTALL,
)
_NO_CODES = "This silences nothing: name what is to be silenced, such as # adal: ignore[ADAL303]"


class _Code(NamedTuple):
    """One code of one comment, by offsets: as it is written, and what it stands for (None where no rule has it)."""

    written: str
    start: int
    end: int
    code: str | None


@dataclass(slots=True)
class _Mark:
    lines: Lines
    start: int
    end: int
    comment_end: int
    codes: list[_Code]
    used: set[_Code] = field(default_factory=set)


def has_marks(text: str) -> bool:
    """Whether a text may hold such a comment."""
    return "#" in text and "ignore" in text.lower() and _MARK.search(text) is not None


class Ignores:
    """The comments of some chunks. Made anew for each check, as it notes what they silence."""

    def __init__(self, chunks: Iterable[Lines]) -> None:
        self._marks: dict[int, list[_Mark]] = {}
        for lines in chunks:
            for mark in _marks(lines):
                self._marks.setdefault(lines.position(mark.start).line, []).append(mark)

    def silences(self, finding: Finding) -> bool:
        """Whether a comment on the line where a finding starts names its code."""
        if not self._marks or finding.code in FIXED:
            return False
        found = False
        for mark in self._marks.get(finding.range.start.line, ()):
            for code in mark.codes:
                if code.code is not None and finding.code.startswith(code.code):
                    mark.used.add(code)
                    found = True
        return found

    def unused(self, config: Config) -> Iterator[Unused]:
        """What silences nothing, once every finding was asked for. Codes that are switched off are not judged."""
        for marks in self._marks.values():
            for mark in marks:
                idle = [code for code in mark.codes if code not in mark.used and _is_judged(code.code, config)]
                for code in idle:
                    removal = Fix("Remove it", (self._removal(mark, code, idle),), preferred=True)
                    yield Unused(mark.lines.range(code.start, code.end), _why(code), removal)
                if not mark.codes:
                    removal = Fix("Remove it", (self._removal(mark, None, idle),), preferred=True)
                    yield Unused(mark.lines.range(mark.start, mark.end), _NO_CODES, removal)

    def _removal(self, mark: _Mark, code: _Code | None, idle: list[_Code]) -> TextEdit:
        if len(idle) < len(mark.codes):
            kept = ", ".join(other.written for other in mark.codes if other is not code)
            return TextEdit(mark.lines.range(mark.codes[0].start, mark.codes[-1].end), kept)
        text = mark.lines.text
        if mark.end < mark.comment_end:  # a reason stands behind it: that stays a comment
            keep = "" if text[mark.end] == "#" else "# "
            return TextEdit(mark.lines.range(mark.start, mark.end), keep)
        start = mark.start
        while start > 0 and text[start - 1] in " \t":
            start -= 1
        return TextEdit(mark.lines.range(start, mark.end), "")


def _marks(lines: Lines) -> Iterator[_Mark]:
    text = lines.text
    for token in _TOKEN.finditer(text):
        if token.lastgroup != "comment":
            continue
        for match in _MARK.finditer(text, token.start(), token.end()):
            words = _WORD.finditer(text, match.start(1), match.end(1)) if match[1] else ()
            codes = [_Code(word.group(), word.start(), word.end(), read_code(word.group())) for word in words]
            yield _Mark(lines, match.start(), match.end(), token.end(), codes)


def _is_judged(code: str | None, config: Config) -> bool:
    if code is None:
        return True
    return not code.startswith(LOADING) and (code in FIXED or config.enabled(code))


def _why(code: _Code) -> str:
    if code.code is None:
        text = unknown_code(code.written)
        return text[0].upper() + text[1:]
    if code.code in FIXED:
        return f"{code.written} cannot be silenced: Python or the runtime refuses what it is about"
    return f"Nothing on this line is found by {code.written}: the comment silences nothing"
