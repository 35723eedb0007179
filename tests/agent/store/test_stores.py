"""The stores of a window with several folders."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from adal_ls.agent.files.paths import workspace_dir
from adal_ls.agent.store.store import Store, UnknownRunError
from adal_ls.agent.store.stores import Stores
from adal_ls.protocol.runs import FinishedEvent, Run, RunStartParams, TextEvent


@pytest.fixture
def folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[Path, Path]:
    monkeypatch.setenv("ADAL_DATA_DIR", str(tmp_path / "data"))
    for name in ("one", "two"):
        (tmp_path / name / "nested").mkdir(parents=True)
    return tmp_path / "one", tmp_path / "two"


@pytest.fixture
def stores(folders: tuple[Path, Path]) -> Iterator[Stores]:
    opened = Stores(folders)
    yield opened
    opened.close()


def begin(stores: Stores, run_id: str, root: Path, created: str = "2026-01-01T00:00:00.000Z") -> None:
    run = Run(run_id=run_id, title=run_id, model="offline", state="running", created=created, updated=created)
    stores.create(run, RunStartParams(prompt="", project_root=os.fspath(root)))


def test_each_folder_has_the_runs_that_the_command_line_shows_there(stores: Stores, folders: tuple[Path, Path]) -> None:
    one, two = folders
    begin(stores, "a", one)
    begin(stores, "b", two)
    begin(stores, "c", two / "nested")
    for folder, run_id in ((one, "a"), (two, "b"), (two / "nested", "c")):
        alone = Store.open(folder)
        assert [run.run_id for run in alone.runs()] == [run_id]
        alone.close()


def test_runs_of_all_folders_are_listed_as_one_newest_first(stores: Stores, folders: tuple[Path, Path]) -> None:
    one, two = folders
    for number, root in enumerate((one, two, two / "nested", one)):
        begin(stores, str(number), root, f"2026-01-0{number + 1}T00:00:00.000Z")
    assert [run.run_id for run in stores.runs()] == ["3", "2", "1", "0"]
    assert [run.run_id for run in stores.runs(limit=2)] == ["3", "2"]
    assert [run.run_id for run in stores.runs(project_root=os.fspath(two))] == ["1"]


def test_a_new_window_finds_the_runs_of_nested_projects_too(stores: Stores, folders: tuple[Path, Path]) -> None:
    begin(stores, "inner", folders[1] / "nested")
    stores.append("inner", TextEvent(delta="x"))
    window = Stores([folders[1]])
    assert [run.run_id for run in window.runs()] == ["inner"]
    assert len(window.get("inner").events) == 1
    other = Stores([folders[0]])
    assert other.runs() == []
    with pytest.raises(UnknownRunError):
        other.get("inner")
    window.close()
    other.close()


def test_a_fork_stays_where_its_run_is(stores: Stores, folders: tuple[Path, Path]) -> None:
    begin(stores, "a", folders[0])
    stores.append("a", FinishedEvent(stop_reason="end_turn"))
    stores.fork("a", "copy")
    assert {run.run_id for run in stores.runs(project_root=os.fspath(folders[0]))} == {"a", "copy"}
    stores.delete("a")
    assert [run.run_id for run in stores.runs()] == ["copy"]


def test_a_store_that_cannot_be_used_hides_no_other(folders: tuple[Path, Path]) -> None:
    first = Stores(folders)
    begin(first, "a", folders[0])
    begin(first, "b", folders[1])
    first.close()
    broken = workspace_dir(folders[1]) / "runs.db"
    broken.unlink()
    broken.mkdir()
    stores = Stores(folders)
    assert [run.run_id for run in stores.runs()] == ["a"]
    (notice,) = stores.notices()
    assert str(broken) in notice
    stores.close()
