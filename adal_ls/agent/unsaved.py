"""Tool files that changed while a run was going on: its agent may have written them, so nobody asked for their code.

They are not imported until a person confirms them (CVE-2025-54135: an agent was led to write a file that ran).
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Iterable
from pathlib import Path

from adal_ls.agent.loading import digests

_FOLDER = ".adal"
_MOST_FILES = 10_000


class UnsavedChanges:
    """What the tool files of each project were when the first of its runs began; forgotten when none has changed."""

    def __init__(self) -> None:
        self._runs: dict[Path, set[str]] = {}
        self._before: dict[Path, dict[str, str]] = {}
        self._lock = asyncio.Lock()

    async def begin(self, root: Path, run_id: str, sources: Iterable[str]) -> None:
        """A run begins. `sources`: the files that were loaded, relative to `root`."""
        async with self._lock:
            if root not in self._before:
                self._before[root] = await asyncio.to_thread(_files, root, sources)
            self._runs.setdefault(root, set()).add(run_id)

    async def end(self, root: Path, run_id: str) -> None:
        """A run is over. Nothing happens for one that never began."""
        async with self._lock:
            runs = self._runs.get(root, set())
            runs.discard(run_id)
            if not runs and not await self.changed(root):
                self._before.pop(root, None)

    async def changed(self, root: Path) -> list[str]:
        """The files that are others than when the runs began, by their paths relative to `root`."""
        before = self._before.get(root)
        if before is None:
            return []
        now = await asyncio.to_thread(_files, root, before)
        return sorted(path for path in before.keys() | now.keys() if before.get(path, "") != now.get(path, ""))

    async def confirm(self, root: Path) -> None:
        """A person asked for the files as they are."""
        async with self._lock:
            if self._runs.get(root):
                self._before[root] = await asyncio.to_thread(_files, root, self._before.get(root, {}))
            else:
                self._before.pop(root, None)


def _files(root: Path, sources: Iterable[str]) -> dict[str, str]:
    """The digests of `sources` and of every Python file that tools could import by its name."""
    paths = set(sources)
    for folder, folders, names in os.walk(root / _FOLDER):
        folders[:] = [name for name in folders if name != "__pycache__"]
        paths.update(Path(folder, name).relative_to(root).as_posix() for name in names if name.endswith(".py"))
        if len(paths) > _MOST_FILES:
            break
    return digests(root, dict.fromkeys(paths, ""))
