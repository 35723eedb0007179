"""What belongs to the whole process and a call may change: environment variables, folder, file mode mask.

In the worker.

A call that begins while no other runs finds them as they were when the tools had been loaded, whatever the calls
before it have done. Calls that run at the same time share them, as threads do.
"""

from __future__ import annotations

import contextlib
import os


class Surroundings:
    """As they are when it is made."""

    def __init__(self) -> None:
        self._environment = dict(os.environ)
        self._folder = os.getcwd()  # noqa: PTH109
        self._mask = os.umask(0o077)
        os.umask(self._mask)

    def restore(self) -> None:
        if os.environ != self._environment:
            for name in os.environ.keys() - self._environment.keys():
                del os.environ[name]
            os.environ.update(self._environment)
        with contextlib.suppress(OSError):  # the project's folder may be gone: the tool will say so
            os.chdir(self._folder)
        os.umask(self._mask)
