"""Runs of a project's own agents: whose tools count, what providers are told, when, and what their errors become."""

from __future__ import annotations

import asyncio
import json
import sys
from pathlib import Path
from typing import Any

import pytest

from adal_ls.agent.runs.runtime import Runtime
from adal_ls.protocol.runs import (
    EpisodeEvent,
    ErrorEvent,
    FinishedEvent,
    PromptEvent,
    RunPromptParams,
    RunStartParams,
    ToolCallEvent,
    ToolProgressEvent,
)
from adal_ls.sdk.errors import ScopeBusyError, UnknownAgentError
from tests.agent.approvers import Desk, Person, answer
from tests.agent.bench import ECHO, Bench, call

GREETER = """
    class Greeter:
        def get_tools(self, ctx):
            note(f"get_tools {ctx.agent_id} {ctx.agent_call_id} {ctx.memory_scope} {ctx.project_root}")
            name = (ctx.tool_provider_context or {}).get("name", "nobody")

            def greet(word: str = "hello") -> str:
                '''Greet.'''
                return f"{word} {name}"

            return [free(greet)]

        async def on_run_end(self, ctx):
            note(f"on_run_end {ctx.agent_id} {ctx.agent_call_id} {ctx.memory_scope} {ctx.project_root}")

        def dispose(self):
            note("dispose")

    AGENTS = [runtime.create_agent("greeter", tools=Greeter(), system_prompt="You greet.", description="Greets.")]
"""

GREET = ({"calls": [call("greet", "c1", {"word": "hi"})]}, {"text": "done"})


async def test_r1_r3_r7_d8_a_provider_gets_the_context_its_tool_runs_and_it_hears_of_the_end(bench: Bench) -> None:
    bench.agents(GREETER)
    finished = await bench.run(*GREET, agent="greeter", tool_context={"name": "Ada"})
    assert finished == FinishedEvent(stop_reason="end_turn", answer="done")
    assert bench.observation("c1") == "hi Ada"
    (episode,) = bench.events(EpisodeEvent)
    assert (episode.agent, episode.memory_scope) == ("greeter", bench.updates[0].run_id)
    told = f"greeter {episode.agent_call_id} {episode.memory_scope} {bench.root}"
    assert bench.log() == [f"get_tools {told}", f"on_run_end {told}"]


async def test_the_context_is_in_no_store(bench: Bench) -> None:
    bench.agents(GREETER)
    await bench.run(*GREET, agent="greeter", tool_context={"name": "Ada", "key": "s3cr3t-value"})
    data = bench.root.parent / "data"
    files = [path for path in data.rglob("*") if path.is_file()]
    assert files
    assert not any(b"s3cr3t-value" in path.read_bytes() for path in files)


async def test_without_a_tool_context_the_provider_sees_none(bench: Bench) -> None:
    bench.agents(GREETER)
    await bench.run(*GREET, agent="greeter")
    assert bench.observation("c1") == "hi nobody"


async def test_tools_are_made_once_in_a_run_however_many_requests_it_makes(bench: Bench) -> None:
    bench.agents(GREETER)
    turns = [{"calls": [call("greet", f"c{number}", {"word": str(number)})]} for number in range(4)]
    await bench.run(*turns, {"text": "done"}, agent="greeter")
    assert [line.split()[0] for line in bench.log()] == ["get_tools", "on_run_end"]


async def test_system_prompt_model_and_stop_when_are_the_agents(bench: Bench) -> None:
    bench.script(*[{"calls": [call("list_files", f"c{number}", {"path": "."})]} for number in range(5)])
    bench.agents("""AGENTS = [runtime.create_agent("short", model="script:script.yaml", stop_when=2)]""")
    runtime = bench.open()
    run_id = runtime.start(RunStartParams(prompt="go", agent="short"))
    finished = await runtime.wait(run_id)
    assert finished.stop_reason == "limit"
    assert "the limit of 2 model requests is reached" in bench.notices()
    run = bench.store.get(run_id).run
    assert run.agent == "short"
    assert run.model.startswith("script:")


async def test_the_runs_own_model_comes_before_the_agents(bench: Bench) -> None:
    bench.agents("""AGENTS = [runtime.create_agent("any", model="script:missing.yaml")]""")
    finished = await bench.run({"text": "here"}, agent="any")
    assert finished.answer == "here"


async def test_r2_the_agents_tools_replace_the_runtimes_and_those_of_custom_tools(bench: Bench) -> None:
    bench.tools(ECHO)
    bench.agents("""
        def named(text):
            def echo(text: str) -> str:
                '''Give something back.'''
                return NAME
            echo.__globals__["NAME"] = None
            return {"echo": free(lambda: text), "only_" + text: free(lambda: text)}

        both = create_runtime(tools=named("runtime"))
        AGENTS = [both.create_agent("own", tools=named("own")), both.create_agent("none")]
    """)
    await bench.run(
        {"calls": [call("echo", "c1"), call("only_runtime", "c2"), call("now", "c3")]}, {"text": "x"}, agent="own"
    )
    assert [bench.observation(each) for each in ("c1", "c2", "c3")] == ["own", "runtime", "12:00"]
    bench.updates.clear()
    await bench.run({"calls": [call("echo", "c1")]}, {"text": "x"}, agent="none")
    assert bench.observation("c1") == "runtime"


async def test_r4_a_provider_that_parses_its_own_schema_gets_the_defaults(bench: Bench) -> None:
    bench.agents("""
        from pydantic import BaseModel

        class Shelf(BaseModel):
            name: str = "recipes"

        def tools(ctx):
            note(repr(ctx.tool_provider_context))
            shelf = Shelf.model_validate(ctx.tool_provider_context or {})
            return {"shelf": free(lambda: shelf.name)}

        AGENTS = [runtime.create_agent("reader", tools=create_tool_provider(get_tools=tools, context_schema=Shelf))]
    """)
    await bench.run({"calls": [call("shelf", "c1")]}, {"text": "x"}, agent="reader", tool_context={})
    assert bench.observation("c1") == "recipes"
    assert bench.log() == ["{}"]


async def test_r5_a_providers_own_error_is_the_runs_error_with_its_code_and_its_words(bench: Bench) -> None:
    bench.agents("""
        def tools(ctx):
            raise InvalidContextError("there is no shelf 'x'", code="NO_SHELF")

        AGENTS = [runtime.create_agent("reader", tools=create_tool_provider(
            get_tools=tools, on_run_end=lambda ctx: note("ended")))]
    """)
    finished = await bench.run({"text": "never"}, agent="reader")
    assert finished.stop_reason == "error"
    (error,) = bench.errors()
    assert (error.code, error.message) == ("NO_SHELF", "there is no shelf 'x'")
    assert error.trace is not None
    assert "in tools" in error.trace
    assert bench.log() == ["ended"]


async def test_another_error_of_a_provider_says_its_type(bench: Bench) -> None:
    bench.agents("""
        def tools(ctx):
            return {}["missing"]

        AGENTS = [runtime.create_agent("reader", tools=create_tool_provider(get_tools=tools))]
    """)
    await bench.run({"text": "never"}, agent="reader")
    (error,) = bench.errors()
    assert (error.code, error.message) == ("ERROR", "KeyError: 'missing'")


async def test_r8_a_run_that_fails_before_its_tools_still_tells_the_providers(bench: Bench) -> None:
    bench.agents(GREETER)
    runtime = bench.open()
    run_id = runtime.start(RunStartParams(prompt="go", agent="greeter", model="script:missing.yaml"))
    finished = await runtime.wait(run_id)
    assert finished.stop_reason == "error"
    assert [error.code for error in bench.errors()] == ["script"]
    (episode,) = bench.events(EpisodeEvent)
    assert [line.split()[:3] for line in bench.log()] == [["on_run_end", "greeter", episode.agent_call_id]]


async def test_r9_r11_all_providers_hear_of_the_end_and_one_that_fails_stops_no_other(bench: Bench) -> None:
    bench.agents("""
        def failing(ctx):
            note("failing")
            raise RuntimeError("no way out")

        both = create_runtime(tools=create_tool_provider(get_tools=lambda ctx: {}, on_run_end=failing))
        AGENTS = [both.create_agent("a", tools=create_tool_provider(
            get_tools=lambda ctx: {}, on_run_end=lambda ctx: note("sibling")))]
    """)
    finished = await bench.run({"text": "good"}, agent="a")
    assert sorted(bench.log()) == ["failing", "sibling"]
    assert (finished.stop_reason, finished.answer) == ("error", "good")


async def test_r10_an_error_of_on_run_end_fails_a_good_run(bench: Bench) -> None:
    bench.agents("""
        def failing(ctx):
            raise InvalidContextError("cannot let go")

        AGENTS = [runtime.create_agent("a", tools=create_tool_provider(get_tools=lambda ctx: {}, on_run_end=failing))]
    """)
    finished = await bench.run({"text": "good"}, agent="a")
    assert finished.stop_reason == "error"
    assert [(error.code, error.message) for error in bench.errors()] == [("INVALID_CONTEXT", "cannot let go")]


async def test_after_a_failed_run_its_own_error_counts_not_that_of_on_run_end(bench: Bench) -> None:
    bench.agents("""
        def failing(ctx):
            raise InvalidContextError("cannot let go")

        AGENTS = [runtime.create_agent("a", tools=create_tool_provider(get_tools=lambda ctx: {}, on_run_end=failing))]
    """)
    runtime = bench.open()
    await runtime.wait(runtime.start(RunStartParams(prompt="go", agent="a", model="script:missing.yaml")))
    assert [error.code for error in bench.errors()] == ["script"]


@pytest.mark.parametrize("kind", ["async def", "def"])
async def test_r12_a_cancelled_run_tells_the_providers_too(bench: Bench, kind: str) -> None:
    """Also where the tool cannot be stopped without its process: then in the next one."""
    sleep = "await asyncio.sleep(30)" if kind == "async def" else "time.sleep(30)"
    bench.agents(f"""
        import asyncio, time

        class Slow:
            def get_tools(self, ctx):
                note("get_tools " + ctx.agent_call_id)

                {kind} wait() -> str:
                    '''Wait.'''
                    note("waiting")
                    {sleep}
                    return "late"

                return [free(wait)]

            def on_run_end(self, ctx):
                note("on_run_end " + ctx.agent_call_id)

        AGENTS = [runtime.create_agent("slow", tools=Slow())]
    """)
    runtime = bench.open()
    model = bench.script({"calls": [call("wait", "c1")]}, {"text": "x"})
    run_id = runtime.start(RunStartParams(prompt="go", agent="slow", model=model))
    await bench.until(lambda update: isinstance(update.event, ToolCallEvent) and update.event.status == "in_progress")
    while "waiting" not in bench.log():
        await asyncio.sleep(0.01)
    await asyncio.wait_for(runtime.cancel(run_id), 10)
    (episode,) = bench.events(EpisodeEvent)
    assert bench.events(FinishedEvent) == [FinishedEvent(stop_reason="cancelled")]
    assert bench.log() == [
        f"get_tools {episode.agent_call_id}",
        "waiting",
        f"on_run_end {episode.agent_call_id}",
    ]


async def test_a_cancel_while_get_tools_runs_ends_the_run_and_tells_the_provider(bench: Bench) -> None:
    bench.agents("""
        import asyncio

        async def tools(ctx):
            note("asked")
            await asyncio.sleep(30)

        AGENTS = [runtime.create_agent("slow", tools=create_tool_provider(
            get_tools=tools, on_run_end=lambda ctx: note("ended")))]
    """)
    runtime = bench.open()
    run_id = runtime.start(RunStartParams(prompt="go", agent="slow", model=bench.script({"text": "x"})))
    while "asked" not in bench.log():
        await asyncio.sleep(0.01)
    await asyncio.wait_for(runtime.cancel(run_id), 5)
    assert (await runtime.wait(run_id)).stop_reason == "cancelled"
    assert bench.log() == ["asked", "ended"]


async def test_r13_what_a_tool_yields_comes_as_it_goes_and_the_last_value_is_the_result(bench: Bench) -> None:
    bench.agents("""
        async def count():
            '''Count.'''
            for number in ("one", "two", "three"):
                yield number

        AGENTS = [runtime.create_agent("counter", tools=create_tool_provider(get_tools=lambda ctx: [free(count)]))]
    """)
    await bench.run({"calls": [call("count", "c1")]}, {"text": "x"}, agent="counter")
    assert "".join(event.text for event in bench.events(ToolProgressEvent)).split() == ["onetwothree"]
    assert bench.observation("c1") == "three"


async def test_r14_every_episode_has_an_id_of_its_own_and_a_blank_scope_is_none(bench: Bench) -> None:
    bench.agents(GREETER)
    await bench.run({"text": "a"}, agent="greeter", scope="  ")
    await bench.run({"text": "a"}, agent="greeter")
    first, second = bench.events(EpisodeEvent)
    assert first.agent_call_id != second.agent_call_id
    runs = {update.run_id for update in bench.updates}
    assert {first.memory_scope, second.memory_scope} == runs


async def test_r15_events_of_tools_carry_id_and_name_and_the_last_one_tells_the_end(bench: Bench) -> None:
    bench.agents(GREETER)
    await bench.run(*GREET, agent="greeter")
    assert {(event.call_id, event.tool) for event in bench.events(ToolCallEvent)} == {("c1", "greet")}
    assert isinstance(bench.updates[-1].event, FinishedEvent)
    bench.updates.clear()
    await bench.run(agent="greeter", model="script:missing.yaml")
    assert [type(update.event) for update in bench.updates[-2:]] == [ErrorEvent, FinishedEvent]


async def test_p6_p7_p9_combined_sources_see_their_part_and_a_name_twice_is_refused(bench: Bench) -> None:
    bench.agents("""
        def says(tool):
            return create_tool_provider(get_tools=lambda ctx: {tool: free(lambda: repr(ctx.tool_provider_context))})

        AGENTS = [
            runtime.create_agent(name, tools=combine_tool_providers({"one": says("a"), "two": second, "no": None}))
            for name, second in {"good": says("b"), "twice": says("a")}.items()
        ]
    """)
    await bench.run(
        {"calls": [call("a", "c1"), call("b", "c2")]}, {"text": "x"}, agent="good", tool_context={"one": {"key": 1}}
    )
    assert (bench.observation("c1"), bench.observation("c2")) == ("{'key': 1}", "None")
    finished = await bench.run({"text": "never"}, agent="twice")
    assert finished.stop_reason == "error"
    (error,) = bench.errors()
    assert error.code == "INVALID_CONFIG"
    assert all(word in error.message for word in ("'one'", "'two'", "'a'"))


async def test_c4_an_agent_that_is_not_there_is_refused_with_those_that_are(bench: Bench) -> None:
    runtime = bench.open()
    with pytest.raises(UnknownAgentError, match="there is no agent 'nobody'; the agents there are: default"):
        runtime.start(RunStartParams(prompt="go", agent="nobody"))
    bench.agents(GREETER)
    finished = await bench.run({"text": "never"}, agent="nobody")  # what there is shows in the run
    assert finished.stop_reason == "error"
    (error,) = bench.errors()
    assert (error.code, error.message) == ("UNKNOWN_AGENT", "there is no agent 'nobody'; the agents there are: greeter")
    with pytest.raises(UnknownAgentError, match="greeter"):
        runtime.start(RunStartParams(prompt="go", agent="nobody"))


async def test_a_run_that_names_no_agent_has_the_tools_of_every_agent_also_beside_an_agents_file(bench: Bench) -> None:
    bench.tools(ECHO)
    bench.agents(GREETER)
    await bench.run({"calls": [call("now", "c1"), call("greet", "c2")]}, {"text": "x"})
    assert bench.observation("c1") == "12:00"
    assert "There is no tool 'greet'" in bench.observation("c2")
    assert bench.log() == []


async def test_tools_of_providers_ask_like_others_unless_they_say_no(bench: Bench) -> None:
    bench.agents("""
        def write(text: str) -> str:
            '''Write.'''
            note(text)
            return "written"

        AGENTS = [runtime.create_agent("writer", tools=create_tool_provider(get_tools=lambda ctx: [write]))]
    """)
    person = Person(lambda request: answer(request, "reject_once"))
    await bench.run({"calls": [call("write", "c1", {"text": "a"})]}, {"text": "x"}, agent="writer", approver=person)
    (asked,) = person.asked
    assert (asked.tool, asked.arguments) == ("write", {"text": "a"})
    assert asked.source is not None
    assert asked.source.uri.endswith("/.adal/agents.py")
    assert bench.log() == []


async def test_a_remembered_answer_counts_for_the_same_context_alone(bench: Bench) -> None:
    bench.agents("""
        def tools(ctx):
            def write() -> str:
                '''Write.'''
                return str(ctx.tool_provider_context)
            return [write]

        AGENTS = [runtime.create_agent("writer", tools=create_tool_provider(get_tools=tools))]
    """)
    person = Person(
        lambda request: answer(
            request, next(option.option_id for option in request.options if option.kind == "allow_always")
        )
    )
    turns = ({"calls": [call("write", "c1")]}, {"text": "x"})
    for context, asked in (("a", 1), ("a", 1), ("b", 2)):
        await bench.run(*turns, agent="writer", approver=person, tool_context=context)
        assert len(person.asked) == asked


async def test_a_tool_named_like_a_built_in_replaces_it_asks_and_is_gone_where_that_is_disabled(bench: Bench) -> None:
    bench.agents("""
        def read_file(path: str) -> str:
            '''Read it another way.'''
            return "mine: " + path

        AGENTS = [runtime.create_agent("reader", tools=create_tool_provider(get_tools=lambda ctx: [read_file]))]
    """)
    person = Person(lambda request: answer(request, "allow_once"))
    turns = ({"calls": [call("read_file", "c1", {"path": "a"})]}, {"text": "x"})
    await bench.run(*turns, agent="reader", approver=person)
    assert bench.observation("c1") == "mine: a"
    assert [request.tool for request in person.asked] == ["read_file"]
    bench.updates.clear()
    await bench.run(*turns, agent="reader", disabled_default_tools=["Read"])
    assert "There is no tool 'read_file'" in bench.observation("c1")
    assert "the built-in tool of this name is disabled" in bench.notices()


async def test_a_runtime_can_take_built_in_tools_away_and_never_brings_back_what_the_person_disabled(
    bench: Bench,
) -> None:
    (bench.root / "a.txt").write_text("here")
    bench.agents("""
        reading = create_runtime(enabled_default_tools=["Read", "Bash"])
        AGENTS = [reading.create_agent("reader")]
    """)
    turns = (
        {
            "calls": [
                call("read_file", "c1", {"path": "a.txt"}),
                call("bash", "c2", {"command": "true"}),
                call("grep", "c3"),
            ]
        },
        {"text": "x"},
    )
    await bench.run(*turns, agent="reader", disabled_default_tools=["Bash"])
    assert "here" in bench.observation("c1")
    assert "There is no tool 'bash'" in bench.observation("c2")
    assert "There is no tool 'grep'" in bench.observation("c3")


async def test_a_workspace_provider_is_served_by_the_host_under_its_policy(bench: Bench) -> None:
    (bench.root / "notes").mkdir()
    (bench.root / "notes" / "a.txt").write_text("inside")
    (bench.root / "secret.txt").write_text("not for it")
    bench.agents("""
        reading = create_workspace_tool_provider(cwd="notes", tools=["read_file"])
        AGENTS = [runtime.create_agent("reader", tools=reading)]
    """)
    await bench.run(
        {"calls": [call("read_file", "c1", {"path": "a.txt"}), call("read_file", "c2", {"path": "../secret.txt"})]},
        {"text": "x"},
        agent="reader",
    )
    assert "inside" in bench.observation("c1")
    assert "is outside the workspace" in bench.observation("c2")
    assert {result.call_id: result.status for result in bench.results()}["c2"] != "success"


async def test_a_policy_that_cannot_be_kept_fails_the_run_and_says_why(bench: Bench) -> None:
    bench.agents("""
        AGENTS = [runtime.create_agent("reader", tools=create_workspace_tool_provider(cwd="not/there"))]
    """)
    await bench.run({"text": "never"}, agent="reader")
    assert [error.code for error in bench.errors()] == ["INVALID_CONFIG"]


async def test_the_tools_of_an_mcp_server_are_served_by_the_host(bench: Bench) -> None:
    server = Path(__file__).parents[1] / "mcp_server.py"
    bench.agents(f"""
        tools = mcp_tool_provider(command=[{sys.executable!r}, {str(server)!r}, "stdio"], require_approval=False)
        AGENTS = [runtime.create_agent("m", tools=tools)]
    """)
    await bench.run({"calls": [call("add", "c1", {"a": 3, "b": 4})]}, {"text": "x"}, agent="m")
    assert "7" in bench.observation("c1")


async def test_an_mcp_server_that_is_not_there_is_an_error_that_names_it(bench: Bench) -> None:
    bench.agents("""
        AGENTS = [runtime.create_agent("m", tools=mcp_tool_provider(name="weather", command=["no-such-program"]))]
    """)
    await bench.run({"text": "never"}, agent="m")
    (error,) = bench.errors()
    assert error.code.startswith("MCP")
    assert "'weather'" in error.message


async def test_a_scope_goes_on_with_what_was_said_in_it_and_so_does_the_id_of_a_run(bench: Bench) -> None:
    runtime = bench.open()
    model = bench.script(*[{"text": "heard"}] * 3)

    async def said(prompt: str, scope: str | None) -> tuple[str, list[str]]:
        run_id = runtime.start(RunStartParams(prompt=prompt, model=model, scope=scope))
        await runtime.wait(run_id)
        updates = bench.store.conversation(run_id, scope or run_id)
        return run_id, [update.event.text for update in updates if isinstance(update.event, PromptEvent)]

    first, _ = await said("one", "trip")
    assert (await said("two", "trip"))[1] == ["one", "two"]
    assert (await said("three", first))[1] == ["one", "three"]


async def test_two_runs_never_talk_in_one_scope_at_once(bench: Bench) -> None:
    bench.tools(ECHO.replace('"require_approval": False', '"require_approval": True'))
    desk = Desk()
    runtime = bench.open(desk)
    model = bench.script({"calls": [call("now", "c1")]}, {"text": "x"})
    run_id = runtime.start(RunStartParams(prompt="go", model=model, scope="trip"))
    await desk.until(1)
    with pytest.raises(ScopeBusyError, match="is going on in the memory scope 'trip'"):
        runtime.start(RunStartParams(prompt="go", model=model, scope=" trip "))
    with pytest.raises(ScopeBusyError):
        runtime.start(RunStartParams(prompt="go", model=model, scope=run_id))
    await runtime.cancel(run_id)
    runtime.start(RunStartParams(prompt="go", model=model, scope=run_id))


async def test_a_prompt_with_a_context_of_its_own_begins_the_next_episode(bench: Bench) -> None:
    bench.agents(GREETER.replace("[free(greet)]", "[greet]"))
    desk = Desk()
    runtime = bench.open(desk)
    model = bench.script(*GREET, {"calls": [call("greet", "c2", {"word": "hi"})]}, {"text": "again"})
    run_id = runtime.start(RunStartParams(prompt="go", model=model, agent="greeter", tool_context={"name": "Ada"}))
    (asked,) = await desk.until(1)
    runtime.prompt(RunPromptParams(run_id=run_id, prompt="and Bob", tool_context={"name": "Bob"}))
    desk.reply(asked, "allow_once")
    asked = (await desk.until(2))[-1]
    desk.reply(asked, "allow_once")
    await bench.until(lambda update: update.event == FinishedEvent(stop_reason="end_turn", answer="again"))
    assert (bench.observation("c1"), bench.observation("c2")) == ("hi Ada", "hi Bob")
    first, second = bench.events(EpisodeEvent)
    assert first.agent_call_id != second.agent_call_id
    assert first.memory_scope == second.memory_scope == run_id
    assert [line.split()[0] for line in bench.log()] == ["get_tools", "on_run_end"] * 2


async def test_the_model_hears_of_the_agents_instructions_and_tools(bench: Bench) -> None:
    """With a model that writes down what it is sent."""
    bench.agents(GREETER)
    runtime: Runtime = bench.open()
    sent: list[Any] = []
    from adal_ls.agent.runs import episodes

    class Listener:
        name, any_name, context_tokens = "listener", True, None

        async def stream(self, messages: Any, tools: Any) -> Any:
            from adal_ls.agent.models.stream import FinishDelta, TextDelta

            sent.append(json.loads(json.dumps([messages, tools])))
            yield TextDelta("done")
            yield FinishDelta("stop")

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(episodes, "choose_model", lambda *_, root: Listener())
        await runtime.wait(runtime.start(RunStartParams(prompt="go", agent="greeter", scope="trip")))
        await runtime.wait(runtime.start(RunStartParams(prompt="more", agent="greeter", scope="trip")))
    (messages, tools), (again, _) = sent
    assert messages[0] == {"role": "system", "content": "You greet."}
    assert "greet" in [tool["function"]["name"] for tool in tools]
    assert [message["content"] for message in again[1:]] == ["go", "done", "more"]
