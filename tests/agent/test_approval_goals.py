"""The goals of our approvals, A1 to A11 (goal_aN), and the acceptance codes A1 to A14 of providers (code_aN).

Each is one test here that would fail without it; the modules named after a part test its corners.
"""

from __future__ import annotations

import asyncio
import time
from pathlib import Path
from typing import Any

import pytest

from adal_ls.agent import executor, gate
from adal_ls.agent.approvals.approval import Approvals, Approver
from adal_ls.agent.approvals.callback import CallbackApprover
from adal_ls.agent.approvals.digest import args_digest
from adal_ls.agent.approvals.grants import Grants
from adal_ls.agent.gate import GateContext
from adal_ls.agent.models.assembly import ModelCall
from adal_ls.agent.runs.registry import build_registry
from adal_ls.protocol.approvals import ApprovalAnswer, ApprovalRequest
from adal_ls.protocol.runs import DecisionEvent, Event, PermissionMode, RunStartParams, ToolCallEvent
from adal_ls.sdk.approval import PermissionContext, PermissionResult
from tests.agent.approvers import Desk, Person, answer
from tests.agent.bench import BUMP, Bench, call


@pytest.fixture(autouse=True)
def own_data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ADAL_DATA_DIR", str(tmp_path / "data"))


@pytest.fixture
def ran(monkeypatch: pytest.MonkeyPatch) -> list[dict[str, Any]]:
    """The arguments of what would have run."""
    executed: list[dict[str, Any]] = []

    async def run(execution: executor.Execution) -> executor.Outcome:
        executed.append(execution.arguments)
        return executor.Outcome("success", "done")

    monkeypatch.setattr(executor, "run", run)
    return executed


def context(root: Path, approver: Approver | None, mode: PermissionMode = "default") -> GateContext:
    events: list[Event] = []
    return GateContext("run", build_registry(), mode, root, Approvals(approver, Grants()), None, events.append)


def callback(decide: Any, timeout: float | None = 30.0) -> CallbackApprover:
    return CallbackApprover(decide, timeout, lambda _: {})


def decisions(made: GateContext) -> list[DecisionEvent]:
    events: list[Event] = made.emit.__self__  # type: ignore[attr-defined]
    return [event for event in events if isinstance(event, DecisionEvent)]


BASH = ModelCall("c1", "bash", {"command": "touch canary"})


async def test_goal_a1_the_digest_is_of_tool_arguments_folder_and_code_and_the_answer_must_echo_it(
    ran: list[dict[str, Any]], tmp_path: Path
) -> None:
    person = Person(lambda request: answer(request, "allow_once").model_copy(update={"args_digest": "0" * 64}))
    made = context(tmp_path, person)
    result = await gate.execute(BASH, made)
    assert "other arguments than the ones shown" in result.observation
    assert ran == []
    tool = made.registry.tools["bash"]
    assert person.asked[0].args_digest == args_digest("bash", BASH.arguments, str(tmp_path), tool.source_digest)


async def test_goal_a2_one_question_offers_every_scope_and_life_with_its_rule(
    ran: list[dict[str, Any]], tmp_path: Path
) -> None:
    person = Person("reject_once")
    await gate.execute(ModelCall("c", "write_file", {"path": "src/a.py", "content": "x"}), context(tmp_path, person))
    offered = [(option.kind, option.covers, option.life) for option in person.asked[0].options]
    assert offered == [
        ("allow_once", None, None),
        ("allow_always", "arguments", "workspace"),
        ("allow_always", "arguments", "session"),
        ("allow_always", "pattern", "workspace"),
        ("allow_always", "pattern", "session"),
        ("allow_always", "tool", "workspace"),
        ("allow_always", "tool", "session"),
        ("reject_once", None, None),
        ("reject_always", "arguments", "session"),
    ]


async def test_goal_a3_a_second_and_a_late_answer_change_nothing(ran: list[dict[str, Any]], tmp_path: Path) -> None:
    desk = Desk()
    made = context(tmp_path, desk)
    task = asyncio.ensure_future(gate.execute(BASH, made))
    (request,) = await desk.until(1)
    assert made.approvals.pending() == [request]
    task.cancel()
    await asyncio.wait({task})
    _, future = desk.waiting[request.approval_id]
    assert future.cancelled()  # nobody listens to a late answer
    assert [(event.decision, event.decided_by) for event in decisions(made)] == [("deny", "cancelled")]
    assert ran == []


async def test_goal_a4_parallel_questions_are_never_merged(ran: list[dict[str, Any]], tmp_path: Path) -> None:
    desk = Desk()
    made = context(tmp_path, desk)
    tasks = [asyncio.ensure_future(gate.execute(ModelCall(f"c{n}", "bash", {"command": "ls"}), made)) for n in range(3)]
    first, second, third = await desk.until(3)
    assert len({request.approval_id for request in (first, second, third)}) == 3
    desk.reply(second, "allow_once")
    await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
    assert len(made.approvals.pending()) == 2
    desk.reply(first, "reject_once")
    desk.reply(third, "reject_once")
    await asyncio.gather(*tasks)
    assert len(ran) == 1


async def test_goal_a5_a_cancel_takes_every_question_back_at_once_and_each_call_has_a_result(bench: Bench) -> None:
    bench.tools(BUMP)
    desk = Desk()
    runtime = bench.open(desk)
    calls = [call("bump", f"c{number}", {"tag": str(number)}) for number in range(4)]
    run_id = runtime.start(RunStartParams(prompt="go", model=bench.script({"calls": calls})))
    await desk.until(4)
    began = time.monotonic()
    cancelling = asyncio.ensure_future(runtime.cancel(run_id))
    while len(desk.told) < 4:
        await asyncio.sleep(0.001)
    assert time.monotonic() - began < 1  # 0.1 s on a machine with nothing else to do
    await cancelling
    assert {told.reason for told in desk.told} == {"cancelled"}
    assert sorted(result.call_id for result in bench.results()) == ["c0", "c1", "c2", "c3"]
    assert bench.errors() == []
    assert bench.store.get(run_id).run.stop_reason == "cancelled"


@pytest.mark.parametrize(
    "approver",
    [
        None,
        Person(lambda _: (_ for _ in ()).throw(RuntimeError("boom"))),
        Person(lambda _: (_ for _ in ()).throw(asyncio.TimeoutError())),
        Person(lambda request: answer(request, "allow_everything")),
        Person(lambda _: True),
    ],
)
async def test_goal_a6_without_a_plain_yes_the_answer_is_no_with_a_reason(
    ran: list[dict[str, Any]], tmp_path: Path, approver: Approver | None
) -> None:
    result = await gate.execute(BASH, context(tmp_path, approver))
    assert ran == []
    assert result.status == "cancelled"
    assert "Nothing was executed" in result.observation
    unknown = await gate.execute(ModelCall("c", "no_such_tool", {}), context(tmp_path, approver, "yolo"))
    assert "There is no tool" in unknown.observation


async def test_goal_a7_every_decision_is_logged_and_what_is_remembered_can_be_taken_back(bench: Bench) -> None:
    """tests/agent/approvals/test_remembered.py reads every field."""
    bench.tools(BUMP)
    runtime = bench.open(Person("always_arguments_workspace"))
    await bench.run({"calls": [call("bump", "c1", {"tag": "a"})]}, {"text": "done"})
    assert [(entry.decision, entry.decided_by) for entry in bench.store.decisions()] == [("allow", "person")]
    with pytest.raises(Exception, match="append-only"), bench.store._database.writing() as database:
        database.execute("UPDATE events SET event = 'x'")
    (grant,) = runtime.grants()
    assert runtime.revoke(grant.grant_id)
    assert runtime.grants() == []


async def test_goal_a8_what_is_shown_is_what_runs_in_full_and_visibly(
    ran: list[dict[str, Any]], tmp_path: Path
) -> None:
    command = "echo \u202e" + "a" * 50_000
    person = Person("allow_once")
    await gate.execute(ModelCall("c", "bash", {"command": command}), context(tmp_path, person))
    (request,) = person.asked
    assert request.arguments == {"command": command} == ran[0]
    assert request.preview is not None
    assert request.preview.command == command.replace("\u202e", "\\u{202e}")


async def test_goal_a9_grants_lie_outside_the_workspace_bound_to_the_code(bench: Bench) -> None:
    bench.tools(BUMP)
    before = {path.name for path in bench.root.rglob("*")} | {"script.yaml", "runs.txt"}
    runtime = bench.open(Person("always_tool_workspace"))
    await bench.run({"calls": [call("bump", "c1", {"tag": "a"})]}, {"text": "done"})
    assert {path.name for path in bench.root.rglob("*")} - before <= {"__pycache__"}
    (grant,) = runtime.grants()
    assert len(grant.source_digest) == 64
    assert grant.workspace == str(bench.root.resolve())


def test_goal_a10_the_extension_notifies_once_for_each_question_that_nobody_sees() -> None:
    """The behaviour itself is tested where it is, in the extension; here that it has those tests."""
    tests = Path(__file__).parents[2] / "vscode-client" / "test"
    texts = [file.read_text(encoding="utf-8") for file in tests.rglob("*.ts")]
    assert any("focus" in text and "approval" in text.lower() for text in texts)


async def test_goal_a11_nothing_else_waits_while_questions_are_open(ran: list[dict[str, Any]], tmp_path: Path) -> None:
    desk = Desk()
    made = context(tmp_path, desk)
    waiting = [
        asyncio.ensure_future(gate.execute(ModelCall(f"w{n}", "bash", {"command": f"echo {n}"}), made))
        for n in range(32)
    ]
    await desk.until(32)
    made.mode = "yolo"
    for number in range(20):
        assert (await gate.execute(ModelCall(f"c{number}", "bash", {"command": "ls"}), made)).status == "success"
    assert len(made.approvals.pending()) == 32
    for task in waiting:
        task.cancel()
    await asyncio.wait(waiting)


async def test_code_a1_a6_allow_passes_the_input_and_answers_under_the_id_of_the_question(
    ran: list[dict[str, Any]], tmp_path: Path
) -> None:
    seen: list[PermissionContext] = []

    async def allow(name: str, given: dict[str, Any], ctx: PermissionContext) -> PermissionResult:
        seen.append(ctx)
        return PermissionResult.allow()

    made = context(tmp_path, callback(allow))
    await gate.execute(BASH, made)
    assert ran == [BASH.arguments]
    assert [ctx.tool_call_id for ctx in seen] == ["c1"]
    events: list[Event] = made.emit.__self__  # type: ignore[attr-defined]
    assert {type(event) for event in events if "approval" in type(event).__name__.lower()} == set()


async def test_code_a2_a7_deny_has_no_effect_and_its_message_reaches_the_model(
    ran: list[dict[str, Any]], tmp_path: Path
) -> None:
    async def deny(name: str, given: dict[str, Any], ctx: PermissionContext) -> PermissionResult:
        return PermissionResult.deny("not on a Friday")

    result = await gate.execute(BASH, context(tmp_path, callback(deny)))
    assert ran == []
    assert "not on a Friday" in result.observation
    assert not (tmp_path / "canary").exists()


async def test_code_a3_rewritten_input_applies_before_the_effect_and_never_to_another_tool(
    ran: list[dict[str, Any]], tmp_path: Path
) -> None:
    async def rewrite(name: str, given: dict[str, Any], ctx: PermissionContext) -> PermissionResult:
        return PermissionResult.allow(updated_input={"command": "ls"})

    made = context(tmp_path, callback(rewrite))
    await gate.execute(BASH, made)
    assert ran == [{"command": "ls"}]
    events: list[Event] = made.emit.__self__  # type: ignore[attr-defined]
    assert {event.tool for event in events if isinstance(event, ToolCallEvent | DecisionEvent)} == {"bash"}

    async def elsewhere(name: str, given: dict[str, Any], ctx: PermissionContext) -> PermissionResult:
        return PermissionResult.allow(updated_input={"toolName": "write_file", "path": "x", "content": "y"})

    result = await gate.execute(BASH, context(tmp_path, callback(elsewhere)))
    assert "none that the tool takes" in result.observation
    assert len(ran) == 1


@pytest.mark.parametrize("given", [None, True, "allow", {"behavior": "allow"}, "suspend"])
async def test_code_a4_a9_anything_but_an_answer_denies(
    ran: list[dict[str, Any]], tmp_path: Path, given: object
) -> None:
    async def decide(name: str, arguments: dict[str, Any], ctx: PermissionContext) -> object:
        if given == "suspend":
            raise RuntimeError("suspended")
        return given

    result = await gate.execute(BASH, context(tmp_path, callback(decide)))
    assert (result.status, ran) == ("cancelled", [])


async def test_code_a5_each_call_is_asked_once_and_a_remembered_tool_once_in_all(bench: Bench) -> None:
    bench.tools(BUMP)
    person = Person("always_tool_session")
    bench.open(person)
    calls = [{"calls": [call("bump", f"c{number}", {"tag": str(number)})]} for number in range(3)]
    await bench.run(*calls, {"calls": [call("bash", "c9", {"command": "true"})]}, {"text": "done"})
    assert [request.tool for request in person.asked] == ["bump", "bash"]


async def test_code_a8_no_approver_denies(ran: list[dict[str, Any]], tmp_path: Path) -> None:
    made = context(tmp_path, None)
    await gate.execute(BASH, made)
    assert ran == []
    assert decisions(made)[0].decided_by == "no approver"


async def test_code_a10_a_time_out_denies_and_none_waits(ran: list[dict[str, Any]], tmp_path: Path) -> None:
    async def slow(name: str, given: dict[str, Any], ctx: PermissionContext) -> PermissionResult:
        await asyncio.sleep(0.05)
        return PermissionResult.allow()

    made = context(tmp_path, callback(slow, 0.01))
    assert (await gate.execute(BASH, made)).status == "cancelled"
    assert decisions(made)[0].decided_by == "time-out"
    assert (await gate.execute(BASH, context(tmp_path, callback(slow, None)))).status == "success"
    assert len(ran) == 1


async def test_code_a11_an_answer_to_another_or_an_old_question_is_refused(
    ran: list[dict[str, Any]], tmp_path: Path
) -> None:
    old: list[ApprovalAnswer] = []

    def replay(request: ApprovalRequest) -> ApprovalAnswer:
        old.append(answer(request, "allow_once"))
        return old[0]

    made = context(tmp_path, Person(replay))
    first = await gate.execute(BASH, made)
    second = await gate.execute(BASH, made)
    assert (first.status, second.status) == ("success", "cancelled")
    assert "belongs to another question" in second.observation
    with pytest.raises(KeyError):
        made.approvals.arguments(old[0].approval_id)


async def test_code_a12_many_questions_are_answered_each_on_its_own(ran: list[dict[str, Any]], tmp_path: Path) -> None:
    desk = Desk()
    made = context(tmp_path, desk)
    tasks = [
        asyncio.ensure_future(gate.execute(ModelCall(f"c{n}", "bash", {"command": str(n)}), made)) for n in range(50)
    ]
    for request in reversed(await desk.until(50)):
        desk.reply(request, "allow_once" if int(str((request.arguments or {})["command"])) % 2 else "reject_once")
    await asyncio.gather(*tasks)
    assert sorted(int(arguments["command"]) for arguments in ran) == list(range(1, 50, 2))


async def test_code_a13_what_is_allowed_for_the_session_ends_with_it(ran: list[dict[str, Any]], tmp_path: Path) -> None:
    person = Person("always_arguments_session")
    made = context(tmp_path, person)
    for _ in range(2):
        await gate.execute(BASH, made)
    assert len(person.asked) == 1
    await gate.execute(BASH, context(tmp_path, person))
    assert len(person.asked) == 2


async def test_code_a14_an_answer_after_the_end_of_the_run_is_harmless(bench: Bench) -> None:
    bench.tools(BUMP)
    desk = Desk()
    runtime = bench.open(desk)
    run_id = runtime.start(
        RunStartParams(prompt="go", model=bench.script({"calls": [call("bump", "c1", {"tag": "a"})]}))
    )
    (request,) = await desk.until(1)
    await runtime.cancel(run_id)
    with pytest.raises(asyncio.InvalidStateError):
        desk.reply(request, "allow_once")
    assert not (bench.root / "runs.txt").exists()
    assert bench.store.get(run_id).events[-1].event.type == "finished"
