"""Text → syntax tree, whatever the text is: what Python refuses is left out of the tree and told, each slip once."""

from __future__ import annotations

import ast
import re
import warnings
from dataclasses import dataclass, replace

from adal_ls.lint.pieces import Cutter, Head, Piece
from adal_ls.lint.text import Lines, Position, Range

# NUL and lone surrogates cannot stand in a source file at all; editors can send both.
_ILLEGAL = re.compile("[\0\ud800-\udfff]")
_REFUSALS = (SyntaxError, ValueError, RecursionError, MemoryError, OverflowError)
_FILE = "tools.py"


@dataclass(frozen=True, slots=True)
class SyntaxProblem:
    """One slip, in Python's words and at its place."""

    message: str
    range: Range


@dataclass(frozen=True, slots=True)
class Unreadable:
    """A top-level statement that is not in the tree."""

    text: str
    start: int
    range: Range


@dataclass(frozen=True, slots=True)
class Parsed:
    """The tree of all statements that can be read.

    Its places are those of `lines`: the text, character for character, but for what cannot stand in a source file.
    """

    module: ast.Module
    lines: Lines
    problems: tuple[SyntaxProblem, ...] = ()
    unreadable: tuple[Unreadable, ...] = ()


def parse(text: str) -> Parsed:
    """Parse a text of any kind; never raises.

    Refusals of Python's compiler (`await` outside an async function, `return` outside a function) are problems too, but
    leave the statement in the tree.
    """
    # A byte order mark counts as a character for editors; a form feed is one that Python takes in its place.
    source = re.sub("\\A\ufeff", "\f", _ILLEGAL.sub(lambda match: " " if match.group() == "\0" else "\ufffd", text))
    lines = Lines(source)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of invalid escapes, for example: not an error, and not lint's to print
        parsed = _parse_whole(lines) or _parse_pieces(lines)
    illegal = list(_ILLEGAL.finditer(text))
    if not illegal:
        return parsed
    # What stands in for an illegal character can be an error of its own: that is the same slip.
    touched = {lines.position(match.start()).line for match in illegal}
    others = [problem for problem in parsed.problems if problem.range.start.line not in touched]
    first = _illegal_character(lines, illegal[0], more=len(illegal) - 1)
    return Parsed(parsed.module, lines, (first, *others), parsed.unreadable)


def _illegal_character(lines: Lines, match: re.Match[str], more: int) -> SyntaxProblem:
    what = "NUL character" if match.group() == "\0" else f"half of a character (U+{ord(match.group()):04X})"
    rest = f", and {more} more like it in this file" if more else ""
    message = f"Syntax error: {what}{rest}. Python does not read files that contain one: delete it"
    return SyntaxProblem(message, lines.span(lines.position(match.start()), 1))


def _parse_whole(lines: Lines) -> Parsed | None:
    if _refusal(lines.text) is not None:
        return None
    tree = _tree(lines.text)
    return Parsed(tree, lines) if isinstance(tree, ast.Module) else None


def _parse_pieces(lines: Lines) -> Parsed:
    problems: list[SyntaxProblem] = []
    unreadable: list[Piece] = []
    pieces = _pieces(lines)
    broken_before = False
    for piece in pieces:
        error, readable = _judge(lines.text[piece.start : piece.end])
        # After a broken statement, prose, or a body at the margin ("return" outside a function), is the same slip.
        if error is not None and not (broken_before and (piece.head is Head.OTHER or readable)):
            problems.append(_problem(lines, piece, readable=readable))
        if not readable:
            unreadable.append(piece)
        broken_before = error is not None
    module = _tree(_without(lines.text, unreadable))
    if not isinstance(module, ast.Module):  # the pieces can be read alone, but not together
        problems.append(_located(lines, module, Piece(0, len(lines.text), Head.OTHER), in_bytes=False))
        module = ast.Module(body=[], type_ignores=[])
    elif not problems and (error := _refusal(lines.text)) is not None:
        # Only the whole is wrong, such as a late `from __future__ import`.
        problems.append(_located(lines, error, Piece(0, len(lines.text), Head.OTHER), in_bytes=True))
    return Parsed(
        module,
        lines,
        tuple(problems),
        tuple(
            Unreadable(lines.text[piece.start : piece.end], piece.start, lines.range(piece.start, piece.end))
            for piece in unreadable
        ),
    )


def _pieces(lines: Lines) -> list[Piece]:
    """The pieces of the text, cut inside a bracket or string where that is the slip."""
    cutter, pieces, offset = Cutter(lines), list[Piece](), 0
    while offset < len(lines.text):
        piece = cutter.piece(offset)
        if piece.resume is not None and _refusal(lines.text[piece.start : piece.end]) is not None:
            stray = not piece.in_string or piece.unterminated or _begins_statement(cutter, lines.text, piece.resume)
            if stray:
                piece = replace(piece, end=piece.resume)
        if piece.definition is not None and piece.definition < piece.end:
            whole, definition = lines.text[piece.start : piece.end], lines.text[piece.definition : piece.end]
            if _refusal(whole) is not None and _refusal(definition) is None:
                piece = replace(piece, end=piece.definition)  # the slip is in the decorators
        pieces.append(piece)
        offset = piece.end
    return pieces


def _begins_statement(cutter: Cutter, text: str, start: int) -> bool:
    """Whether what begins at `start`, inside a string, is code: then the quotes before it are the slip."""
    piece = cutter.piece(start)
    return _refusal(text[piece.start : piece.end]) is None


def _without(text: str, pieces: list[Piece]) -> str:
    """The text with the pieces blanked out and every line kept."""
    kept, offset = list[str](), 0
    for piece in pieces:
        kept += text[offset : piece.start], re.sub(r"[^\r\n]+", " ", text[piece.start : piece.end])
        offset = piece.end
    return "".join([*kept, text[offset:]])


def _judge(source: str) -> tuple[Exception | None, bool]:
    """What Python says against a source, and whether it has a tree all the same."""
    error = _refusal(source)
    if error is None:
        return None, True
    return error, isinstance(_tree(source), ast.Module)


def _refusal(source: str) -> Exception | None:
    try:
        compile(source, _FILE, "exec", dont_inherit=True)
    except _REFUSALS as error:
        return error
    return None


def _tree(source: str) -> ast.Module | Exception:
    try:
        return ast.parse(source, _FILE)
    except _REFUSALS as error:
        return error


def _problem(lines: Lines, piece: Piece, *, readable: bool) -> SyntaxProblem:
    # Empty lines in front give the line numbers of the whole text, in the message too ("on line 7").
    source = "\n" * lines.position(piece.start).line + lines.text[piece.start : piece.end]
    tree = None if readable else _tree(source)
    error = tree if isinstance(tree, Exception) else _refusal(source)
    return _located(lines, error, piece, in_bytes=readable)


def _located(lines: Lines, error: Exception | None, piece: Piece, *, in_bytes: bool) -> SyntaxProblem:
    first, last = lines.position(piece.start), lines.position(_code_end(lines.text, piece))
    if not isinstance(error, SyntaxError) or not error.lineno:
        return SyntaxProblem(f"Syntax error: {_words(error)}", _visible(lines, first, first))
    start = _place(lines, error.lineno, error.offset, in_bytes=in_bytes)
    start = min(_inside_f_string(lines, error, start), last)
    end = min(_place(lines, error.end_lineno or error.lineno, error.end_offset, in_bytes=in_bytes), last)
    return SyntaxProblem(f"Syntax error: {_words(error)}", _visible(lines, start, end))


def _words(error: Exception | None) -> str:
    if isinstance(error, SyntaxError):
        return error.msg
    return "nested too deeply for Python to read; split it into smaller parts"


def _code_end(text: str, piece: Piece) -> int:
    return piece.start + len(text[piece.start : piece.end].rstrip())


def _place(lines: Lines, number: int, column: int | None, *, in_bytes: bool) -> Position:
    """Python's one-based place. Its parser counts columns in code points, its compiler in UTF-8 bytes."""
    line, column = number - 1, max((column or 1) - 1, 0)
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
