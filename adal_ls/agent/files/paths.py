"""Where the person's own data lies: never inside a workspace. Standard library only.

One folder per person, as the platform wants it; one folder per workspace below it. `platformdirs` would do the first
part, but its import and its upkeep cost more than these three rules.
"""

from __future__ import annotations

import hashlib
import os
import re
import sys
from collections.abc import Mapping
from pathlib import Path

VARIABLE = "ADAL_DATA_DIR"
"""Environment variable that replaces the person's data folder."""


_FOLDER = "folder"


def data_dir(environ: Mapping[str, str] = os.environ, platform: str = sys.platform) -> Path:
    """The person's data folder; it need not exist yet.

    Raises:
        ValueError: `ADAL_DATA_DIR` is not absolute. A relative one would follow the working directory, and so could
            lie inside a workspace.
    """
    given = environ.get(VARIABLE)
    if given:
        if not Path(given).is_absolute():
            raise ValueError(f"{VARIABLE} must be an absolute path, got '{given}'")
        return Path(given)
    if platform == "win32":
        local = environ.get("LOCALAPPDATA")
        return (Path(local) if local else Path.home() / "AppData" / "Local") / "adal-ls"
    if platform == "darwin":
        return Path.home() / "Library" / "Application Support" / "adal-ls"
    base = environ.get("XDG_DATA_HOME", "")
    # The XDG base directory specification: a relative path here is invalid and must be ignored.
    return (Path(base) if Path(base).is_absolute() else Path.home() / ".local" / "share") / "adal-ls"


def real_folder(folder: Path) -> Path:
    """The one name of a folder: links resolved, and case folded where the file system does (Windows)."""
    return Path(os.path.normcase(os.path.realpath(folder)))


def workspace_dir(workspace: Path) -> Path:
    """The folder that holds what we know about one workspace; it need not exist yet.

    The name is readable for a person who looks, and unique by the digest of the real path.
    """
    real = real_folder(workspace)
    digest = hashlib.sha256(os.fsencode(real)).hexdigest()[:16]
    readable = re.sub(r"[^A-Za-z0-9._-]+", "-", real.name)[:40].strip("-.") or "root"
    return data_dir() / "workspaces" / f"{readable}-{digest}"


def remember_folder(workspace: Path) -> None:
    """Writes down which folder `workspace_dir` is of, for `known_folders`."""
    note = workspace_dir(workspace) / _FOLDER
    if not note.exists():
        note.touch(mode=0o600)
        note.write_bytes(os.fsencode(real_folder(workspace)))


def known_folders(inside: Path) -> list[Path]:
    """The folders in `inside`, itself included, that we know something about, in order."""
    outer = real_folder(inside)
    notes = (data_dir() / "workspaces").glob(f"*/{_FOLDER}")
    folders = (Path(os.fsdecode(note.read_bytes())) for note in notes)
    return sorted(folder for folder in folders if folder.is_relative_to(outer))


def make_private(folder: Path) -> None:
    """Creates `folder` and its missing parents so that only its owner may enter (mode 0700 where modes exist)."""
    for missing in reversed([folder, *folder.parents]):
        if not missing.exists():
            missing.mkdir(mode=0o700, exist_ok=True)
    folder.chmod(0o700)
