"""Files replaced as a whole or not at all: the new text is there at once, or the old one stays."""

from __future__ import annotations

import contextlib
import os
import stat
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from uuid import uuid4

from adal_ls.agent.files import opening
from adal_ls.agent.files.opening import CannotOpenError
from adal_ls.agent.workspaces import reach
from adal_ls.agent.workspaces.places import OutsideWorkspaceError
from adal_ls.agent.workspaces.reach import Place
from adal_ls.agent.workspaces.workspace_policy import WorkspacePolicy

_NEW_MODE = 0o666
_CHANGED = "changed while it was being written; nothing was written. Read it again"


@dataclass(frozen=True, slots=True)
class Target:
    """A file to be replaced. `content` and `status` are what is there; None where there is nothing yet."""

    path: str
    place: Place
    content: bytes | None
    status: os.stat_result | None


def look(path: str, policy: WorkspacePolicy, most: int) -> Target:
    """What there is to replace. Blocking, but it waits for nothing.

    Args:
        most: bytes that are read of a file; of a larger one `content` is None.

    Raises:
        CannotOpenError: it may not be written, is no regular file, is read-only, or its folder is missing.
    """
    with opening.explained(path, "written"):
        place = reach.resolve(policy, path, "write")
        try:
            descriptor = opening.open_place(place)
        except FileNotFoundError:
            _check_folder(path, place)
            return Target(path, place, None, None)
    status = os.fstat(descriptor)
    if stat.S_ISDIR(status.st_mode):
        os.close(descriptor)
        raise CannotOpenError(f"'{path}' is a folder, not a file")
    with os.fdopen(descriptor, "rb") as file:
        opening.check_regular(status, path)
        if any(reach.is_denied_file(policy, status, purpose) for purpose in _PURPOSES):
            raise CannotOpenError(f"'{path}' is another name of a file that the policy denies (deny_write)")
        if not status.st_mode & 0o222:
            raise CannotOpenError(f"'{path}' is read-only (mode {stat.S_IMODE(status.st_mode):o})")
        return Target(path, place, file.read() if status.st_size <= most else None, status)


def replace(target: Target, content: bytes) -> None:
    """Puts `content` in the place of `target`, which is as `look` saw it or nothing happens. Blocking.

    The mode is kept; a hard link is cut, so that no other name of the file changes with it.

    Raises:
        CannotOpenError: it changed since `look`, or cannot be written.
    """
    with opening.explained(target.path, "written"), _folder(target.place.parent) as folder:
        temporary = f".adal-{uuid4().hex}.tmp"
        name = target.place.real.name
        try:
            _write_new(folder, temporary, content, target.status)
            _check_as_seen(folder, name, target)
            folder.rename(temporary, name)
        except BaseException:
            folder.remove(temporary)
            raise


_PURPOSES: tuple[reach.Purpose, ...] = ("write", "read")


class _Folder:
    """An open folder: what is done to its names happens in it, wherever its path leads meanwhile."""

    def __init__(self, real: Path, descriptor: int | None) -> None:
        self.real = real
        self.descriptor = descriptor

    def open(self, name: str, flags: int, mode: int) -> int:
        if self.descriptor is None:
            return os.open(self.real / name, flags, mode)
        return os.open(name, flags, mode, dir_fd=self.descriptor)

    def status(self, name: str) -> os.stat_result | None:
        try:
            if self.descriptor is None:
                return (self.real / name).lstat()
            return os.lstat(name, dir_fd=self.descriptor)
        except FileNotFoundError:
            return None

    def rename(self, old: str, new: str) -> None:
        if self.descriptor is None:
            if not opening.is_still(self.real):
                raise OutsideWorkspaceError("the folder changed its place while the file was written")
            (self.real / old).replace(self.real / new)
        else:
            os.replace(old, new, src_dir_fd=self.descriptor, dst_dir_fd=self.descriptor)

    def remove(self, name: str) -> None:
        with contextlib.suppress(FileNotFoundError):
            if self.descriptor is None:
                (self.real / name).unlink()
            else:
                os.unlink(name, dir_fd=self.descriptor)


@contextmanager
def _folder(place: Place) -> Iterator[_Folder]:
    if sys.platform == "win32":
        yield _Folder(place.real, None)
        return
    descriptor = opening.open_place(place, folder=True)
    try:
        yield _Folder(place.real, descriptor)
    finally:
        os.close(descriptor)


def _check_folder(path: str, place: Place) -> None:
    parent = place.real.parent
    if not parent.is_dir():
        raise CannotOpenError(
            f"the folder of '{path}' does not exist; no folders are made. Make it first (bash: mkdir)"
        )


def _write_new(folder: _Folder, name: str, content: bytes, like: os.stat_result | None) -> None:
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0)
    descriptor = folder.open(name, flags | getattr(os, "O_BINARY", 0), _NEW_MODE)
    with os.fdopen(descriptor, "wb") as file:
        file.write(content)
        file.flush()
        if like is not None and sys.platform != "win32":
            if (like.st_uid, like.st_gid) != (os.geteuid(), os.getegid()):
                # Not ours to give away, as a rule: then the file is the writer's, as with most editors.
                with contextlib.suppress(PermissionError):
                    os.fchown(file.fileno(), like.st_uid, like.st_gid)
            # Set-user-id and set-group-id end with a write, as the kernel would have it.
            os.fchmod(file.fileno(), stat.S_IMODE(like.st_mode) & 0o1777)
        os.fsync(file.fileno())  # a crash must not leave an empty file under the old name


def _check_as_seen(folder: _Folder, name: str, target: Target) -> None:
    seen, now = target.status, folder.status(name)
    if seen is None or now is None:
        same = seen is None and now is None
    else:
        same = os.path.samestat(now, seen) and (now.st_size, now.st_mtime_ns) == (seen.st_size, seen.st_mtime_ns)
    if not same:
        raise CannotOpenError(f"'{target.path}' {_CHANGED}")
