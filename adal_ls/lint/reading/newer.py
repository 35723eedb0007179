"""Syntax that newer Pythons have, written so that this one reads it, character for character.

The server's Python and the one that runs the tools need not be the same. Only a text that this Python refuses is looked
at here, and only what is whole is written anew: a slip stays a slip.
"""

from __future__ import annotations

import ast
import keyword
import re
import sys
from collections.abc import Callable
from functools import lru_cache
from typing import NamedTuple

from adal_ls.lint.reading.literals import Scanner, String, is_code

Version = tuple[int, int]

_OWN: Version = sys.version_info[:2]
_REFUSALS = (SyntaxError, ValueError, RecursionError, MemoryError, OverflowError)


class Newer(NamedTuple):
    """Something that Python has from `version` on, between two offsets of the text."""

    what: str
    version: Version
    start: int
    end: int


class Older(NamedTuple):
    """A text that an older Python reads: as long as the original, with what is newer written in another way."""

    text: str
    newer: tuple[Newer, ...]
    type_parameters: dict[int, tuple[str, ...]]
    """Offset of a function's or class's name → its type parameters."""


@lru_cache(maxsize=16)  # the same text is asked for several times while it is cut and read
def as_older(source: str, own: Version = _OWN, around: tuple[str, str] = ("", "")) -> Older | None:
    """`source` for Python `own`; None where nothing in it is newer, or Python would still refuse it.

    `around` is what stands before and behind the source, where it is no code alone.
    """
    if len(source) > _LONGEST or _MAYBE.search(source) is None:
        return None
    writing = _Writing(source, own)
    writing.f_strings()
    for rewrite in _REWRITES:
        rewrite(writing)
    text = "".join(writing.text)
    if not writing.newer or not is_code(f"{around[0]}{text}{around[1]}") or _is_chained(text, writing.aliases):
        return None
    return Older(text, tuple(sorted(writing.newer, key=lambda one: one.start)), writing.type_parameters)


_LONGEST = 200_000
"""Characters that are looked at: a statement that long is a text whose quotes were not closed."""
_MAYBE = re.compile(
    r"""\btype\s+\w+\s*[\[=]|\b(?:def|class)\s+\w+\s*\[|\bexcept\s*\*|\bexcept\s[^:\r\n]*,|[\[,:]\s*\*"""
    r"""|\b(?:[fFtT][rR]?|[rR][fFtT])["']""",
)
_TYPE_PARAMETERS = re.compile(r"\b(?:def|class)[ \t]+(?P<name>\w+)[ \t]*(?P<opening>\[)")
_ALIAS = re.compile(r"(?:^|(?<=[;:\n]))[ \t]*(?P<word>type)[ \t]+(?P<name>\w+)[ \t]*(?P<opening>\[)?", re.MULTILINE)
_EXCEPT_STAR = re.compile(r"\bexcept[ \t]*(?P<star>\*)")
_EXCEPT_LIST = re.compile(r"\bexcept[ \t]+(?P<types>[\w.]+(?:[ \t]*,[ \t]*[\w.]+)+)[ \t]*:")
_STAR_HINT = re.compile(r"\*\w+[ \t]*:[ \t]*(?P<star>\*)")
_STAR_INDEX = re.compile(r"[\w)\]][ \t]*\[(?:[^\[\]]*,)?[ \t]*(?P<star>\*)")


class _Writing:
    """A text as it is written anew. `code` is the text with underscores for strings and comments."""

    def __init__(self, source: str, own: Version) -> None:
        self.source = source
        self.text = list(source)
        self.newer: list[Newer] = []
        self.type_parameters: dict[int, tuple[str, ...]] = {}
        self.aliases: list[int] = []
        self.own = own
        self.strings = list(Scanner(source).strings())
        self.code = _without(source, self.strings)

    def note(self, what: str, version: Version, start: int, end: int) -> bool:
        """Whether something is newer than our Python; then it is to be written in another way."""
        if version <= self.own:
            return False
        self.newer.append(Newer(what, version, start, end))
        return True

    def put(self, start: int, text: str) -> None:
        self.text[start : start + len(text)] = text

    def blank(self, start: int, end: int) -> None:
        self.put(start, "".join(char if char in "\r\n" else " " for char in self.source[start:end]))

    def f_strings(self) -> None:
        for string in self.strings:
            letters = string.letters.lower()
            if not string.whole:
                continue
            if "t" in letters and self.note("a template string", (3, 14), string.start, string.end):
                self.put(string.start + letters.index("t"), "f")
                self._neutral(string)
            elif (
                "f" in letters
                and self._is_refused(string)
                and self.note(_IN_F_STRING, (3, 12), string.start, string.end)
            ):
                self._neutral(string)

    def _is_refused(self, string: String) -> bool:
        return not is_code(self.source[string.start : string.end])

    def _neutral(self, string: String) -> None:
        """What an f-string's parts are is of no matter to lint, but that the text is computed is."""
        start, end = string.start + len(string.letters) + string.quotes, string.end - string.quotes
        inner = self.source[start:end]
        self.blank(start, end)
        if string.quotes == 1 and _LINE_END.search(inner):
            if _may_begin(self.code[: string.start].rstrip()):
                self.put(string.start, "(_".ljust(start - string.start))
                self.put(end, ")")
            return
        line = re.search(r"[^\r\n]{3}", inner)
        if line is not None:
            self.put(start + line.start(), "{0}")


def _may_begin(before: str) -> bool:
    """Whether an expression may begin behind a code: where one ended, a bracket would call it."""
    word = re.search(r"\w*$", before)
    if word is None or not word.group():
        return not before.endswith((")", "]", "}"))
    return keyword.iskeyword(word.group()) or word.group().endswith("_")


_IN_F_STRING = "quotes, backslashes, comments and line breaks in the braces of an f-string"


def _without(source: str, strings: list[String]) -> str:
    """The text with an underscore for each character of a string or comment."""
    parts, offset = [], 0
    for start, end in [*((one.start, one.end) for one in strings), (len(source), len(source))]:
        parts.append(_COMMENT.sub(_underscores, source[offset:start]))
        parts.append(_TEXT.sub("_", source[start:end]))
        offset = end
    return "".join(parts)


def _underscores(found: re.Match[str]) -> str:
    return "_" * len(found.group())


_LINE_END = re.compile(r"[\r\n]")
_COMMENT = re.compile(r"#[^\r\n]*")
_TEXT = re.compile(r"[^\r\n]")


def _type_parameters(writing: _Writing) -> None:
    for found in _TYPE_PARAMETERS.finditer(writing.code):
        names = _bracketed(writing, found.start("opening"))
        if names is not None:
            writing.type_parameters[found.start("name")] = names


def _bracketed(writing: _Writing, opening: int) -> tuple[str, ...] | None:
    """Takes type parameters out; None where they are none, or not newer."""
    closing = _matching(writing.code, opening)
    if closing is None:
        return None
    content = writing.source[opening + 1 : closing]
    if content.endswith("\\"):
        return None  # in a line of its own it would be another thing
    try:
        arguments = ast.parse(f"def _({content}\n): pass").body[0]
    except _REFUSALS:
        return None
    if not isinstance(arguments, ast.FunctionDef) or not content.strip():
        return None
    defaults = [*arguments.args.defaults, *filter(None, arguments.args.kw_defaults)]
    version = (3, 13) if defaults else (3, 12)
    what = "a default of a type parameter" if defaults else "a type parameter"
    if not writing.note(what, version, opening, closing + 1):
        return None
    writing.blank(opening, closing + 1)
    taken = arguments.args
    every = [*taken.args, taken.vararg, *taken.kwonlyargs, taken.kwarg]
    return tuple(one.arg for one in every if one is not None)


def _matching(code: str, opening: int) -> int | None:
    depth = 0
    for offset in range(opening, len(code)):
        if code[offset] in "([{":
            depth += 1
        elif code[offset] in ")]}":
            depth -= 1
            if depth == 0:
                return offset if code[offset] == "]" else None
    return None


def _aliases(writing: _Writing) -> None:
    for found in _ALIAS.finditer(writing.code):
        opening = found.start("opening")
        after = opening
        if opening >= 0:
            closing = _matching(writing.code, opening)
            after = -1 if closing is None else closing + 1
            if after < 0:
                continue
        else:
            after = found.end()
        if re.compile(r"[ \t]*=(?!=)").match(writing.code, after) is None:
            continue  # a call or comparison of `type` itself
        if opening >= 0 and _bracketed(writing, opening) is None:
            continue
        if writing.note("a type statement", (3, 12), found.start("word"), found.end("name")):
            writing.put(found.start("word"), "0;  ")
            writing.aliases.append(found.start("word"))


def _is_chained(text: str, aliases: list[int]) -> bool:
    """Whether one of the type statements, which are assignments now, assigns to a second name: it cannot."""
    lines = {text.count("\n", 0, offset) + 1 for offset in aliases}
    return bool(lines) and any(
        isinstance(node, ast.Assign) and len(node.targets) > 1 and node.lineno in lines
        for node in ast.walk(ast.parse(text))
    )


def _handlers(writing: _Writing) -> None:
    for found in _EXCEPT_STAR.finditer(writing.code):
        if writing.note("except*", (3, 11), *found.span()):
            writing.put(found.start("star"), " ")
    for found in _EXCEPT_LIST.finditer(writing.code):
        if writing.note("several exceptions without parentheses", (3, 14), *found.span("types")):
            writing.put(found.start("types"), found["types"].replace(",", "|"))


def _stars(writing: _Writing) -> None:
    for pattern in (_STAR_HINT, _STAR_INDEX):
        for found in pattern.finditer(writing.code):
            if writing.note("a star in a hint or an index", (3, 11), *found.span("star")):
                writing.put(found.start("star"), " ")


_REWRITES: tuple[Callable[[_Writing], None], ...] = (_type_parameters, _aliases, _handlers, _stars)
