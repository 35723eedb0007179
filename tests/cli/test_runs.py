from __future__ import annotations

import json
from pathlib import Path

import pytest

from adal_ls.agent.paths import workspace_dir
from adal_ls.agent.store import Store, now
from adal_ls.protocol.runs import Run as StoredRun
from adal_ls.protocol.runs import RunGetResult
from tests.cli.conftest import Run


def run_id(adal_ls: Run, *more: str) -> str:
    done = adal_ls("run", "--trust", "-o", "json", *more)
    identity: str = json.loads(done.stdout)["session_id"]
    return identity


def test_a_run_can_be_replayed_in_full(adal_ls: Run) -> None:
    identity = run_id(adal_ls, "--yolo", "-q", "note(text='buy milk')")
    shown = adal_ls("runs", "show", identity)
    assert shown.returncode == 0
    for part in (
        identity,
        "finished",
        "prompt   note(text='buy milk')",
        'call     note {"text": "buy milk"}',
        "decision allow note (by mode)",
        "result   note success: kept buy milk",
        "printed: wrote a line",
        "agent    ",
        "finished end_turn",
    ):
        assert part in shown.stdout


def test_what_was_not_approved_is_in_the_replay(adal_ls: Run) -> None:
    shown = adal_ls("runs", "show", run_id(adal_ls, "-q", "note(text='x')"))
    assert "decision deny note (by no approver)" in shown.stdout
    assert "result   note cancelled" in shown.stdout


def test_the_json_forms_are_those_of_the_protocol(adal_ls: Run) -> None:
    first = run_id(adal_ls, "-q", "double(number=1)")
    second = run_id(adal_ls, "-q", "double(number=2)")
    listed = [StoredRun.model_validate(run) for run in json.loads(adal_ls("runs", "list", "--format", "json").stdout)]
    assert [run.run_id for run in listed] == [second, first]
    got = RunGetResult.model_validate(json.loads(adal_ls("runs", "show", first, "--format", "json").stdout))
    assert got.run.state == "finished"
    assert [update.seq for update in got.events] == list(range(1, len(got.events) + 1))
    assert got.events[0].event.type == "prompt"
    assert got.events[-1].event.type == "finished"


def test_the_beginning_of_an_id_is_enough_if_it_is_the_only_one(adal_ls: Run) -> None:
    first = run_id(adal_ls, "-q", "double(number=1)")
    second = run_id(adal_ls, "-q", "double(number=2)")
    shared = next(length for length in range(33) if first[: length + 1] != second[: length + 1])
    assert first in adal_ls("runs", "show", first[: shared + 1]).stdout
    both = adal_ls("runs", "show", first[:shared])
    assert both.returncode == 1
    assert first in both.stderr
    assert second in both.stderr


def test_an_unknown_id_shows_the_way_out(adal_ls: Run) -> None:
    run_id(adal_ls, "-q", "double(number=1)")
    done = adal_ls("runs", "show", "zzzz")
    assert (done.returncode, done.stdout) == (1, "")
    assert "adal-ls runs list" in done.stderr


def test_without_a_terminal_the_list_is_plain_lines(adal_ls: Run) -> None:
    identity = run_id(adal_ls, "-q", "double(number=1)")
    (line,) = adal_ls("runs", "list").stdout.splitlines()
    assert line.split("\t")[0] == identity
    assert line.split("\t")[2:] == ["answered", "offline", "double(number=1)"]


def test_the_list_says_how_each_run_ended(adal_ls: Run, project: Path) -> None:
    for query in ("double(number=1)", "note(text='x') note(text='y')", "dubble(number=1)"):
        adal_ls("run", "--trust", "-q", query)
    turn = "- calls: [{name: double, arguments: {number: 1}}]\n"
    (project / "turns.yaml").write_text(turn * 20)
    adal_ls("run", "--trust", "-q", "go", "-m", "script:turns.yaml")
    lines = adal_ls("runs", "list").stdout.splitlines()
    assert [line.split("\t")[2] for line in lines] == ["limit", "error", "answered, 2 denied", "answered"]
    runs = [StoredRun.model_validate(run) for run in json.loads(adal_ls("runs", "list", "--format", "json").stdout)]
    assert [run.stop_reason for run in runs] == ["limit", "error", "end_turn", "end_turn"]


def test_looking_for_runs_leaves_nothing_behind(adal_ls: Run, project: Path) -> None:
    done = adal_ls("runs", "list")
    assert (done.returncode, done.stdout) == (0, "")
    assert "No runs" in done.stderr
    assert adal_ls("runs", "show", "x").returncode == 1
    assert not workspace_dir(project).exists()


def test_a_damaged_store_is_named_without_a_traceback(adal_ls: Run, project: Path) -> None:
    run_id(adal_ls, "-q", "double(number=1)")
    file = workspace_dir(project) / "runs.db"
    for part in workspace_dir(project).glob("runs.db-*"):
        part.unlink()
    file.write_bytes(b"no database" * 1000)
    for arguments in (["runs", "list"], ["run", "--trust", "-q", "double(number=1)"]):
        done = adal_ls(*arguments)
        assert done.returncode == 1
        assert str(file) in done.stderr
        assert "Traceback" not in done.stderr


def test_more_runs_than_are_shown_are_counted(adal_ls: Run, project: Path) -> None:
    store = Store.open(project)
    for number in range(6):
        run = StoredRun(run_id=f"0{number}", title="x", model="offline", state="finished", created=now(), updated=now())
        store.create(run)
    store.close()
    done = adal_ls("runs", "show", "0")
    assert done.returncode == 1
    assert "6 runs begin with '0', the first five: 05, 04, 03, 02, 01; give more of the id" in done.stderr


def test_a_data_folder_that_cannot_be_used_is_an_error_with_its_path(
    adal_ls: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    data = str(tmp_path / ("x" * 300))
    monkeypatch.setenv("ADAL_DATA_DIR", data)
    for arguments in (["runs", "list"], ["trust"], ["run", "--trust", "-q", "double(number=1)"]):
        done = adal_ls(*arguments)
        assert (done.returncode, done.stdout) == (1, ""), arguments
        assert "Traceback" not in done.stderr
        assert data in done.stderr
