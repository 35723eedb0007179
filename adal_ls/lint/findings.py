"""What lint says about a file: findings with their fixes."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import NamedTuple

from adal_ls.lint.reading.text import Range


class Severity(Enum):
    """As in LSP; the value is the word used in settings and in machine-readable output."""

    ERROR = "error"
    WARNING = "warning"
    INFORMATION = "information"
    HINT = "hint"


def as_words(version: tuple[int, ...]) -> str:
    """A version of Python as people write it."""
    return ".".join(map(str, version))


class TextEdit(NamedTuple):
    """Put `new_text` in the place of `range`. Line ends in it are those of the file."""

    range: Range
    new_text: str


class Fix(NamedTuple):
    """One way to mend a finding. A preferred fix can be applied without asking which one is meant."""

    title: str
    edits: tuple[TextEdit, ...]
    preferred: bool = False


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing lint says. `related` are other places that belong to it, each with its own sentence."""

    code: str
    name: str
    severity: Severity
    message: str
    range: Range
    related: tuple[tuple[Range, str], ...] = ()
    fixes: tuple[Fix, ...] = ()
    needs: tuple[int, int] | None = None
    """The Python from which on there is nothing to find."""
