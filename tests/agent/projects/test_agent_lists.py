"""What a person is told of agents without running them, from the real worker, and agents files that do harm."""

from __future__ import annotations

import asyncio
import time

import pytest

from adal_ls.agent.projects import providers
from adal_ls.protocol.agents import AgentInfo
from adal_ls.protocol.runs import EpisodeEvent, RunStartParams
from adal_ls.sdk.errors import InvalidConfigError, ProjectLoadError, UnknownAgentError
from tests.agent.bench import ECHO, Bench, call


async def agents(bench: Bench) -> dict[str, AgentInfo]:
    found, _ = await (bench.runtime or bench.open()).agents(bench.root)
    return {agent.id: agent for agent in found}


async def test_without_an_agents_file_there_is_one_agent_default(bench: Bench) -> None:
    bench.tools(ECHO)
    (agent,) = (await agents(bench)).values()
    assert (agent.id, agent.tool_context, agent.project_root) == ("default", False, str(bench.root))
    form = await bench.open().context_form("default", bench.root)
    assert form.wire() == {"declared": False, "fields": []}


async def test_c3_agents_say_what_they_are_and_whether_they_take_a_context(bench: Bench) -> None:
    bench.agents("""
        AGENTS = [
            runtime.create_agent("a", description="Does a.", model="openai/gpt-4o", tools=create_tool_provider(
                get_tools=lambda ctx: {})),
            create_runtime(model="offline").create_agent("b", tools={"x": lambda: 1}),
        ]
    """)
    found = await agents(bench)
    assert [(agent.id, agent.description, agent.model, agent.tool_context) for agent in found.values()] == [
        ("a", "Does a.", "openai/gpt-4o", True),
        ("b", None, "offline", False),
    ]


async def test_i1_i2_i3_i4_i5_tools_are_listed_as_far_as_they_are_known_and_get_tools_is_never_called(
    bench: Bench,
) -> None:
    bench.agents("""
        def never(ctx):
            note("get_tools was called")
            return {}

        def plain() -> int:
            '''Give one.

            More.
            '''
            return 1

        base = create_runtime(tools={"both": lambda: 1, "below": plain})
        lists = create_tool_provider(get_tools=never, list_tools=lambda: [ToolSummary("both", "Mine."), {"name": "x"}])
        mute = create_tool_provider(get_tools=never)
        AGENTS = [
            base.create_agent("lists", tools=lists),
            runtime.create_agent("mute", tools=mute),
            runtime.create_agent("none"),
            runtime.create_agent("some", tools=combine_tool_providers({"a": lists, "b": mute})),
        ]
    """)
    found = {
        name: ([(tool.name, tool.description) for tool in agent.tools or ()], agent.complete)
        for name, agent in (await agents(bench)).items()
    }
    assert found == {
        "lists": ([("both", "Mine."), ("below", "Give one."), ("x", "x")], True),
        "mute": ([], False),
        "none": ([], True),
        "some": ([("both", "Mine."), ("x", "x")], False),
    }
    assert bench.log() == []
    project = await bench.load()
    assert [(tool.name, tool.kind, tool.agent) for tool in project.tools if tool.agent == "some"] == [
        ("both", "provider", "some"),
        ("x", "provider", "some"),
    ]


async def test_i6_i7_i8_i9_i13_the_form_is_that_of_the_agents_schema_and_else_a_box_for_json(bench: Bench) -> None:
    bench.agents("""
        from typing import Literal
        from pydantic import BaseModel, Field

        class Shelf(BaseModel):
            name: str = Field(description="Which one.")
            size: Literal["s", "m"] = "m"
            tags: list[str] | None = None
            loud: bool | None = None

        def made(schema=None):
            return create_tool_provider(get_tools=lambda ctx: {}, context_schema=schema)

        below = create_runtime(tools=made({"type": "object", "properties": {"key": {"type": "number"}}}))
        AGENTS = [
            runtime.create_agent("plain", tools={}),
            runtime.create_agent("raw", tools=made()),
            runtime.create_agent("list", tools=made({"type": "array"})),
            below.create_agent("own", tools=made(Shelf)),
            below.create_agent("below", tools=made()),
        ]
    """)
    runtime = bench.open()
    forms = {name: (await runtime.context_form(name, bench.root)).wire() for name in await agents(bench)}
    assert forms["plain"] == {"declared": False, "fields": []}
    assert forms["raw"] == forms["list"] == {"declared": True, "fields": []}
    assert forms["own"]["fields"] == [
        {"name": "name", "kind": "string", "required": True, "description": "Which one."},
        {"name": "size", "kind": "string", "required": True, "options": ["s", "m"], "default": "m"},
        {
            "name": "tags",
            "kind": "json",
            "required": False,
            "jsonType": {"type": "array", "items": {"type": "string"}},
        },
        {"name": "loud", "kind": "boolean", "required": False},
    ]
    assert forms["below"]["fields"] == [{"name": "key", "kind": "number", "required": False}]
    with pytest.raises(UnknownAgentError, match="there is no agent 'x'; the agents there are: plain, raw"):
        await runtime.context_form("x", bench.root)


async def test_agents_that_could_not_be_loaded_are_an_error_not_an_empty_form(bench: Bench) -> None:
    bench.agents("AGENTS = [")
    runtime = bench.open()
    found, error = await runtime.agents(bench.root)
    assert found == []
    assert error is not None
    with pytest.raises(ProjectLoadError, match=r"agents\.py"):
        await runtime.context_form("a", bench.root)


async def test_nothing_is_told_of_agents_before_trust(bench: Bench) -> None:
    bench.agents("note('ran')\nAGENTS = []")
    runtime = bench.open(trusted=False)
    with pytest.raises(PermissionError, match="not trusted"):
        await runtime.agents(bench.root)
    with pytest.raises(PermissionError, match="not trusted"):
        await runtime.context_form("a", bench.root)
    assert bench.log() == []


LISTS = """
    import os, sys, time

    class Odd:
        get_tools = staticmethod(lambda ctx: {})
        ATTRIBUTE

    AGENTS = [runtime.create_agent("odd", tools=Odd()), runtime.create_agent("fine", tools={"x": lambda: 1})]
"""


@pytest.mark.parametrize(
    ("attribute", "problem"),
    [
        ("def list_tools(self): raise ValueError('no list today')", "no list today"),
        ("def list_tools(self): sys.exit(3)", "exit code 3"),
        ("def list_tools(self): return 7", "list_tools must give a list"),
        ("def list_tools(self): return [object()]", "has no name"),
        ("list_tools = property(lambda self: 1 / 0)", "division by zero"),
        ("context_schema = property(lambda self: 1 / 0)", "division by zero"),
        ("context_schema = object()", "context_schema must be"),
    ],
)
async def test_a_list_or_schema_that_fails_is_a_problem_of_its_agent_alone(
    bench: Bench, attribute: str, problem: str
) -> None:
    bench.agents(LISTS.replace("ATTRIBUTE", attribute))
    project = await bench.load()
    if project.state == "error":  # the file itself looks at it when it makes the agent
        assert problem in str(project.error)
        return
    found = await agents(bench)
    assert problem in " ".join(found["odd"].problems)
    assert [tool.name for tool in found["fine"].tools or ()] == ["x"]
    assert (await bench.run({"text": "good"}, agent="odd")).answer == "good"


@pytest.mark.parametrize("attribute", ["time.sleep(60)", "os._exit(4)", "os.kill(os.getpid(), 11)"])
async def test_a_list_that_hangs_or_takes_its_process_along_costs_only_the_list(bench: Bench, attribute: str) -> None:
    bench.agents(LISTS.replace("ATTRIBUTE", f"def list_tools(self): {attribute}"))
    began = time.monotonic()
    project = await bench.load()
    assert time.monotonic() - began < providers.DESCRIBE_LIMIT + 5
    assert project.state == "loaded"
    found = await agents(bench)
    assert "its tools cannot be listed" in found["odd"].problems[0]
    assert found["odd"].complete is False
    assert (await bench.run({"text": "good"}, agent="odd")).answer == "good"


HARM = """
    import asyncio, ctypes, os, sys, time

    def harm():
        STATEMENT

    class Harmful:
        def get_tools(self, ctx):
            if WHERE == "get_tools": harm()
            def fine() -> str:
                return "fine"
            return [free(fine)]

        def on_run_end(self, ctx):
            note("end " + ctx.agent_call_id)
            if WHERE == "on_run_end": harm()

    AGENTS = [runtime.create_agent("harmful", tools=Harmful())]
"""

STATEMENTS = {
    "raise ValueError('no')": ("ERROR", "ValueError: no"),
    "sys.exit(5)": ("TOOL_PROVIDER", "exit code 5"),
    "raise KeyboardInterrupt": ("TOOL_PROVIDER", "process"),
    "os._exit(6)": ("TOOL_PROVIDER", "exit code 6"),
    "ctypes.string_at(0)": ("TOOL_PROVIDER", "crashed"),
    "raise type('Odd', (Exception,), {'__str__': lambda self: 1 / 0})()": ("ERROR", "Odd"),
    "raise InvalidContextError('x', code=7)": ("ERROR", "x"),
    "raise asyncio.CancelledError()": ("TOOL_PROVIDER", ""),
    "time.sleep(60)": ("TOOL_PROVIDER", "time limit"),
    "os.close(1); os.close(2); sys.stdout = None; raise ValueError('mute')": ("ERROR", "ValueError: mute"),
    "asyncio.get_running_loop().stop(); raise ValueError('stopped')": ("", ""),
    "note('x' * 10); print('y' * 3_000_000); raise ValueError('loud')": ("ERROR", "ValueError: loud"),
}


@pytest.mark.parametrize("where", ["get_tools", "on_run_end"])
@pytest.mark.parametrize("statement", STATEMENTS)
async def test_a_hostile_hook_is_the_readable_end_of_its_run_and_the_next_run_works(
    bench: Bench, statement: str, where: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(providers, "RESOLVE_LIMIT", 2.0)
    monkeypatch.setattr(providers, "END_LIMIT", 2.0)
    bench.agents(HARM.replace("STATEMENT", statement).replace("WHERE", repr(where)))
    await bench.load()
    finished = await bench.run({"text": "good"}, agent="harmful")
    code, text = STATEMENTS[statement]
    assert finished.stop_reason == "error"
    (error,) = bench.errors()
    assert code in ("", error.code)
    assert text in error.message
    (episode,) = bench.events(EpisodeEvent)
    assert f"end {episode.agent_call_id}" in bench.log()
    bench.agents("AGENTS = [runtime.create_agent('calm')]")
    assert (await bench.load()).state == "loaded"
    assert (await bench.run({"text": "good"}, agent="calm")).answer == "good"


@pytest.mark.parametrize(
    ("gives", "said"),
    [
        ("7", "a tool set is"),
        ("None", "good"),
        ("[7]", "must be a function"),
        ("{'a b': free(len)}", "not a Python identifier"),
        ("[note, note]", "used twice"),
        ("{'class': note}", "a keyword"),
        ("{f't{n}': free(note) for n in range(200)}", "at most 128"),
        ("{'big': {'function': note, 'description': 'x' * 100_000}}", "more than 65536"),
        ("{'odd': int}", "must be a function"),
        ("iter([])", "a tool set is"),
    ],
)
async def test_a_tool_set_that_cannot_be_offered_fails_the_run_and_says_why(
    bench: Bench, gives: str, said: str
) -> None:
    bench.agents(f"AGENTS = [runtime.create_agent('a', tools=create_tool_provider(get_tools=lambda ctx: {gives}))]")
    finished = await bench.run({"text": "good"}, agent="a")
    assert said in " ".join([finished.answer or "", *(error.message for error in bench.errors())])


async def test_a_tool_that_takes_its_process_along_leaves_the_agent_its_tools(bench: Bench) -> None:
    bench.agents("""
        import os

        class Tools:
            def get_tools(self, ctx):
                note("get_tools")
                def die() -> str:
                    os._exit(9)
                def fine() -> str:
                    return "fine " + ctx.agent_call_id
                return [free(die), free(fine)]

            def on_run_end(self, ctx):
                note("end " + ctx.agent_call_id)

        AGENTS = [runtime.create_agent("a", tools=Tools())]
    """)
    finished = await bench.run(
        {"calls": [call("die", "c1")]}, {"calls": [call("fine", "c2")]}, {"text": "done"}, agent="a"
    )
    (episode,) = bench.events(EpisodeEvent)
    assert "exit code 9" in bench.observation("c1")
    assert bench.observation("c2") == f"fine {episode.agent_call_id}"
    assert finished.answer == "done"
    assert bench.log() == ["get_tools", "get_tools", f"end {episode.agent_call_id}"]


async def test_what_hooks_print_is_told_to_the_person(bench: Bench) -> None:
    bench.agents("""
        def tools(ctx):
            print("building")
            return {}
        AGENTS = [runtime.create_agent("a", tools=create_tool_provider(
            get_tools=tools, on_run_end=lambda ctx: print("cleaning")))]
    """)
    await bench.run({"text": "x"}, agent="a")
    assert "get_tools printed: building" in bench.notices()
    assert "on_run_end printed: cleaning" in bench.notices()


async def test_variables_that_get_tools_sets_hold_for_the_episode_and_not_for_the_next_run(bench: Bench) -> None:
    bench.agents("""
        import os

        def tools(ctx):
            before = os.environ.get("KEY_OF_RUN", "none")
            os.environ["KEY_OF_RUN"] = str(ctx.tool_provider_context)
            return {"key": free(lambda: before + " " + os.environ.get("KEY_OF_RUN", "none"))}

        AGENTS = [runtime.create_agent("a", tools=create_tool_provider(get_tools=tools))]
    """)
    for context in ("one", "two"):
        bench.updates.clear()
        await bench.run({"calls": [call("key", "c1")]}, {"text": "x"}, agent="a", tool_context=context)
        assert bench.observation("c1") == f"none {context}"


async def test_code_of_an_agents_file_cannot_run_its_agents_in_the_worker(bench: Bench) -> None:
    bench.agents("""
        async def other() -> str:
            return str(await AGENTS[0].run("go").result)

        AGENTS = [runtime.create_agent("a", tools=create_tool_provider(get_tools=lambda ctx: [free(other)]))]
    """)
    await bench.run({"calls": [call("other", "c1")]}, {"text": "x"}, agent="a")
    assert "cannot be run by code of its own project" in bench.observation("c1")


async def test_many_runs_side_by_side_keep_their_contexts_apart(bench: Bench) -> None:
    bench.agents("""
        import asyncio

        async def tools(ctx):
            await asyncio.sleep(0.01)
            async def who() -> str:
                await asyncio.sleep(0.01)
                return f"{ctx.tool_provider_context} {ctx.agent_call_id}"
            return [free(who)]

        AGENTS = [runtime.create_agent("a", tools=create_tool_provider(
            get_tools=tools, on_run_end=lambda ctx: note(f"{ctx.tool_provider_context} {ctx.agent_call_id}")))]
    """)
    runtime = bench.open()
    model = bench.script({"calls": [call("who", "c1")]}, {"text": "x"})
    runs = [
        runtime.start(RunStartParams(prompt="go", agent="a", model=model, tool_context=f"context {number}"))
        for number in range(6)
    ]
    await asyncio.gather(*(runtime.wait(run_id) for run_id in runs))
    seen = {update.run_id: update.event.observation for update in bench.updates if update.event.type == "toolResult"}
    called = {update.run_id: update.event.agent_call_id for update in bench.updates if update.event.type == "episode"}
    expected = [f"context {number} {called[run_id]}" for number, run_id in enumerate(runs)]
    assert [seen[run_id] for run_id in runs] == expected
    assert sorted(bench.log()) == sorted(expected)


async def test_what_a_process_tells_of_a_form_is_checked_again(bench: Bench) -> None:
    bench.agents("""
        import adal_ls.worker.agents as machinery

        machinery._described = lambda agent: {
            "tools": [], "complete": True, "problems": [], "form": {"declared": True, "fields": [{"kind": "evil"}]}}
        AGENTS = [runtime.create_agent("a", tools=create_tool_provider(get_tools=lambda ctx: {}))]
    """)
    runtime = bench.open()
    with pytest.raises(InvalidConfigError, match="cannot be shown"):
        await runtime.context_form("a", bench.root)


async def test_a_process_that_tells_nonsense_of_its_tools_fails_the_run_alone(bench: Bench) -> None:
    bench.agents("""
        import adal_ls.worker.agents as machinery

        machinery._listed = lambda entries: ({}, [{"tool": {"name": 7}}], [])
        AGENTS = [runtime.create_agent("a", tools=create_tool_provider(
            get_tools=lambda ctx: {}, on_run_end=lambda ctx: note("end")))]
    """)
    finished = await bench.run({"text": "never"}, agent="a")
    assert finished.stop_reason == "error"
    assert [error.code for error in bench.errors()] == ["TOOL_PROVIDER"]
    assert "sent nonsense" in bench.errors()[0].message
    assert bench.log() == ["end"]  # in the next process
    assert (await bench.run({"text": "good"})).answer == "good"


async def test_a_hook_that_hangs_after_a_cancel_does_not_hold_the_cancel_up(bench: Bench) -> None:
    bench.agents("""
        import time

        def wait() -> str:
            '''Wait.'''
            note("waiting")
            time.sleep(60)
            return ""

        def hang(ctx):
            time.sleep(60)

        AGENTS = [runtime.create_agent("a", tools=create_tool_provider(
            get_tools=lambda ctx: [free(wait)], on_run_end=hang))]
    """)
    runtime = bench.open()
    run_id = runtime.start(RunStartParams(prompt="go", agent="a", model=bench.script({"calls": [call("wait", "c1")]})))
    while "waiting" not in bench.log():
        await asyncio.sleep(0.01)
    began = time.monotonic()
    await runtime.cancel(run_id)
    assert time.monotonic() - began < 5  # the tool's process, a new one, and the hook's second
    assert (await runtime.wait(run_id)).stop_reason == "cancelled"
    assert "on_run_end failed, too" in bench.notices()
