"""A list with a slip in it: the elements that can be read all the same."""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Iterator
from typing import NamedTuple

from adal_ls.lint.reading.pieces import TOKENS

_BEGINNING = re.compile(r"\w+[ \t]*(?::[^=\r\n]*)?\+?=[ \t]*(?=[(\[])")
_PAIRS = {"(": ")", "[": "]", "{": "}"}
_VISIBLE = re.compile(r"[^\r\n]")
_BREAK = re.compile(r"(?<=[\r\n])[ \t]")


class _Group(NamedTuple):
    """What stands in a pair of brackets: where its parts between commas begin and end. `end` is that of the text where
    nothing closes it."""

    opening: str
    parts: tuple[tuple[int, int], ...]
    end: int


def salvage(source: str) -> tuple[ast.stmt, ...]:
    """The assignment to a list that Python refuses, with those elements that stand for themselves.

    All places are those of the source: what cannot be read is blank.
    """
    beginning = _BEGINNING.match(source)
    if beginning is None:
        return ()
    group = _group(source, beginning.end())
    kept = "".join(_kept(source, group))
    text = source[: beginning.end()] + group.opening + kept + _PAIRS[group.opening]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return tuple(ast.parse(text).body)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return ()


def _kept(source: str, group: _Group) -> Iterator[str]:
    """The parts of a group, as long as they were, with a comma behind each but where it is blank."""
    for start, end in group.parts:
        part = source[start:end]
        readable = _readable(part, group.opening)
        yield readable
        if end < group.end:
            yield "," if readable.strip() and not _is_comment(readable) else " "


def _readable(part: str, opening: str) -> str:
    if _is_code(part, opening):
        return part
    lines = _with_commas(part)
    if lines != part and _is_code(lines, opening):
        return lines
    start = len(part) - len(part.lstrip())
    if opening != "{" and part[start : start + 1] == "{":
        group = _group(part, start)
        inner = "".join(_kept(part, group))
        mended = part[:start] + "{" + inner + "}" + _VISIBLE.sub(" ", part[group.end + 1 :])
        mended = mended if len(mended) <= len(part) else _shortened(mended)
        if _is_code(mended, opening):
            return mended
    return _VISIBLE.sub(" ", part)


def _shortened(mended: str) -> str:
    """The same without a blank before the closing bracket, which the part did not have."""
    inner = mended[:-1].rstrip(" \t")
    return f"{inner}}}" if len(inner) < len(mended) - 1 else mended


def _with_commas(part: str) -> str:
    """The lines of a part as elements of their own: a comma at the end of one was forgotten."""
    head = len(part) - len(part.lstrip())
    return part[:head] + _BREAK.sub(",", part[head:].rstrip()) + part[len(part.rstrip()) :]


def _is_code(part: str, opening: str) -> bool:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            ast.parse(f"{opening}{part}\n{_PAIRS[opening]}", mode="eval")
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return False
    return True


def _is_comment(text: str) -> bool:
    """Whether there is nothing but comments in a text."""
    return all(not line.strip() or line.lstrip().startswith("#") for line in re.split(r"[\r\n]", text))


def _group(source: str, start: int) -> _Group:
    """The parts of the brackets that open at `start`."""
    depth, begin, parts = 0, start + 1, list[tuple[int, int]]()
    offset = start
    commas = re.compile(r",")
    while offset < len(source):
        comma = commas.search(source, offset)
        token = TOKENS.search(source, offset)
        if comma is not None and (token is None or comma.start() < token.start()):
            if depth == 1:
                parts.append((begin, comma.start()))
                begin = comma.end()
            offset = comma.end()
            continue
        if token is None:
            break
        offset = token.end()
        if token.lastgroup == "opening":
            depth += 1
        elif token.lastgroup == "closing" and (depth > 1 or token.group() == _PAIRS[source[start]]):
            depth -= 1  # one that closes nothing here is the slip of its part
            if depth == 0:
                return _Group(source[start], (*parts, (begin, token.start())), token.start())
        elif token.lastgroup == "triple":
            ending = source.find(token.group(), offset)
            offset = len(source) if ending < 0 else ending + 3
    return _Group(source[start], (*parts, (begin, len(source))), len(source))
