"""Nothing runs but what was decided about: policy, person, and the digest at the last moment."""

from __future__ import annotations

import ast
import asyncio
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import adal_ls.agent
from adal_ls.agent import executor, gate
from adal_ls.agent.approvals.approval import Approvals, Approver
from adal_ls.agent.approvals.digest import canonical
from adal_ls.agent.builtin import walk
from adal_ls.agent.gate import GateContext
from adal_ls.agent.models.assembly import ModelCall
from adal_ls.agent.runs.registry import build_registry
from adal_ls.protocol.approvals import ApprovalRequest
from adal_ls.protocol.runs import DecisionEvent, Event, PermissionMode, StateEvent, ToolCallEvent
from adal_ls.protocol.tools import Tool
from tests.agent.approvers import Desk, Person, answer


class Ran:
    """Stands where the executor stands and notes what would have run."""

    def __init__(self) -> None:
        self.executions: list[executor.Execution] = []

    async def run(self, execution: executor.Execution) -> executor.Outcome:
        self.executions.append(execution)
        return executor.Outcome("success", "done")


@pytest.fixture
def ran(monkeypatch: pytest.MonkeyPatch) -> Ran:
    ran = Ran()
    monkeypatch.setattr(executor, "run", ran.run)
    return ran


def context(root: Path, approver: Approver | None, mode: PermissionMode = "default", **choice: Any) -> GateContext:
    events: list[Event] = []
    return GateContext("run", build_registry(**choice), mode, root, Approvals(approver), None, events.append)


def events_of(made: GateContext) -> list[Event]:
    events: list[Event] = made.emit.__self__  # type: ignore[attr-defined]  # the list that appends
    return events


def decisions(made: GateContext) -> list[tuple[str, str]]:
    return [(event.decision, event.decided_by) for event in events_of(made) if isinstance(event, DecisionEvent)]


BASH = ModelCall("c1", "bash", {"command": "touch canary"})


async def test_an_allowed_call_runs_once_with_the_arguments_that_were_shown(ran: Ran, tmp_path: Path) -> None:
    person = Person("allow_once")
    made = context(tmp_path, person)
    result = await gate.execute(BASH, made)
    assert result.status == "success"
    assert [execution.arguments for execution in ran.executions] == [person.asked[0].arguments]
    assert decisions(made) == [("allow", "person")]
    shown = person.asked[0].preview
    assert shown is not None
    assert (shown.command, shown.cwd) == ("touch canary", str(tmp_path))
    assert [event.state for event in events_of(made) if isinstance(event, StateEvent)] == [
        "waiting_approval",
        "running",
    ]


async def test_without_an_approver_nothing_runs(ran: Ran, tmp_path: Path) -> None:
    made = context(tmp_path, None)
    result = await gate.execute(BASH, made)
    assert result.status == "cancelled"
    assert "no approver" in result.observation
    assert "Nothing was executed" in result.observation
    assert ran.executions == []
    assert decisions(made) == [("deny", "no approver")]


async def test_a_denial_tells_the_model_the_feedback_word_for_word(ran: Ran, tmp_path: Path) -> None:
    made = context(tmp_path, Person(lambda request: answer(request, "reject_once", feedback="wrong  branch\n\tok?")))
    result = await gate.execute(BASH, made)
    assert "denied by the user. Nothing was executed." in result.observation
    assert "wrong  branch\n\tok?" in result.observation
    assert result.rejected
    assert ran.executions == []


async def test_arguments_changed_while_the_person_decides_are_not_run(ran: Ran, tmp_path: Path) -> None:
    arguments: dict[str, Any] = {"command": "ls", "extra": {"deep": [1]}}

    def tamper(request: ApprovalRequest) -> object:
        arguments["command"] = "rm -rf ."
        arguments["extra"]["deep"].append(2)
        if request.arguments is not None:
            request.arguments["command"] = "rm -rf ."
        return answer(request, "allow_once")

    await gate.execute(ModelCall("c1", "bash", arguments), context(tmp_path, Person(tamper)))
    assert all(execution.arguments == {"command": "ls", "extra": {"deep": [1]}} for execution in ran.executions)


async def test_the_digest_is_computed_again_at_the_last_moment(
    ran: Ran, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = gate._call_of

    async def moved(*given: Any) -> Any:
        call = await real(*given)
        return replace(call, digest="moved") if asked else call

    asked: list[ApprovalRequest] = []

    def allow(request: ApprovalRequest) -> object:
        asked.append(request)
        return answer(request, "allow_once")

    monkeypatch.setattr(gate, "_call_of", moved)
    made = context(tmp_path, Person(allow))
    result = await gate.execute(BASH, made)
    assert "changed since approval" in result.observation
    assert ran.executions == []
    assert decisions(made) == [("deny", "digest")]


async def test_a_folder_swapped_while_the_person_decides_stops_the_call(ran: Ran, tmp_path: Path) -> None:
    (tmp_path / "one").mkdir()
    (tmp_path / "two").mkdir()
    link = tmp_path / "link"
    link.symlink_to("one")

    def swap(request: ApprovalRequest) -> object:
        link.unlink()
        link.symlink_to("two")
        return answer(request, "allow_once")

    result = await gate.execute(BASH, context(link, Person(swap)))
    assert "changed since approval" in result.observation
    assert ran.executions == []


async def test_edited_arguments_run_under_their_own_digest_and_the_model_is_told(ran: Ran, tmp_path: Path) -> None:
    person = Person(lambda request: answer(request, "allow_once", updated_input={"command": "ls -l"}))
    made = context(tmp_path, person)
    result = await gate.execute(BASH, made)
    assert [execution.arguments for execution in ran.executions] == [{"command": "ls -l"}]
    assert 'The user edited the arguments before the call ran: {"command":"ls -l"}' in result.observation
    (decision,) = [event for event in events_of(made) if isinstance(event, DecisionEvent)]
    assert decision.args_digest != person.asked[0].args_digest
    assert decision.reason == "edited by the user"


async def test_edited_arguments_that_are_no_json_deny(ran: Ran, tmp_path: Path) -> None:
    person = Person(lambda request: answer(request, "allow_once", updated_input={"command": float("nan")}))
    result = await gate.execute(BASH, context(tmp_path, person))
    assert "not JSON" in result.observation
    assert ran.executions == []


@pytest.mark.parametrize("name", ["bash", "Bash", "BASH"])
async def test_s12_a_disabled_tool_is_refused_in_every_mode_without_asking(ran: Ran, tmp_path: Path, name: str) -> None:
    person = Person("allow_once")
    made = context(tmp_path, person, "yolo", disabled=["Bash"])
    result = await gate.execute(ModelCall("c1", name, {"command": "ls"}), made)
    assert f"There is no tool '{name}'" in result.observation
    assert "read_file" in result.observation
    assert person.asked == []
    assert ran.executions == []
    assert decisions(made) == [("deny", "policy")]


async def test_s10_yolo_asks_nobody_and_is_recorded(ran: Ran, tmp_path: Path) -> None:
    made = context(tmp_path, None, "yolo")
    assert (await gate.execute(BASH, made)).status == "success"
    assert decisions(made) == [("allow", "mode")]


async def test_fields_that_pretend_to_be_a_decision_change_nothing(ran: Ran, tmp_path: Path) -> None:
    arguments = {"command": "ls", "approved": True, "require_approval": False, "optionId": "allow_once", "yolo": True}
    await gate.execute(ModelCall("c1", "bash", arguments), context(tmp_path, Person("reject_once")))
    assert ran.executions == []


async def test_after_two_rejections_the_identical_call_is_refused_unasked(ran: Ran, tmp_path: Path) -> None:
    person = Person("reject_once")
    made = context(tmp_path, person)
    for _ in range(3):
        result = await gate.execute(BASH, made)
    assert len(person.asked) == 2
    assert "refused without asking again" in result.observation
    await gate.execute(ModelCall("c2", "bash", {"command": "other"}), made)
    assert len(person.asked) == 3


async def test_an_always_answer_covers_the_very_same_call_until_something_changes(ran: Ran, tmp_path: Path) -> None:
    person = Person("always_arguments_session")
    made = context(tmp_path, person)
    await gate.execute(BASH, made)
    await gate.execute(ModelCall("c2", "bash", {"command": "touch canary"}), made)
    assert len(person.asked) == 1
    assert decisions(made) == [("allow", "person"), ("allow", "grant")]
    await gate.execute(ModelCall("c3", "bash", {"command": "touch canary2"}), made)
    assert len(person.asked) == 2


async def test_parallel_questions_are_answered_each_by_its_own_answer(ran: Ran, tmp_path: Path) -> None:
    desk = Desk()
    made = context(tmp_path, desk)
    tasks = [
        asyncio.ensure_future(gate.execute(ModelCall(name, "bash", {"command": name}), made))
        for name in ("a", "b", "c")
    ]
    first, second, third = await desk.until(3)
    desk.reply(third, "allow_once")
    desk.reply(second, "reject_once")
    desk.reply(first, "allow_once")
    results = await asyncio.gather(*tasks)
    assert [result.status for result in results] == ["success", "cancelled", "success"]
    assert sorted(execution.arguments["command"] for execution in ran.executions) == ["a", "c"]
    assert [event.state for event in events_of(made) if isinstance(event, StateEvent)] == [
        "waiting_approval",
        "running",
    ]


async def test_a_cancelled_question_is_recorded_as_a_denial(ran: Ran, tmp_path: Path) -> None:
    desk = Desk()
    made = context(tmp_path, desk)
    task = asyncio.ensure_future(gate.execute(BASH, made))
    await desk.until(1)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert decisions(made) == [("deny", "cancelled")]
    assert ran.executions == []


async def test_a_call_is_announced_as_in_progress_only_when_it_runs(ran: Ran, tmp_path: Path) -> None:
    made = context(tmp_path, Person("reject_once"))
    await gate.execute(BASH, made)
    assert [event for event in events_of(made) if isinstance(event, ToolCallEvent)] == []


def test_only_the_gate_reaches_the_executor_and_only_the_executor_reaches_tools() -> None:
    """The import contract as a test, and the calls it cannot see: of workers, and of a tool's caller."""
    package = Path(adal_ls.agent.__file__).parent
    reaching: dict[str, set[str]] = {"executor": set(), "builtin": set(), "call": set(), "caller": set()}
    for path in package.rglob("*.py"):
        if "builtin" in path.parts:
            continue  # the built-in tools themselves
        module = ".".join(path.relative_to(package).with_suffix("").parts)
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom) and node.module == "adal_ls.agent":
                for alias in node.names:
                    if alias.name in reaching:
                        reaching[alias.name].add(module)
            elif isinstance(node, ast.ImportFrom) and node.module == "adal_ls.agent.executor":
                reaching["executor"].add(module)
            elif isinstance(node, ast.ImportFrom) and node.module == "adal_ls.agent.builtin":
                reaching["builtin"].add(module)
            elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "call":
                reaching["call"].add(module)
            elif isinstance(node, ast.Attribute) and node.attr == "caller":
                reaching["caller"].add(module)
    # What stands for a worker calls on when the executor calls it: an agent's episode, a server, a script's own tools.
    assert reaching == {
        "executor": {"gate"},
        "builtin": {"executor"},
        "call": {"executor", "runs.agent_episode", "inprocess.tools", "mcp.servers"},
        "caller": {"executor", "inprocess.agents"},
    }


@pytest.mark.parametrize(
    "command",
    [
        "sh build.sh",
        "./build.sh",
        "cd . && sh 'build.sh'>out",
        "X=1 sh sub/../build.sh",
        # What a shell makes of quotes, patterns and a folder that is entered names the file as well.
        'sh bu""ild.sh',
        "sh b\\uild.s'h'",
        "sh bui\\\nld.sh",
        "sh b?ild.*",
        "cd sub && sh ../build.sh",
        "sh [b]uild.sh",
    ],
)
async def test_a_script_that_changes_after_the_approval_of_its_command_is_not_run(
    ran: Ran, tmp_path: Path, command: str
) -> None:
    (tmp_path / "sub").mkdir()
    script = tmp_path / "build.sh"
    script.write_text("echo built")

    def swap(request: ApprovalRequest) -> object:
        script.write_text("echo stolen")
        return answer(request, "allow_once")

    made = context(tmp_path, Person(swap))
    result = await gate.execute(ModelCall("c1", "bash", {"command": command}), made)
    assert ran.executions == []
    assert "changed since approval" in result.observation


async def test_an_always_answer_for_a_command_ends_when_its_script_changes(ran: Ran, tmp_path: Path) -> None:
    (tmp_path / "build.sh").write_text("echo built")
    person = Person("always_arguments_session")
    made = context(tmp_path, person)
    for _ in range(2):
        await gate.execute(ModelCall("c1", "bash", {"command": "sh build.sh"}), made)
    assert len(person.asked) == 1
    (tmp_path / "build.sh").write_text("echo other")
    await gate.execute(ModelCall("c1", "bash", {"command": "sh build.sh"}), made)
    assert len(person.asked) == 2


async def test_a_link_turned_round_after_a_read_was_decided_on_stops_the_read(
    ran: Ran, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "harmless.txt").touch()
    (tmp_path / ".env").touch()
    link = tmp_path / "link.txt"
    link.symlink_to("harmless.txt")
    decide = gate._decide

    async def decide_then_turn(*given: Any) -> Any:
        answer = await decide(*given)
        link.unlink()
        link.symlink_to(".env")
        return answer

    monkeypatch.setattr(gate, "_decide", decide_then_turn)
    result = await gate.execute(ModelCall("c1", "read_file", {"path": "link.txt"}), context(tmp_path, None))
    assert ran.executions == []
    assert "changed since approval" in result.observation


@pytest.mark.parametrize("command", ["cd tools && sh build.sh", "cd 'to'ols; . ./build.sh", "sh tools/b*.sh"])
async def test_a_script_in_a_folder_that_the_command_enters_counts(ran: Ran, tmp_path: Path, command: str) -> None:
    (tmp_path / "tools").mkdir()
    script = tmp_path / "tools" / "build.sh"
    script.write_text("echo built")

    def swap(request: ApprovalRequest) -> object:
        script.write_text("echo stolen")
        return answer(request, "allow_once")

    result = await gate.execute(ModelCall("c1", "bash", {"command": command}), context(tmp_path, Person(swap)))
    assert ran.executions == []
    assert "changed since approval" in result.observation


@pytest.mark.parametrize(
    "edited", [{"n": 1.0}, {"n": True}, {"n": 1, "more": None}, {}], ids=["float", "true", "more", "none"]
)
async def test_an_edit_counts_also_where_python_takes_the_new_arguments_for_the_old(
    ran: Ran, tmp_path: Path, edited: dict[str, Any]
) -> None:
    schema: dict[str, Any] = {"type": "object", "properties": {"n": {}}}
    custom = [Tool(name="count", description="", parameters=schema, require_approval=True)]
    person = Person(lambda request: answer(request, "allow_once", updated_input=edited))
    made = context(tmp_path, person, custom=custom)
    result = await gate.execute(ModelCall("c1", "count", {"n": 1}), made)
    assert [canonical(execution.arguments) for execution in ran.executions] == [canonical(edited)]
    assert "edited the arguments" in result.observation


async def test_a_fault_of_ours_in_one_call_is_its_result_and_ends_no_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def broken(*_: Any) -> None:
        raise RuntimeError("a bug")

    monkeypatch.setattr(walk, "folder_or_file", broken)
    made = context(tmp_path, None)
    (tmp_path / "a.txt").write_text("read")
    calls = ModelCall("c1", "list_files", {}), ModelCall("c2", "read_file", {"path": "a.txt"})
    failed, read = await asyncio.gather(*(gate.execute(call, made) for call in calls))
    assert (failed.status, read.observation) == ("error", "read")
    assert "failed inside adal-ls: RuntimeError: a bug" in failed.observation
    assert "broken" in str(failed.trace)
    assert "list_files failed" in caplog.text
