"""Where things stand in a docstring's source, and the texts that fixes put there."""

from __future__ import annotations

import ast
import re
from typing import NamedTuple

from adal_ls.lint.reading.text import Position, Range, line_end
from adal_ls.lint.subjects import ToolFunction

_SECTION = re.compile(r"[ \t]*(?:[Kk]eyword |[Oo]ther )?(?:[Aa]rg(?:ument)?s|[Pp]aram(?:eter)?s):?[ \t]*")
_OPENING = re.compile(r"[rRuU]?(\"{3}|'{3}|\"|')")


class EntryLine(NamedTuple):
    """The line that documents one parameter: Google ("name: text", "name (int): text"), NumPy, Sphinx, epytext."""

    name: Range
    line: int
    indent: str
    google: bool


def literal(tool: ToolFunction) -> Range:
    """The docstring literal; a function without one has no such place."""
    return tool.lines.range_of(tool.node.body[0])


def entry_line(tool: ToolFunction, name: str) -> EntryLine | None:
    """The line that documents `name`; None where the source does not show it as it is (escapes, joined literals)."""
    place = literal(tool)
    if not _OPENING.match(tool.lines.slice(place)):
        return None
    word = re.escape(name)
    google = re.compile(rf"([ \t]*)\*{{0,2}}({word})[ \t]*(?:\(.*\))?[ \t]*:")
    other = re.compile(
        rf"([ \t]*)(?:[:@]param\b[^:]*?[ \t])?\*{{0,2}}({word})[ \t]*(?::|,|$|(?:\(.*\))?[ \t]*[-\u2013\u2014])"
    )
    numbers = range(place.start.line, place.end.line + 1)
    # The text above the section may well have a line that looks the same.
    first = next((number for number in numbers if _SECTION.fullmatch(tool.lines.line(number))), place.start.line)
    for pattern in (google, other):
        for number in range(first, place.end.line + 1):
            line = tool.lines.line(number)
            start = _opened(tool, place, number)
            match = pattern.match(line, start)
            if match is not None:
                found = Range(Position(number, match.start(2)), Position(number, match.end(2)))
                return EntryLine(found, number, match[1], pattern is google)
    return None


def after_entry(tool: ToolFunction, entry: EntryLine) -> int | None:
    """The first line after an entry and its continuation; None where the docstring ends on that very line."""
    end = literal(tool).end.line
    number = entry.line + 1
    while number < end and _indent(tool.lines.line(number)) > len(entry.indent.expandtabs()):
        number += 1
    return number if number <= end and entry.line < end else None


def sentence(name: str) -> str:
    """The words of a name as a sentence: "max_results" → "Max results."."""
    words = re.sub(r"_+", " ", name).strip() or name
    return f"{words[:1].upper()}{words[1:]}."


def skeleton(tool: ToolFunction) -> tuple[Range, str] | None:
    """A docstring for a function without one, and where it goes; None where the body stands on the line of the `def`.

    It says what the names say, so that nothing in it is wrong.
    """
    first = tool.node.body[0]
    decorators = getattr(first, "decorator_list", None) or []
    number = min(tool.lines.range_of(node).start.line for node in [first, *decorators])
    line = tool.lines.line(number)
    indent = line[: len(line) - len(line.lstrip())]
    if not indent or number == tool.lines.range_of(tool.node).start.line or "\\" in tool.lines.line(number - 1)[-1:]:
        return None
    end = line_end(tool.lines.text)
    unit = _unit(tool, indent)
    text = f'{indent}"""{sentence(tool.node.name)}'
    if tool.parameters:
        lines = ["", f"{indent}Args:", *(f"{indent}{unit}{p.name}: {sentence(p.name)}" for p in tool.parameters)]
        text += end + end.join(lines) + f"{end}{indent}"
    place = Position(number, 0)
    return Range(place, place), f'{text}"""{end}'


def has_text(tool: ToolFunction) -> bool:
    """Whether the function has a docstring that says something."""
    return bool((tool.docstring or "").strip())


def is_f_string(tool: ToolFunction) -> bool:
    """Whether an f-string stands where the docstring would, which Python does not take for one."""
    first = tool.node.body[0]
    return isinstance(first, ast.Expr) and isinstance(first.value, ast.JoinedStr)


def _opened(tool: ToolFunction, place: Range, number: int) -> int:
    """Where the content begins on a line: behind the quotes on the first."""
    if number != place.start.line:
        return 0
    match = _OPENING.match(tool.lines.slice(place))
    return place.start.column + (match.end() if match else 0)


def _indent(line: str) -> int:
    if not line.strip():
        return -1
    expanded = line.expandtabs()
    return len(expanded) - len(expanded.lstrip())


def _unit(tool: ToolFunction, indent: str) -> str:
    if "\t" in indent:
        return "\t"
    return " " * max(len(indent) - tool.node.col_offset, 2)
