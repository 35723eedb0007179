"""Opening files of a workspace: by their real place, and only what can be read to an end."""

from __future__ import annotations

import errno
import os
import stat
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from adal_ls.agent.places import OutsideWorkspaceError, resolve_inside


class CannotOpenError(Exception):
    """The file cannot be read; the text says why."""


@contextmanager
def opened(path: str, root: Path) -> Iterator[BinaryIO]:
    """A regular file of the workspace in `root`, to be read; never waits, whatever was put in its place.

    Raises:
        CannotOpenError: outside of the workspace, missing, or no regular file.
    """
    try:
        real = resolve_inside(root, path)
        descriptor = _open_inside(Path(os.path.realpath(root)), real)
    except OutsideWorkspaceError as fault:
        raise CannotOpenError(f"{fault}: only files of the workspace can be read") from fault
    except FileNotFoundError as fault:
        raise CannotOpenError(f"there is no file '{path}' in the workspace") from fault
    except IsADirectoryError as fault:
        raise CannotOpenError(f"'{path}' is a folder, not a file") from fault
    except OSError as fault:
        raise CannotOpenError(f"'{path}' cannot be read: {fault.strerror or fault}") from fault
    mode = os.fstat(descriptor).st_mode
    if not stat.S_ISREG(mode):
        os.close(descriptor)
        what = "a folder, not a file" if stat.S_ISDIR(mode) else "no regular file (a device, pipe or socket)"
        raise CannotOpenError(f"'{path}' is {what}")
    with os.fdopen(descriptor, "rb") as file:
        yield file


def _open_inside(root: Path, real: Path) -> int:
    """Opens a path without links again as one, so that none that was put there meanwhile is followed.

    Raises:
        OutsideWorkspaceError: a component became a link since it was resolved.
    """
    parts = real.relative_to(root).parts
    if sys.platform == "win32":
        descriptor = os.open(real, os.O_RDONLY | os.O_BINARY)
        # No openat there: look again at what was opened. Making links needs a privilege on Windows.
        if Path(os.path.realpath(real)) != real or not os.path.samestat(os.fstat(descriptor), real.stat()):
            os.close(descriptor)
            raise OutsideWorkspaceError("the file changed its place while it was opened")
        return descriptor
    # O_NONBLOCK: opening a pipe must not wait for somebody to write.
    flags = os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK
    folder = os.open(root, os.O_RDONLY | os.O_CLOEXEC | os.O_DIRECTORY)
    for part in parts:
        try:
            inner = os.open(part, flags, dir_fd=folder)
        except OSError as fault:
            if fault.errno in (errno.ELOOP, errno.EMLINK):
                raise OutsideWorkspaceError(f"'{part}' became a link while it was opened") from fault
            raise
        finally:
            os.close(folder)
        folder = inner
    return folder
