"""Tool files that changed while a run was going on: its agent may have written them, so nobody asked for their code.

They are not imported until a person confirms them (CVE-2025-54135: an agent was led to write a file that ran): by a
save in the editor, by a reload, by `adal-ls trust`. What the files were when a run began is kept in the person's data
folder, one record for each process, so that another window and the next start know it too, also after a crash. A record
goes when its runs have ended and nothing has changed.
"""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import Iterable, Mapping
from pathlib import Path

from adal_ls.agent.files.paths import make_private, workspace_dir
from adal_ls.agent.projects.loading import digests
from adal_ls.agent.store import ownership

_FOLDER = ".adal"
_MOST_FILES = 10_000


class UnsavedChanges:
    """The records of this process, and what those of all processes say."""

    def __init__(self) -> None:
        self._runs: dict[Path, set[str]] = {}
        self._claims: dict[Path, ownership.Ownership] = {}
        self._lock = asyncio.Lock()

    async def begin(self, root: Path, run_id: str, sources: Iterable[str]) -> None:
        """A run begins. `sources`: the files that were loaded, relative to `root`.

        Raises:
            OSError: the record cannot be written.
        """
        async with self._lock:
            if root not in self._claims:
                self._claims[root] = await asyncio.to_thread(_claim, root, list(sources))
            self._runs.setdefault(root, set()).add(run_id)

    async def end(self, root: Path, run_id: str) -> None:
        """A run is over. Nothing happens for one that never began."""
        async with self._lock:
            runs = self._runs.get(root, set())
            runs.discard(run_id)
            claim = self._claims.get(root)
            if runs or claim is None:
                return
            if await asyncio.to_thread(_changed, root, _record(root, claim.name)):
                return
            await asyncio.to_thread(self._drop, root)

    async def changed(self, root: Path) -> list[str]:
        """The files that are others than when a run began, by their paths relative to `root`."""
        return await asyncio.to_thread(changed, root)

    async def confirm(self, root: Path) -> None:
        """A person asked for the files as they are."""
        async with self._lock:
            if root in self._claims and not self._runs.get(root):
                await asyncio.to_thread(self._drop, root)
            await asyncio.to_thread(confirm, root)

    def _drop(self, root: Path) -> None:
        claim = self._claims.pop(root)
        _record(root, claim.name).unlink(missing_ok=True)
        claim.release()


def changed(root: Path) -> list[str]:
    """See `UnsavedChanges.changed`; without a process that has runs."""
    names: set[str] = set()
    for record in _records(root):
        names.update(_changed(root, record))
    return sorted(names)


def confirm(root: Path) -> None:
    """See `UnsavedChanges.confirm`; without a process that has runs."""
    for record in _records(root):
        if ownership.is_alive(record.parent, record.stem):
            _write(record, _files(root, _read(record) or ()))
        else:
            record.unlink(missing_ok=True)


def _claim(root: Path, sources: list[str]) -> ownership.Ownership:
    folder = _folder(root)
    make_private(folder)
    ownership.sweep(folder)
    claim = ownership.Ownership(folder)
    _write(_record(root, claim.name), _files(root, sources))
    return claim


def _changed(root: Path, record: Path) -> list[str]:
    before = _read(record)
    if before is None:
        # Gone: confirmed in this moment. There, but not readable: nobody can say what it was.
        return [str(record)] if record.exists() else []
    now = _files(root, before)
    return [path for path in before.keys() | now.keys() if before.get(path, "") != now.get(path, "")]


def _folder(root: Path) -> Path:
    return workspace_dir(root) / "tool-files"


def _record(root: Path, name: str) -> Path:
    return _folder(root) / f"{name}.json"


def _records(root: Path) -> list[Path]:
    return sorted(_folder(root).glob("*.json"))


def _read(record: Path) -> dict[str, str] | None:
    try:
        files = json.loads(record.read_bytes())
    except (OSError, ValueError):
        return None
    sound = isinstance(files, dict) and all(isinstance(part, str) for item in files.items() for part in item)
    return files if sound else None


def _write(record: Path, files: Mapping[str, str]) -> None:
    fresh = record.with_name(f".{record.name}.{os.getpid()}")
    fresh.write_text(json.dumps(files), encoding="utf-8")
    fresh.chmod(0o600)
    fresh.replace(record)


def _files(root: Path, sources: Iterable[str]) -> dict[str, str]:
    """The digests of `sources` and of every Python file that tools could import by its name."""
    paths = set(sources)
    for folder, folders, names in os.walk(root / _FOLDER):
        folders[:] = [name for name in folders if name != "__pycache__"]
        paths.update(Path(folder, name).relative_to(root).as_posix() for name in names if name.endswith(".py"))
        if len(paths) > _MOST_FILES:
            break
    return digests(root, dict.fromkeys(paths, ""))
