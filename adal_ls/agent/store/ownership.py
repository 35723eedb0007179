"""Who a run belongs to: a lock file for each run that goes on, held by its process.

A process id would not do: ids are reused, and a process in a container or another user's cannot be asked. The lock is
the operating system's, so it is gone with the process, however that ended.
"""

from __future__ import annotations

import os
import sys
import time
import uuid
from pathlib import Path

if sys.platform == "win32":
    import msvcrt

    def _lock(descriptor: int, *, shared: bool) -> bool:
        # `msvcrt` knows exclusive locks only: two processes that look at the same moment disturb each other for an
        # instant, so one that only looks tries again.
        for _ in range(20 if shared else 1):
            try:
                msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
            except OSError:
                time.sleep(0.005)
                continue
            return True
        return False
else:
    import fcntl

    def _lock(descriptor: int, *, shared: bool) -> bool:
        # flock, not lockf: its locks belong to the open file, so a second look from the owner's own process neither
        # succeeds nor releases the lock when it closes the file again.
        try:
            fcntl.flock(descriptor, (fcntl.LOCK_SH if shared else fcntl.LOCK_EX) | fcntl.LOCK_NB)
        except BlockingIOError:  # others mean that the file system has no locks, which nobody may mistake for an owner
            return False
        return True


class Ownership:
    """A claim in `folder`, under a name of its own, that lasts until `release` or the end of the process."""

    def __init__(self, folder: Path) -> None:
        """Claims; `folder` exists.

        Raises:
            OSError: the lock file cannot be made, or the file system has no locks.
        """
        while True:
            self.name = uuid.uuid4().hex
            self._path = _file(folder, self.name)
            self._descriptor = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600)
            # A sweep of another process may have met the file before it was locked, and removed it: then once more.
            if _lock(self._descriptor, shared=False) and self._path.exists():
                return
            os.close(self._descriptor)

    def release(self) -> None:
        """Gives the claim up; its name reads as gone from now on."""
        if sys.platform == "win32":
            os.close(self._descriptor)  # an open file cannot be removed there
            self._path.unlink(missing_ok=True)
        else:
            self._path.unlink(missing_ok=True)
            os.close(self._descriptor)


def is_alive(folder: Path, name: str) -> bool:
    """Whether the process that claimed `name` in `folder` still lives and has not released it."""
    try:
        descriptor = os.open(_file(folder, name), os.O_RDWR)
    except FileNotFoundError:
        return False
    try:
        return not _lock(descriptor, shared=True)
    finally:
        os.close(descriptor)


def sweep(folder: Path) -> None:
    """Removes the lock files of processes that were killed."""
    for path in folder.glob("*.lock"):
        if not is_alive(folder, path.stem):
            try:
                path.unlink(missing_ok=True)
            except PermissionError:
                continue  # Windows: another process looks at it now; the next sweep removes it


def _file(folder: Path, name: str) -> Path:
    return folder / f"{name}.lock"
