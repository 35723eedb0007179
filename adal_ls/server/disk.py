"""Reads a tools file that is not open. Whatever stands there, the outcome is a text and findings, never an error."""

from __future__ import annotations

import os
import stat
from dataclasses import dataclass
from typing import TYPE_CHECKING

from adal_ls.server.documents import Document, opened
from adal_ls.server.projects import Project

if TYPE_CHECKING:
    from adal_ls.lint import Finding

MAX_BYTES = 8 * 1024 * 1024
"""A larger file is not read; 10,000 tools are about half of it."""


@dataclass(frozen=True, slots=True)
class Loaded:
    """A tools file from disk. `faults` are findings about its bytes; without `readable` there is no text to check."""

    document: Document
    faults: tuple[Finding, ...]
    readable: bool


def load(project: Project, uri: str) -> Loaded | None:
    """The file of a project, to be published under `uri`; None if there is no file."""
    from adal_ls import lint  # after `initialize` is answered

    try:
        found = os.stat(project.file)
        obstacle = _obstacle(found)
        if obstacle is not None:
            return _unreadable(uri, obstacle)
        with open(project.file, "rb") as file:
            text, faults = lint.decode(file.read())
    except FileNotFoundError:
        return None
    except OSError as fault:
        return _unreadable(uri, f"tools.py cannot be read: {fault.strerror}")
    return Loaded(opened(uri, None, text), tuple(faults), readable=True)


def _obstacle(found: os.stat_result) -> str | None:
    if stat.S_ISDIR(found.st_mode):
        return "tools.py is a folder; the tools must stand in a file"
    if not stat.S_ISREG(found.st_mode):  # opening a pipe would wait for ever
        return "tools.py is not a regular file"
    if found.st_size > MAX_BYTES:
        return f"tools.py is larger than {MAX_BYTES} bytes and is not read"
    return None


def _unreadable(uri: str, message: str) -> Loaded:
    from adal_ls import lint  # after `initialize` is answered
    from adal_ls.lint.rules.syntax import unreadable

    start = lint.Position(0, 0)
    return Loaded(opened(uri, None, ""), (unreadable(message, lint.Range(start, start)),), readable=False)
