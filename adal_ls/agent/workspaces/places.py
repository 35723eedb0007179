"""Which files a call may touch: inside the workspace or not, protected or not. Used by policy and by built-in tools.

A path is judged by what it really is: every link of it resolved, compared component by component (`/ws-evil` is not in
`/ws`), in any spelling the file systems take. What cannot be judged counts as outside, or as protected.
"""

from __future__ import annotations

import os
import re
import stat
import sys
import unicodedata
from pathlib import Path, PurePath

PLACED_FOLDERS = frozenset({".vscode", ".adal", ".git", ".venv", "venv"})
"""Protected folders that are put in the way of a command where they are missing."""

PROTECTED_FOLDERS = PLACED_FOLDERS | {".devcontainer", ".gnupg", ".husky", ".idea", ".ssh"}
"""Whatever lies in them: they hold code and settings that run without being asked (the Python in `.venv` runs the
project's tools), or keys."""

PROTECTED_FILES = frozenset(
    {
        ".bashrc",
        ".bash_aliases",
        ".bash_login",
        ".bash_logout",
        ".bash_profile",
        ".cshrc",
        ".kshrc",
        ".login",
        ".profile",
        ".tcshrc",
        ".zlogin",
        ".zlogout",
        ".zprofile",
        ".zshenv",
        ".zshrc",
        "config.fish",
        ".devcontainer.json",
        ".exrc",
        ".gitconfig",
        ".gitmodules",
        ".inputrc",
        ".netrc",
        ".nvim.lua",
        ".nvimrc",
        "pyvenv.cfg",
        ".tmux.conf",
        ".vimrc",
        ".xinitrc",
        ".xprofile",
        ".xsession",
    }
)
"""Files that a shell, git or an editor reads and obeys, and keys."""


_DEVICE = re.compile(r"(con|prn|aux|nul|(com|lpt)[0-9\u00b9\u00b2\u00b3]|con(in|out)\$)\s*([.:].*)?", re.IGNORECASE)
"""What Windows takes for a device, in whatever folder it stands."""


class OutsideWorkspaceError(Exception):
    """A path whose real place is not inside the workspace. Refused in every permission mode."""


def real_place(folder: Path, path: str) -> Path:
    """The real path of `path` (relative to `folder`, or absolute), every link resolved; it need not exist.

    Raises:
        OutsideWorkspaceError: a link on the way cannot be followed (a loop, no permission), or no path at all.
    """
    if "\0" in path:
        raise OutsideWorkspaceError("a path cannot hold a NUL character")
    if sys.platform == "win32" and any(map(_DEVICE.fullmatch, re.split(r"[\\/]", path))):
        raise OutsideWorkspaceError(f"'{path}' names a device")
    try:
        real = Path(os.path.realpath(Path(os.path.realpath(folder)) / path))
        # `realpath` leaves a loop of links as it stands; it names no place.
        if any(part.is_symlink() for part in (real, *real.parents)):
            raise OutsideWorkspaceError(f"'{path}' leads through a link to nowhere")
    except (OSError, ValueError) as fault:  # ValueError: half a surrogate pair, which no file name can hold
        raise OutsideWorkspaceError(f"'{path}' cannot be resolved: {fault}") from fault
    return real


def resolve_inside(workspace: Path, path: str) -> Path:
    """The real path of `path` (relative to `workspace`, or absolute), every link resolved; it need not exist.

    Raises:
        OutsideWorkspaceError: it lies outside, or a link on the way cannot be followed (a loop, no permission).
    """
    root = Path(os.path.realpath(workspace))
    real = real_place(root, path)
    if not real.is_relative_to(root):
        raise OutsideWorkspaceError(f"'{path}' is outside the workspace {root}")
    return real


def protected(workspace: Path, path: str) -> bool:
    """Whether touching `path` must be asked about in every mode but yolo, whatever was remembered.

    True for what lies in `.vscode`, `.adal`, `.git` and their like, for `.env*`, `*.code-workspace`, and files shells
    and git obey; by its name as written and by its real place. True as well for whatever lies outside or cannot be
    judged.
    """
    root = Path(os.path.realpath(workspace))
    try:
        real = resolve_inside(root, path)
        # normpath is also what a careless caller does before it opens: a name that only resolving hides must not pass.
        written = Path(os.path.normpath(root / path))
    except (OutsideWorkspaceError, ValueError):
        return True
    named = written.relative_to(root) if written.is_relative_to(root) else PurePath(path)
    if is_protected_name(real.relative_to(root)) or is_protected_name(named):
        return True
    around = [folder for folder in real.parents if folder.is_relative_to(root)]
    if any(is_repository(folder) for folder in (real, *around)):
        return True
    return any(_is_environment(folder) for folder in around if folder != root)


def is_repository(folder: Path) -> bool:
    """Whether git takes a folder of any name for the inside of a repository, and so obeys its settings and hooks: a
    bare one, or one that a `.git` file points to."""
    return all((folder / name).exists() for name in REPOSITORY)


REPOSITORY = ("HEAD", "objects", "refs")


def _is_environment(folder: Path) -> bool:
    """Whether a folder is an environment of Python (venv, conda): a setting may have it run the project's tools."""
    return (folder / "pyvenv.cfg").exists() or (folder / "conda-meta").exists()


def secret(workspace: Path, path: str) -> bool:
    """Whether reading `path` must be asked about like a write: `.env*`, by its name as written, by its real place, or
    as another name (hard link) of one in its folder or a folder around it. Outside the workspace too: a policy may
    let that be read. False for what leads nowhere.
    """
    root = Path(os.path.realpath(workspace))
    try:
        real = real_place(root, path)
    except (OutsideWorkspaceError, ValueError):
        return False
    inside = real.is_relative_to(root)
    named = PurePath(os.path.normpath(path)).parts
    parts = (*(real.relative_to(root) if inside else real).parts, *named)
    return any(_is_secret(part) for part in parts) or _is_linked_secret(root if inside else real.parent, real)


def _is_secret(part: str) -> bool:
    return canonical_part(part).startswith(".env")


def _is_linked_secret(root: Path, real: Path) -> bool:
    try:
        status = real.lstat()
    except OSError:
        return False  # not there, so nothing can be read
    if not stat.S_ISREG(status.st_mode) or status.st_nlink < 2:
        return False
    for folder in real.parents:
        try:
            with os.scandir(folder) as entries:
                names = [entry.path for entry in entries if _is_secret(entry.name)]
            if any(os.path.samestat(os.lstat(name), status) for name in names):
                return True
        except OSError:
            return True  # what cannot be judged counts as secret
        if folder == root:
            break
    return False


def is_protected_name(relative: PurePath) -> bool:
    """Whether a path relative to the workspace is protected by its components alone; touches no disk."""
    return any(_is_protected_part(part) for part in relative.parts)


def _is_protected_part(part: str) -> bool:
    name = canonical_part(part)
    return (
        name in PROTECTED_FOLDERS
        or name in PROTECTED_FILES
        or name.startswith((".env", "git~"))  # NTFS's short name of .git (CVE-2019-1352)
        or name.endswith(".code-workspace")
    )


def canonical_part(part: str) -> str:
    """`part`, a component of a path, as the most forgiving file system reads it.

    Case and compatibility forms (NTFS, APFS), invisible characters (HFS+, CVE-2014-9390), trailing dots and spaces
    and stream names (NTFS).
    """
    visible = "".join(c for c in unicodedata.normalize("NFKC", part) if unicodedata.category(c) != "Cf")
    return visible.casefold().split(":", 1)[0].rstrip(". ")
