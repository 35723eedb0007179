"""`# adal: ignore[CODE, ...]`: which findings it silences, and which comments silence nothing."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field

from adal_ls.lint.config import FIXED, Config
from adal_ls.lint.findings import Finding, Fix, TextEdit
from adal_ls.lint.rules.base import Unused
from adal_ls.lint.text import Lines

_MARK = re.compile(r"#[ \t]*adal:[ \t]*ignore\[([A-Za-z0-9, \t]*)\][ \t]*")
# Comments, and strings so that what looks like a comment inside of them is passed by.
_TOKEN = re.compile(
    r"""
      (?P<comment>\#[^\r\n]*)
    | \"\"\"(?:\\.|[^\\])*?\"\"\" | '''(?:\\.|[^\\])*?'''
    | "(?:\\.|[^"\\\r\n])*" | '(?:\\.|[^'\\\r\n])*'
    """,
    re.VERBOSE | re.DOTALL,
)
_WORKER = re.compile(r"ADAL9\d\d")
"""Found when the file is loaded: lint cannot tell whether they are silenced."""


@dataclass(frozen=True, slots=True)
class _Code:
    """One code of one comment, by offsets."""

    code: str
    start: int
    end: int


@dataclass(slots=True)
class _Mark:
    start: int
    end: int
    comment_end: int
    codes: list[_Code]
    used: set[str] = field(default_factory=set)


class Ignores:
    """The comments of one text. Made anew for each check, as it notes what they silence."""

    def __init__(self, lines: Lines) -> None:
        self._lines = lines
        self._marks: dict[int, list[_Mark]] = {}
        if "adal:" in lines.text and _MARK.search(lines.text):
            for mark in _marks(lines.text):
                self._marks.setdefault(lines.position(mark.start).line, []).append(mark)

    def silences(self, finding: Finding) -> bool:
        """Whether a comment on the line where a finding starts names its code."""
        if not self._marks or finding.code in FIXED:
            return False
        found = False
        for mark in self._marks.get(finding.range.start.line, ()):
            if any(code.code == finding.code for code in mark.codes):
                mark.used.add(finding.code)
                found = True
        return found

    def unused(self, known: Collection[str], config: Config) -> Iterator[Unused]:
        """What silences nothing, once every finding was asked for. Codes that are switched off are not judged."""
        for marks in self._marks.values():
            for mark in marks:
                idle = [code for code in mark.codes if code.code not in mark.used and _is_judged(code.code, config)]
                for code in idle:
                    removal = Fix("Remove it", (self._removal(mark, code, idle),), preferred=True)
                    yield Unused(self._lines.range(code.start, code.end), _why(code.code, known), removal)

    def _removal(self, mark: _Mark, code: _Code, idle: list[_Code]) -> TextEdit:
        if len(idle) < len(mark.codes):
            kept = ", ".join(other.code for other in mark.codes if other is not code)
            return TextEdit(self._lines.range(mark.codes[0].start, mark.codes[-1].end), kept)
        text = self._lines.text
        if mark.end < mark.comment_end:  # a reason stands behind it: that stays a comment
            keep = "" if text[mark.end] == "#" else "# "
            return TextEdit(self._lines.range(mark.start, mark.end), keep)
        start = mark.start
        while start > 0 and text[start - 1] in " \t":
            start -= 1
        return TextEdit(self._lines.range(start, mark.end), "")


def _marks(text: str) -> Iterator[_Mark]:
    for token in _TOKEN.finditer(text):
        if token.lastgroup != "comment":
            continue
        for match in _MARK.finditer(text, token.start(), token.end()):
            codes = [
                _Code(word.group(), word.start(), word.end())
                for word in re.compile(r"[A-Za-z0-9]+").finditer(text, match.start(1), match.end(1))
            ]
            yield _Mark(match.start(), match.end(), token.end(), codes)


def _is_judged(code: str, config: Config) -> bool:
    return _WORKER.fullmatch(code) is None and (code in FIXED or config.enabled(code))


def _why(code: str, known: Collection[str]) -> str:
    if code in FIXED:
        return f"{code} cannot be silenced: Python or the runtime refuses what it is about"
    if code not in known:
        from difflib import get_close_matches  # only a comment with a slip pays for the import

        near = next(iter(get_close_matches(code.upper(), known, n=1, cutoff=0.6)), None)
        advice = f"; did you mean {near}?" if near else ""
        return f"There is no rule {code}{advice}"
    return f"Nothing on this line is found by {code}: the comment silences nothing"
