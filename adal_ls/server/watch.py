"""What the client does not tell: that it died, and (where it cannot watch files) that a tools file changed on disk.

For a client that cannot watch, the host watches the folders of loaded projects and tells within a tenth of a second
(`agent.watching`). What it does not see, and everything in a workspace that is not trusted, is seen by looking.
"""

from __future__ import annotations

import os
import sys
import threading
import time
from collections.abc import Callable, Iterable

INTERVAL = 1.0
"""Seconds between two looks."""

SEARCH_INTERVAL = 3.0
SEARCH_SHARE = 50


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


def follow_parent(process_id: int, gone: Callable[[], None], ended: threading.Event) -> None:
    """Calls `gone` from a thread soon after the client's process ends (`processId` of `initialize`).

    It looks no further once `ended` is set.
    """

    def run() -> None:
        while exists(process_id):
            if ended.wait(INTERVAL):
                return
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
    """Looks at some files once a second on a thread. For clients that cannot watch files.

    `search` looks for files nobody knows of, which costs a walk through the workspace: it runs at most every
    `SEARCH_INTERVAL` seconds, and takes at most one part in `SEARCH_SHARE` of the time.
    """

    def __init__(
        self,
        paths: Callable[[], Iterable[str]],
        search: Callable[[], list[str]],
        changed: Callable[[list[str]], None],
    ) -> None:
        self._paths = paths
        self._search = search
        self._changed = changed
        self._known: dict[str, Stamp | None] = {}
        self._noted: dict[str, Stamp | None] = {}
        self._told: dict[str, Stamp | None] = {}
        self._lock = threading.Lock()
        self._stopped = threading.Event()

    def start(self) -> None:
        self.look()
        threading.Thread(target=self._run, name="watch tools files", daemon=True).start()

    def stop(self) -> None:
        self._stopped.set()

    def note(self, paths: Iterable[str]) -> None:
        """These files are about to be read: what happens to them from now on is a change. For any thread."""
        marks = {path: stamp(path) for path in paths}
        with self._lock:
            self._noted |= marks

    def seen(self, paths: Iterable[str]) -> None:
        """Somebody else told of changes of these files, so they are none any more. For any thread."""
        marks = {path: stamp(path) for one in paths for path in (one, os.path.dirname(one))}
        with self._lock:
            self._told |= marks

    def look(self) -> list[str]:
        """The paths whose file appeared, changed or went since the last look, or since it was noted."""
        with self._lock:
            before, self._noted = {**self._noted, **self._known, **self._told}, {}
            self._told = {}
        now = self._known = {path: stamp(path) for path in self._paths()}
        return [path for path, mark in now.items() if path in before and before[path] != mark]

    def _run(self) -> None:
        due = time.monotonic() + SEARCH_INTERVAL
        while not self._stopped.wait(INTERVAL):
            changed = self.look()
            begun = time.monotonic()
            if begun >= due:
                changed += self._search()
                ended = time.monotonic()
                due = ended + max(SEARCH_INTERVAL, SEARCH_SHARE * (ended - begun))
            if changed:
                self._changed(changed)
