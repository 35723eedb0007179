"""A run whose editor went away: nobody stopped it, and what waited for an answer is asked about once more."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from adal_ls.agent.approvals.approval import Approver
from adal_ls.agent.runs.replay import NOT_EXECUTED, open_questions
from adal_ls.agent.runs.runtime import Runtime
from adal_ls.protocol.runs import (
    DecisionEvent,
    Event,
    FinishedEvent,
    PromptEvent,
    RunPromptParams,
    RunResumeParams,
    RunStartParams,
    StateEvent,
    TextEvent,
    ToolCallEvent,
    ToolResultEvent,
)
from tests.agent.approvers import Desk, Person, answer
from tests.agent.bench import BUMP, Bench, call

GONE = "the editor went away"

ASKED = StateEvent(state="waiting_approval")
INTERRUPTED = FinishedEvent(stop_reason="cancelled", interrupted=True)


def pending(call_id: str, status: Any = "pending", **arguments: Any) -> ToolCallEvent:
    return ToolCallEvent(call_id=call_id, tool="bump", arguments=arguments, status=status)


def denied(call_id: str) -> DecisionEvent:
    return DecisionEvent(call_id=call_id, tool="bump", args_digest="d", decision="deny", decided_by="policy")


def result(call_id: str) -> ToolResultEvent:
    return ToolResultEvent(call_id=call_id, tool="bump", status="success", observation="ok", duration_ms=1)


@pytest.mark.parametrize(
    ("events", "expected"),
    [
        ([pending("a", tag="x"), ASKED], ["a"]),
        ([pending("a"), ASKED, StateEvent(state="cancelling"), INTERRUPTED, StateEvent(state="running")], ["a"]),
        ([pending("a"), pending("b"), pending("c"), denied("b"), ASKED, pending("c", "in_progress")], ["a"]),
        ([pending("a"), pending("b"), ASKED, result("a")], ["b"]),
        ([pending("a"), ASKED, result("a"), pending("b")], []),  # of the next turn nobody was asked yet
        ([pending("a")], []),  # it may be one that cannot be run
        ([pending("a"), ASKED, FinishedEvent(stop_reason="cancelled")], []),
        ([pending("a"), ASKED, INTERRUPTED, PromptEvent(text="something else")], []),
        ([pending("a"), ASKED, TextEvent(delta="the model went on")], []),
        ([pending("a", key="[redacted API_KEY]"), ASKED], []),
    ],
)
def test_a_question_is_open_where_it_was_asked_and_nothing_came_of_it(events: list[Event], expected: list[str]) -> None:
    assert [call.call_id for call in open_questions(events)] == expected


async def begun(bench: Bench, calls: list[dict[str, Any]], *turns: dict[str, Any]) -> str:
    """A run that waits for an answer to all of its calls."""
    desk = Desk()
    runtime = bench.open(desk)
    run_id = runtime.start(RunStartParams(prompt="go", model=bench.script({"calls": calls}, *turns)))
    await desk.until(len(calls))
    return run_id


def taken_up(bench: Bench, approver: Approver) -> Runtime:
    """The next process."""
    bench.updates.clear()
    return bench.open(approver)


async def test_nothing_is_decided_and_the_run_can_be_resumed(bench: Bench) -> None:
    bench.tools(BUMP)
    run_id = await begun(bench, [call("bump", "c1", {"tag": "a"})])
    assert bench.runtime is not None
    await bench.runtime.close(GONE)
    kept = bench.store.get(run_id)
    assert (kept.run.state, kept.run.stop_reason) == ("interrupted", "cancelled")
    assert bench.store.runs()[0].state == "interrupted"
    assert kept.events[-1].event == INTERRUPTED
    assert f"Interrupted: {GONE}." in bench.notices()
    assert bench.decisions() == {}
    assert bench.results() == []
    assert not (bench.root / "runs.txt").exists()


async def test_resumed_the_same_questions_are_asked_and_what_is_allowed_runs_once(bench: Bench) -> None:
    bench.tools(BUMP)
    calls = [call("bump", "c1", {"tag": "a"}), call("bump", "c2", {"tag": "b"})]
    run_id = await begun(bench, calls, {"text": "done"})
    assert bench.runtime is not None
    await bench.runtime.close(GONE)

    person = Person(lambda request: answer(request, "allow_once" if request.call_id == "c1" else "reject_once"))
    runtime = taken_up(bench, person)
    runtime.resume(RunResumeParams(run_id=run_id))
    finished = await asyncio.wait_for(runtime.wait(run_id), 30)
    assert finished == FinishedEvent(stop_reason="end_turn", answer="done")
    assert [(asked.call_id, asked.arguments) for asked in person.asked] == [("c1", {"tag": "a"}), ("c2", {"tag": "b"})]
    assert (bench.root / "runs.txt").read_text() == "a\n"
    assert sorted(one.call_id for one in bench.results()) == ["c1", "c2"]
    assert bench.events(PromptEvent) == []  # no word of ours: the model waits for results
    assert [one.status for one in bench.events(ToolCallEvent) if one.call_id == "c1"] == ["in_progress", "completed"]
    assert bench.store.get(run_id).run.state == "finished"


async def test_it_may_be_interrupted_again_before_the_answer(bench: Bench) -> None:
    bench.tools(BUMP)
    run_id = await begun(bench, [call("bump", "c1", {"tag": "a"})], {"text": "done"})
    assert bench.runtime is not None
    await bench.runtime.close(GONE)
    desk = Desk()
    taken_up(bench, desk).resume(RunResumeParams(run_id=run_id))
    await desk.until(1)
    await bench.runtime.close(GONE)
    runtime = taken_up(bench, Person("allow_once"))
    runtime.resume(RunResumeParams(run_id=run_id))
    assert (await asyncio.wait_for(runtime.wait(run_id), 30)).answer == "done"
    assert (bench.root / "runs.txt").read_text() == "a\n"


async def test_who_says_something_else_is_not_asked_and_the_model_hears_that_nothing_was_run(bench: Bench) -> None:
    bench.tools(BUMP)
    run_id = await begun(bench, [call("bump", "c1", {"tag": "a"})], {"text": "as you like"})
    assert bench.runtime is not None
    await bench.runtime.close(GONE)
    person = Person("allow_once")
    runtime = taken_up(bench, person)
    runtime.prompt(RunPromptParams(run_id=run_id, prompt="leave it"))
    assert (await asyncio.wait_for(runtime.wait(run_id), 30)).answer == "as you like"
    assert person.asked == []
    assert bench.observation("c1") == NOT_EXECUTED
    assert not (bench.root / "runs.txt").exists()


async def test_a_call_that_was_running_is_not_made_again(bench: Bench) -> None:
    bench.tools(
        "import asyncio\nfrom pathlib import Path\n\n\nasync def slow() -> str:\n    '''Wait.'''\n"
        "    Path('begun').touch()\n    await asyncio.sleep(60)\n    return 'late'\n\n\n"
        "CUSTOM_TOOLS = [{'function': slow, 'require_approval': False}]\n"
    )
    runtime = bench.open()
    script = bench.script({"calls": [call("slow", "c1")]}, {"text": "I see"})
    run_id = runtime.start(RunStartParams(prompt="go", model=script))
    await bench.until(lambda update: isinstance(update.event, ToolCallEvent) and update.event.status == "in_progress")
    await _exists(bench.root / "begun")
    await runtime.close(GONE)
    assert bench.observation("c1") == f"cancelled: {GONE}"
    (bench.root / "begun").unlink()
    runtime = taken_up(bench, Person("allow_once"))
    runtime.resume(RunResumeParams(run_id=run_id))
    assert (await asyncio.wait_for(runtime.wait(run_id), 30)).answer == "I see"
    assert not (bench.root / "begun").exists()


async def test_a_person_who_stops_the_run_has_not_interrupted_it(bench: Bench) -> None:
    bench.tools(BUMP)
    run_id = await begun(bench, [call("bump", "c1", {"tag": "a"})])
    assert bench.runtime is not None
    await bench.runtime.cancel(run_id)
    kept = bench.store.get(run_id)
    assert kept.run.state == "finished"
    assert json.loads(kept.events[-1].event.model_dump_json(exclude_none=True)) == {
        "type": "finished",
        "stop_reason": "cancelled",
    }


async def _exists(path: Path) -> None:
    while not path.exists():
        await asyncio.sleep(0.01)
