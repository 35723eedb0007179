"""Reads a tools file that is not open. Whatever stands there, the outcome is a text and findings, never an error."""

from __future__ import annotations

import os
import stat
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from adal_ls.lint import Finding

MAX_BYTES = 8 * 1024 * 1024
"""A larger file is not read; 10,000 tools are about half of it."""

_TOO_LARGE = f"the file is larger than {MAX_BYTES:,} bytes and is not read"


class Content(NamedTuple):
    """What stands in a file. `faults` are findings about its bytes; without `readable` there is no text to check."""

    text: str
    faults: tuple[Finding, ...] = ()
    readable: bool = True


def read(path: str) -> Content | None:
    """What stands in the file at `path`; None if there is no file."""
    try:
        found = os.stat(path)
        obstacle = _obstacle(found)
        if obstacle is not None:
            return unreadable(obstacle)
        with open(path, "rb") as file:
            return content(file.read())
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as fault:
        return unreadable(f"the file cannot be read: {fault.strerror}")


def content(data: bytes) -> Content:
    """What the bytes of a file say."""
    from adal_ls import lint  # after the server has answered `initialize`

    if len(data) > MAX_BYTES:
        return unreadable(_TOO_LARGE)
    text, faults = lint.decode(data)
    return Content(text, tuple(faults))


def unreadable(message: str) -> Content:
    """A file without a text to check, and the reason."""
    from adal_ls import lint  # after the server has answered `initialize`
    from adal_ls.lint.rules import syntax

    start = lint.Position(0, 0)
    return Content("", (syntax.unreadable(message, lint.Range(start, start)),), readable=False)


def _obstacle(found: os.stat_result) -> str | None:
    if stat.S_ISDIR(found.st_mode):
        return "tools.py is a folder; the tools must stand in a file"
    if not stat.S_ISREG(found.st_mode):  # opening a pipe would wait for ever
        return "this is no regular file (a device, pipe or socket)"
    if found.st_size > MAX_BYTES:
        return _TOO_LARGE
    return None
