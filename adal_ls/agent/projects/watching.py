"""Watches the `.adal` folders of loaded projects for a server whose client cannot.

The folders alone, never the workspace: one watch a project, and no storm when dependencies are installed. A folder that
is replaced is lost to the watch; the server, which looks at the disk once a second, has it loaded and watched again.
"""

from __future__ import annotations

import asyncio
import contextlib
import sys
from collections.abc import Callable
from pathlib import Path

_FOLDER = ".adal"
_PATIENCE = 50  # milliseconds that changes are collected: an editor that saves by renaming makes several


class Watcher:
    """Calls `changed` with the paths of Python files, and of folders, that something happened to."""

    def __init__(self, changed: Callable[[list[str]], None]) -> None:
        self._changed = changed
        self._watched: dict[Path, tuple[int, int]] = {}  # folder -> which folder it was when the watch began
        self._task: asyncio.Task[None] | None = None

    def add(self, root: Path) -> None:
        """Watches the project at `root` from now on, or again if its folder is another one than before."""
        folder = root / _FOLDER
        found = _mark(folder)
        if found is not None and self._watched.get(folder) != found:
            self._watched[folder] = found
            self._begin()

    def end(self) -> None:
        if self._task is not None:
            self._task.cancel()

    def _begin(self) -> None:
        self.end()
        self._watched = {folder: mark for folder, mark in self._watched.items() if _mark(folder) == mark}
        self._task = asyncio.ensure_future(self._watch([*self._watched]))

    async def _watch(self, folders: list[Path]) -> None:
        awatch = await asyncio.to_thread(_import_awatch)
        try:
            async for changes in awatch(*folders, watch_filter=_matters, debounce=_PATIENCE, step=10):
                self._changed(sorted({path for _, path in changes}))
        except OSError as fault:  # too many watches on this machine, or a folder that has just gone
            sys.stderr.write(
                f"agent host: {len(folders)} folders cannot be watched ({fault}); changes are seen later\n"
            )


def _import_awatch():  # type: ignore[no-untyped-def]
    from watchfiles import awatch  # 40 ms, off the loop

    return awatch


def _matters(_change: int, path: str) -> bool:
    changed = Path(path)
    return "__pycache__" not in changed.parts and changed.suffix in (".py", "")  # a folder has no suffix


def _mark(folder: Path) -> tuple[int, int] | None:
    with contextlib.suppress(OSError):
        found = folder.stat()
        return found.st_dev, found.st_ino
    return None
