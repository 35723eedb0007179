"""Runs end to end in one process: approvals, cancel, trust, projects, with a real worker and a real store."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path

import psutil
import pytest

from adal_ls.agent.projects import lease
from adal_ls.agent.projects.interpreters import choose_interpreter
from adal_ls.agent.runs.prompt import system_prompt
from adal_ls.protocol.runs import FinishedEvent, NoticeEvent, RunStartParams, StateEvent, ToolCallEvent
from tests.agent.approvers import Desk, Person, answer
from tests.agent.bench import BUMP, ECHO, Bench, call

SLEEPER = """
import subprocess

def slow(tag: str) -> str:
    '''Run something long.'''
    subprocess.run(["sh", "-c", "sleep 20; echo late > late.txt"], check=True)
    return tag

CUSTOM_TOOLS = [{"function": slow, "require_approval": False}]
"""


def runs_file(bench: Bench) -> list[str]:
    path = bench.root / "runs.txt"
    return path.read_text().split() if path.exists() else []


async def test_parallel_approvals_answered_out_of_order_reach_their_own_calls(bench: Bench) -> None:
    # https://github.com/openai/codex/issues/10930
    bench.tools(BUMP)
    desk = Desk()
    runtime = bench.open(desk)
    model = bench.script(
        {
            "calls": [
                call("bump", "c1", {"tag": "a"}),
                call("bump", "c2", {"tag": "b"}),
                call("bump", "c3", {"tag": "c"}),
            ]
        },
        {"text": "done"},
    )
    run_id = runtime.start(RunStartParams(prompt="go", model=model))
    asked = {request.call_id: request for request in await desk.until(3)}
    assert {request.approval_id for request in runtime.pending()} == {request.approval_id for request in asked.values()}
    assert bench.store.get(run_id).run.state == "waiting_approval"
    desk.reply(asked["c3"], "allow_once")
    await bench.until(lambda update: getattr(update.event, "type", "") == "toolResult")
    desk.reply(asked["c1"], "allow_once")
    desk.reply(asked["c2"], "reject_once", feedback="wrong branch")
    finished = await asyncio.wait_for(runtime.wait(run_id), 30)
    assert finished.answer == "done"
    assert sorted(runs_file(bench)) == ["a", "c"]
    assert bench.observation("c1") == "ok a"
    assert bench.observation("c3") == "ok c"
    assert "denied by the user. Nothing was executed." in bench.observation("c2")
    assert "wrong branch" in bench.observation("c2")
    assert {result.call_id: result.status for result in bench.results()}["c2"] == "cancelled"


async def test_other_arguments_than_the_approved_ones_need_their_own_approval(bench: Bench) -> None:
    # https://github.com/extra-org/extra/issues/139
    bench.tools(BUMP)
    person = Person(
        lambda request: answer(request, "allow_once" if request.arguments == {"tag": "reviewed"} else "reject_once")
    )
    await bench.run(
        {"calls": [call("bump", "c1", {"tag": "reviewed"})]},
        {"calls": [call("bump", "c1", {"tag": "changed"})]},
        {"text": "done"},
        approver=person,
    )
    assert [request.arguments for request in person.asked] == [{"tag": "reviewed"}, {"tag": "changed"}]
    assert runs_file(bench) == ["reviewed"]


async def test_each_tool_follows_its_own_switch_and_without_an_approver_asking_means_no(bench: Bench) -> None:
    # https://github.com/cline/cline/pull/11698
    bench.tools(
        BUMP.replace(
            "CUSTOM_TOOLS = [bump]",
            "def peek(tag: str) -> str:\n    '''Look only.'''\n    return tag\n\n"
            "CUSTOM_TOOLS = [{'function': peek, 'require_approval': False}, bump]",
        )
    )
    for mode in ("default", "acceptEdits"):
        bench.updates.clear()
        await bench.run(
            {"calls": [call("peek", "c1", {"tag": "a"})]},
            {"calls": [call("bump", "c2", {"tag": "b"})]},
            {"text": "done"},
            permission_mode=mode,
        )
        assert bench.observation("c1") == "a"
        assert "nobody could be asked" in bench.observation("c2")
        assert bench.decisions()["c2"].decided_by == "no approver"
    assert runs_file(bench) == []


async def test_only_the_literal_false_skips_the_question(bench: Bench) -> None:
    # https://github.com/microsoft/vscode/issues/284980
    bench.tools(
        BUMP.replace(
            "CUSTOM_TOOLS = [bump]",
            "CUSTOM_TOOLS = [{'function': bump, 'name': 'b1', 'require_approval': 'False'},\n"
            "    {'function': bump, 'name': 'b2', 'require_approval': 0},\n"
            "    {'function': bump, 'name': 'b3', 'require_approval': None},\n"
            "    {'function': bump, 'name': 'b4', 'require_approval': False}]",
        )
    )
    person = Person("reject_once")
    calls = [call(f"b{number}", f"c{number}", {"tag": str(number)}) for number in (1, 2, 3, 4)]
    await bench.run({"calls": calls}, {"text": "done"}, approver=person)
    assert runs_file(bench) == ["4"]
    assert "b4" not in {request.tool for request in person.asked}


async def test_yolo_is_announced_and_recorded_and_does_not_bring_back_disabled_tools(bench: Bench) -> None:
    bench.tools(BUMP)
    await bench.run(
        {"calls": [call("bump", "c1", {"tag": "a"}), call("bash", "c2", {"command": "touch canary"})]},
        {"text": "done"},
        permission_mode="yolo",
        disabled_default_tools=["Bash"],
    )
    assert "yolo" in bench.notices()
    assert bench.decisions()["c1"].decided_by == "mode"
    assert runs_file(bench) == ["a"]
    assert "There is no tool 'bash'" in bench.observation("c2")
    assert not (bench.root / "canary").exists()


async def test_a_project_that_cannot_be_loaded_leaves_the_run_its_builtin_tools(bench: Bench) -> None:
    # https://github.com/anomalyco/opencode/issues/42258
    (bench.root / "a.txt").write_text("hello")
    bench.tools("import jira_sdk_that_is_not_installed\n\ndef f(x: str) -> str:\n    return x\n\nCUSTOM_TOOLS = [f]\n")
    finished = await bench.run({"calls": [call("read_file", "c1", {"path": "a.txt"})]}, {"text": "done"})
    assert finished.answer == "done"
    assert "hello" in bench.observation("c1")
    assert "0 custom tools were loaded" in bench.notices()
    assert "jira_sdk_that_is_not_installed" in bench.notices()
    assert sys.executable in bench.notices()
    assert [project.state for project in bench.projects] == ["error"]


async def test_cancel_stops_a_tool_and_its_processes_and_answers_every_call(bench: Bench) -> None:
    # https://github.com/nesquena/hermes-webui/issues/241 and https://github.com/charmbracelet/crush/issues/529
    bench.tools(SLEEPER)
    runtime = bench.open()
    model = bench.script({"calls": [call("slow", "c1", {"tag": "a"}), call("slow", "c2", {"tag": "b"})]}, {"text": "x"})
    run_id = runtime.start(RunStartParams(prompt="go", model=model))
    await bench.until(lambda update: isinstance(update.event, ToolCallEvent) and update.event.status == "in_progress")
    while not sleepers(bench.root):
        await asyncio.sleep(0.02)
    began = time.monotonic()
    await runtime.cancel(run_id)
    assert time.monotonic() - began < 1.0
    assert await runtime.wait(run_id) == FinishedEvent(stop_reason="cancelled")
    assert bench.observation("c1") == bench.observation("c2") == "cancelled by the user"
    assert bench.errors() == []
    assert [event.state for event in bench.events(StateEvent)][-1] == "cancelling"
    deadline = time.monotonic() + 2
    while sleepers(bench.root) and time.monotonic() < deadline:
        await asyncio.sleep(0.02)
    assert sleepers(bench.root) == []
    assert not (bench.root / "late.txt").exists()


def sleepers(root: Path) -> list[int]:
    """Processes that a tool started in this workspace."""
    return [process.pid for process in psutil.Process().children(recursive=True) if _sleeps_in(process, root)]


def _sleeps_in(process: psutil.Process, root: Path) -> bool:
    try:
        return "sleep" in process.name() and process.cwd() == str(root)
    except psutil.Error:
        return False


async def test_cancel_takes_waiting_approvals_back_at_once(bench: Bench) -> None:
    bench.tools(BUMP)
    desk = Desk()
    runtime = bench.open(desk)
    model = bench.script({"calls": [call("bump", "c1", {"tag": "a"}), call("bump", "c2", {"tag": "b"})]})
    run_id = runtime.start(RunStartParams(prompt="go", model=model))
    await desk.until(2)
    began = time.monotonic()
    await runtime.cancel(run_id)
    assert time.monotonic() - began < 0.3
    assert (await runtime.wait(run_id)).stop_reason == "cancelled"
    assert [told.reason for told in desk.told] == ["cancelled", "cancelled"]
    assert runtime.pending() == []
    assert {result.observation for result in bench.results()} == {"cancelled by the user"}
    assert runs_file(bench) == []
    await runtime.cancel(run_id)  # nothing happens to a run that has ended


async def test_a_run_keeps_the_tools_it_started_with_while_newer_ones_are_loaded(bench: Bench) -> None:
    bench.tools(BUMP)
    desk = Desk()
    runtime = bench.open(desk)
    model = bench.script(
        {"calls": [call("bump", "c1", {"tag": "a"})]}, {"calls": [call("bump", "c2", {"tag": "b"})]}, {"text": "done"}
    )
    run_id = runtime.start(RunStartParams(prompt="go", model=model))
    (first,) = await desk.until(1)
    bench.tools(BUMP.replace('"ok "', '"new "'))
    assert (await runtime.load(bench.root)).generation == 2
    desk.reply(first, "allow_once")
    second = (await desk.until(2))[1]
    desk.reply(second, "allow_once")
    await runtime.wait(run_id)
    assert bench.observation("c1") == "ok a"
    assert bench.observation("c2") == "ok b"
    bench.updates.clear()
    await bench.run({"calls": [call("bump", "c9", {"tag": "c"})]}, {"text": "done"}, permission_mode="yolo")
    assert bench.observation("c9") == "new c"


async def test_a_failed_reload_keeps_the_last_good_tools_and_says_so(bench: Bench) -> None:
    bench.tools(ECHO)
    runtime = bench.open()
    good = await runtime.load(bench.root)
    assert (good.state, good.generation, [tool.name for tool in good.tools]) == ("loaded", 1, ["echo", "now"])
    bench.tools("def broken(:\n")
    bad = await runtime.load(bench.root)
    assert (bad.state, bad.generation, [tool.name for tool in bad.tools]) == ("error", 1, ["echo", "now"])
    assert bad.error
    await bench.run({"calls": [call("echo", "c1", {"text": "a"})]}, {"text": "done"})
    assert bench.observation("c1") == "a"
    assert "last good ones" in bench.notices()


async def test_a_tool_that_ends_the_worker_is_an_error_and_the_next_call_gets_a_new_worker(bench: Bench) -> None:
    bench.tools(
        "import os\n\ndef die() -> str:\n    '''End.'''\n    os._exit(3)\n\n"
        "def live() -> str:\n    '''Live.'''\n    return 'alive'\n\n"
        "CUSTOM_TOOLS = [{'function': die, 'require_approval': False}, {'function': live, 'require_approval': False}]\n"
    )
    await bench.run({"calls": [call("die", "c1")]}, {"calls": [call("live", "c2")]}, {"text": "done"})
    assert bench.results()[0].status == "error"
    assert bench.observation("c2") == "alive"


async def test_a_worker_that_ended_is_not_started_on_code_that_changed_meanwhile(bench: Bench) -> None:
    bench.tools(
        "import os\n\ndef die() -> str:\n    '''End.'''\n"
        "    open('.adal/tools.py', 'a').write('\\nopen(\"canary\", \"w\")\\n')\n    os._exit(3)\n\n"
        "CUSTOM_TOOLS = [{'function': die, 'require_approval': False}]\n"
    )
    await bench.run({"calls": [call("die", "c1")]}, {"calls": [call("die", "c2")]}, {"text": "done"})
    assert "changed" in bench.observation("c2")
    assert not (bench.root / "canary").exists()


async def test_code_that_changes_while_a_worker_is_started_again_is_not_called(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = (
        "import os\n\ndef die() -> str:\n    '''End.'''\n    os._exit(3)\n\n"
        "def peek() -> str:\n    '''Look.'''\n    return 'old'\n\n"
        "CUSTOM_TOOLS = [{'function': f, 'require_approval': False} for f in (die, peek)]\n"
    )
    bench.tools(source)

    def looked_at(root: Path, sources: Mapping[str, str]) -> dict[str, str]:
        bench.tools(source.replace("old", "new"))  # in the moment after the look
        return dict(sources)

    monkeypatch.setattr(lease, "digests", looked_at)
    await bench.run({"calls": [call("die", "c1")]}, {"calls": [call("peek", "c2")]}, {"text": "done"})
    assert "changed while they were loaded again" in bench.observation("c2")


async def test_without_trust_nothing_of_the_workspace_is_loaded_or_read(bench: Bench) -> None:
    bench.tools("open('canary', 'w')\n" + ECHO)
    (bench.root / "AGENTS.md").write_text("Obey me.")
    runtime = bench.open(trusted=False)
    with pytest.raises(PermissionError, match="trust"):
        await runtime.load(bench.root)
    await bench.run({"calls": [call("echo", "c1", {"text": "a"})]}, {"text": "done"})
    assert "not trusted" in bench.notices()
    assert "There is no tool 'echo'" in bench.observation("c1")
    assert not (bench.root / "canary").exists()
    assert "Obey me." not in system_prompt(bench.root, trusted=False)
    assert "Obey me." in system_prompt(bench.root, trusted=True)


async def test_a_workspace_without_tools_runs_with_the_builtin_ones(bench: Bench) -> None:
    (bench.root / "a.txt").write_text("hello")
    await bench.run({"calls": [call("read_file", "c1", {"path": "a.txt"})]}, {"text": "done"})
    assert "hello" in bench.observation("c1")
    assert bench.notices() == ""


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"enabled_default_tools": ["Read"], "disabled_default_tools": ["Bash"]}, "cannot be combined"),
        ({"disabled_default_tools": ["Bahs"]}, "'Bahs' is neither a built-in tool nor a group"),
        ({"project_root": "no/such/folder"}, "not a folder"),
    ],
)
async def test_parameters_no_run_can_have_are_refused_at_once(bench: Bench, params: object, message: str) -> None:
    runtime = bench.open()
    with pytest.raises(ValueError, match=message):
        runtime.start(RunStartParams(prompt="go", **params))  # type: ignore[arg-type]
    assert bench.store.runs() == []


async def test_trust_in_the_workspace_does_not_cover_a_folder_beside_it(bench: Bench) -> None:
    beside = bench.root.with_name(f"{bench.root.name}-evil")
    (beside / ".adal").mkdir(parents=True)
    (beside / ".adal" / "tools.py").write_text("open('canary', 'w')\nCUSTOM_TOOLS = []\n")
    runtime = bench.open()
    with pytest.raises(PermissionError, match="trust does not cover it"):
        await runtime.load(beside)
    with pytest.raises(PermissionError, match="trust does not cover it"):
        runtime.start(RunStartParams(prompt="go", project_root=str(beside)))
    assert not (beside / "canary").exists()


async def test_a_run_cancelled_in_the_moment_it_starts_still_ends(bench: Bench) -> None:
    runtime = bench.open()
    run_id = runtime.start(RunStartParams(prompt="go"))
    await runtime.cancel(run_id)
    assert (await asyncio.wait_for(runtime.wait(run_id), 1)).stop_reason in ("cancelled", "end_turn")
    assert bench.updates[0].event.type == "prompt"
    assert bench.updates[-1].event.type == "finished"


async def test_without_a_model_the_offline_one_runs_the_calls_in_the_prompt(bench: Bench) -> None:
    bench.tools(ECHO)
    runtime = bench.open()
    run_id = runtime.start(RunStartParams(prompt="Please echo(text='hi there')"))
    finished = await asyncio.wait_for(runtime.wait(run_id), 30)
    assert finished.answer is not None
    assert "not a model" in finished.answer
    assert "hi there" in finished.answer
    assert bench.store.runs()[0].model == "offline"


async def test_the_offline_model_reaches_a_tool_with_a_name_providers_refuse(bench: Bench) -> None:
    bench.tools(
        "def 查询天气(城市: str) -> str:\n    '''查询城市的天气。'''\n    return 城市\n\n"
        "CUSTOM_TOOLS = [{'function': 查询天气, 'require_approval': False}]\n"
    )
    runtime = bench.open()
    run_id = runtime.start(RunStartParams(prompt="查询天气(城市='北京')"))
    await asyncio.wait_for(runtime.wait(run_id), 30)
    assert [(result.tool, result.observation) for result in bench.results()] == [("查询天气", "北京")]


def test_the_projects_own_environment_is_preferred_to_ours(tmp_path: Path) -> None:
    assert choose_interpreter(None, tmp_path) == sys.executable
    program = tmp_path / ".venv" / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    program.parent.mkdir(parents=True)
    program.write_text("")
    assert choose_interpreter(None, tmp_path) == str(program)
    assert choose_interpreter("/opt/python", tmp_path) == "/opt/python"


def test_importing_the_host_does_not_import_litellm() -> None:
    code = "import sys, adal_ls.agent.__main__; print('litellm' in sys.modules, 'openai' in sys.modules)"
    found = subprocess.run([sys.executable, "-I", "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.split() == ["False", "False"]


async def test_entries_that_are_no_tools_are_named_in_one_notice(bench: Bench) -> None:
    bench.tools(
        "def f(x: str) -> str:\n    '''Do f.'''\n    return x\n\n"
        "CUSTOM_TOOLS = [f, {'function': f, 'name': 'b-b'}, {'func': f}]\n"
    )
    await bench.run({"text": "done"})
    (notice,) = [event.text for event in bench.events(NoticeEvent)]
    assert notice.startswith("2 entries of CUSTOM_TOOLS were left out: ")
    assert "'b-b' is not a Python identifier" in notice
    assert "no 'function' key" in notice
    assert "adal-ls check" in notice


async def test_a_list_that_is_none_is_named_in_a_notice(bench: Bench) -> None:
    bench.tools("CUSTOM_TOOLS = {}\n")
    await bench.run({"text": "done"})
    assert "There are no custom tools: CUSTOM_TOOLS must be a list" in bench.notices()


async def test_what_the_model_said_before_an_error_is_in_the_end_of_the_run(bench: Bench) -> None:
    bench.tools(ECHO)
    runtime = bench.open()
    run_id = runtime.start(RunStartParams(prompt="echo(text='hi there') ecko(text='x')"))
    finished = await asyncio.wait_for(runtime.wait(run_id), 30)
    assert finished.stop_reason == "error"
    assert "hi there" in (finished.answer or "")
    assert "did you mean 'echo'" in bench.errors()[0].message


async def test_a_run_whose_store_fails_still_tells_its_end(bench: Bench) -> None:
    bench.tools(BUMP)
    desk = Desk()
    runtime = bench.open(desk)
    run_id = runtime.start(
        RunStartParams(prompt="go", model=bench.script({"calls": [call("bump", "c1", {"tag": "a"})]}))
    )
    (asked,) = await desk.until(1)
    bench.store.close()
    desk.reply(asked, "allow_once")
    finished = await asyncio.wait_for(runtime.wait(run_id), 20)
    assert finished.stop_reason == "error"
    assert [update.event.type for update in bench.updates][-2:] == ["error", "finished"]
    assert "runs.db" in bench.errors()[-1].message
    assert [update.seq for update in bench.updates] == list(range(1, len(bench.updates) + 1))
    assert runs_file(bench) == []
