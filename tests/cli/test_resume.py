"""Going on with earlier runs, and the options of a run that are about more than its query."""

from __future__ import annotations

import json
import os
import signal
import subprocess
from pathlib import Path
from typing import Any

import pytest

from adal_ls.agent.runs.registry import MAX_TOOLS
from adal_ls.agent.store.store import Store
from adal_ls.protocol.runs import ModeEvent, PromptEvent
from tests.cli.conftest import Run, command
from tests.cli.test_run import notes, script


def result_of(adal_ls: Run, *arguments: str, **options: Any) -> dict[str, Any]:
    done = adal_ls("run", "--trust", "-o", "json", *arguments, **options)
    result: dict[str, Any] = json.loads(done.stdout)
    assert result["exit_code"] == done.returncode, done.stderr
    return result


def prompts(project: Path, run_id: str) -> list[str]:
    store = Store.open(project)
    events = [update.event for update in store.get(run_id).events]
    store.close()
    return [event.text for event in events if isinstance(event, PromptEvent)]


def test_a_run_goes_on_with_a_further_prompt(adal_ls: Run, project: Path) -> None:
    first = result_of(adal_ls, "-q", "double(number=1)")["session_id"]
    second = result_of(adal_ls, "-q", "double(number=2)")["session_id"]
    for given in (["-r", first], ["--resume", first[:12]], [f"--resume={first}"]):
        again = result_of(adal_ls, "-q", "double(number=21)", *given)
        assert again["session_id"] == first
        assert "42" in again["answer"]
    assert prompts(project, first) == ["double(number=1)", *["double(number=21)"] * 3]
    assert prompts(project, second) == ["double(number=2)"]


@pytest.mark.parametrize("given", [["-r"], ["--continue"], ["-r", "--continue"]])
def test_without_a_value_it_is_the_last_run_and_without_a_query_it_goes_on(
    adal_ls: Run, project: Path, given: list[str]
) -> None:
    model = script(project, "- text: one\n- text: two\n")
    result_of(adal_ls, "-q", "double(number=1)")
    last = result_of(adal_ls, "-q", "go", "-m", model)
    assert last["answer"] == "one"
    again = result_of(adal_ls, *given)
    assert (again["session_id"], again["answer"], again["model"]) == (last["session_id"], "two", model)
    assert prompts(project, last["session_id"]) == ["go", "Go on."]
    piped = result_of(adal_ls, *given, "-m", "offline", text="double(number=4)\n")
    assert piped["session_id"] == last["session_id"]
    assert "8" in piped["answer"]


def test_what_could_not_be_asked_about_can_be_done_by_going_on_with_yolo(adal_ls: Run, project: Path) -> None:
    model = script(project, "- calls: [{name: note, arguments: {text: a}}]\n- text: done\n")
    denied = result_of(adal_ls, "-q", "go", "-m", model)
    assert denied["exit_code"] == 3
    again = result_of(adal_ls, "-r", "--yolo", "-m", "offline", "-q", "note(text='b')")
    assert again["exit_code"] == 0
    assert again["session_id"] == denied["session_id"]
    assert notes(project) == ["b"]


def test_the_mode_and_the_limits_of_a_run_that_goes_on_are_the_new_ones(adal_ls: Run, project: Path) -> None:
    model = script(project, "- text: one\n" + "- calls: [{name: double, arguments: {number: 1}}]\n" * 5)
    first = result_of(adal_ls, "-q", "go", "-m", model, "--permission-mode", "acceptEdits")["session_id"]
    again = result_of(adal_ls, "-r", first, "-q", "more", "--max-steps", "2")
    assert again["exit_code"] == 1
    assert "the limit of 2 model requests is reached" in again["error"]
    store = Store.open(project)
    modes = [update.event.mode for update in store.get(first).events if isinstance(update.event, ModeEvent)]
    store.close()
    assert modes == ["acceptEdits"], "the mode of the first prompt is not that of the second"


@pytest.mark.parametrize(
    ("given", "error"),
    [
        (["-r", "zzzz"], "no run begins with 'zzzz'"),
        (["-r"], "no runs in"),
        (["--continue"], "no runs in"),
    ],
)
def test_no_run_to_go_on_with_is_an_error_in_the_format_asked_for(
    adal_ls: Run, project: Path, given: list[str], error: str
) -> None:
    if "zzzz" in given:
        result_of(adal_ls, "-q", "double(number=1)")
    result = result_of(adal_ls, *given, "-q", "go")
    assert (result["exit_code"], result["answer"]) == (1, None)
    assert error in result["error"]
    done = adal_ls("run", "--trust", "-q", "go", *given, "-o", "stream-json")
    assert [json.loads(line)["type"] for line in done.stdout.splitlines()] == ["error", "complete"]


@pytest.mark.parametrize(
    ("given", "error"),
    [
        (["-r", "--disabled-default-tools", "Bash"], "--disabled-default-tools cannot be given with --resume"),
        (["-r", "-p", "x"], "--prompt cannot be given with --resume"),
        (["-r", "abc", "--continue"], "contradict"),
        (["-p", "x", "--prompt-file", "turns.yaml"], "--prompt and --prompt-file"),
        (["--max-steps", "0"], "--max-steps"),
        (["--max-cost", "0"], "--max-cost"),
    ],
)
def test_options_that_contradict_each_other_are_wrong_usage(
    adal_ls: Run, project: Path, given: list[str], error: str
) -> None:
    (project / "turns.yaml").touch()
    result = result_of(adal_ls, "-q", "go", *given)
    assert result["exit_code"] == 2
    assert error in result["error"]


def test_limits_stop_the_run_and_say_which(adal_ls: Run, project: Path) -> None:
    tools = project / ".adal" / "tools.py"
    tools.write_text(
        tools.read_text().replace("return number * 2", "import time\n    time.sleep(number)\n    return number * 2")
    )
    steps = script(
        project, "".join(f"- calls: [{{name: double, arguments: {{number: 0}}, id: c{i}}}]\n" for i in range(5))
    )
    for given, why in ((["--max-steps", "3"], "3 model requests"), (["--max-seconds", "0.3"], "0.3 s")):
        model = steps if "3 model" in why else script(project, "- calls: [{name: double, arguments: {number: 30}}]\n")
        result = result_of(adal_ls, "-q", "go", "-m", model, *given)
        assert result["exit_code"] == 1
        assert why in result["error"]


def test_a_system_prompt_of_ones_own_is_kept_with_the_run(adal_ls: Run, project: Path) -> None:
    (project / "role.txt").write_text("You are a pirate.")
    for given in (["-p", "You are a pirate."], ["--prompt-file", "role.txt"]):
        run_id = result_of(adal_ls, "-q", "double(number=1)", *given)["session_id"]
        store = Store.open(project)
        kept = store.adopt(run_id)
        store.close()
        assert kept.system_prompt == "You are a pirate."
    (project / "role.txt").write_bytes(b"\xff\xfe")
    assert result_of(adal_ls, "-q", "x", "--prompt-file", "role.txt")["exit_code"] == 2


def test_more_tools_than_a_provider_takes_is_an_error_with_the_count_and_the_limit(adal_ls: Run, project: Path) -> None:
    functions = "".join(f"def tool_{i}() -> str:\n    'Tool.'\n    return ''\n\n\n" for i in range(140))
    listed = ", ".join(f"tool_{i}" for i in range(140))
    (project / ".adal" / "tools.py").write_text(f"{functions}CUSTOM_TOOLS = [{listed}]\n")
    result = result_of(adal_ls, "-q", "go", "-m", script(project, "- text: never\n"))
    assert (result["exit_code"], result["answer"]) == (1, None)
    assert "140 custom" in result["error"]
    assert f"at most {MAX_TOOLS}" in result["error"]


def test_secrets_are_in_no_output(adal_ls: Run, project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    key = "sk-live-0123456789abcdef"
    monkeypatch.setenv("DEPLOY_TOKEN", key)
    tools = project / ".adal" / "tools.py"
    tools.write_text(tools.read_text().replace("return number * 2", "import os\n    return os.environ['DEPLOY_TOKEN']"))
    calls = f"[{{name: double, arguments: {{number: 1}}}}, {{name: note, arguments: {{text: {key}}}}}]"
    model = script(project, f"- calls: {calls}\n- text: It is {key}.\n")
    for style in ("text", "json", "stream-json"):
        done = adal_ls("run", "--trust", "-q", f"deploy {key}", "-m", model, "-o", style)
        assert "It is [redacted DEPLOY_TOKEN]." in done.stdout
        assert key not in done.stdout + done.stderr
    shown = adal_ls("runs", "show", json.loads(adal_ls("runs", "list", "--format", "json").stdout)[0]["runId"])
    assert "[redacted DEPLOY_TOKEN]" in shown.stdout
    assert key not in shown.stdout


WAITING = "import time\n    open('begun', 'w').close()\n    time.sleep(600)\n    return number * 2"


@pytest.fixture
def waiting(project: Path) -> subprocess.Popen[str]:
    """A run whose one call never ends, when it has begun."""
    tools = project / ".adal" / "tools.py"
    tools.write_text(tools.read_text().replace("return number * 2", WAITING))
    process = subprocess.Popen(
        [*command(), "run", "--trust", "-q", "double(number=1)", "-o", "stream-json"],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=project,
    )
    assert process.stdout is not None
    process.stdout.readline()
    while not (project / "begun").exists():
        assert process.poll() is None
    return process


@pytest.mark.skipif(os.name == "nt", reason="signals as POSIX has them")
@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_ctrl_c_cancels_the_run_and_complete_is_last_all_the_same(
    waiting: subprocess.Popen[str], project: Path, number: signal.Signals, code: int
) -> None:
    waiting.send_signal(number)
    output, errors = waiting.communicate(timeout=20)
    assert waiting.returncode == code
    lines = [json.loads(line) for line in output.splitlines()]
    assert [line["type"] for line in lines] == ["tool_result", "error", "complete"]
    assert lines[0]["status"] == "cancelled"
    assert lines[-1]["exit_code"] == code
    assert "Cancelling" in errors
    store = Store.open(project)
    assert [run.stop_reason for run in store.runs()] == ["cancelled"]
    store.close()


@pytest.mark.skipif(os.name == "nt", reason="signals as POSIX has them")
def test_a_second_ctrl_c_ends_at_once_and_what_was_stored_stays(waiting: subprocess.Popen[str], project: Path) -> None:
    waiting.send_signal(signal.SIGINT)
    assert waiting.stderr is not None
    while "Cancelling" not in waiting.stderr.readline():
        assert waiting.poll() is None
    waiting.send_signal(signal.SIGINT)
    output, _ = waiting.communicate(timeout=20)
    assert waiting.returncode == 130
    assert json.loads(output.splitlines()[-1])["type"] == "complete"
    store = Store.open(project)
    (run,) = store.runs()
    assert run.state in ("interrupted", "finished")
    assert store.get(run.run_id).events[0].event.type == "prompt"
    store.close()


@pytest.mark.skipif(os.name == "nt", reason="signals as POSIX has them")
def test_who_reads_no_more_stops_the_run(waiting: subprocess.Popen[str], project: Path) -> None:
    (project / "turns.yaml").write_text("- calls: [{name: double, arguments: {number: 1}}]\n")
    assert waiting.stdout is not None
    waiting.stdout.close()
    waiting.send_signal(signal.SIGINT)
    assert waiting.wait(20) in (1, 130)
    assert waiting.stderr is not None
    assert "Traceback" not in waiting.stderr.read()
    waiting.stderr.close()
    store = Store.open(project)
    assert [run.state for run in store.runs()] == ["finished"]
    store.close()
