"""What the client does not tell: that it died, and (where it cannot watch files) that a tools file changed on disk."""

from __future__ import annotations

import os
import sys
import threading
import time
from collections.abc import Callable, Iterable

INTERVAL = 1.0
"""Seconds between two looks."""


def exists(process_id: int) -> bool:
    """Whether a process of this id runs (or is a zombie that nobody has collected)."""
    if sys.platform == "win32":
        import ctypes  # Windows only

        kernel = ctypes.windll.kernel32
        handle = kernel.OpenProcess(0x00100000, False, process_id)  # SYNCHRONIZE
        if not handle:
            return False
        timed_out = kernel.WaitForSingleObject(handle, 0) == 0x102  # WAIT_TIMEOUT: it still runs
        kernel.CloseHandle(handle)
        return bool(timed_out)
    try:
        os.kill(process_id, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


def follow_parent(process_id: int, gone: Callable[[], None]) -> None:
    """Calls `gone` from a thread soon after the client's process ends (`processId` of `initialize`)."""

    def run() -> None:
        while exists(process_id):
            time.sleep(INTERVAL)
        gone()

    threading.Thread(target=run, name="follow the client", daemon=True).start()


Stamp = tuple[int, int, int]


def stamp(path: str) -> Stamp | None:
    """Something that differs when the file does; None where there is none."""
    try:
        found = os.stat(path)
    except (OSError, ValueError):
        return None
    return found.st_mtime_ns, found.st_size, found.st_ino


class FilePoll:
    """Looks at some files once a second on a thread. For clients that cannot watch files."""

    def __init__(self, paths: Callable[[], Iterable[str]], changed: Callable[[list[str]], None]) -> None:
        self._paths = paths
        self._changed = changed
        self._known: dict[str, Stamp | None] = {}

    def start(self) -> None:
        self.look()
        threading.Thread(target=self._run, name="watch tools files", daemon=True).start()

    def look(self) -> list[str]:
        """The paths whose file appeared, changed or went since the last look; a new path counts as unchanged."""
        now = {path: stamp(path) for path in self._paths()}
        before, self._known = self._known, now
        return [path for path, mark in now.items() if path in before and before[path] != mark]

    def _run(self) -> None:
        while True:
            time.sleep(INTERVAL)
            changed = self.look()
            if changed:
                self._changed(changed)
