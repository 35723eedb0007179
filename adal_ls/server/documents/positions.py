"""Columns in the client's position encoding, from and to code points (LSP 3.17, "Position")."""

from __future__ import annotations

from typing import Literal

Encoding = Literal["utf-8", "utf-16", "utf-32"]

ENCODINGS: tuple[Encoding, ...] = ("utf-8", "utf-16", "utf-32")


def choose(offered: object) -> Encoding:
    """The first encoding of the client's list that we know; UTF-16 where it names none, as LSP demands."""
    if isinstance(offered, list):
        for name in offered:
            for known in ENCODINGS:
                if name == known:
                    return known
    return "utf-16"


def to_units(line: str, column: int, encoding: Encoding) -> int:
    """The column in the client's units of code point `column` in `line`."""
    before = line[:column]
    if encoding == "utf-32" or before.isascii():
        return len(before)
    if encoding == "utf-16":
        return len(before) + sum(char > "\uffff" for char in before)
    return len(before.encode("utf-8", "surrogatepass"))


def from_units(line: str, units: int, encoding: Encoding) -> int:
    """The code point column of the client's column `units` in `line` (which has no line end in it).

    A column past the end means the end (LSP, "Position"); one inside a character means that character's start.
    """
    if units <= 0:
        return 0
    if encoding == "utf-32" or line.isascii():
        return min(units, len(line))
    passed = 0
    for column, char in enumerate(line):
        passed += _width(char, encoding)
        if passed > units:
            return column
    return len(line)


def _width(char: str, encoding: Encoding) -> int:
    if encoding == "utf-16":
        return 2 if char > "\uffff" else 1
    return len(char.encode("utf-8", "surrogatepass"))
