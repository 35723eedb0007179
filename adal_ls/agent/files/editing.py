"""One text of a file exchanged for another: pure, so that what is previewed is what is done."""

from __future__ import annotations

import re
from dataclasses import dataclass

_ADVICE = "Copy the text exactly, with its indentation"
_NEWLINE = re.compile(r"\r\n|\r|\n")


class CannotEditError(Exception):
    """The edit has no one meaning; the text says why and what to do."""


@dataclass(frozen=True, slots=True)
class Edit:
    """`before` and `after` are the whole file; `start` counts its characters up to the change."""

    before: str
    after: str
    start: int
    old: str
    new: str

    @property
    def line(self) -> int:
        """The line of the change, counted from 1."""
        return self.before.count("\n", 0, self.start) + 1


def edit(text: str, old: str, new: str) -> Edit:
    """`text` with its one `old` replaced by `new`.

    The line ends of the file are kept: what a model writes with `\\n` becomes `\\r\\n` in a file with those.

    Raises:
        CannotEditError: `old` is not there, more than once, empty, or the same as `new`.
    """
    if not old:
        raise CannotEditError("old_text is empty; give the text to replace, or use write_file for a whole file")
    if old == new:
        raise CannotEditError("old_text and new_text are the same; nothing would change")
    wanted, places = _find(text, old)
    if not places:
        raise CannotEditError(f"old_text is not in the file{_hint(text, old)}")
    if len(places) > 1:
        lines = ", ".join(str(text.count("\n", 0, place) + 1) for place in places[:10])
        raise CannotEditError(
            f"old_text is in the file {len(places)} times (lines {lines}); give more of the lines around the one meant"
        )
    start = places[0]
    written = _with_line_ends(new, _line_end(wanted) or _line_end(text) or "\n")
    if written == wanted:
        raise CannotEditError("old_text and new_text differ in line ends alone, which are kept; nothing would change")
    return Edit(text, text[:start] + written + text[start + len(wanted) :], start, wanted, written)


def _find(text: str, old: str) -> tuple[str, list[int]]:
    """The text that stands for `old`, and where: as it is, else with the file's line ends."""
    for wanted in dict.fromkeys((old, _with_line_ends(old, "\r\n"), _with_line_ends(old, "\n"))):
        if places := _places(text, wanted):
            return wanted, places
    return old, []


def _places(text: str, wanted: str) -> list[int]:
    """Where `wanted` begins; overlapping ones count, since they are two meanings as well."""
    found: list[int] = []
    at = text.find(wanted)
    while at >= 0 and len(found) < 1000:
        # Not in the middle of a line end: `\n` alone is no text of a file with `\r\n`.
        if not (wanted[0] == "\n" and at > 0 and text[at - 1] == "\r"):
            found.append(at)
        at = text.find(wanted, at + 1)
    return found


def _with_line_ends(text: str, end: str) -> str:
    return _NEWLINE.sub(end, text)


def _line_end(text: str) -> str | None:
    """The line end most lines of `text` have."""
    windows = text.count("\r\n")
    unix = text.count("\n") - windows
    if not windows and not unix:
        return "\r" if "\r" in text else None
    return "\r\n" if windows > unix else "\n"


def _hint(text: str, old: str) -> str:
    """Where a text stands that differs in white space alone, the most common mistake."""
    lines = [line.split() for line in text.splitlines()]
    wanted = [line.split() for line in old.strip().splitlines()]
    for number in range(len(lines) - len(wanted) + 1):
        if wanted and lines[number : number + len(wanted)] == wanted:
            return f"; line {number + 1} differs from it in white space alone. {_ADVICE}"
    return f". Read the file again. {_ADVICE}"
