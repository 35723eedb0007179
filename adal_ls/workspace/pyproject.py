"""Finds and reads the pyproject.toml that configures lint for a project."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from adal_ls.workspace.projects import is_repository

if TYPE_CHECKING:
    from adal_ls.lint.settings.pyproject import Settings

NAME = "pyproject.toml"
_MAX_BYTES = 1024 * 1024


class Found(NamedTuple):
    """The settings for one project, and what is wrong with them, each with its place. `path`: the file, if any."""

    settings: Settings
    complaints: tuple[str, ...] = ()
    path: str | None = None


def find(root: str, known: dict[str, Found | None] | None = None) -> Found:
    """The settings of the nearest pyproject.toml with a table for us, from `root` up to the root of its repository.

    Outside of a repository only the one in `root` counts: folders above may belong to anyone. `known` spares a caller
    with many projects to read a file of the repository for each.
    """
    from adal_ls.lint.settings.pyproject import Settings  # after `initialize` is answered

    for path in candidates(root):
        if known is None or path not in known:
            found = _read(path)
            if known is not None:
                known[path] = found
        else:
            found = known[path]
        if found is not None:
            return found
    return Found(Settings())


def _read(path: str) -> Found | None:
    """What a file says; None if there is none, or it has no table for us."""
    from adal_ls.lint.settings import pyproject

    try:
        text = _text(path)
    except FileNotFoundError:
        return None
    except (OSError, ValueError) as fault:
        reason = fault.strerror if isinstance(fault, OSError) else fault
        return Found(pyproject.Settings(), (f"{path}: the file cannot be read: {reason}",), path)
    settings = pyproject.parse(text)
    if not settings.found:
        return None
    complaints = tuple(f"{path}:{complaint.line}: {complaint.message}" for complaint in settings.complaints)
    return Found(settings, complaints, path)


def candidates(root: str) -> list[str]:
    """Where the file may be, nearest first."""
    return [os.path.join(folder, NAME) for folder in _folders(os.path.abspath(root))]


def _folders(root: str) -> Iterator[str]:
    """`root` and the folders above it, up to the one that a repository begins in."""
    above = [root]
    while not is_repository(above[-1]):
        parent = os.path.dirname(above[-1])
        if parent == above[-1]:
            yield root
            return
        above.append(parent)
    yield from above


def _text(path: str) -> str:
    found = os.stat(path)
    if not stat.S_ISREG(found.st_mode):  # opening a pipe would wait for ever
        raise ValueError("it is no regular file")
    if found.st_size > _MAX_BYTES:
        raise ValueError(f"it is larger than {_MAX_BYTES:,} bytes")
    with open(path, encoding="utf-8") as file:
        return file.read()
