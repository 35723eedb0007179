"""Source → syntax tree, a piece of a file at a time: what Python refuses is left out and told, each slip once."""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Iterable
from typing import NamedTuple

from adal_ls.lint.reading.blocks import Block, Part, Place, block_at, leftmost, spine
from adal_ls.lint.reading.newer import Older, Version, as_older
from adal_ls.lint.reading.pieces import Cutter, Piece
from adal_ls.lint.reading.text import Lines, Position, Range

# NUL and lone surrogates cannot stand in a source file at all; editors can send both.
_ILLEGAL = re.compile("[\0\ud800-\udfff]")
_REFUSALS = (SyntaxError, ValueError, RecursionError, MemoryError, OverflowError)
_FILE = "tools.py"
_LINE_NUMBER = re.compile(r"(?<=\b(?:on|at) line )\d+")


class SyntaxProblem(NamedTuple):
    """One slip, in Python's words and at its place. Line numbers in `message` count from the first line of the piece
    that was parsed; `told` gives those of the file."""

    message: str
    range: Range

    def told(self, first: int) -> SyntaxProblem:
        """The problem in a piece whose first line is line `first` of the file."""
        return self._replace(message=_LINE_NUMBER.sub(lambda number: str(int(number.group()) + first), self.message))


class NewerSyntax(NamedTuple):
    """What Python has from `version` on, in words, and its place. Our Python is older, and read it all the same."""

    what: str
    version: Version
    range: Range


class TypeParameter(NamedTuple):
    """In the place of `ast.TypeVar` and its like, which our Python may not have."""

    name: str


class Unreadable(NamedTuple):
    """A top-level statement that is not in the tree."""

    text: str
    range: Range


class Parsed(NamedTuple):
    """The statements of one piece; `problem` is what Python says against them. Unless they are `readable` there are
    none: refusals of Python's compiler (`return` outside a function) leave the statement in the tree."""

    body: tuple[ast.stmt, ...]
    problem: SyntaxProblem | None = None
    refused: bool = False
    readable: bool = True
    illegal: tuple[re.Match[str], ...] = ()
    newer: tuple[NewerSyntax, ...] = ()


def legal(text: str, *, begins_file: bool) -> str:
    """The text, character for character, but for what cannot stand in a source file."""
    if _ILLEGAL.search(text):
        text = _ILLEGAL.sub(lambda match: " " if match.group() == "\0" else "\ufffd", text)
    # A byte order mark counts as a character for editors; a form feed is one that Python takes in its place.
    return f"\f{text[1:]}" if begins_file and text.startswith("\ufeff") else text


def parse(text: str, lines: Lines) -> Parsed:
    """Parse one piece, of any kind; never raises. `lines` are those of the piece as `legal` gives it."""
    return _parsed(text, lines, lines.text)


def _parsed(text: str, lines: Lines, source: str) -> Parsed:
    """`source` is the text of `lines` with what makes it whole."""
    illegal = tuple(_ILLEGAL.finditer(text))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of invalid escapes, for example: not an error, and not lint's to print
        tree = _tree(source)
        error = _refusal_of(tree) if isinstance(tree, ast.Module) else tree
        problem = None if error is None else _located(lines, error, in_bytes=isinstance(tree, ast.Module))
    if problem is not None and any(_touches(lines, problem, match) for match in illegal):
        problem = None  # what stands in for an illegal character can be an error of its own: that is the same slip
    if not isinstance(tree, ast.Module):
        return Parsed((), problem, refused=True, readable=False, illegal=illegal)
    return Parsed(tuple(tree.body), problem, refused=error is not None, illegal=illegal)


def newer_in(lines: Lines, older: Older) -> tuple[NewerSyntax, ...]:
    """What is newer than our Python in a piece, which it reads as `older` alone; `lines` are those of that."""
    return tuple(NewerSyntax(one.what, one.version, lines.range(one.start, one.end)) for one in older.newer)


def name_type_parameters(body: Iterable[ast.stmt], lines: Lines, older: Older) -> None:
    """Gives definitions the type parameters that `older` had to leave out."""
    if older.type_parameters:
        for statement in body:
            for node in ast.walk(statement):
                if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                    names = older.type_parameters.get(lines.offset(lines.name_of(node).start), ())
                    vars(node)["type_params"] = [TypeParameter(name) for name in names]


def illegal_character(lines: Lines, match: re.Match[str], more: int) -> SyntaxProblem:
    """What is said about the first illegal character of a file that has `more` of them."""
    what = "NUL character" if match.group() == "\0" else f"half of a character (U+{ord(match.group()):04X})"
    rest = f", and {more} more like it in this file" if more else ""
    message = f"Syntax error: {what}{rest}. Python does not read files that contain one: delete it"
    return SyntaxProblem(message, lines.span(lines.position(match.start()), 1))


def refusal_of_whole(lines: Lines) -> SyntaxProblem | None:
    """What Python says against a text whose pieces are all right, such as a late `from __future__ import`."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        error = _refusal(lines.text)
    return None if error is None else _located(lines, error, in_bytes=True)


def parse_block(text: str, lines: Lines, part: Part, before: Place) -> Parsed:
    """Parse a part of a list that is cut; `lines.parsed` must be `lines_before(part)`.

    The body of an opening is its assignment, with an empty list. That of elements is one expression, the list of them.
    That of a closing is the rest of the statement as an expression, which begins with the list as far as it stands
    there, and what follows on its line.
    """
    if part is Part.OPENING:
        return _parsed(text, lines, lines.text + "]")
    # An element stands for those before, behind which Python takes no comprehension.
    source = ("[0,\n" if before is Place.WITHIN else "[\n") + lines.text
    parsed = _parsed(text, lines, source if part is Part.CLOSING else source + "\n]")
    if not parsed.readable and part is Part.ELEMENTS:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            error = _tree(source)  # a bracket is told where it was opened, not where the added one stands
        if isinstance(error, SyntaxError) and "was never closed" in error.msg and (error.lineno or 0) > lines.parsed:
            return parsed._replace(problem=_located(lines, error, in_bytes=False))
    if not parsed.readable:
        return parsed
    first = parsed.body[0]
    if not isinstance(first, ast.Expr):  # `] = x`, `] += x`
        start = Position(lines.first, 0)
        problem = SyntaxProblem("Syntax error: invalid syntax", _visible(lines, start, start))
        return Parsed((), problem, refused=True, readable=False, illegal=parsed.illegal)
    _place_in_block(first, lines, behind=before is Place.WITHIN)
    return parsed


def around(part: Part | None) -> tuple[str, str]:
    """What stands before and behind a part of a list, so that it is code."""
    if part is None:
        return "", ""
    return ("", "]") if part is Part.OPENING else ("[\n", "" if part is Part.CLOSING else "\n]")


def lines_before(part: Part | None) -> int:
    """How many lines stand before a part of a list when it is parsed."""
    return 0 if part is None or part is Part.OPENING else 1


def _place_in_block(part: ast.Expr, lines: Lines, *, behind: bool) -> None:
    """Take out what was added before a part, and let it begin and end where its own text does."""
    start = leftmost(part.value)
    if behind and isinstance(start, ast.List):
        del start.elts[0]
    own = start.elts if isinstance(start, ast.List) else []
    nodes: list[ast.expr | ast.Expr] = [part, *spine(part.value)]
    for node in nodes:
        node.lineno, node.col_offset = (own[0].lineno, own[0].col_offset) if own else (lines.parsed + 1, 0)
        if (node.end_lineno or 0) > lines.parsed + len(lines.starts):
            node.end_lineno = own[-1].end_lineno if own else node.lineno
            node.end_col_offset = own[-1].end_col_offset if own else node.col_offset


def next_block(cutter: Cutter, start: int) -> Block:
    """The block at `start`, cut inside a bracket or string where that is the slip."""
    text, block = cutter.text, block_at(cutter, start)
    if block.resume is None:
        return block
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        suffix = "" if block.part is Part.CLOSING else "\n]"
        if _refusal(f"[\n{text[block.start : block.end]}{suffix}") is None:
            return block
        if block.in_string and not block.unterminated and not _begins_statement(cutter, block.resume):
            return block
    return block._replace(end=block.resume, part=Part.ELEMENTS)


def next_piece(cutter: Cutter, start: int) -> Piece:
    """The piece at `start`, cut inside a bracket or string where that is the slip."""
    text, piece = cutter.text, cutter.piece(start)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        if piece.resume is not None and piece.stray:
            return piece._replace(end=piece.resume)
        if piece.resume is not None and _refusal(text[piece.start : piece.end]) is not None:
            stray = not piece.in_string or piece.unterminated or _begins_statement(cutter, piece.resume)
            if stray:
                piece = piece._replace(end=piece.resume)
        if piece.definition is not None and piece.definition < piece.end:
            whole, definition = text[piece.start : piece.end], text[piece.definition : piece.end]
            if _refusal(whole) is not None and _refusal(definition) is None:
                piece = piece._replace(end=piece.definition)  # the slip is in the decorators
    return piece


def _begins_statement(cutter: Cutter, start: int) -> bool:
    """Whether what begins at `start`, inside a string, is code: then the quotes before it are the slip."""
    piece = cutter.piece(start)
    return _refusal(cutter.text[piece.start : piece.end]) is None


def is_code(source: str) -> bool:
    """Whether Python takes a source."""
    return _refusal(source) is None


def _refusal(source: str) -> Exception | None:
    try:
        compile(source, _FILE, "exec", dont_inherit=True)
    except _REFUSALS as error:
        return error if as_older(source) is None else None
    return None


def _refusal_of(tree: ast.Module) -> Exception | None:
    try:
        compile(tree, _FILE, "exec", dont_inherit=True)
    except _REFUSALS as error:
        return error
    return None


def _tree(source: str) -> ast.Module | Exception:
    try:
        return ast.parse(source, _FILE)
    except _REFUSALS as error:
        return error


def _touches(lines: Lines, problem: SyntaxProblem, match: re.Match[str]) -> bool:
    return lines.position(match.start()).line == problem.range.start.line


def _located(lines: Lines, error: Exception, *, in_bytes: bool) -> SyntaxProblem:
    first, last = lines.position(0), lines.position(len(lines.text.rstrip()))
    if not isinstance(error, SyntaxError) or not error.lineno:
        return SyntaxProblem(f"Syntax error: {_words(error)}", _visible(lines, first, first))
    start = _place(lines, error.lineno, error.offset, in_bytes=in_bytes)
    start = min(_inside_f_string(lines, error, start), last)
    end = min(_place(lines, error.end_lineno or error.lineno, error.end_offset, in_bytes=in_bytes), last)
    return SyntaxProblem(f"Syntax error: {_words(error)}", _visible(lines, start, end))


def _words(error: Exception) -> str:
    if isinstance(error, SyntaxError):
        return error.msg
    return "nested too deeply for Python to read; split it into smaller parts"


def _place(lines: Lines, number: int, column: int | None, *, in_bytes: bool) -> Position:
    """Python's one-based place. Its parser counts columns in code points, its compiler in UTF-8 bytes."""
    line, column = max(number - 1 - lines.parsed, 0) + lines.first, max((column or 1) - 1, 0)
    if in_bytes:
        column = lines.column(line, column)
    return Position(line, min(column, len(lines.line(line))))


def _inside_f_string(lines: Lines, error: SyntaxError, place: Position) -> Position:
    """Up to Python 3.11, columns of errors inside f-strings count from the braces, written as parentheses."""
    shown = (error.text or "").strip()
    line = lines.line(place.line)
    inner = shown[1:-1]
    if not shown.startswith("(") or shown in line or f"{{{inner}" not in line:
        return place
    return Position(place.line, min(line.index(f"{{{inner}") + place.column, len(line)))


def _visible(lines: Lines, start: Position, end: Position) -> Range:
    """A range of at least one character where the line has one: editors draw nothing for an empty range."""
    length = len(lines.line(start.line))
    if end > start:
        return Range(start, end)
    if start.column < length:
        return lines.span(start, 1)
    return Range(Position(start.line, max(length - 1, 0)), Position(start.line, length))
