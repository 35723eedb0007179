"""Opening files and folders by their real place, and only what can be read to an end."""

from __future__ import annotations

import errno
import os
import stat
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from adal_ls.agent.workspaces import reach
from adal_ls.agent.workspaces.places import OutsideWorkspaceError
from adal_ls.agent.workspaces.reach import Place
from adal_ls.agent.workspaces.workspace_policy import WorkspacePolicy


class CannotOpenError(Exception):
    """The file cannot be opened; the text says why."""


@contextmanager
def opened(path: str, policy: WorkspacePolicy) -> Iterator[BinaryIO]:
    """A regular file that the policy lets be read; never waits, whatever was put in its place.

    Raises:
        CannotOpenError: outside of what may be read, missing, or no regular file.
    """
    with explained(path, "read"):
        descriptor = open_place(reach.resolve(policy, path, "read"))
    status = os.fstat(descriptor)
    if stat.S_ISDIR(status.st_mode):  # before fdopen, which takes no folder
        os.close(descriptor)
        raise CannotOpenError(f"'{path}' is a folder, not a file")
    with os.fdopen(descriptor, "rb") as file:
        check_regular(status, path)
        if reach.is_denied_file(policy, status, "read"):
            raise CannotOpenError(f"'{path}' is another name of a file that the policy denies (deny_read)")
        yield file


@contextmanager
def explained(path: str, doing: str) -> Iterator[None]:
    """Turns what the operating system says about `path` into a `CannotOpenError` in words. `doing`: read, written."""
    try:
        yield
    except OutsideWorkspaceError as fault:
        raise CannotOpenError(f"{fault}: only files of the workspace can be {doing}") from fault
    except FileNotFoundError as fault:
        raise CannotOpenError(f"there is no file '{path}' in the workspace") from fault
    except IsADirectoryError as fault:
        raise CannotOpenError(f"'{path}' is a folder, not a file") from fault
    except NotADirectoryError as fault:
        raise CannotOpenError(f"'{path}' leads through a file as if it were a folder") from fault
    except OSError as fault:
        raise CannotOpenError(f"'{path}' cannot be {doing}: {fault.strerror or fault}") from fault


def check_regular(status: os.stat_result, path: str) -> None:
    """Raises `CannotOpenError` for anything but a regular file."""
    if not stat.S_ISREG(status.st_mode):
        what = "a folder, not a file" if stat.S_ISDIR(status.st_mode) else "no regular file (a device, pipe or socket)"
        raise CannotOpenError(f"'{path}' is {what}")


def open_place(place: Place, *, folder: bool = False) -> int:
    """Opens a path without links again as one, so that none that was put there meanwhile is followed.

    Args:
        folder: open a folder (POSIX only), else whatever is there, to be read.

    Raises:
        OutsideWorkspaceError: a component became a link since it was resolved.
        OSError: it cannot be opened.
    """
    if sys.platform == "win32":
        descriptor = os.open(place.real, os.O_RDONLY | os.O_BINARY)
        # No openat there: look again at what was opened. Making links needs a privilege on Windows.
        if not is_still(place.real) or not os.path.samestat(os.fstat(descriptor), place.real.stat()):
            os.close(descriptor)
            raise OutsideWorkspaceError("the file changed its place while it was opened")
        return descriptor
    # O_NONBLOCK: opening a pipe must not wait for somebody to write.
    flags = os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK
    parts = place.real.relative_to(place.anchor).parts
    if not parts:
        return os.open(place.anchor, flags | (os.O_DIRECTORY if folder else 0))
    descriptor = os.open(place.anchor, flags | os.O_DIRECTORY)
    for number, part in enumerate(parts, start=1):
        last = number == len(parts)
        try:
            inner = os.open(part, flags | (os.O_DIRECTORY if folder or not last else 0), dir_fd=descriptor)
        except OSError as fault:
            looped = fault.errno in (errno.ELOOP, errno.EMLINK)
            if looped or (fault.errno == errno.ENOTDIR and _is_link(part, descriptor)):
                raise OutsideWorkspaceError(f"'{part}' became a link while it was opened") from fault
            raise
        finally:
            os.close(descriptor)
        descriptor = inner
    return descriptor


def is_still(real: Path) -> bool:
    """Whether a real path is one still: no component became a link."""
    return Path(os.path.realpath(real)) == real


def _is_link(name: str, folder: int) -> bool:
    # Linux says ENOTDIR, not ELOOP, of a link where a folder is asked for.
    try:
        return stat.S_ISLNK(os.lstat(name, dir_fd=folder).st_mode)
    except OSError:
        return False
