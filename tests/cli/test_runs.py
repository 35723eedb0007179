from __future__ import annotations

import json
import os
import stat
from datetime import timedelta
from pathlib import Path

import pytest

from adal_ls.agent.files.paths import workspace_dir
from adal_ls.agent.store.store import Store, now
from adal_ls.protocol.runs import FinishedEvent, RunGetResult
from adal_ls.protocol.runs import Run as StoredRun
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


def test_a_damaged_store_is_moved_aside_with_a_word_and_the_next_run_is_kept(adal_ls: Run, project: Path) -> None:
    run_id(adal_ls, "-q", "double(number=1)")
    file = workspace_dir(project) / "runs.db"
    for part in workspace_dir(project).glob("runs.db-*"):
        part.unlink()
    file.write_bytes(b"no database" * 1000)
    listed = adal_ls("runs", "list")
    assert (listed.returncode, listed.stdout) == (0, "")
    assert f"{file} is damaged" in listed.stderr
    assert "It was moved to" in listed.stderr
    assert "Traceback" not in listed.stderr
    kept = run_id(adal_ls, "-q", "double(number=1)")
    assert kept[:8] in adal_ls("runs", "list").stdout


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


def test_runs_are_found_by_words_of_their_prompts(adal_ls: Run) -> None:
    first = run_id(adal_ls, "-q", "double(number=11)")
    second = run_id(adal_ls, "-q", "double(number=12) double(number=13)")
    assert [line.split("\t")[0] for line in adal_ls("runs", "list", "--query", "13 double").stdout.splitlines()] == [
        second
    ]
    assert [line.split("\t")[0] for line in adal_ls("runs", "list", "--limit", "1").stdout.splitlines()] == [second]
    assert first in adal_ls("runs", "list", "--query", "number=11").stdout
    none = adal_ls("runs", "list", "--query", "triple")
    assert (none.returncode, none.stdout) == (0, "")
    assert "has all of these words: triple" in none.stderr


def test_a_run_is_exported_as_markdown_or_json(adal_ls: Run, project: Path) -> None:
    identity = run_id(adal_ls, "--yolo", "-q", "note(text='buy milk')")
    shown = adal_ls("runs", "export", identity[:10])
    assert shown.returncode == 0
    for part in ("## Prompt", "> note(text='buy milk')", "### Call of `note`", "kept buy milk", "*Allowed by mode"):
        assert part in shown.stdout
    whole = json.loads(adal_ls("runs", "export", identity, "--format", "json").stdout)
    assert (whole["version"], whole["run"]["runId"]) == (1, identity)
    assert [update["seq"] for update in whole["events"]] == list(range(1, len(whole["events"]) + 1))

    done = adal_ls("runs", "export", identity, "-O", "run.json")
    assert (done.returncode, done.stdout) == (0, "")
    assert "run.json" in done.stderr
    assert json.loads((project / "run.json").read_text()) == whole
    if os.name != "nt":
        assert stat.S_IMODE((project / "run.json").stat().st_mode) == 0o600
    assert adal_ls("runs", "export", identity, "-O", "nowhere/run.md").returncode == 1
    assert adal_ls("runs", "export", "zz").returncode == 1


def test_deleting_needs_a_yes(adal_ls: Run) -> None:
    identity = run_id(adal_ls, "-q", "double(number=1)")
    kept = run_id(adal_ls, "-q", "double(number=2)")
    refused = adal_ls("runs", "delete", identity, text="y\n")
    assert refused.returncode == 2
    assert "Deleting a run needs --yes" in refused.stderr
    assert adal_ls("runs", "delete").returncode == 2
    assert adal_ls("runs", "delete", identity, "zz", "--yes").returncode == 1
    assert len(adal_ls("runs", "list").stdout.splitlines()) == 2
    done = adal_ls("runs", "delete", identity, identity[:12], "--yes")
    assert (done.returncode, done.stdout) == (0, f"Deleted: {identity}  double(number=1)\n")
    assert [line.split("\t")[0] for line in adal_ls("runs", "list").stdout.splitlines()] == [kept]


def test_old_runs_are_deleted_and_one_that_is_going_on_is_not(adal_ls: Run, project: Path) -> None:
    store = Store.open(project)
    for name, days in (("old", 31), ("young", 29), ("busy", 31)):
        moment = now(timedelta(days=days))
        run = StoredRun(run_id=name, title=name, model="offline", state="finished", created=moment, updated=moment)
        store.create(run if name != "busy" else run.model_copy(update={"state": "running"}))
    wrong = adal_ls("runs", "delete", "--older-than", "a month", "--yes")
    assert wrong.returncode == 2
    assert "12h" in adal_ls("runs", "delete", "--help").stdout
    assert adal_ls("runs", "delete", "old", "--older-than", "30d", "--yes").returncode == 2
    done = adal_ls("runs", "delete", "--older-than", "30d", "--yes")
    assert (done.returncode, done.stdout) == (0, "Deleted: old  old\n")
    busy = adal_ls("runs", "delete", "busy", "--yes")
    assert busy.returncode == 1
    assert "is going on; cancel it first" in busy.stderr
    store.append("busy", FinishedEvent(stop_reason="end_turn"))
    store.close()
    assert "older than 5w" in adal_ls("runs", "delete", "--older-than", "5w", "--yes").stderr


def test_old_runs_go_by_themselves_where_the_person_says_so(
    adal_ls: Run, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = Store.open(project)
    moment = now(timedelta(days=8))
    store.create(
        StoredRun(run_id="old", title="old", model="offline", state="finished", created=moment, updated=moment)
    )
    store.close()
    monkeypatch.setenv("ADAL_KEEP_RUNS_DAYS", "a week")
    done = adal_ls("run", "--trust", "-q", "double(number=1)", "-o", "json")
    assert done.returncode == 1
    assert "ADAL_KEEP_RUNS_DAYS must be a number of days" in json.loads(done.stdout)["error"]
    monkeypatch.setenv("ADAL_KEEP_RUNS_DAYS", "7")
    assert adal_ls("runs", "list").stdout == ""


def test_what_became_of_parallel_calls_stands_below_each_in_markdown(adal_ls: Run) -> None:
    identity = run_id(adal_ls, "--yolo", "-q", "note(text='first') note(text='second') double(number=4)")
    shown = adal_ls("runs", "export", identity).stdout
    _, first, second, third = shown.split("### Call of ")
    for part, call, result in ((first, "first", "kept first"), (second, "second", "kept second"), (third, "4", "8")):
        assert call in part
        assert part.count("*Allowed by") == part.count("Result (success)") == 1
        assert part.index("*Allowed by") < part.index("Result (success)") < part.index(result)
