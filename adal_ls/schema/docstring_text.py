"""The lines of a docstring, and text made of them again."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

_NAME = re.compile(r"\\?\*{0,2}([^\W\d]\w*)")


@dataclass(slots=True)
class Found:
    """What a reader of sections collects: texts by parameter, and the lines that are for the model."""

    prose: list[str] = field(default_factory=list)
    parameters: dict[str, str] = field(default_factory=dict)


def clean(text: str) -> list[str]:
    """The lines without the margin of the code around them, without blank lines at both ends.

    Python 3.13 takes the margin away when it compiles, older ones leave it; this gives the same for both.
    """
    lines = text.expandtabs().split("\n")
    margin = min((indent(line) for line in lines[1:] if line.strip()), default=0)
    lines = [lines[0].strip(), *(line[margin:].rstrip() for line in lines[1:])]
    while lines and not lines[-1]:
        lines.pop()
    start = next((index for index, line in enumerate(lines) if line), 0)
    return lines[start:]


def indent(line: str) -> int:
    return len(line) - len(line.lstrip())


def first_indent(lines: Sequence[str]) -> int:
    return next((indent(line) for line in lines if line), 0)


def names(text: str) -> list[str] | None:
    """The parameters that `a`, `*args` or `a, b` names; None for other text."""
    found = [_NAME.fullmatch(part.strip()) for part in text.replace("\\*", "*").split(",")]
    return [match[1] for match in found if match] if all(found) else None


def entry_text(parts: Sequence[str]) -> str:
    """The first line and its continuation, the latter without its common margin."""
    rest = parts[1:]
    margin = min((indent(line) for line in rest if line), default=0)
    return joined([parts[0].strip(), *(line[margin:] for line in rest)])


def joined(lines: Sequence[str]) -> str:
    """Text with no blank lines at its ends and never two in a row."""
    kept: list[str] = []
    for line in lines:
        if line or (kept and kept[-1]):
            kept.append(line)
    return "\n".join(kept).strip()
