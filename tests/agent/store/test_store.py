from __future__ import annotations

import os
import shutil
import signal
import sqlite3
import stat
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from adal_ls.agent.files.paths import data_dir, workspace_dir
from adal_ls.agent.store.store import Store, StoreError, UnknownRunError
from adal_ls.protocol.runs import (
    Event,
    FinishedEvent,
    PromptEvent,
    Run,
    StateEvent,
    TextEvent,
    ToolCallEvent,
    ToolResultEvent,
    UsageEvent,
)

posix_only = pytest.mark.skipif(os.name == "nt", reason="modes and signals are POSIX's")


@pytest.fixture
def workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("ADAL_DATA_DIR", str(tmp_path / "data"))
    folder = tmp_path / "my project"
    folder.mkdir()
    return folder


@pytest.fixture
def store(workspace: Path) -> Iterator[Store]:
    opened = Store.open(workspace)
    yield opened
    opened.close()


def a_run(run_id: str = "r1", title: str = "Bump the version") -> Run:
    moment = "2026-01-01T00:00:00.000Z"
    return Run(run_id=run_id, title=title, model="offline", state="running", created=moment, updated=moment)


def test_events_come_back_in_order_and_numbered_without_gaps(store: Store) -> None:
    store.create(a_run())
    given: list[Event] = [
        PromptEvent(text="bump(tag='x')"),
        ToolCallEvent(call_id="c1", tool="bump", arguments={"tag": "x", "none": None}, status="pending"),
        ToolResultEvent(call_id="c1", tool="bump", status="success", observation="ok 😀", duration_ms=1.5),
        FinishedEvent(stop_reason="end_turn", answer="done"),
    ]
    sent = [store.append("r1", event) for event in given]
    assert [update.seq for update in sent] == [1, 2, 3, 4]
    got = store.get("r1")
    assert got.events == sent
    assert [update.event for update in got.events] == given


def test_replay_can_begin_in_the_middle(store: Store) -> None:
    store.create(a_run())
    for number in range(5):
        store.append("r1", TextEvent(delta=str(number)))
    assert [update.seq for update in store.get("r1", from_seq=4).events] == [4, 5]


def test_the_state_of_a_run_follows_its_events(store: Store) -> None:
    store.create(a_run())
    store.append("r1", PromptEvent(text="go"))
    store.append("r1", StateEvent(state="waiting_approval"))
    assert store.get("r1").run.state == "waiting_approval"
    store.append("r1", StateEvent(state="running"))
    assert store.get("r1").run.state == "running"
    store.append("r1", FinishedEvent(stop_reason="end_turn"))
    assert store.get("r1").run.state == "finished"


def test_usage_adds_up_and_one_unknown_price_makes_the_cost_unknown(store: Store) -> None:
    store.create(a_run())
    store.append("r1", UsageEvent(input_tokens=10, output_tokens=1, cost=0.25))
    store.append("r1", UsageEvent(input_tokens=5, output_tokens=2, cost=0.5))
    usage = store.get("r1").run.usage
    assert usage is not None
    assert (usage.input_tokens, usage.output_tokens, usage.cost) == (15, 3, 0.75)
    store.append("r1", UsageEvent(input_tokens=1, output_tokens=1))
    usage = store.get("r1").run.usage
    assert usage is not None
    assert usage.cost is None


def test_runs_are_listed_newest_first(store: Store) -> None:
    for run_id in ("r1", "r2", "r3"):
        store.create(a_run(run_id))
    assert [run.run_id for run in store.runs()] == ["r3", "r2", "r1"]


def test_text_that_no_encoding_takes_is_kept(store: Store) -> None:
    store.create(a_run(title="half a pair \ud83d"))
    store.append("r1", TextEvent(delta="a\ud800\x00b"))
    store.append("r1", ToolCallEvent(call_id="c", tool="t", arguments={"x": "\udfff"}, status="pending"))
    first, second = (update.event for update in store.get("r1").events)
    assert first == TextEvent(delta="a\ud800\x00b")
    assert isinstance(second, ToolCallEvent)
    assert second.arguments == {"x": "\udfff"}


def test_the_whole_text_of_a_cut_result_is_kept(store: Store) -> None:
    store.create(a_run())
    whole = "line \ud800\n" * 1000
    cut = ToolResultEvent(call_id="c1", tool="t", status="success", observation="line …", duration_ms=1)
    store.append("r1", cut, full=whole)
    assert store.full_text("r1", "c1") == whole
    assert store.full_text("r1", "c2") is None


def test_an_event_of_a_run_that_was_never_created_is_refused(store: Store) -> None:
    with pytest.raises(UnknownRunError, match="nobody"):
        store.append("nobody", TextEvent(delta="x"))
    with pytest.raises(UnknownRunError, match="nobody"):
        store.get("nobody")


def test_a_run_is_created_once(store: Store) -> None:
    store.create(a_run())
    with pytest.raises(StoreError, match="already"):
        store.create(a_run())


def test_events_cannot_be_rewritten(store: Store, workspace: Path) -> None:
    store.create(a_run())
    store.append("r1", TextEvent(delta="true"))
    connection = sqlite3.connect(workspace_dir(workspace) / "runs.db")
    with pytest.raises(sqlite3.IntegrityError, match="append-only"):
        connection.execute("UPDATE events SET event = '{}'")
    connection.close()


def test_workspaces_of_one_name_do_not_share_runs(tmp_path: Path, store: Store) -> None:
    store.create(a_run())
    other = tmp_path / "elsewhere" / "my project"
    other.mkdir(parents=True)
    with_other = Store.open(other)
    assert with_other.runs() == []
    with_other.close()


@posix_only
def test_a_link_to_the_workspace_is_the_same_workspace(tmp_path: Path, store: Store, workspace: Path) -> None:
    store.create(a_run())
    link = tmp_path / "link"
    link.symlink_to(workspace)
    through = Store.open(link)
    assert [run.run_id for run in through.runs()] == ["r1"]
    through.close()


@posix_only
def test_only_the_owner_may_read(store: Store, workspace: Path) -> None:
    store.create(a_run())
    store.append("r1", TextEvent(delta="secret"))
    folder = workspace_dir(workspace)
    modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in [folder, *folder.rglob("*")]}
    for name, mode in modes.items():
        assert mode in (0o700, 0o600), f"{name}: {mode:o}"
    assert {"runs.db", "runs.db-wal"} <= set(modes)


def test_nothing_is_written_into_the_workspace(store: Store, workspace: Path) -> None:
    store.create(a_run())
    assert list(workspace.iterdir()) == []


def test_looking_whether_a_store_exists_creates_none(workspace: Path) -> None:
    assert not Store.exists(workspace)
    assert not data_dir().exists()
    Store.open(workspace).close()
    assert Store.exists(workspace)


def test_a_closed_owner_leaves_an_unfinished_run_interrupted(workspace: Path) -> None:
    first = Store.open(workspace)
    first.create(a_run("open"))
    first.create(a_run("done"))
    first.append("done", FinishedEvent(stop_reason="end_turn"))
    second = Store.open(workspace)
    assert {run.run_id: run.state for run in second.runs()} == {"open": "running", "done": "finished"}
    first.close()
    assert {run.run_id: run.state for run in second.runs()} == {"open": "interrupted", "done": "finished"}
    second.close()


WRITER = """
import sys
from pathlib import Path
from adal_ls.agent.store.store import Store
from adal_ls.protocol.runs import Run, TextEvent
name = sys.argv[2]
store = Store.open(Path(sys.argv[1]))
store.create(Run(run_id=name, title="t", model="offline", state="running", created="c", updated="u"))
for number in range(1, int(sys.argv[3]) + 1):
    store.append(name, TextEvent(delta=str(number)))
    print(number, flush=True)
"""


def writer(workspace: Path, name: str, count: int) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", WRITER, str(workspace), name, str(count)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)


@posix_only
def test_a_killed_process_loses_nothing_that_was_appended_and_its_run_reads_as_interrupted(workspace: Path) -> None:
    process = writer(workspace, "killed", 100_000)
    assert process.stdout is not None
    for _ in range(50):
        process.stdout.readline()
    watching = Store.open(workspace)
    assert watching.get("killed").run.state == "running"
    process.send_signal(signal.SIGKILL)
    acknowledged = 50 + len(process.stdout.read().splitlines())
    process.wait()
    process.stdout.close()
    watching.close()

    again = Store.open(workspace)
    got = again.get("killed")
    assert got.run.state == "interrupted"
    assert [update.seq for update in got.events] == list(range(1, len(got.events) + 1))
    assert [update.event for update in got.events] == [TextEvent(delta=str(u.seq)) for u in got.events]
    # The one being written may have reached the disk before its number reached us.
    assert len(got.events) in (acknowledged, acknowledged + 1)
    again.close()


@posix_only
def test_the_lock_file_of_a_killed_process_is_swept(workspace: Path) -> None:
    process = writer(workspace, "killed", 100_000)
    assert process.stdout is not None
    process.stdout.readline()
    process.kill()
    process.wait()
    process.stdout.close()
    owners = workspace_dir(workspace) / "owners"
    assert len(list(owners.iterdir())) == 1
    store = Store.open(workspace)
    store.create(a_run("next"))
    assert len(list(owners.iterdir())) == 1
    assert {run.run_id: run.state for run in store.runs()} == {"next": "running", "killed": "interrupted"}
    store.close()
    assert list(owners.iterdir()) == []


def test_several_processes_write_at_once(workspace: Path) -> None:
    processes = [writer(workspace, f"p{number}", 30) for number in range(4)]
    for process in processes:
        process.communicate(timeout=60)
        assert process.returncode == 0
    store = Store.open(workspace)
    for number in range(4):
        assert [update.seq for update in store.get(f"p{number}").events] == list(range(1, 31))
    store.close()


def test_a_damaged_database_is_moved_aside_with_a_message_and_an_empty_one_begun(workspace: Path) -> None:
    Store.open(workspace).close()
    file = workspace_dir(workspace) / "runs.db"
    garbage = b"this is not a database, but it is long enough to be read as one" * 100
    file.write_bytes(garbage)
    store = Store.open(workspace)
    (aside,) = file.parent.glob("runs.db.damaged-*")
    assert aside.read_bytes() == garbage
    assert store.notice is not None
    assert str(file) in store.notice
    assert str(aside) in store.notice
    store.create(a_run())
    assert [run.run_id for run in store.runs()] == ["r1"]
    store.close()


def test_damage_behind_a_sound_first_page_is_moved_aside_where_it_shows(workspace: Path) -> None:
    store = Store.open(workspace)
    store.create(a_run())
    for _ in range(200):
        store.append("r1", TextEvent(delta="x" * 500))
    store.close()
    file = workspace_dir(workspace) / "runs.db"
    content = bytearray(file.read_bytes())
    content[4096:] = b"\xff" * (len(content) - 4096)
    file.write_bytes(content)
    again, other = Store.open(workspace), Store.open(workspace)
    with pytest.raises(StoreError, match="moved to"):
        again.runs()
    # Another process that meets the same damage leaves the new file alone.
    again.create(a_run("next"))
    with pytest.raises(StoreError, match="damaged"):
        other.runs()
    assert [run.run_id for run in other.runs()] == ["next"]
    assert len([path for path in file.parent.glob("runs.db.damaged-*") if path.name[-4:] not in ("-wal", "-shm")]) == 1
    again.close()
    other.close()


def test_a_store_of_the_first_version_is_brought_up_to_date_with_all_it_holds(workspace: Path) -> None:
    folder = workspace_dir(workspace)
    folder.mkdir(parents=True)
    shutil.copy(Path(__file__).parent / "data" / "runs-version-1.db", folder / "runs.db")
    store = Store.open(workspace)
    assert {run.run_id: (run.title, run.state) for run in store.runs()} == {
        "old": ("An old run", "finished"),
        "cut": ("Cut short", "interrupted"),
    }
    assert [update.event.type for update in store.get("old").events] == [
        *("prompt", "toolCall", "toolCall", "toolResult", "text", "finished"),
    ]
    assert store.full_text("old", "c1") == "12:00 in full"
    assert store.adopt("old").model == "offline"
    store.append("old", PromptEvent(text="and now?"))
    call = ToolCallEvent(call_id="c2", tool="now", arguments={}, status="pending")
    store.append("old", call, full='{"a": 1}')
    assert store.full_text("old", "c2", "arguments") == '{"a": 1}'
    store.fork("old", "copy")
    assert store.full_text("copy", "c2", "arguments") == '{"a": 1}'
    store.close()
    Store.open(workspace).close()  # and is not brought up to date once more


def test_a_database_of_a_newer_version_is_refused_and_left_alone(workspace: Path) -> None:
    Store.open(workspace).close()
    file = workspace_dir(workspace) / "runs.db"
    connection = sqlite3.connect(file)
    connection.execute("PRAGMA user_version = 99")
    connection.close()
    with pytest.raises(StoreError, match="newer adal-ls") as caught:
        Store.open(workspace)
    assert str(file) in str(caught.value)
    assert "update adal-ls" in str(caught.value)


def test_a_database_of_another_program_is_refused(workspace: Path) -> None:
    folder = workspace_dir(workspace)
    folder.mkdir(parents=True)
    connection = sqlite3.connect(folder / "runs.db")
    connection.execute("CREATE TABLE things (x)")
    connection.commit()
    connection.close()
    with pytest.raises(StoreError, match="another program"):
        Store.open(workspace)


def test_a_data_folder_that_cannot_be_made_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_text("in the way")
    monkeypatch.setenv("ADAL_DATA_DIR", str(tmp_path / "file" / "data"))
    with pytest.raises(StoreError, match="file"):
        Store.open(tmp_path)


def test_a_relative_data_folder_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ADAL_DATA_DIR", "here")
    with pytest.raises(ValueError, match="absolute"):
        data_dir()


def test_each_platform_has_its_own_data_folder() -> None:
    assert data_dir({"XDG_DATA_HOME": "/x"}, "linux") == Path("/x/adal-ls")
    assert data_dir({"XDG_DATA_HOME": "relative"}, "linux") == Path.home() / ".local/share/adal-ls"
    assert data_dir({}, "darwin") == Path.home() / "Library/Application Support/adal-ls"
    assert data_dir({"LOCALAPPDATA": "/local"}, "win32") == Path("/local/adal-ls")
