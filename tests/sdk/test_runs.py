"""Checklist R: what providers and tools see of a run, in this process."""

from __future__ import annotations

import asyncio
import subprocess
import sys
import threading
from collections.abc import AsyncGenerator, AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import pytest
from pydantic import BaseModel

from adal_ls.agent.inprocess import agents as inprocess
from adal_ls.agent.models.stream import ChatMessage, Delta, FinishDelta, TextDelta, ToolSpec
from adal_ls.sdk import (
    AgentFailed,
    AgentFinished,
    AgentStarted,
    AgentToolCall,
    AgentToolResult,
    AgentWarning,
    InvalidConfigError,
    InvalidContextError,
    InvalidInputError,
    MissingModelError,
    ModelFailedError,
    ProviderHooksError,
    RunCancelledError,
    ScopeBusyError,
    ToolContext,
    ToolOutput,
    ToolSet,
    UnknownAgentError,
    WorkflowStep,
    combine_tool_providers,
    create_runtime,
    create_tool_provider,
)
from tests.sdk.agents import Recorder, calls, events_of, failure_of, said, script

FREE = {"require_approval": False}


def results(events: list[Any], *, preliminary: bool = False) -> list[str]:
    return [
        event.observation for event in events if isinstance(event, AgentToolResult) and event.preliminary is preliminary
    ]


async def test_r1_the_provider_of_an_agent_is_resolved_once_and_its_tool_runs(tmp_path: Path) -> None:
    provider = Recorder()
    model = script(tmp_path, calls("where"), calls("where"), said("Done."))
    agent = create_runtime(model=model).create_agent("coder", tools=provider)
    handle = agent.run("Where?", tool_provider_context={"root": "/w"}, memory_scope="talk")
    result = await handle.result
    assert (result.text, str(result), result.stop_reason) == ("Done.", "Done.", "end_turn")
    assert results(await events_of(handle)) == ["{'root': '/w'}"] * 2
    (ctx,) = provider.seen  # once for the run, not for each step
    assert (ctx.agent_id, ctx.agent_call_id, ctx.memory_scope) == ("coder", handle.agent_call_id, "talk")


def tool(text: str) -> Any:
    def where() -> str:
        """Tell."""
        return text

    return {"where": {"function": where, **FREE}}


@pytest.mark.parametrize(
    ("runtime_tools", "own", "per_call", "told"),
    [
        (tool("runtime"), None, None, "runtime"),
        (tool("runtime"), tool("definition"), None, "definition"),
        (tool("runtime"), tool("definition"), tool("call"), "call"),
        (tool("runtime"), None, tool("call"), "call"),
    ],
)
async def test_r2_tools_of_the_call_beat_those_of_the_agent_and_these_the_runtimes(
    tmp_path: Path, runtime_tools: ToolSet, own: ToolSet, per_call: ToolSet, told: str
) -> None:
    runtime = create_runtime(tools=runtime_tools, model=script(tmp_path, calls("where"), said("ok")))
    handle = runtime.create_agent("coder", tools=own).run("go", tools=per_call)
    await handle.result
    assert results(await events_of(handle)) == [told]


async def test_r3_the_context_passes_from_the_call_to_every_source(tmp_path: Path) -> None:
    sources = [Recorder(tool("1")), Recorder(tool("2")), Recorder(tool("3"))]
    raw = {"root": "/w"}
    step = WorkflowStep("flow-7", "draft")
    runtime = create_runtime(tools=sources[0], model=script(tmp_path, said("ok")), project_root=tmp_path)
    agent = runtime.create_agent("coder", tools=sources[1])
    await agent.run("go", tools=sources[2], tool_provider_context=raw, workflow=step).result
    contexts = [source.seen[0] for source in sources]
    assert contexts[0] == contexts[1] == contexts[2]
    assert contexts[0].tool_provider_context is raw
    assert contexts[0].workflow == step


async def test_r4_a_provider_that_parses_its_own_schema_gets_the_default(tmp_path: Path) -> None:
    class Root(BaseModel):
        root: str = "."

    def get_tools(ctx: ToolContext[Any]) -> ToolSet:
        return tool(Root.model_validate(ctx.tool_provider_context or {}).root)  # type: ignore[no-any-return]

    provider = create_tool_provider(get_tools=get_tools, context_schema=Root)
    runtime = create_runtime(model=script(tmp_path, calls("where"), said("ok")))
    handle = runtime.create_agent("coder", tools=provider).run("go")
    assert results(await events_of(handle)) == ["."]


async def test_r5_the_error_of_a_provider_is_the_error_of_the_run_unchanged(tmp_path: Path) -> None:
    mine = InvalidContextError("root is needed")
    agent = create_runtime(model=script(tmp_path, said("never"))).create_agent(
        "coder", tools=Recorder(fails="get_tools", error=mine)
    )
    handle = agent.run("go")
    assert await failure_of(handle) is mine
    assert (await events_of(handle))[-1] == AgentFailed("INVALID_CONTEXT", "root is needed")


def test_r6_an_agent_shows_its_provider_and_schema() -> None:
    provider = create_tool_provider(get_tools=lambda _: {}, context_schema=BaseModel)
    agent = create_runtime().create_agent("coder", tools=provider, model="m", system_prompt="s", description="d")
    assert agent.tools is provider
    assert agent.tools.context_schema is BaseModel
    assert (agent.id, agent.model, agent.system_prompt, agent.description, agent.stop_when) == (
        "coder", "m", "s", "d", 20
    )  # fmt: skip


async def test_r7_on_run_end_comes_after_success_with_the_same_context(tmp_path: Path) -> None:
    provider = Recorder()
    runtime = create_runtime(model=script(tmp_path, said("ok")), project_root=tmp_path)
    handle = runtime.create_agent("coder", tools=provider).run("go", tool_provider_context=1)
    await handle.result
    assert provider.ended == provider.seen
    assert provider.ended[0] is not provider.seen[0]
    assert provider.ended[0].agent_call_id == handle.agent_call_id
    assert provider.ended[0].project_root == tmp_path.resolve()  # D8


async def test_r8_on_run_end_comes_after_a_failure_before_any_tool_was_resolved() -> None:
    provider = Recorder(fails="on_run_end")
    handle = create_runtime().create_agent("coder", tools=provider).run("go")
    fault = await failure_of(handle)
    assert isinstance(fault, MissingModelError)  # the turn's error wins over the hook's
    assert fault.code == "MISSING_MODEL"
    assert (provider.seen, len(provider.ended)) == ([], 1)


async def test_r9_on_run_end_is_called_on_every_provider_of_the_run_once_each(tmp_path: Path) -> None:
    shared, runtime_wide, own = Recorder(tool("x")), Recorder(tool("y")), Recorder(tool("z"))
    runtime = create_runtime(tools=runtime_wide, model=script(tmp_path, said("ok")))
    await runtime.create_agent("coder", tools=own).run("go", tools=shared).result
    await runtime.create_agent("twin", tools=shared, model=script(tmp_path, said("ok"))).run("go", tools=shared).result
    assert [len(each.ended) for each in (own, runtime_wide, shared)] == [1, 2, 2]
    assert (shared.disposed, own.disposed) == (0, 0)


async def test_r10_a_failing_on_run_end_fails_a_good_run_after_its_finished_event(tmp_path: Path) -> None:
    agent = create_runtime(model=script(tmp_path, said("ok"))).create_agent("coder", tools=Recorder(fails="on_run_end"))
    handle = agent.run("go")
    fault = await failure_of(handle)
    assert (str(fault), getattr(fault, "code", None)) == ("on_run_end failed", "MINE")
    assert isinstance((await events_of(handle))[-1], AgentFinished)
    with pytest.raises(Exception, match="on_run_end failed"):
        [piece async for piece in handle.text]


async def test_r11_the_other_hooks_still_run_and_several_failures_are_told_together(tmp_path: Path) -> None:
    bad, good, worse = Recorder(fails="on_run_end"), Recorder(tool("x")), Recorder(tool("y"), fails="on_run_end")
    runtime = create_runtime(tools=worse, model=script(tmp_path, said("ok")))
    fault = await failure_of(runtime.create_agent("coder", tools=good).run("go", tools=bad))
    assert isinstance(fault, ProviderHooksError)
    assert [len(each.ended) for each in (bad, good, worse)] == [1, 1, 1]


async def test_r12_on_run_end_also_comes_after_a_cancel_and_nothing_runs_on(tmp_path: Path) -> None:
    running, stopped = asyncio.Event(), asyncio.Event()

    async def wait() -> str:
        """Wait."""
        running.set()
        try:
            await asyncio.sleep(60)
        finally:
            stopped.set()
        return "never"

    provider = Recorder({"wait": {"function": wait, **FREE}})
    handle = create_runtime(model=script(tmp_path, calls("wait"))).create_agent("coder", tools=provider).run("go")
    await asyncio.wait_for(running.wait(), 10)
    handle.cancel()
    fault = await failure_of(handle)
    assert isinstance(fault, RunCancelledError)
    assert stopped.is_set()
    assert len(provider.ended) == 1
    assert (await events_of(handle))[-1] == AgentFailed("CANCELLED", "the run was cancelled")
    handle.cancel()  # once it has ended nothing happens


async def test_r12_a_cancel_before_the_first_step_is_told_to_the_providers_too(tmp_path: Path) -> None:
    provider = Recorder()
    handle = create_runtime(model=script(tmp_path, said("x"))).create_agent("coder", tools=provider).run("go")
    handle.cancel()
    assert isinstance(await failure_of(handle), RunCancelledError)
    assert (provider.seen, len(provider.ended)) == ([], 1)


async def test_r12_who_gives_up_waiting_for_the_result_cancels_the_run(tmp_path: Path) -> None:
    provider = Recorder({"wait": {"function": asyncio.Event().wait, "name": "wait", **FREE}})
    handle = create_runtime(model=script(tmp_path, calls("wait"))).create_agent("coder", tools=provider).run("go")
    with pytest.raises(asyncio.TimeoutError):
        await asyncio.wait_for(handle.result, 0.2)
    assert len(provider.ended) == 1
    assert isinstance(await failure_of(handle), RunCancelledError)


async def test_r12_a_cancel_that_comes_while_hooks_run_cuts_none_of_them_short(tmp_path: Path) -> None:
    ending, go_on, ended = asyncio.Event(), asyncio.Event(), asyncio.Event()

    async def on_run_end(_: ToolContext[Any]) -> None:
        ending.set()
        await go_on.wait()
        ended.set()

    provider = create_tool_provider(get_tools=lambda _: {}, on_run_end=on_run_end)
    handle = create_runtime(model=script(tmp_path, said("ok"))).create_agent("coder", tools=provider).run("go")
    await asyncio.wait_for(ending.wait(), 10)
    handle.cancel()
    asyncio.get_running_loop().call_later(0.05, go_on.set)
    assert (await handle.result).text == "ok"  # the turn was over
    assert ended.is_set()


def test_r12_a_script_that_ends_while_a_run_goes_on_stops_it_and_says_nothing_of_it() -> None:
    program = """
import asyncio
from adal_ls import create_runtime, create_tool_provider

async def wait() -> str:
    try:
        await asyncio.sleep(60)
    finally:
        print("stopped")

async def main():
    provider = create_tool_provider(
        get_tools=lambda ctx: [{"function": wait, "require_approval": False}], on_run_end=lambda ctx: print("end")
    )
    handle = create_runtime(model="offline").create_agent("coder", tools=provider).run("wait()")
    async for event in handle:
        if event.type == "agent_tool_call":
            await asyncio.sleep(0.2)
            return

asyncio.run(main())
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False, timeout=60)
    assert (done.returncode, done.stdout.split(), done.stderr) == (0, ["stopped", "end"], "")


async def test_a_sync_tool_that_is_cancelled_runs_on_and_the_run_says_so(tmp_path: Path) -> None:
    running, go_on, ended = threading.Event(), threading.Event(), threading.Event()

    def block() -> str:
        """Block."""
        running.set()
        go_on.wait(10)
        ended.set()
        return "late"

    agent = create_runtime(model=script(tmp_path, calls("block"))).create_agent(
        "coder", tools=[{"function": block, **FREE}]
    )
    handle = agent.run("go")
    await asyncio.to_thread(running.wait, 10)
    handle.cancel()
    assert isinstance(await failure_of(handle), RunCancelledError)
    events = await events_of(handle)
    assert any(isinstance(event, AgentWarning) and "runs on in its thread" in event.text for event in events)
    go_on.set()
    await asyncio.to_thread(ended.wait, 10)


@pytest.mark.parametrize("kind", ["sync", "async"])
async def test_r13_what_a_tool_yields_are_preliminary_results_and_the_last_is_the_final_one(
    tmp_path: Path, kind: str
) -> None:
    def count(n: int) -> Iterator[str]:
        """Count."""
        for step in range(n):
            yield f"step {step}"

    async def acount(n: int) -> AsyncIterator[str]:
        """Count."""
        for step in range(n):
            yield f"step {step}"

    function = count if kind == "sync" else acount
    agent = create_runtime(model=script(tmp_path, calls("count", n=3), said("ok"))).create_agent(
        "coder", tools={"count": {"function": function, **FREE}}
    )
    events = await events_of(agent.run("go"))
    assert results(events, preliminary=True) == ["step 0", "step 1", "step 2"]
    assert results(events) == ["step 2"]
    order = [event.preliminary for event in events if isinstance(event, AgentToolResult)]
    assert order == [True, True, True, False]


async def test_r14_the_call_id_is_one_per_run_and_a_scope_is_made_where_none_is_given(tmp_path: Path) -> None:
    agent = create_runtime(model="offline").create_agent("coder")
    handles = [agent.run("hello", memory_scope=scope) for scope in (None, "", "  ", "mine")]
    for handle in handles:
        await handle.result
    assert len({handle.agent_call_id for handle in handles}) == 4
    assert len({handle.memory_scope for handle in handles}) == 4
    assert all(handle.memory_scope.strip() for handle in handles)
    assert handles[3].memory_scope == "mine"


async def test_r15_tool_events_carry_call_id_and_name_and_the_last_event_tells_how_it_ended(tmp_path: Path) -> None:
    def fail() -> str:
        """Fail."""
        raise ValueError("no luck")

    agent = create_runtime(model=script(tmp_path, calls("fail"), said("ok"))).create_agent(
        "coder", tools=[{"function": fail, **FREE}]
    )
    handle = agent.run("go")
    events = await events_of(handle)
    started, call, result, *_, finished = events
    assert started == AgentStarted("coder", handle.agent_call_id, handle.memory_scope)
    assert isinstance(call, AgentToolCall)
    assert isinstance(result, AgentToolResult)
    assert (result.call_id, result.tool, result.status) == (call.call_id, "fail", "error")
    assert "no luck" in result.observation
    assert result.trace is not None
    assert isinstance(finished, AgentFinished)
    failed = await events_of(create_runtime(model="script:nowhere.yaml").create_agent("coder").run("go"))
    assert isinstance(failed[-1], AgentFailed)
    assert failed[-1].code == "MODEL_ERROR"


async def test_results_keep_what_the_tool_meant_for_whom(tmp_path: Path) -> None:
    def draft() -> ToolOutput:
        """Draft."""
        return ToolOutput(output={"key": 7}, observation="created 7", display="7")

    agent = create_runtime(model=script(tmp_path, calls("draft"), said("ok"))).create_agent(
        "coder", tools=[{"function": draft, **FREE}]
    )
    (result,) = (event for event in await events_of(agent.run("go")) if isinstance(event, AgentToolResult))
    assert (result.output, result.observation, result.display) == ({"key": 7}, "created 7", "7")


async def test_of_a_long_result_the_model_reads_a_part_and_the_program_has_all(tmp_path: Path) -> None:
    def lines() -> str:
        """Give many."""
        return "x" * 200_000

    agent = create_runtime(model=script(tmp_path, calls("lines"), said("ok"))).create_agent(
        "coder", tools=[{"function": lines, **FREE}]
    )
    (result,) = (event for event in await events_of(agent.run("go")) if isinstance(event, AgentToolResult))
    assert result.output == "x" * 200_000
    assert "left out here" in result.observation
    assert len(result.observation) < 60_000


async def test_a_name_of_two_combined_sources_fails_the_run_before_the_model_is_asked(tmp_path: Path) -> None:
    ran = Recorder(tool("docs"))
    combined = combine_tool_providers({"docs": ran, "web": tool("web")})
    agent = create_runtime(model=script(tmp_path, calls("where"))).create_agent("coder", tools=combined)
    handle = agent.run("go")
    fault = await failure_of(handle)
    assert isinstance(fault, InvalidConfigError)
    assert all(word in str(fault) for word in ("'where'", "'docs'", "'web'"))
    assert [type(event) for event in await events_of(handle)] == [AgentStarted, AgentFailed]
    assert len(ran.ended) == 1


class Listening:
    """A model that notes what it is sent, and says ok."""

    name = "listening"
    any_name = True
    context_tokens = None

    def __init__(self) -> None:
        self.heard: list[list[ChatMessage]] = []

    async def stream(self, messages: list[ChatMessage], tools: list[ToolSpec]) -> AsyncGenerator[Delta, None]:
        self.heard.append(messages)
        yield TextDelta("ok")
        yield FinishDelta("stop")


@pytest.fixture
def listening(monkeypatch: pytest.MonkeyPatch) -> Listening:
    model = Listening()
    monkeypatch.setattr(inprocess, "choose_model", lambda *_, **__: model)
    return model


async def test_a_run_continues_the_conversation_of_its_scope_and_no_other(listening: Listening) -> None:
    runtime = create_runtime(model="listening")
    first = runtime.create_agent("first", system_prompt="Be first.").run("one")
    await first.result
    await runtime.create_agent("second", system_prompt="Be second.").run("two", memory_scope=first.memory_scope).result
    await runtime.agent("first").run("three").result
    said_to = [[(message["role"], message["content"]) for message in messages] for messages in listening.heard]
    assert said_to == [
        [("system", "Be first."), ("user", "one")],
        [("system", "Be second."), ("user", "one"), ("assistant", "ok"), ("user", "two")],
        [("system", "Be first."), ("user", "three")],
    ]


async def test_the_usual_system_prompt_reads_the_instructions_of_a_project_alone(
    listening: Listening, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "AGENTS.md").write_text("Always whistle.")
    await create_runtime(model="listening", project_root=tmp_path).create_agent("a").run("go").result
    monkeypatch.chdir(tmp_path)
    await create_runtime(model="listening").create_agent("a").run("go").result
    assert ["Always whistle." in messages[0]["content"] for messages in listening.heard] == [True, False]


async def test_a14_two_runs_in_one_scope_at_once_are_refused_and_a_later_one_is_not(tmp_path: Path) -> None:
    runtime = create_runtime(model="offline", tools={"wait": {"function": asyncio.Event().wait, **FREE}})
    agent = runtime.create_agent("coder")
    first = agent.run("wait()", memory_scope="talk")
    async for event in first.events:
        if isinstance(event, AgentToolCall):
            break
    assert isinstance(await failure_of(agent.run("hello", memory_scope="talk")), ScopeBusyError)
    first.cancel()
    await failure_of(first)
    assert (await agent.run("hello", memory_scope="talk").result).stop_reason == "end_turn"


async def test_stop_when_ends_a_run_that_goes_on(tmp_path: Path) -> None:
    model = script(tmp_path, *[calls("where")] * 5)
    agent = create_runtime(model=model, tools=tool("x")).create_agent("coder", stop_when=2)
    handle = agent.run("go")
    assert (await handle.result).stop_reason == "limit"
    assert len(results(await events_of(handle))) == 2


async def test_a_model_that_fails_fails_the_run_with_its_reason(tmp_path: Path) -> None:
    fault = await failure_of(create_runtime(model=script(tmp_path)).create_agent("coder").run("go"))
    assert isinstance(fault, ModelFailedError)
    assert fault.reason == "script"


async def test_text_comes_piece_by_piece_and_events_also_for_those_who_come_late(tmp_path: Path) -> None:
    agent = create_runtime(model=script(tmp_path, said("Hello."))).create_agent("coder")
    handle = agent.stream("go")
    assert [piece async for piece in handle.text] == ["Hello."]
    assert await events_of(handle) == await events_of(handle)


async def test_a_disabled_built_in_tool_does_not_come_back_as_a_providers(tmp_path: Path) -> None:
    def bash(command: str) -> str:
        """Mine."""
        return command

    mine: ToolSet = {"bash": {"function": bash, **FREE}}
    for disabled, told in ((["Bash"], "There is no tool 'bash'"), ([], "mine first")):
        runtime = create_runtime(
            model=script(tmp_path, calls("bash", command="mine first"), said("ok")), disabled_default_tools=disabled
        )
        events = await events_of(runtime.create_agent("coder", tools=mine).run("go"))
        assert told in results(events)[0]


def test_a_run_outside_of_a_loop_says_what_to_do() -> None:
    with pytest.raises(InvalidInputError, match=r"asyncio\.run"):
        create_runtime(model="offline").create_agent("coder").run("go")


async def test_wrong_arguments_are_refused_with_a_code_before_anything_runs() -> None:
    runtime = create_runtime(model="offline")
    agent = runtime.create_agent("coder")
    with pytest.raises(InvalidConfigError, match="already"):
        runtime.create_agent("coder")
    with pytest.raises(InvalidConfigError, match="stop_when"):
        runtime.create_agent("other", stop_when=0)
    with pytest.raises(InvalidConfigError, match="tool set"):
        runtime.create_agent("other", tools=7)  # type: ignore[call-overload]
    with pytest.raises(InvalidInputError, match="prompt"):
        agent.run(" ")
    with pytest.raises(InvalidConfigError, match="tool set"):
        agent.run("go", tools=7)  # type: ignore[arg-type]
    with pytest.raises(InvalidConfigError, match="permission_mode"):
        create_runtime(permission_mode="all")  # type: ignore[arg-type]
    with pytest.raises(InvalidConfigError, match="combined"):
        create_runtime(enabled_default_tools=["Read"], disabled_default_tools=["Bash"])


def test_c3_an_agent_whose_tools_come_from_a_provider_says_that_it_takes_a_context() -> None:
    runtime = create_runtime(tools=Recorder())
    agents = [runtime.create_agent(name, tools=tools) for name, tools in (("a", Recorder()), ("b", [len]), ("c", None))]
    assert [agent.takes_context for agent in agents] == [True, False, False]


def test_c4_an_unknown_agent_is_said_with_those_there_are() -> None:
    runtime = create_runtime()
    runtime.create_agent("coder")
    with pytest.raises(UnknownAgentError, match="there is no agent 'nobody'; the agents there are: coder") as caught:
        runtime.agent("nobody")
    assert caught.value.code == "UNKNOWN_AGENT"


async def test_a_runtime_disposes_its_providers_once_each() -> None:
    shared, wide = Recorder(), Recorder()
    runtime = create_runtime(tools=wide)
    runtime.create_agent("one", tools=shared)
    runtime.create_agent("two", tools=combine_tool_providers({"inner": shared}))
    await runtime.dispose()
    assert (shared.disposed, wide.disposed) == (1, 1)
