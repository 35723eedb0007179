"""Runs that go on: further prompts, prompts while the agent works, interrupted runs taken up again, forks."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from adal_ls.agent.runs.history import Conversation
from adal_ls.agent.runs.replay import NOT_EXECUTED, PERHAPS_EXECUTED, replay
from adal_ls.agent.store.store import RunBusyError, Store, UnknownRunError
from adal_ls.protocol import methods
from adal_ls.protocol.runs import (
    Event,
    FinishedEvent,
    PromptEvent,
    RunPromptParams,
    RunResumeParams,
    RunStartParams,
    TextEvent,
    ToolCallEvent,
    ToolResultEvent,
)
from adal_ls.wire.peer import RpcError
from tests.agent.bench import ECHO, Bench, call
from tests.agent.host_client import Server


def pending(call_id: str, status: Any = "pending", **arguments: Any) -> ToolCallEvent:
    return ToolCallEvent(call_id=call_id, tool="echo", arguments=arguments, status=status)


def result(call_id: str, text: str) -> ToolResultEvent:
    return ToolResultEvent(call_id=call_id, tool="echo", status="success", observation=text, duration_ms=1)


def told(*events: Event) -> tuple[list[dict[str, Any]], list[ToolResultEvent]]:
    conversation = Conversation("system")
    lost = replay(conversation, events, lambda name: name)
    return conversation.messages[1:], lost


def test_events_become_the_messages_they_were() -> None:
    messages, lost = told(
        PromptEvent(text="go"),
        TextEvent(delta="I will "),
        TextEvent(delta="look."),
        pending("c1", text="a"),
        pending("c2", text="b"),
        pending("c2", "in_progress", text="b"),
        result("c2", "B"),
        result("c1", "A"),
        pending("c3", text="c"),
        result("c3", "C"),
        TextEvent(delta="Done."),
        FinishedEvent(stop_reason="end_turn", answer="Done."),
        PromptEvent(text="more"),
    )
    assert lost == []
    assert [message["role"] for message in messages] == [
        *("user", "assistant", "tool", "tool"),
        *("assistant", "tool", "assistant", "user"),
    ]
    assert messages[1]["content"] == "I will look."
    assert [one["id"] for one in messages[1]["tool_calls"]] == ["c1", "c2"]
    assert [(one["tool_call_id"], one["content"]) for one in messages[2:4]] == [("c1", "A"), ("c2", "B")]
    assert json.loads(messages[4]["tool_calls"][0]["function"]["arguments"]) == {"text": "c"}
    assert messages[6]["content"] == "Done."


def test_calls_that_a_crash_cut_short_get_a_result_that_says_what_is_known() -> None:
    messages, lost = told(
        PromptEvent(text="go"),
        pending("c1", text="a"),
        pending("c2", text="b"),
        pending("c1", "in_progress", text="a"),
    )
    assert [message["content"] for message in messages[2:]] == [PERHAPS_EXECUTED, NOT_EXECUTED]
    assert [(one.call_id, one.status) for one in lost] == [("c1", "cancelled"), ("c2", "cancelled")]


async def test_a_further_prompt_goes_on_in_the_same_run(bench: Bench) -> None:
    bench.tools(ECHO)
    runtime = bench.open()
    script = bench.script({"calls": [call("echo", "c1", {"text": "a"})]}, {"text": "first"}, {"text": "second"})
    run_id = runtime.start(RunStartParams(prompt="go", model=script))
    assert (await runtime.wait(run_id)).answer == "first"
    runtime.prompt(RunPromptParams(run_id=run_id, prompt="and now?"))
    assert (await runtime.wait(run_id)).answer == "second"
    replayed = bench.store.get(run_id)
    assert [event.text for event in bench.events(PromptEvent)] == ["go", "and now?"]
    assert [update.seq for update in replayed.events] == list(range(1, len(replayed.events) + 1))
    assert [update.event.type for update in replayed.events].count("finished") == 2
    assert [run.run_id for run in bench.store.runs()] == [run_id]


async def test_a_prompt_while_the_agent_works_is_heard_at_the_next_request(bench: Bench) -> None:
    bench.tools(
        "import asyncio\nfrom pathlib import Path\n\nasync def wait() -> str:\n    '''Wait.'''\n"
        "    while not Path('go').exists():\n        await asyncio.sleep(0.01)\n    return 'ok'\n\n"
        "CUSTOM_TOOLS = [{'function': wait, 'require_approval': False}]\n"
    )
    runtime = bench.open()
    script = bench.script({"calls": [call("wait", "c1")]}, {"text": "done"})
    run_id = runtime.start(RunStartParams(prompt="go", model=script))
    await bench.until(lambda update: isinstance(update.event, ToolCallEvent) and update.event.status == "in_progress")
    runtime.prompt(RunPromptParams(run_id=run_id, prompt="be brief"))
    (bench.root / "go").touch()
    assert (await asyncio.wait_for(runtime.wait(run_id), 30)).answer == "done"
    kinds = [update.event.type for update in bench.updates if update.event.type in ("prompt", "toolResult", "text")]
    assert kinds == ["prompt", "toolResult", "prompt", "text"]
    assert [update.event.type for update in bench.updates].count("finished") == 1


async def test_a_prompt_that_comes_with_the_last_words_is_still_answered(bench: Bench) -> None:
    bench.tools(ECHO)
    runtime = bench.open()
    run_id = runtime.start(RunStartParams(prompt="go", model=bench.script({"text": "one"}, {"text": "two"})))
    await bench.until(lambda update: isinstance(update.event, TextEvent))
    runtime.prompt(RunPromptParams(run_id=run_id, prompt="once more"))
    await bench.until(lambda update: isinstance(update.event, FinishedEvent) and update.event.answer == "two")
    assert [event.text for event in bench.events(PromptEvent)] == ["go", "once more"]


SLOW_END = """
    import asyncio

    async def end(ctx):
        await asyncio.sleep(0.3)

    AGENTS = [runtime.create_agent("slow", tools=create_tool_provider(get_tools=lambda ctx: {}, on_run_end=end))]
"""


async def test_what_is_said_while_a_failed_episode_ends_begins_the_next_one(bench: Bench) -> None:
    bench.agents(SLOW_END)
    runtime = bench.open()
    run_id = runtime.start(RunStartParams(prompt="go", model="script:nowhere.yaml", agent="slow"))
    await bench.until(lambda update: update.event.type == "error")
    runtime.prompt(RunPromptParams(run_id=run_id, prompt="once more", model=bench.script({"text": "here"})))
    await bench.until(lambda update: update.event == FinishedEvent(stop_reason="end_turn", answer="here"))
    assert [event.text for event in bench.events(PromptEvent)] == ["go", "once more"]
    assert "Not told" not in bench.notices()


async def test_what_a_cancelled_run_did_not_hear_is_said(bench: Bench) -> None:
    bench.tools(ECHO)
    runtime = bench.open(None)
    script = bench.script({"calls": [call("bash", "c1", {"command": "sleep 30"})]}, {"text": "no"})
    run_id = runtime.start(RunStartParams(prompt="go", model=script, permission_mode="yolo"))
    await bench.until(lambda update: isinstance(update.event, ToolCallEvent) and update.event.status == "in_progress")
    runtime.prompt(RunPromptParams(run_id=run_id, prompt="hurry"))
    runtime.prompt(RunPromptParams(run_id=run_id, prompt="or else", tool_context={"in": "another"}))
    await runtime.cancel(run_id)
    assert "Not told to the model, because the run ended: hurry or else" in bench.notices()
    assert bench.events(FinishedEvent) == [FinishedEvent(stop_reason="cancelled")]


async def test_a_cancelled_run_goes_on_with_a_valid_history(bench: Bench) -> None:
    # https://github.com/charmbracelet/crush/issues/529
    bench.tools(ECHO)
    runtime = bench.open()
    script = bench.script({"calls": [call("bash", "c1", {"command": "sleep 30"})]}, {"text": "ok"})
    run_id = runtime.start(RunStartParams(prompt="go", model=script, permission_mode="yolo"))
    await bench.until(lambda update: isinstance(update.event, ToolCallEvent) and update.event.status == "in_progress")
    await runtime.cancel(run_id)
    runtime.resume(RunResumeParams(run_id=run_id, prompt="go on"))
    assert (await runtime.wait(run_id)).answer == "ok"
    messages, lost = told(*(update.event for update in bench.store.get(run_id).events))
    assert lost == []
    assert "cancelled by the user" in next(one["content"] for one in messages if one["role"] == "tool")


async def test_yolo_does_not_outlive_the_episode_it_was_chosen_for(bench: Bench) -> None:
    bench.tools(ECHO)
    runtime = bench.open()
    turns = ({"text": "a"}, {"calls": [call("bash", "c1", {"command": "true"})]}, {"text": "b"})
    run_id = runtime.start(RunStartParams(prompt="go", model=bench.script(*turns), permission_mode="yolo"))
    await runtime.wait(run_id)
    runtime.prompt(RunPromptParams(run_id=run_id, prompt="now bash"))
    await runtime.wait(run_id)
    assert bench.decisions()["c1"].decision == "deny"


async def test_a_run_that_goes_on_here_is_not_taken_up_again_and_an_unknown_one_not_at_all(bench: Bench) -> None:
    runtime = bench.open()
    script = bench.script({"calls": [call("bash", "c1", {"command": "sleep 30"})]})
    run_id = runtime.start(RunStartParams(prompt="go", model=script, permission_mode="yolo"))
    with pytest.raises(RunBusyError, match="going on"):
        runtime.resume(RunResumeParams(run_id=run_id))
    with pytest.raises(RunBusyError, match="cancel it first"):
        bench.store.delete(run_id)
    with pytest.raises(UnknownRunError):
        runtime.resume(RunResumeParams(run_id="nothing"))
    await runtime.cancel(run_id)


async def test_another_window_cannot_take_up_what_goes_on_here(bench: Bench) -> None:
    runtime = bench.open()
    script = bench.script({"calls": [call("bash", "c1", {"command": "sleep 30"})]})
    run_id = runtime.start(RunStartParams(prompt="go", model=script, permission_mode="yolo"))
    other = Store.open(bench.root)
    with pytest.raises(RunBusyError, match="another window"):
        other.adopt(run_id)
    other.close()
    await runtime.cancel(run_id)


async def test_a_fork_has_the_beginning_and_leaves_the_original_alone(bench: Bench) -> None:
    bench.tools(ECHO)
    runtime = bench.open()
    script = bench.script({"text": "one"}, {"text": "two"})
    run_id = runtime.start(RunStartParams(prompt="go", model=script))
    await runtime.wait(run_id)
    runtime.prompt(RunPromptParams(run_id=run_id, prompt="wrong way"))
    await runtime.wait(run_id)
    before = bench.store.get(run_id)
    place = next(
        update.seq for update in before.events if update.event.type == "prompt" and update.event.text == "wrong way"
    )
    forked = "forked"
    bench.store.fork(run_id, forked, before_seq=place)
    runtime.prompt(RunPromptParams(run_id=forked, prompt="another way"))
    assert (await runtime.wait(forked)).answer == "two"
    assert bench.store.get(run_id) == before
    copy = bench.store.get(forked)
    assert copy.run.forked_from == run_id
    assert [update.event.text for update in copy.events if isinstance(update.event, PromptEvent)] == [
        "go",
        "another way",
    ]


async def test_the_list_is_searched_and_narrowed(bench: Bench) -> None:
    runtime = bench.open()
    for prompt in ("Fix the login page", "Write 100% of the tests", "Ändere das Layout"):
        await runtime.wait(runtime.start(RunStartParams(prompt=prompt, model=bench.script({"text": "ok"}))))

    def titles(**wanted: Any) -> list[str]:
        return [run.title for run in bench.store.runs(**wanted)]

    assert titles(query="page LOGIN") == ["Fix the login page"]
    assert titles(query="100%") == ["Write 100% of the tests"]
    assert titles(query="_") == []
    assert titles(query="Ändere") == ["Ändere das Layout"]
    assert titles(limit=1) == ["Ändere das Layout"]
    assert titles(project_root=str(bench.root.resolve()), query="the") == [
        "Write 100% of the tests",
        "Fix the login page",
    ]
    assert titles(project_root="/elsewhere") == []


async def test_a_deleted_run_is_gone_with_all_its_events(bench: Bench) -> None:
    await bench.run({"text": "ok"})
    (run,) = bench.store.runs()
    bench.store.delete(run.run_id)
    assert bench.store.runs() == []
    with pytest.raises(UnknownRunError):
        bench.store.get(run.run_id)


async def test_what_was_decided_in_a_deleted_run_stays_in_the_decision_log(bench: Bench) -> None:
    bench.tools(ECHO)
    await bench.run({"calls": [call("echo", "c1", {"text": "private words"})]}, {"text": "ok"}, prompt="secret plan")
    (run,) = bench.store.runs()
    bench.store.delete(run.run_id)
    (decision,) = bench.store.decisions()
    assert (decision.run_id, decision.tool, decision.decision) == (run.run_id, "echo", "allow")
    assert "private words" not in decision.model_dump_json()
    with pytest.raises(UnknownRunError):
        bench.store.adopt(run.run_id)


async def test_a_run_whose_process_was_killed_is_taken_up_by_the_next_one(
    server: Server, tmp_path: Path, bench: Bench
) -> None:
    bench.tools("def slow() -> str:\n    '''Sleep.'''\n    import time\n    time.sleep(60)\n\nCUSTOM_TOOLS = [slow]\n")
    script = bench.script({"calls": [call("slow", "c1"), call("slow", "c2")]}, {"text": "picked up"})
    await server.initialize(bench.root)
    run_id = (await server.request(methods.RUN_START, {"prompt": "go", "model": script}))["runId"]
    await server.until(methods.RUN_UPDATE, type="toolCall", status="in_progress")
    server.process.kill()
    await server.process.wait()

    runtime = bench.open()  # nobody can be asked
    (run,) = bench.store.runs()
    assert (run.run_id, run.state) == (run_id, "interrupted")
    runtime.resume(RunResumeParams(run_id=run_id))
    finished = await runtime.wait(run_id)
    assert finished.answer == "picked up"
    events = [update.event for update in bench.store.get(run_id).events]
    results = [event for event in events if isinstance(event, ToolResultEvent)]
    assert sorted(event.call_id for event in results) == ["c1", "c2"]
    assert PERHAPS_EXECUTED in {event.observation for event in results}
    assert all(
        event.observation == PERHAPS_EXECUTED or "Nothing was executed" in event.observation for event in results
    )
    assert bench.store.runs()[0].state == "finished"


async def test_the_host_forks_exports_searches_and_deletes(server: Server, bench: Bench) -> None:
    await server.initialize(bench.root)
    script = bench.script({"text": "Fine `x`"}, {"text": "More"})
    run_id = (await server.request(methods.RUN_START, {"prompt": "how are you", "model": script}))["runId"]
    await server.until(methods.RUN_UPDATE, type="finished")
    assert (await server.request(methods.RUN_PROMPT, {"runId": run_id, "prompt": "and?"})) == {"runId": run_id}
    await server.until(methods.RUN_UPDATE, type="finished", answer="More")
    text = (await server.request(methods.RUN_EXPORT, {"runId": run_id}))["text"]
    assert text.startswith("# how are you\n")
    assert "> how are you\n\nFine `x`\n\n## Prompt\n\n> and?\n\nMore" in text
    exported = json.loads((await server.request(methods.RUN_EXPORT, {"runId": run_id, "format": "json"}))["text"])
    assert exported["run"]["runId"] == run_id
    forked = (await server.request(methods.RUN_FORK, {"runId": run_id}))["runId"]
    found = (await server.request(methods.RUN_LIST, {"query": "how"}))["runs"]
    assert [run["runId"] for run in found] == [forked, run_id]
    await server.request(methods.RUN_DELETE, {"runId": run_id})
    with pytest.raises(RpcError, match="no run"):
        await server.request(methods.RUN_GET, {"runId": run_id})
