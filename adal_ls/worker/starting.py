"""Where workers come from: forked by a warm parent on Linux, elsewhere a spare that was started ahead. In the host.

Windows has no fork, and on macOS system libraries do not survive one. One warm parent or spare is kept for each
interpreter, and given up when what it has imported may have changed: another file behind the interpreter's path, or a
package installed or removed.
"""

from __future__ import annotations

import asyncio
import atexit
import os
import shutil
import subprocess
import sys
import threading
from collections.abc import Sequence
from pathlib import Path

from adal_ls.worker.forking import ParentLostError, WarmParent
from adal_ls.worker.spawning import Started, spawn

FORKS = sys.platform == "linux" and hasattr(os, "pidfd_open")

_MOST = 4
"""Interpreters for which something is kept warm; each takes some 25 MiB."""

_State = tuple[object, ...]


class WorkerSource:
    """Gives workers that belong to no project yet. Any thread, any loop."""

    def __init__(self, *, forks: bool = FORKS) -> None:
        self._forks = forks
        self._lock = threading.Lock()
        self._parents: dict[str, WarmParent] = {}
        self._spares: dict[str, Started] = {}
        self._states: dict[str, _State] = {}
        self._paths: dict[str, Sequence[str]] = {}
        self._closed = False

    async def take(self, interpreter: str, timeout: float) -> Started:
        """A worker of `interpreter` that has just been started, or still waits for its first project.

        Raises:
            OSError: the interpreter cannot be started.
            ParentLostError: it has ended without serving, or was silent for `timeout` seconds.
        """
        if not self._forks:
            return await asyncio.to_thread(self._spare, interpreter)
        parent, is_new = self._parent(interpreter)
        try:
            return await parent.fork(timeout)
        except ParentLostError:
            self.drop(interpreter)
            if is_new:
                raise
        parent, _ = self._parent(interpreter)
        return await parent.fork(timeout)

    def served(self, interpreter: str, search_path: Sequence[str]) -> None:
        """The worker works, and looks for packages in `search_path`: from now on the next one is kept warm."""
        with self._lock:
            self._paths[interpreter] = search_path
            self._states[interpreter] = self._state(interpreter)
            ahead = not self._forks and interpreter not in self._spares and not self._closed
        if ahead:
            threading.Thread(target=self._start_spare, args=[interpreter], name="adal-ls spare", daemon=True).start()

    def drop(self, interpreter: str) -> None:
        """What is kept of `interpreter` is no use; workers that run are left alone."""
        with self._lock:
            self._give_up(interpreter)

    def close(self) -> None:
        """Ends all that is kept, and every forked worker. Idempotent."""
        with self._lock:
            self._closed = True
            parents, spares = list(self._parents.values()), list(self._spares.values())
            self._parents, self._spares = {}, {}
        for parent in parents:
            parent.close()
        for spare in spares:
            _end(spare)

    def _parent(self, interpreter: str) -> tuple[WarmParent, bool]:
        """The interpreter's warm parent, and whether it was started just now."""
        with self._lock:
            self._check(interpreter)
            parent = self._parents.pop(interpreter, None)
            is_new = parent is None or parent.lost
            if parent is None or is_new:
                parent = WarmParent(interpreter)
            self._parents[interpreter] = parent  # the last is the one used last
            while len(self._parents) > _MOST:
                self._give_up(next(iter(self._parents)))
            return parent, is_new

    def _spare(self, interpreter: str) -> Started:
        with self._lock:
            self._check(interpreter)
            spare = self._spares.pop(interpreter, None)
        if spare is not None and not _lives(spare):
            _end(spare)
            spare = None
        return spare or spawn(interpreter)

    def _start_spare(self, interpreter: str) -> None:
        spare = spawn(interpreter)
        with self._lock:
            wanted = not self._closed and interpreter not in self._spares
            if wanted:
                self._spares[interpreter] = spare
                while len(self._spares) > _MOST:
                    self._give_up(next(iter(self._spares)))
        if not wanted:
            _end(spare)

    def _check(self, interpreter: str) -> None:
        """Gives up what is kept of an interpreter that is not what it was."""
        state = self._state(interpreter)
        if self._states.setdefault(interpreter, state) != state:
            self._give_up(interpreter)
            self._states[interpreter] = state

    def _state(self, interpreter: str) -> _State:
        # A fork is given the environment of the moment, a spare has that of its start.
        environment = () if self._forks else tuple(sorted(os.environ.items()))
        return (*_stamps(interpreter, self._paths.get(interpreter, ())), environment)

    def _give_up(self, interpreter: str) -> None:
        parent = self._parents.pop(interpreter, None)
        if parent is not None:
            parent.retire()
        spare = self._spares.pop(interpreter, None)
        if spare is not None:
            _end(spare)


def _stamps(interpreter: str, search_path: Sequence[str]) -> _State:
    """They change when the interpreter is replaced or a package comes or goes in one of its folders."""
    file = shutil.which(interpreter) or interpreter
    folder = Path(file).absolute().parent
    beside: list[str | Path] = [folder / "pyvenv.cfg", folder.parent / "pyvenv.cfg"]
    return tuple(_stamp(path) for path in [file, *beside, *search_path])


def _stamp(path: str | Path) -> tuple[int, int] | None:
    try:
        status = os.stat(path)  # noqa: PTH116 - on each load
    except OSError:
        return None
    return status.st_mtime_ns, status.st_ino


def _lives(spare: Started) -> bool:
    try:
        spare.process.wait(0)
    except subprocess.TimeoutExpired:
        return True
    return False


def _end(spare: Started) -> None:
    for descriptor in (spare.reading, spare.writing, spare.output):
        os.close(descriptor)
    spare.process.kill()
    spare.process.wait()


SHARED = WorkerSource()
"""One for the whole process: what is kept warm belongs to the machine's Pythons, not to a project or a run."""

atexit.register(SHARED.close)
