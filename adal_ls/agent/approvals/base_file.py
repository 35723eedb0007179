"""What a file held when a call was decided about, so that an approved edit meets the file that was shown."""

from __future__ import annotations

import os
import stat
from pathlib import Path

from adal_ls.agent.approvals.digest import bytes_digest

MOST = 16 * 1024 * 1024
"""Bytes up to which the content counts; of a larger file its size and time."""


def seen(root: Path, path: object) -> str:
    """The real place of `path` and what is there now, as a text to compare. Blocking."""
    if not isinstance(path, str):
        return " no path"
    try:
        real = Path(os.path.realpath(root / path))
        if not real.is_file():
            return missing(real)
        status = real.stat()
        return of(real, status, real.read_bytes() if status.st_size <= MOST else None)
    except (OSError, ValueError) as fault:
        return f" unreadable: {type(fault).__name__}"


def missing(real: Path) -> str:
    """The text of a place where no file is."""
    return f" {real}: no file"


def of(real: Path, status: os.stat_result, content: bytes | None) -> str:
    """The text of a file; `content` None: it is too large to be read."""
    if content is None or status.st_size > MOST:
        return f" {real}: {status.st_size} bytes, {status.st_mtime_ns}"
    return f" {real}: {bytes_digest(content)}, mode {stat.S_IMODE(status.st_mode):o}"
