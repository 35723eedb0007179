"""Which files a call may touch: inside the workspace or not, protected or not. Used by policy and by built-in tools.

A path is judged by what it really is: every link of it resolved, compared component by component (`/ws-evil` is not in
`/ws`), in any spelling the file systems take. What cannot be judged counts as outside, or as protected.
"""

from __future__ import annotations

import os
import unicodedata
from pathlib import Path, PurePath

PROTECTED_FOLDERS = frozenset({".vscode", ".adal", ".git"})
"""Whatever lies in them: they hold code and settings that run without being asked."""

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
        ".gitconfig",
        ".gitmodules",
    }
)
"""Files a shell or git reads and obeys."""


class OutsideWorkspaceError(Exception):
    """A path whose real place is not inside the workspace. Refused in every permission mode."""


def resolve_inside(workspace: Path, path: str) -> Path:
    """The real path of `path` (relative to `workspace`, or absolute), every link resolved; it need not exist.

    Raises:
        OutsideWorkspaceError: it lies outside, or a link on the way cannot be followed (a loop, no permission).
    """
    if "\0" in path:
        raise OutsideWorkspaceError("a path cannot hold a NUL character")
    root = Path(os.path.realpath(workspace))
    try:
        real = Path(os.path.realpath(root / path))
        # `realpath` leaves a loop of links as it stands; it names no place.
        if any(part.is_symlink() for part in (real, *real.parents)):
            raise OutsideWorkspaceError(f"'{path}' leads through a link to nowhere")
    except OSError as fault:
        raise OutsideWorkspaceError(f"'{path}' cannot be resolved: {fault}") from fault
    if not real.is_relative_to(root):
        raise OutsideWorkspaceError(f"'{path}' is outside the workspace {root}")
    return real


def protected(workspace: Path, path: str) -> bool:
    """Whether touching `path` must be asked about in every mode but yolo, whatever was remembered.

    True for what lies in `.vscode`, `.adal` or `.git`, for `.env*`, `*.code-workspace`, and files shells and git obey;
    by its name as written and by its real place. True as well for whatever lies outside or cannot be judged.
    """
    root = Path(os.path.realpath(workspace))
    try:
        real = resolve_inside(root, path)
        # normpath is also what a careless caller does before it opens: a name that only resolving hides must not pass.
        written = Path(os.path.normpath(root / path))
    except (OutsideWorkspaceError, ValueError):
        return True
    named = written.relative_to(root) if written.is_relative_to(root) else PurePath(path)
    return is_protected_name(real.relative_to(root)) or is_protected_name(named)


def secret(workspace: Path, path: str) -> bool:
    """Whether reading `path` must be asked about like a write: `.env*`, by its name as written or by its real place.

    False outside the workspace, where reading is refused anyway.
    """
    root = Path(os.path.realpath(workspace))
    try:
        real = resolve_inside(root, path)
    except (OutsideWorkspaceError, ValueError):
        return False
    named = PurePath(os.path.normpath(path)).parts
    return any(_canonical(part).startswith(".env") for part in (*real.relative_to(root).parts, *named))


def is_protected_name(relative: PurePath) -> bool:
    """Whether a path relative to the workspace is protected by its components alone; touches no disk."""
    return any(_is_protected_part(part) for part in relative.parts)


def _is_protected_part(part: str) -> bool:
    name = _canonical(part)
    return (
        name in PROTECTED_FOLDERS
        or name in PROTECTED_FILES
        or name.startswith((".env", "git~"))  # NTFS's short name of .git (CVE-2019-1352)
        or name.endswith(".code-workspace")
    )


def _canonical(part: str) -> str:
    """`part` as the most forgiving file system reads it.

    Case and compatibility forms (NTFS, APFS), invisible characters (HFS+, CVE-2014-9390), trailing dots and spaces
    and stream names (NTFS).
    """
    visible = "".join(c for c in unicodedata.normalize("NFKC", part) if unicodedata.category(c) != "Cf")
    return visible.casefold().split(":", 1)[0].rstrip(". ")
