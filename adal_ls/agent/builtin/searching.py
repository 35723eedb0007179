"""What a search is asked and what it finds, whoever searches."""

from __future__ import annotations

from dataclasses import dataclass

from adal_ls.agent.reach import Place
from adal_ls.agent.workspace_policy import WorkspacePolicy

MOST_MATCHES = 500
"""Lines that one call gives."""

MOST_PER_FILE = 200
MOST_FILE_BYTES = 10_000_000
"""Larger files are not searched."""

SECONDS = 20.0


@dataclass(frozen=True, slots=True)
class Search:
    """A regular expression, and the folder or file to look in."""

    pattern: str
    place: Place
    is_folder: bool
    policy: WorkspacePolicy


@dataclass(frozen=True, slots=True)
class Match:
    """`name` is the file as a model names it; `line` counts from 1; `text` has no line end."""

    name: str
    line: int
    text: str


@dataclass(frozen=True, slots=True)
class Found:
    """Matches by file and line, one more than `MOST_MATCHES` at most. `notes` say what was not searched."""

    matches: tuple[Match, ...]
    notes: tuple[str, ...] = ()
