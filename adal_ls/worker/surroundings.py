"""What belongs to the whole process and a call may change: environment variables, folder, file mode mask, and where
printed text goes.

In the worker.

A call that begins while no other runs finds them as they were when the tools had been loaded, whatever the calls
before it have done. Calls that run at the same time share them, as threads do.
"""

from __future__ import annotations

import contextlib
import os
import sys
from typing import Any, TextIO

from adal_ls.worker.printed import install_streams

_PRINTING = (1, 2)


class Surroundings:
    """As they are when it is made."""

    def __init__(self) -> None:
        self._environment = dict(os.environ)
        self._folder = os.getcwd()  # noqa: PTH109
        self._mask = os.umask(0o077)
        os.umask(self._mask)
        self._streams: dict[str, Any] = {name: getattr(sys, name) for name in ("stdin", "stdout", "stderr")}

    def restore(self) -> None:
        if os.environ != self._environment:
            for name in os.environ.keys() - self._environment.keys():
                del os.environ[name]
            os.environ.update(self._environment)
        with contextlib.suppress(OSError):  # the project's folder may be gone: the tool will say so
            os.chdir(self._folder)
        os.umask(self._mask)
        self._restore_streams()

    def _restore_streams(self) -> None:
        if any(_is_closed(self._streams[name]) for name in ("stdout", "stderr")):
            install_streams()
            self._streams.update(stdout=sys.stdout, stderr=sys.stderr)
        for name, stream in self._streams.items():
            setattr(sys, name, stream)


class Printing:
    """Descriptors 1 and 2 as they are when it is made, for the life of the worker."""

    def __init__(self) -> None:
        self._kept = {descriptor: os.dup(descriptor) for descriptor in _PRINTING}  # no child inherits these
        self._places = {descriptor: _place(descriptor) for descriptor in _PRINTING}

    def restore(self) -> None:
        """Leads them back where a tool has closed them, or has led them somewhere else."""
        for descriptor, kept in self._kept.items():
            if _place(descriptor) != self._places[descriptor] == _place(kept):
                os.dup2(kept, descriptor)


def _place(descriptor: int) -> tuple[int, int] | None:
    try:
        status = os.fstat(descriptor)
    except OSError:
        return None
    return status.st_dev, status.st_ino


def _is_closed(stream: TextIO | None) -> bool:
    return stream is None or stream.closed
