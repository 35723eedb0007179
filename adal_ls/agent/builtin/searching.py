"""What a search is asked and what it finds, whoever searches."""

from __future__ import annotations

import os
import stat
from dataclasses import dataclass

from adal_ls.agent.builtin.walk import Walk
from adal_ls.agent.workspaces.places import canonical_part
from adal_ls.agent.workspaces.reach import Place
from adal_ls.agent.workspaces.workspace_policy import WorkspacePolicy

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


def files(wanted: Search, walking: Walk) -> list[Place]:
    """What there is to search, in order: not `.env*`, not larger than `MOST_FILE_BYTES`. Blocking."""
    if not wanted.is_folder:
        return [wanted.place] if _fits(wanted.place) else []
    return [
        entry.place
        for entry in walking.files(wanted.place)
        if entry.kind == "file" and not any(map(_is_secret, entry.parts)) and _fits(entry.place)
    ]


def _is_secret(part: str) -> bool:
    # Most names are told by a look at their first letter; the exact answer takes a hundred times as long.
    return (part[:1] == "." or not part.isascii()) and canonical_part(part).startswith(".env")


def _fits(place: Place) -> bool:
    try:
        status = os.lstat(place.real)
    except OSError:
        return False  # gone meanwhile
    return stat.S_ISREG(status.st_mode) and status.st_size <= MOST_FILE_BYTES
