from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from adal_ls.agent.projects.watching import Watcher

PATIENCE = 5.0


class Told:
    """A watcher, and the paths it told of."""

    def __init__(self) -> None:
        self.paths: set[str] = set()
        self._news = asyncio.Event()
        self.watcher = Watcher(self._take)

    def _take(self, paths: list[str]) -> None:
        self.paths |= set(paths)
        self._news.set()

    async def of(self, path: Path) -> bool:
        """Waits until it told of `path`."""
        while str(path) not in self.paths:
            self._news.clear()
            try:
                await asyncio.wait_for(self._news.wait(), PATIENCE)
            except asyncio.TimeoutError:
                return False
        return True

    async def begun(self, folder: Path) -> None:
        """Waits until changes in `folder` are told: watching begins on a thread."""
        probe = folder / "probe.py"
        while str(probe) not in self.paths:
            probe.write_text("")
            probe.unlink()
            await asyncio.sleep(0.02)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "my projekt ü" / ".adal"
    folder.mkdir(parents=True)
    return folder


async def test_python_files_and_folders_are_told_of_and_nothing_else(folder: Path) -> None:
    told = Told()
    told.watcher.add(folder.parent)
    await told.begun(folder)
    (folder / "__pycache__").mkdir()
    (folder / "__pycache__" / "tools.cpython-311.pyc").write_bytes(b"")
    (folder / "notes.txt").write_text("")
    (folder.parent / "beside.py").write_text("")
    (folder / "package").mkdir()
    (folder / "tools.py").write_text("x = 1\n")
    assert await told.of(folder / "tools.py")
    assert await told.of(folder / "package")
    assert told.paths == {str(folder / name) for name in ("probe.py", "package", "tools.py")}
    told.watcher.end()


async def test_a_second_project_is_watched_as_well_as_the_first(folder: Path, tmp_path: Path) -> None:
    other = tmp_path / "other" / ".adal"
    other.mkdir(parents=True)
    told = Told()
    told.watcher.add(folder.parent)
    told.watcher.add(other.parent)
    await told.begun(folder)
    (other / "tools.py").write_text("")
    (folder / "tools.py").write_text("")
    assert await told.of(other / "tools.py")
    assert await told.of(folder / "tools.py")
    told.watcher.end()


async def test_a_folder_that_was_replaced_is_watched_again_when_it_is_added_again(folder: Path) -> None:
    told = Told()
    told.watcher.add(folder.parent)
    await told.begun(folder)
    folder.rename(folder.with_name("old"))
    folder.mkdir()
    told.paths.clear()
    told.watcher.add(folder.parent)
    await told.begun(folder)
    told.watcher.end()


async def test_a_folder_that_was_moved_away_and_back_is_still_watched(folder: Path) -> None:
    told = Told()
    told.watcher.add(folder.parent)
    await told.begun(folder)
    folder.rename(folder.with_name("old"))
    folder.with_name("old").rename(folder)
    told.watcher.add(folder.parent)
    (folder / "tools.py").write_text("")
    assert await told.of(folder / "tools.py")
    told.watcher.end()


async def test_a_folder_that_is_not_there_is_not_watched(tmp_path: Path) -> None:
    told = Told()
    told.watcher.add(tmp_path / "none")
    await asyncio.sleep(0)
    told.watcher.end()
    assert told.paths == set()
