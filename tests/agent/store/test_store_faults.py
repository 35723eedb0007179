"""The store where the disk, another process or a kill is against it."""

from __future__ import annotations

import os
import random
import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

import pytest

from adal_ls.agent.files.paths import workspace_dir
from adal_ls.agent.store.store import Store, StoreError, StoreLockedError
from adal_ls.protocol.runs import TextEvent
from tests.agent.store.test_store import a_run, posix_only, writer

ROUNDS = int(os.environ.get("ADAL_KILLS", "12"))

FILL = """
import resource, signal, sys
from pathlib import Path
from adal_ls.agent.store.store import Store, StoreError
from adal_ls.protocol.runs import Run, TextEvent
store = Store.open(Path(sys.argv[1]))
store.create(Run(run_id="full", title="t", model="offline", state="running", created="c", updated="u"))
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (400_000, 400_000))
written = 0
try:
    while True:
        store.append("full", TextEvent(delta="x" * 1000))
        written += 1
except StoreError as fault:
    print(written, fault, sep="\\n")
"""


@pytest.fixture
def workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("ADAL_DATA_DIR", str(tmp_path / "data"))
    folder = tmp_path / "work"
    folder.mkdir()
    return folder


@posix_only
def test_killed_again_and_again_at_any_point_nothing_acknowledged_is_lost(workspace: Path) -> None:
    chance = random.Random(7)
    for number in range(ROUNDS):
        process = writer(workspace, f"run{number}", 100_000)
        assert process.stdout is not None
        process.stdout.readline()
        time.sleep(chance.random() * 0.05)
        process.send_signal(signal.SIGKILL)
        acknowledged = 1 + len(process.stdout.read().splitlines())
        process.wait()
        process.stdout.close()
        store = Store.open(workspace)
        got = store.get(f"run{number}")
        assert got.run.state == "interrupted"
        assert [update.seq for update in got.events] == list(range(1, len(got.events) + 1))
        assert len(got.events) in (acknowledged, acknowledged + 1)
        store.close()
    database = sqlite3.connect(workspace_dir(workspace) / "runs.db")
    assert database.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
    database.close()


@posix_only
def test_a_full_disk_is_a_clear_error_and_what_was_written_stays(workspace: Path) -> None:
    done = subprocess.run([sys.executable, "-c", FILL, str(workspace)], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    written, fault = done.stdout.splitlines()
    assert "runs.db cannot be used" in fault
    assert int(written) > 20
    store = Store.open(workspace)
    assert len(store.get("full").events) == int(written)
    store.append("full", TextEvent(delta="there is room again"))
    store.close()


@pytest.mark.skipif(sys.platform != "linux", reason="a read-only mount needs bubblewrap")
def test_a_folder_that_cannot_be_written_is_named(workspace: Path, tmp_path: Path) -> None:
    data = tmp_path / "data"
    data.mkdir()
    code = (
        "import sys; from pathlib import Path; from adal_ls.agent.store.store import Store, StoreError\n"
        "try: Store.open(Path(sys.argv[1]))\nexcept StoreError as fault: print(fault)"
    )
    bwrap = ("bwrap", "--dev-bind", "/", "/", "--ro-bind", str(data), str(data))
    done = subprocess.run([*bwrap, sys.executable, "-c", code, str(workspace)], capture_output=True, text=True)
    assert "cannot be used" in done.stdout, done.stderr
    assert "Read-only file system" in done.stdout
    assert str(data) in done.stdout


def test_a_store_that_another_process_holds_is_waited_for_as_long_as_was_asked(workspace: Path) -> None:
    store = Store.open(workspace)
    store.create(a_run())
    other = sqlite3.connect(workspace_dir(workspace) / "runs.db", isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    began = time.monotonic()
    with pytest.raises(StoreLockedError, match="locked by another process"):
        store.append("r1", TextEvent(delta="x"), wait=0.1)
    assert 0.08 < time.monotonic() - began < 2
    assert store.get("r1").events == []  # reading waits for no writer
    other.execute("ROLLBACK")
    other.close()
    assert store.append("r1", TextEvent(delta="x")).seq == 1
    store.close()


def test_a_lock_is_no_damage(workspace: Path) -> None:
    store = Store.open(workspace)
    other = sqlite3.connect(workspace_dir(workspace) / "runs.db", isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    with pytest.raises(StoreError):
        store.create(a_run(), wait=0.01)
    other.execute("ROLLBACK")
    other.close()
    assert store.notice is None
    assert list(workspace_dir(workspace).glob("*.damaged*")) == []
    store.close()
