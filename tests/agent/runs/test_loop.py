"""What a run does with what a model sends: scripted turns, real tools in a real worker."""

from __future__ import annotations

import asyncio
import json
import time
from pathlib import Path

import pytest

from adal_ls.agent.approvals.approval import Approvals
from adal_ls.agent.gate import GateContext
from adal_ls.agent.models.script import ScriptModel
from adal_ls.agent.runs.batch import TextBatch
from adal_ls.agent.runs.history import OBSERVATION_LIMIT, Conversation
from adal_ls.agent.runs.limits import MAX_STEPS
from adal_ls.agent.runs.loop import MAX_IDENTICAL_TURNS, Episode
from adal_ls.agent.runs.registry import build_registry
from adal_ls.cli import transcript
from adal_ls.protocol.approvals import ApprovalAnswer, ApprovalRequest
from adal_ls.protocol.runs import (
    DecisionEvent,
    Event,
    FinishedEvent,
    PromptEvent,
    StateEvent,
    ToolProgressEvent,
    ToolResultEvent,
)
from tests.agent.approvers import Person, answer
from tests.agent.bench import BUMP, ECHO, Bench, call


async def test_a_run_goes_from_prompt_over_calls_to_the_answer(bench: Bench) -> None:
    bench.tools(ECHO)
    finished = await bench.run({"calls": [call("echo", "c1", {"text": "a"})]}, {"text": "done"})
    assert finished == FinishedEvent(stop_reason="end_turn", answer="done")
    kinds = [update.event.type for update in bench.updates]
    assert kinds == [
        *(
            "prompt",
            "state",
            "episode",
            "toolCall",
            "decision",
            "toolCall",
            "toolCall",
            "toolResult",
            "text",
            "finished",
        ),
    ]
    assert [event.status for event in bench.calls("c1")] == ["pending", "in_progress", "completed"]
    assert [update.seq for update in bench.updates] == list(range(1, len(kinds) + 1))
    (run,) = bench.store.runs()
    assert run.state == "finished"
    assert bench.store.get(run.run_id).events == bench.updates


async def test_broken_arguments_are_answered_with_their_place_and_the_other_call_runs(bench: Bench) -> None:
    # https://github.com/NousResearch/hermes-agent/pull/1796
    bench.tools(ECHO)
    finished = await bench.run(
        {"calls": [call("echo", "c1", '{"text": "a"'), call("now", "c2", "{}")]},
        {"calls": [call("echo", "c3", {"text": "a"})]},
        {"text": "done"},
    )
    assert finished.answer == "done"
    assert "not valid JSON" in bench.observation("c1")
    assert "line 1 column 13" in bench.observation("c1")
    assert [event.status for event in bench.calls("c1")] == ["pending"]
    assert bench.observation("c2") == "12:00"
    assert bench.observation("c3") == "a"


async def test_a_tool_without_parameters_called_with_empty_arguments_runs(bench: Bench) -> None:
    # https://github.com/BerriAI/litellm/issues/5063
    bench.tools(ECHO)
    await bench.run({"calls": [call("now", "c1", "")]}, {"text": "done"})
    assert bench.observation("c1") == "12:00"


async def test_an_unknown_tool_is_answered_with_the_list_and_asks_nobody(bench: Bench) -> None:
    # https://github.com/openai/openai-agents-python/issues/2204
    bench.tools(ECHO)
    person = Person("allow_once")
    finished = await bench.run(
        {"calls": [call("find_file", "c1", {"x": 1})]},
        {"calls": [call("echo", "c2", {"text": "a"})]},
        {"text": "done"},
        approver=person,
    )
    assert finished.answer == "done"
    assert "There is no tool 'find_file'" in bench.observation("c1")
    assert "echo, now" in bench.observation("c1")
    assert person.asked == []
    assert bench.observation("c2") == "a"


async def test_a_call_cut_off_by_the_output_limit_is_not_run(bench: Bench) -> None:
    # https://github.com/ahwurm/localharness/issues/77
    bench.tools(ECHO)
    await bench.run({"calls": [call("echo", "c1", {"text": "part"})], "finish": "length"}, {"text": "done"})
    assert "output limit" in bench.observation("c1")
    assert [event.status for event in bench.calls("c1")] == ["pending"]


async def test_parallel_calls_run_side_by_side_and_are_answered_in_order(bench: Bench) -> None:
    bench.tools(
        "import asyncio\n\n"
        "async def wait(s: float) -> str:\n    '''Wait.'''\n    await asyncio.sleep(s)\n    return str(s)\n\n"
        "CUSTOM_TOOLS = [{'function': wait, 'require_approval': False}]\n"
    )
    began = time.monotonic()
    await bench.run(
        {"calls": [call("wait", "c1", {"s": 1.0}), call("wait", "c2", {"s": 0.1}), call("wait", "c3", {"s": 0.9})]},
        {"text": "done"},
    )
    starts = [update for update in bench.updates if isinstance(update.event, DecisionEvent)]
    assert len(starts) == 3
    assert [event.call_id for event in bench.results()] == ["c2", "c3", "c1"]
    assert time.monotonic() - began < 10


async def test_the_limit_of_requests_stops_the_run_and_says_so(bench: Bench) -> None:
    bench.tools(ECHO)
    turns = [{"calls": [call("echo", f"c{number}", {"text": str(number)})]} for number in range(MAX_STEPS + 5)]
    finished = await bench.run(*turns)
    assert finished.stop_reason == "limit"
    assert f"limit of {MAX_STEPS} model requests" in bench.notices()
    assert len(bench.results()) == MAX_STEPS


async def test_the_same_call_again_and_again_stops_the_run_before_the_limit(bench: Bench) -> None:
    bench.tools(ECHO)
    turns = [{"calls": [call("echo", f"c{number}", {"text": "a"})]} for number in range(MAX_STEPS)]
    finished = await bench.run(*turns)
    assert finished.stop_reason == "limit"
    assert len(bench.results()) == MAX_IDENTICAL_TURNS < MAX_STEPS
    assert "same calls" in bench.notices()


async def test_a_long_result_is_cut_for_the_model_and_whole_in_the_store(bench: Bench) -> None:
    bench.tools(
        "def long() -> str:\n    '''Say much.'''\n    return 'A' + 'x' * 200_000 + 'Z'\n\n"
        "CUSTOM_TOOLS = [{'function': long, 'require_approval': False}]\n"
    )
    await bench.run({"calls": [call("long", "c1")]}, {"text": "done"})
    seen = bench.observation("c1")
    assert len(seen) < OBSERVATION_LIMIT + 200
    assert seen.startswith("A")
    assert seen.endswith("Z")
    assert "characters left out" in seen
    assert bench.store.full_text(bench.updates[0].run_id, "c1") == "A" + "x" * 200_000 + "Z"


async def test_call_ids_used_twice_still_get_one_result_each(bench: Bench) -> None:
    bench.tools(ECHO)
    await bench.run(
        {"calls": [call("echo", "call_0", {"text": "a"})]},
        {"calls": [call("echo", "call_0", {"text": "b"}), call("echo", "call_0", {"text": "c"})]},
        {"text": "done"},
    )
    ids = [event.call_id for event in bench.results()]
    assert len(set(ids)) == 3
    assert bench.results()[0].observation == "a"


async def test_a_script_that_ends_too_early_is_an_error_of_the_run(bench: Bench) -> None:
    bench.tools(ECHO)
    finished = await bench.run({"calls": [call("now", "c1")]})
    assert finished.stop_reason == "error"
    assert "asked for turn 2" in bench.errors()[0].message


async def test_every_episode_ends_with_one_finished_event_in_the_store(bench: Bench) -> None:
    bench.tools(BUMP)
    await bench.run({"calls": [call("bump", "c1", {"tag": "a"})]}, {"text": "done"})
    assert isinstance(bench.updates[0].event, PromptEvent)
    assert [update.event.type for update in bench.updates].count("finished") == 1
    assert isinstance(bench.updates[-1].event, FinishedEvent)
    assert len(bench.events(StateEvent)) >= 1
    assert len(bench.events(ToolResultEvent)) == 1


async def test_after_a_cancel_every_call_has_its_result_and_the_conversation_goes_on(tmp_path: Path) -> None:
    # https://github.com/charmbracelet/crush/issues/529
    script = tmp_path / "script.yaml"
    calls = [call("bash", "c1", {"command": "sleep 20"}), call("read_file", "c2", {"path": "a.txt"})]
    script.write_text(json.dumps([{"calls": calls}, {"text": "ok"}]))
    (tmp_path / "a.txt").write_text("hello")
    model, conversation, events = ScriptModel(script), Conversation("system"), list[Event]()
    context = GateContext("run", build_registry(), "yolo", tmp_path, Approvals(None), None, events.append)
    read = asyncio.Event()

    def store_result(event: ToolResultEvent, full: str | None) -> None:
        events.append(event)
        read.set()

    conversation.add_prompt("go")
    running = asyncio.ensure_future(Episode(model, conversation, context, events.append, store_result).run())
    await asyncio.wait_for(read.wait(), 10)
    running.cancel()
    assert (await running).stop_reason == "cancelled"
    results = [(m["tool_call_id"], m["content"]) for m in conversation.messages if m["role"] == "tool"]
    assert results[0] == ("c1", "cancelled by the user")
    assert results[1][0] == "c2"
    assert "hello" in results[1][1]

    conversation.add_prompt("go on")
    finished = await Episode(model, conversation, context, events.append, store_result).run()
    assert finished == FinishedEvent(stop_reason="end_turn", answer="ok")


async def test_text_is_passed_on_in_batches_and_none_is_lost() -> None:
    batches: list[str] = []
    batch = TextBatch(batches.append)
    for number in range(500):
        batch.add(f"{number} ")
        if number % 100 == 0:
            await asyncio.sleep(0.03)
    batch.flush()
    assert "".join(batches) == batch.text == "".join(f"{number} " for number in range(500))
    assert 2 <= len(batches) < 20


async def test_what_passing_text_on_raises_reaches_its_owner_and_no_log(caplog: pytest.LogCaptureFixture) -> None:
    def refuse(_: str) -> None:
        raise OSError("the disk is full")

    batch = TextBatch(refuse)
    batch.check()
    batch.add("a")
    await asyncio.sleep(0.05)
    batch.add("b")
    for ask in (batch.check, batch.flush):
        with pytest.raises(OSError, match="the disk is full"):
            ask()
    assert batch.text == "ab"
    assert caplog.text == ""


@pytest.mark.parametrize("odd", ["\ud800", "a\udfffb"])
async def test_half_a_surrogate_pair_in_the_text_does_not_end_the_run(odd: str) -> None:
    batches: list[str] = []
    batch = TextBatch(batches.append)
    batch.add(odd)
    batch.flush()
    "".join(batches).encode()


async def test_where_a_tool_failed_is_told_to_the_person_and_not_to_the_model(bench: Bench) -> None:
    bench.tools(
        "def inner():\n    raise ValueError('no such order')\n\n"
        "def find() -> str:\n    '''Find an order.'''\n    return inner()\n\n"
        "CUSTOM_TOOLS = [{'function': find, 'require_approval': False}]\n"
    )
    await bench.run({"calls": [call("find", "c1")]}, {"text": "done"})
    (result,) = bench.results()
    assert result.observation == "ValueError: no such order"
    assert result.trace is not None
    assert "tools.py" in result.trace
    assert "line 2, in inner" in result.trace
    (stored,) = [update.event for update in bench.store.get(bench.updates[0].run_id).events if update.event == result]
    assert next(iter(transcript.lines([stored]))).count("line 2, in inner") == 1


async def test_what_a_tool_yields_piece_by_piece_is_stored_in_batches(bench: Bench) -> None:
    bench.tools(
        "def count():\n    '''Count.'''\n    for number in range(3000):\n        yield f'{number};'\n"
        "    yield 'done'\n\n"
        "CUSTOM_TOOLS = [{'function': count, 'require_approval': False}]\n"
    )
    await bench.run({"calls": [call("count", "c1")]}, {"text": "done"})
    pieces = [event.text for event in bench.events(ToolProgressEvent)]
    assert "".join(pieces) == "".join(f"{number};" for number in range(3000)) + "done"
    assert len(pieces) < 300
    assert bench.observation("c1") == "done"


async def test_a_file_name_that_is_no_text_does_not_reach_the_model_as_half_a_surrogate_pair(bench: Bench) -> None:
    command = "touch $'\\xff.code-workspace'"
    await bench.run(
        {"calls": [call("bash", "c1", {"command": command})]}, {"text": "done"}, permission_mode="yolo", prompt="\udcff"
    )
    assert "\\udcff.code-workspace" in bench.observation("c1")


async def test_what_a_tool_prints_without_end_stays_a_message_that_can_be_sent(bench: Bench) -> None:
    bench.tools(
        "def shout() -> str:\n    '''Print a lot.'''\n    print('\x01' * 3_000_000)\n    return 'x'\n\n"
        "CUSTOM_TOOLS = [{'function': shout, 'require_approval': False}]\n"
    )
    await bench.run({"calls": [call("shout", "c1")]}, {"text": "done"})
    assert max(len(json.dumps(update.wire())) for update in bench.updates) < 1_000_000
    (result,) = bench.results()
    assert "characters left out here" in str(result.printed)


async def test_what_a_person_takes_to_answer_is_no_time_of_the_tool(bench: Bench) -> None:
    bench.tools(BUMP)
    thinking = 0.3

    async def choose(request: ApprovalRequest) -> ApprovalAnswer:
        await asyncio.sleep(thinking)
        return answer(request, "reject_once" if request.arguments == {"tag": "no"} else "allow_once")

    await bench.run(
        {"calls": [call("bump", "c1", {"tag": "no"})]},
        {"calls": [call("bump", "c2", {"tag": "yes"})]},
        {"text": "done"},
        approver=Person(choose),
    )
    took = {result.call_id: result.duration_ms for result in bench.results()}
    assert took["c1"] == 0
    assert 0 < took["c2"] < thinking * 1000
