"""Google-style docstrings: the text for the model, and what is said of each parameter.

Source: Google Python Style Guide 3.8.3, and the variants that real tool files hold: no blank line before `Args:`,
types in parentheses, texts of several lines, a docstring that starts with a section.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

_PARAMETER_HEADERS = frozenset(
    {"args", "arguments", "parameters", "params", "keyword args", "keyword arguments", "other parameters"}
)
# What a call gives back or raises is for callers in Python. Notes, warnings and examples stay: they tell the model
# when to call.
_DROPPED_HEADERS = frozenset({"return", "returns", "yield", "yields", "raises", "raise", "attributes"})

_HEADER = re.compile(r"([A-Za-z]+(?: [A-Za-z]+)?):[ \t]*(.*)")
# The type may hold parentheses itself: `a (tuple[int, ...] (or None)): text`.
_ENTRY = re.compile(r"(\*{0,2}[^\W\d]\w*)[ \t]*(?:\((?:[^()]|\([^()]*\))*\))?[ \t]*:(?:[ \t]+(.*)|)$")


@dataclass(frozen=True, slots=True)
class Docstring:
    """`parameters` keeps the order of the text; names stand without stars."""

    description: str = ""
    parameters: dict[str, str] = field(default_factory=dict)


def parse(text: str | None) -> Docstring:
    """Reads a docstring as it stands in the source or in `__doc__`; never raises."""
    lines = clean(text or "")
    prose: list[str] = []
    parameters: dict[str, str] = {}
    at = 0
    while at < len(lines):
        header = _header(lines[at])
        if header in _PARAMETER_HEADERS:
            # Dedenting took the margin of the only lines there are, so entries stand at the left as well.
            end = _section_end(lines, at + 1, flat=at == 0)
            parameters.update(_entries(lines[at + 1 : end]))
        elif header in _DROPPED_HEADERS:
            end = _section_end(lines, at + 1, flat=False)
            if at == 0 and end == 1:
                end = len(lines) if not any(_header(line) for line in lines[1:]) else 1
        else:
            prose.append(lines[at])
            end = at + 1
        at = end
    return Docstring(_joined(prose), parameters)


def clean(text: str) -> list[str]:
    """The lines without the margin of the code around them, without blank lines at both ends.

    Python 3.13 takes the margin away when it compiles, older ones leave it; this gives the same for both.
    """
    lines = text.expandtabs().split("\n")
    margin = min((len(line) - len(line.lstrip()) for line in lines[1:] if line.strip()), default=0)
    lines = [lines[0].strip(), *(line[margin:].rstrip() for line in lines[1:])]
    while lines and not lines[-1]:
        lines.pop()
    start = next((index for index, line in enumerate(lines) if line), 0)
    return lines[start:]


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


def _section_end(lines: list[str], start: int, *, flat: bool) -> int:
    """The first line from `start` that is no longer in the section: text at the left margin ends it."""
    in_flat = flat and _first_indent(lines, start) == 0
    at = start
    while at < len(lines):
        line = lines[at]
        left = bool(line) and not line[0].isspace()
        if left and not (in_flat and _header(line) is None and _ENTRY.match(line)):
            break
        at += 1
    return at


def _first_indent(lines: list[str], start: int) -> int:
    return next((len(line) - len(line.lstrip()) for line in lines[start:] if line), 0)


def _entries(lines: list[str]) -> dict[str, str]:
    indent = _first_indent(lines, 0)
    found: dict[str, list[str]] = {}
    current: list[str] | None = None
    for line in lines:
        own = len(line) - len(line.lstrip())
        match = _ENTRY.match(line.strip()) if line and own <= indent else None
        if match is not None:
            current = found[match[1].lstrip("*")] = [match[2] or ""]
        elif current is not None:
            current.append(line)
    return {name: _text(parts) for name, parts in found.items()}


def _text(parts: list[str]) -> str:
    """The first line and its continuation, the latter without its common margin."""
    rest = parts[1:]
    margin = min((len(line) - len(line.lstrip()) for line in rest if line), default=0)
    return _joined([parts[0].strip(), *(line[margin:] for line in rest)])


def _joined(lines: list[str]) -> str:
    """Text with no blank lines at its ends and never two in a row."""
    kept: list[str] = []
    for line in lines:
        if line or (kept and kept[-1]):
            kept.append(line)
    return "\n".join(kept).strip()
