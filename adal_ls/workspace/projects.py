"""The projects of the workspace: every folder with a `.adal/tools.py`, or with agents alone."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass

from adal_ls.workspace import uris

FOLDER = ".adal"
TOOLS, AGENTS = "tools.py", "agents.py"

MAX_FOLDERS = 100_000
"""Folders looked into below one workspace folder; a home directory opened by accident must not cost minutes."""

# Folders that hold other people's code or generated files, and can be huge.
_SKIPPED = frozenset(
    (
        ".git",
        ".hg",
        ".svn",
        FOLDER,
        ".tox",
        ".nox",
        ".venv",
        "venv",
        "env",
        ".mypy_cache",
        ".ruff_cache",
        ".pytest_cache",
        "__pycache__",
        "node_modules",
        "site-packages",
        "dist",
        "build",
        "target",
        ".idea",
        ".vscode",
    )
)


@dataclass(frozen=True, slots=True)
class Project:
    """`root` and `file` are paths, `uri` is the file's as the client would spell it, `identity` the file behind it.

    The file is the tools file, also where there is none.
    """

    root: str
    file: str
    uri: str
    identity: str


def is_tools_file(uri: str) -> bool:
    """Whether a document is one that lint checks: a `file:` URI whose path ends in `.adal/tools.py`."""
    return uri[:5].lower() == "file:" and uris.spelling(uri).endswith("/.adal/tools.py")


def is_agents_file(uri: str) -> bool:
    """The same for `.adal/agents.py`."""
    return uri[:5].lower() == "file:" and uris.spelling(uri).endswith(f"/{FOLDER}/{AGENTS}")


def is_agents_path(path: str) -> bool:
    """The same for the path of a file."""
    folder, name = os.path.split(path)
    return name == AGENTS and os.path.basename(folder) == FOLDER


def files_of(folder: str) -> Iterator[str]:
    """The files of the project in `folder` that lint checks."""
    tools, agents = (os.path.join(folder, FOLDER, name) for name in (TOOLS, AGENTS))
    if _is_there(tools):
        yield tools
    if os.path.lexists(agents):  # a folder that cannot be looked into is told once, with the tools file
        yield agents


def is_repository(folder: str) -> bool:
    """Whether a repository begins in `folder`. Where Git has a worktree or submodule, `.git` is a file."""
    return any(os.path.lexists(os.path.join(folder, name)) for name in (".git", ".hg", ".svn"))


def of_file(path: str, uri: str | None = None) -> Project:
    """The project of the tools file at `path`."""
    root = os.path.dirname(os.path.dirname(path))
    return Project(root, path, uri or uris.from_path(path), uris.real(path))


def of_folder(root: str) -> Project:
    """The project in the folder `root`."""
    return of_file(os.path.join(root, FOLDER, TOOLS))


def holds_tools(folder: str) -> bool:
    """Whether `folder` has a `.adal/tools.py`, or one that cannot be seen: whoever reads it will say why."""
    return _is_there(os.path.join(folder, FOLDER, TOOLS))


def holds_project(folder: str) -> bool:
    """Whether `folder` has tools or agents."""
    return holds_tools(folder) or _is_there(os.path.join(folder, FOLDER, AGENTS))


def discover(folder: str) -> Iterator[Project]:
    """The projects in `folder` and below, nearest first. Does not follow symbolic links to folders."""
    for current in searched(folder):
        if holds_project(current):
            yield of_folder(current)


def _is_there(file: str) -> bool:
    try:
        os.lstat(file)
    except (FileNotFoundError, NotADirectoryError):
        return False
    except OSError:
        return True
    return True


def searched(folder: str) -> Iterator[str]:
    """The folders that can hold a project: `folder` and those below it, without other people's and generated ones."""
    waiting, seen = [folder], 0
    while waiting and seen < MAX_FOLDERS:
        current, seen = waiting.pop(0), seen + 1
        yield current
        try:
            with os.scandir(current) as entries:
                waiting += sorted(
                    entry.path
                    for entry in entries
                    if entry.name not in _SKIPPED
                    and entry.is_dir(follow_symlinks=False)
                    and not os.path.exists(os.path.join(entry.path, "pyvenv.cfg"))
                )
        except OSError:
            continue  # went away or may not be read: nothing of ours is in it
