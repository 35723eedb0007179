"""Docstrings: the text for the model, and what is said of each parameter.

All styles are read, and may be mixed: Google's here, NumPy's, Sphinx' and epytext's in modules of their own.

Source: Google Python Style Guide 3.8.3, and the variants that real tool files hold: no blank line before `Args:`,
types in parentheses, texts of several lines, bullets, a docstring that starts with a section, entries at the margin.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from adal_ls.schema import docstring_fields, docstring_numpy
from adal_ls.schema.docstring_text import clean, entry_text, first_indent, indent, joined, names

_PARAMETER_HEADERS = frozenset(
    {"args", "arg", "arguments", "parameters", "params", "parameter", "inputs"}
    | {"keyword args", "keyword arguments", "other parameters"}
)
# What a call gives back or raises is for callers in Python. Notes, warnings and examples stay: they tell the model
# when to call.
_DROPPED_HEADERS = frozenset({"return", "returns", "yield", "yields", "raises", "raise", "attributes"})

_HEADER = re.compile(r"([A-Za-z]+(?: [A-Za-z]+)?):[ \t]*(.*)")
# The type may hold parentheses itself: `a (tuple[int, ...] (or None)): text`. Names may stand in a list, as `- a: text`
# or `a, b: text`, and in quotes or bold type.
_ENTRY = re.compile(
    r"(?:[-*+•][ \t]+)?(?P<mark>`{1,2}|\*\*(?=[^\W\d]\w*\*\*))?"
    r"(?P<names>\\?\*{0,2}[^\W\d]\w*(?:[ \t]*,[ \t]*\*{0,2}[^\W\d]\w*)*)"
    r"(?(mark)(?:`{1,2}|\*\*))[ \t]*(?:\((?:[^()]|\([^()]*\))*\))?[ \t]*:(?:[ \t]+(?P<text>.*)|)$"
)
# `a - text`, `a (int) -- text`, as some write all entries of a section.
_DASHED = re.compile(
    r"(?P<names>\\?\*{0,2}[^\W\d]\w*)[ \t]*(?:\((?:[^()]|\([^()]*\))*\))?[ \t]+(?:--?|[\u2013\u2014])[ \t]+"
    r"(?P<text>\S.*)$"
)


@dataclass(frozen=True, slots=True)
class Docstring:
    """`parameters` keeps the order of the text; names stand without stars."""

    description: str = ""
    parameters: dict[str, str] = field(default_factory=dict)


def parse(text: str | None, *, attributes: bool = False) -> Docstring:
    """Reads a docstring as it stands in the source or in `__doc__`; never raises.

    Args:
        text: the docstring.
        attributes: it is a class's, whose attributes are described like parameters.
    """
    lines = clean(text or "")
    prose: list[str] = []
    parameters: dict[str, str] = {}
    at = 0
    while at < len(lines):
        header = _header(lines[at])
        if docstring_numpy.title(lines, at):
            at = docstring_numpy.read(lines, at, parameters, attributes=attributes)
        elif header in _PARAMETER_HEADERS or (attributes and header == "attributes"):
            end = _section_end(lines, at + 1, flat=_is_flat(lines, at))
            parameters.update(_entries(lines[at + 1 : end]))
            at = end
        elif header in _DROPPED_HEADERS:
            at = (
                _section_end(lines, at + 1, flat=False)
                if first_indent(lines[at + 1 :])
                else _paragraph_end(lines, at + 1)
            )
        elif docstring_fields.starts(lines[at]):
            at = docstring_fields.read(lines, at, parameters)
        else:
            prose.append(lines[at])
            at += 1
    return Docstring(joined(prose), parameters)


def of_class(name: str, text: str | None) -> str | None:
    """A class's docstring, without those that dataclasses and named tuples make of their fields."""
    return None if text is None or text.startswith(f"{name}(") else text


def _header(line: str) -> str | None:
    """The section that `line` opens, in lower case; None where it opens none.

    `Returns: text` on one line counts; `Args: text` does not, as nothing tells which parameter is meant.
    """
    match = _HEADER.fullmatch(line)
    if match is None:
        return None
    name = match[1].lower()
    if name in _PARAMETER_HEADERS:
        return None if match[2] else name
    return name if name in _DROPPED_HEADERS else None


def _is_flat(lines: list[str], at: int) -> bool:
    """Whether the entries below a header may stand at the left as it does.

    Where the docstring starts with it, dedenting took the margin of the only lines there are; elsewhere some write so.
    """
    return at == 0 or (at + 1 < len(lines) and not indent(lines[at + 1]) and _is_entry(lines[at + 1]))


def _is_entry(line: str) -> bool:
    return _header(line) is None and _ENTRY.match(line) is not None


def _section_end(lines: list[str], start: int, *, flat: bool) -> int:
    """The first line from `start` that is no longer in the section: text at the left margin ends it."""
    in_flat = flat and first_indent(lines[start:]) == 0
    at = start
    while at < len(lines):
        line = lines[at]
        if line and not indent(line) and not (in_flat and _is_entry(line)):
            break
        at += 1
    return at


def _paragraph_end(lines: list[str], start: int) -> int:
    """The end of a section whose text is not indented."""
    at = start
    while at < len(lines) and lines[at] and not _header(lines[at]) and not docstring_fields.starts(lines[at]):
        at += 1
    return at


def _entries(lines: list[str]) -> dict[str, str]:
    margin = first_indent(lines)
    found: list[tuple[list[str], list[str]]] = []
    first = next((line.strip() for line in lines if line), "")
    # The first entry tells how entries are written: in the text of another one, "a - b" says something else.
    entry = _DASHED if _ENTRY.match(first) is None and _DASHED.match(first) is not None else _ENTRY
    for line in lines:
        match = entry.match(line.strip()) if line and indent(line) <= margin else None
        if match is not None:
            found.append((names(match["names"]) or [], [match["text"] or ""]))
        elif found:
            found[-1][1].append(line)
    return {name: entry_text(parts) for entry, parts in found for name in entry}
