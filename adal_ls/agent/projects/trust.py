"""Remembered trust: the folders whose `.adal/*.py` the person allows to be imported and run.

Kept in the person's data folder and never in a workspace, so that no repository can bring its own trust along. One
file per folder, so that two processes that trust two folders at once cannot lose one of them.
"""

from __future__ import annotations

import os
from pathlib import Path

from adal_ls.agent.files.paths import make_private, real_folder, workspace_dir


def is_trusted(folder: Path) -> bool:
    """Whether the person trusted exactly this folder (by its real path); trust in a parent does not count.

    A record that cannot be read is no trust.
    """
    try:
        recorded = _record(folder).read_bytes()
    except OSError:
        return False
    # The record's place is a digest of the path; its content decides.
    return recorded == _content(folder)


def grant(folder: Path) -> None:
    """Remembers that the person trusts `folder`.

    Raises:
        OSError: the person's data folder cannot be written.
        NotADirectoryError: `folder` is no folder.
    """
    if not folder.is_dir():
        raise NotADirectoryError(f"{folder} is not a folder")
    record = _record(folder)
    make_private(record.parent)
    fresh = record.with_name(f"{record.name}.{os.getpid()}")
    fresh.write_bytes(_content(folder))
    fresh.chmod(0o600)
    fresh.replace(record)


def revoke(folder: Path) -> bool:
    """Forgets the trust in `folder`; whether there was any.

    Raises:
        OSError: the record cannot be removed; the trust then still stands.
    """
    try:
        _record(folder).unlink()
    except FileNotFoundError:
        return False
    return True


def _record(folder: Path) -> Path:
    return workspace_dir(folder) / "trusted"


def _content(folder: Path) -> bytes:
    return os.fsencode(real_folder(folder))
