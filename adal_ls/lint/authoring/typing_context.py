"""Where in a tools file a place is, told from the tokens before it: the code around it may be unfinished."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import Enum

from adal_ls.lint.model import ToolFile
from adal_ls.lint.reading.text import Position, Range


class Place(Enum):
    TOP = "top"  # the beginning of a top-level line
    LIST = "list"  # an element of CUSTOM_TOOLS
    KEY = "key"  # a key of an entry
    VALUE = "value"  # the value of a key
    ARGUMENT = "argument"  # an argument of ToolOutput
    STATUS = "status"  # the value of its status


@dataclass(frozen=True, slots=True)
class Context:
    """`range` is what a suggestion replaces: the word around the place, or the string with its quotes.

    `taken` are the names that are already there: keys of the entry, listed functions, arguments. `colon`: one follows.
    """

    place: Place
    range: Range
    quote: str | None = None
    key: str | None = None
    taken: frozenset[str] = frozenset()
    colon: bool = False


_LIST_HEAD = re.compile(r"CUSTOM_TOOLS\b")
_TOKENS = re.compile(
    r"""
      (?P<comment>\#[^\r\n]*)
    | (?P<triple>(?:"{3}|'{3}))
    | (?P<string>"(?:[^"\\\r\n]|\\.)*(?P<closed>")?|'(?:[^'\\\r\n]|\\.)*(?P<closed_too>')?)
    | (?P<word>[^\W\d][\w.]*)
    | (?P<opening>[(\[{])
    | (?P<closing>[)\]}])
    | (?P<mark>[,:]|=(?!=))
    """,
    re.VERBOSE | re.DOTALL,
)
_BEGINNING = re.compile(r"[\r\n](?=[^\s)\]}#])")
_FORWARD = 20_000
"""Characters looked at behind the place, for what is already there."""


@dataclass(slots=True)
class _Frame:
    """An open bracket: what stands before it, its opening, and the current element."""

    before: str
    opening: str
    item: str = ""
    marked: bool = False  # behind the `:` or `=` of the current element
    names: set[str] = field(default_factory=set)


@dataclass(frozen=True, slots=True)
class Token:
    kind: str
    text: str
    start: int
    end: int
    closed: bool = True


def context(file: ToolFile, place: Position) -> Context | None:
    """The context of a place; None where nothing is to be suggested."""
    text, offset = file.lines.text, file.lines.offset(place)
    if in_text(file, place):
        return None
    start = statement_start(file, place.line)
    stack, inside = _open_at(text, start, offset)
    if inside is not None and inside.kind != "string":
        return None
    span, quote = _span(text, offset, inside)
    replaced = file.lines.range(*span)
    if not stack:
        return _at_top(file, place, replaced) if quote is None else None
    frame = stack[-1]
    taken = frozenset(frame.names | _names_ahead(text, span[1], frame))
    in_list = _LIST_HEAD.match(text, start) is not None
    if frame.opening == "(" and frame.before.rpartition(".")[2] in outputs(file):
        if frame.marked:
            return Context(Place.STATUS, replaced, quote) if frame.item == "status" else None
        return Context(Place.ARGUMENT, replaced, quote, taken=taken)
    if not in_list:
        return None
    if frame.opening == "{" and len(stack) > 1:
        if frame.marked:
            before = {name for outer in stack for name in outer.names}
            return Context(Place.VALUE, replaced, quote, frame.item, frozenset(before | _words_ahead(text, span[1])))
        colon = re.compile(r"[ \t]*:").match(text, span[1]) is not None
        return Context(Place.KEY, replaced, quote, taken=taken, colon=colon)
    if frame.opening == "[" or frame.before in ("CUSTOM_TOOLS.append",):
        return Context(Place.LIST, replaced, quote, taken=taken)
    return None


def outputs(file: ToolFile) -> set[str]:
    """The names that stand for ToolOutput in the file."""
    aliases = {name for name in file.names.scope.names if (file.names.root(name) or "").endswith(".ToolOutput")}
    return {"ToolOutput", *aliases}


def _at_top(file: ToolFile, place: Position, replaced: Range) -> Context | None:
    line = file.lines.line(place.line)
    if replaced.start.column == 0 and line[: place.column].strip() == line[: place.column]:
        rest = line[replaced.end.column :].strip()
        return Context(Place.TOP, replaced) if not rest else None
    # "def na": the words before belong to what is being written.
    written = re.fullmatch(r"(?:async[ \t]+)?def(?:[ \t]+\w*)?", line[: place.column])
    if written and not line[place.column :].strip():
        start = Position(place.line, 0)
        return Context(Place.TOP, Range(start, place))
    return None


def in_text(file: ToolFile, place: Position) -> bool:
    """Whether the place is inside a string of several lines that can be read."""
    for statement in file.module.body:
        if statement.lineno - 1 <= place.line <= (statement.end_lineno or statement.lineno) - 1:
            for node in ast.walk(statement):
                if isinstance(node, ast.Constant | ast.JoinedStr) and node.end_lineno != node.lineno:
                    span = file.lines.range_of(node)
                    if span.start < place < span.end:
                        return True
    return False


def statement_start(file: ToolFile, line: int) -> int:
    """The offset of the line that begins the top-level statement around a line."""
    while line > 0:
        text = file.lines.line(line)
        if text and text[0] not in " \t\f)]}#":
            break
        line -= 1
    return file.lines.starts[line] if line < len(file.lines.starts) else len(file.lines.text)


def tokens(text: str, start: int, end: int) -> Iterator[Token]:
    offset = start
    while (match := _TOKENS.search(text, offset, end)) is not None:
        kind, offset = match.lastgroup or "", match.end()
        if match["triple"] is not None:
            close = text.find(match["triple"], match.end(), end)
            closed, offset = close >= 0, close + 3 if close >= 0 else end
            yield Token("triple", "", match.start(), offset, closed=closed)
        elif match["string"] is not None:
            closed = bool(match["closed"] or match["closed_too"])
            yield Token("string", match["string"], match.start(), offset, closed=closed)
        else:
            yield Token(kind, match.group(), match.start(), offset)


def _open_at(text: str, start: int, offset: int) -> tuple[list[_Frame], Token | None]:
    """The brackets that are open at an offset, and the string or comment that it is inside of."""
    stack: list[_Frame] = []
    word = ""
    for token in tokens(text, start, offset):
        ends_here = token.end == offset
        if ends_here and (token.kind == "comment" or (token.kind in ("string", "triple") and not token.closed)):
            return stack, token
        if token.kind == "opening":
            stack.append(_Frame(word, token.text))
        elif token.kind == "closing" and stack:
            closed = stack.pop()
            if stack and stack[-1].opening == "[":
                stack[-1].names |= closed.names & set() if closed.opening == "(" else closed.names
        elif stack and not (ends_here and token.kind == "word"):
            _note(stack[-1], token)
        word = token.text if token.kind == "word" else ""
    return stack, None


def _note(frame: _Frame, token: Token) -> None:
    if token.kind == "mark":
        if token.text == ",":
            frame.item, frame.marked = "", False
        elif (token.text == ":") == (frame.opening == "{"):
            frame.marked = True
            frame.names.add(frame.item)
    elif not frame.marked:
        frame.item = _content(token)
        if frame.opening == "[" or (frame.opening == "(" and frame.before.startswith("CUSTOM_TOOLS")):
            frame.names.add(frame.item)
    elif frame.item == "function" and token.kind == "word":
        frame.names.add(token.text)  # the function that the entry lists


def _content(token: Token) -> str:
    return token.text.strip("\"'") if token.kind == "string" else token.text


def _names_ahead(text: str, offset: int, frame: _Frame) -> set[str]:
    """The names that stand in the same bracket behind the place, up to where another statement begins."""
    ahead = _Frame(frame.before, frame.opening, frame.item, frame.marked)
    stack = [ahead]
    for token in tokens(text, offset, _statement_end(text, offset)):
        if token.kind == "opening":
            stack.append(_Frame("", token.text))
        elif token.kind == "closing":
            closed = stack.pop()
            if not stack:
                break
            if closed.opening == "{":
                stack[-1].names |= closed.names
        else:
            _note(stack[-1], token)
    return ahead.names


def _words_ahead(text: str, offset: int) -> set[str]:
    """The names that stand behind the place in the same statement; in CUSTOM_TOOLS those are functions."""
    return {token.text for token in tokens(text, offset, _statement_end(text, offset)) if token.kind == "word"}


def _statement_end(text: str, offset: int) -> int:
    limit = min(len(text), offset + _FORWARD)
    beginning = _BEGINNING.search(text, offset, limit)
    return beginning.start() if beginning else limit


def _span(text: str, offset: int, string: Token | None) -> tuple[tuple[int, int], str | None]:
    """What a suggestion replaces: the string around the place, its closing quote included, or the word."""
    if string is not None:
        quote = string.text[0]
        rest = re.compile(rf"\w*{quote}?").match(text, offset)
        return (string.start, rest.end() if rest else offset), quote
    start = end = offset
    while start > 0 and (text[start - 1] == "_" or text[start - 1].isalnum()):
        start -= 1
    while end < len(text) and (text[end] == "_" or text[end].isalnum()):
        end += 1
    return (start, end), None
