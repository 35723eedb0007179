"""Reloads of a project with agents: who is disposed when, what runs that go on keep, and what a failed one leaves."""

from __future__ import annotations

import asyncio
import gc
import os

import psutil

from adal_ls.agent.projects import providers
from adal_ls.protocol.runs import FinishedEvent, RunStartParams, ToolCallEvent
from adal_ls.worker.client import WorkerClient
from tests.agent.approvers import Desk
from tests.agent.bench import ECHO, Bench, call
from tests.agent.mcp_bench import until

RELOADS = int(os.environ.get("ADAL_AGENT_RELOADS", "80"))

NAMED = """
    class Named:
        def get_tools(self, ctx):
            def who() -> str:
                '''Tell the name.'''
                return "NAME"
            return [free(who)]

        def on_run_end(self, ctx):
            note("end NAME")

        async def dispose(self):
            note("dispose NAME")

    shared = Named()
    AGENTS = [runtime.create_agent("one", tools=shared), runtime.create_agent("two", tools=shared)]
"""


def held() -> tuple[int, int, int]:
    """Descriptors, processes and tasks of this process."""
    process = psutil.Process()
    return process.num_fds(), len(process.children(recursive=True)), len(asyncio.all_tasks())


def memory() -> float:
    """MiB of this process and of those below it."""
    gc.collect()
    here = psutil.Process()
    return sum(float(process.memory_info().rss) for process in (here, *here.children(recursive=True))) / 2**20


def named(name: str) -> str:
    return NAMED.replace("NAME", name)


async def test_d1_d3_a_reload_swaps_the_agents_counts_and_disposes_a_shared_provider_once(bench: Bench) -> None:
    bench.agents(named("first"))
    project = await bench.load()
    assert (project.state, project.generation, project.error) == ("loaded", 1, None)
    bench.agents(named("second"))
    project = await bench.load()
    assert (project.state, project.generation) == ("loaded", 2)
    assert bench.log() == ["dispose first"]
    await bench.run({"calls": [call("who", "c1")]}, {"text": "x"}, agent="two")
    assert bench.observation("c1") == "second"


async def test_d2_d4_a_failed_reload_keeps_the_agents_disposes_none_and_a_later_fix_recovers(bench: Bench) -> None:
    bench.agents(named("first"))
    await bench.load()
    for broken, code in (
        ("AGENTS = [", "ADAL001"),
        ("raise RuntimeError('not today')", "ADAL901"),
        ("x = 1", "ADAL901"),
    ):
        bench.agents(broken)
        project = await bench.load()
        assert (project.state, project.generation) == ("error", 1)
        assert project.error is not None
        assert "agents.py" in project.error
        assert project.failure is not None
        assert project.failure.code == code
        assert project.failure.location is not None
        assert project.failure.location.uri.endswith("/.adal/agents.py")
    await bench.run({"calls": [call("who", "c1")]}, {"text": "x"}, agent="one")
    assert bench.observation("c1") == "first"
    assert "the last good ones" in bench.notices()
    assert bench.log() == ["end first"]
    bench.agents(named("fixed"))
    project = await bench.load()
    assert (project.state, project.generation, project.error) == ("loaded", 2, None)
    assert bench.log() == ["end first", "dispose first"]


async def test_a_failed_tools_file_keeps_the_agents_too(bench: Bench) -> None:
    bench.tools(ECHO)
    bench.agents(named("first"))
    await bench.load()
    bench.tools("CUSTOM_TOOLS = [")
    bench.agents(named("second"))
    project = await bench.load()
    assert (project.state, project.generation) == ("error", 1)
    await bench.run({"calls": [call("who", "c1"), call("now", "c2")]}, {"text": "x"}, agent="one")
    assert (bench.observation("c1"), bench.observation("c2")) == ("first", "12:00")


async def test_tools_work_beside_an_agents_file_that_never_loaded(bench: Bench) -> None:
    bench.tools(ECHO)
    bench.agents("import no_such_package_here")
    project = await bench.load()
    assert project.state == "error"
    assert [tool.name for tool in project.tools] == ["echo", "now"]
    assert project.failure is not None
    assert (project.failure.code, project.failure.agents) == ("ADAL902", True)
    await bench.run({"calls": [call("now", "c1")]}, {"text": "x"})
    assert bench.observation("c1") == "12:00"
    assert "The agents of this project could not be loaded" in bench.notices()
    finished = await bench.run({"text": "never"}, agent="one")
    assert finished.stop_reason == "error"
    assert [error.code for error in bench.errors()] == ["LOAD_FAILED"]
    assert "no_such_package_here" in bench.errors()[0].message
    bench.tools(ECHO.replace("12:00", "13:00"))  # still broken beside it: the tools reload all the same
    await bench.load()
    bench.updates.clear()
    await bench.run({"calls": [call("now", "c1")]}, {"text": "x"})
    assert bench.observation("c1") == "13:00"


async def test_a_run_that_goes_on_keeps_its_agent_and_its_provider_is_disposed_after_it(bench: Bench) -> None:
    bench.agents(named("first").replace("free(who)", "who"))
    desk = Desk()
    runtime = bench.open(desk)
    model = bench.script({"calls": [call("who", "c1")]}, {"calls": [call("who", "c2")]}, {"text": "x"})
    run_id = runtime.start(RunStartParams(prompt="go", agent="one", model=model))
    (asked,) = await desk.until(1)
    bench.agents(named("second"))
    assert (await bench.load()).generation == 2
    assert bench.log() == []
    desk.reply(asked, "allow_once")
    desk.reply((await desk.until(2))[-1], "allow_once")
    await asyncio.wait_for(runtime.wait(run_id), 30)
    assert (bench.observation("c1"), bench.observation("c2")) == ("first", "first")
    assert bench.log() == ["end first", "dispose first"]


async def test_d5_closing_disposes_once_and_withdrawn_trust_runs_no_more_code(bench: Bench) -> None:
    bench.agents(named("first"))
    runtime = bench.open()
    await bench.load()
    await runtime.close()
    await runtime.close()
    assert bench.log() == ["dispose first"]
    runtime = bench.open()
    await bench.load()
    await runtime.set_trusted(False)
    assert bench.log() == ["dispose first"]


async def test_an_end_of_a_run_disposes_nothing_whatever_end_it_is(bench: Bench) -> None:
    bench.agents(named("first"))
    runtime = bench.open()
    await bench.run({"text": "good"}, agent="one")
    await runtime.wait(runtime.start(RunStartParams(prompt="x", agent="one", model="script:missing.yaml")))
    model = bench.script({"calls": [call("bash", "c1", {"command": "sleep 30"})]})
    run_id = runtime.start(RunStartParams(prompt="x", agent="one", model=model, permission_mode="yolo"))
    await bench.until(lambda update: isinstance(update.event, ToolCallEvent) and update.event.status == "in_progress")
    await runtime.cancel(run_id)
    assert bench.log() == ["end first"] * 3
    await runtime.close()


async def test_after_a_cancel_there_is_a_provider_again_to_be_disposed(bench: Bench) -> None:
    bench.agents(named("first").replace("free(who)", "who"))
    desk = Desk()
    runtime = bench.open(desk)
    run_id = runtime.start(RunStartParams(prompt="x", agent="one", model=bench.script({"calls": [call("who", "c1")]})))
    await desk.until(1)
    await runtime.cancel(run_id)
    snapshot, _ = await runtime._projects.known(bench.root)
    assert snapshot is not None
    while not snapshot._idle:
        await asyncio.sleep(0.01)
    bench.agents(named("second"))
    await bench.load()
    assert bench.log() == ["end first", "dispose first"]


async def test_runs_side_by_side_leave_their_providers_alive_for_the_next_ones(bench: Bench) -> None:
    bench.agents(named("first").replace("free(who)", "who"))
    desk = Desk()
    runtime = bench.open(desk)
    model = bench.script({"calls": [call("who", "c1")]}, {"text": "x"})
    runs = [runtime.start(RunStartParams(prompt="go", agent="one", model=model)) for _ in range(2)]
    for asked in await desk.until(2):
        desk.reply(asked, "allow_once")
    await asyncio.gather(*(runtime.wait(run_id) for run_id in runs))
    assert bench.log() == ["end first"] * 2
    bench.agents(named("second"))
    await bench.load()
    assert bench.log()[2:] == ["dispose first"] * 2  # one object in each of two processes


async def test_d7_the_form_of_a_context_changes_with_a_reload(bench: Bench) -> None:
    form = """
        from pydantic import BaseModel

        class Shelf(BaseModel):
            name: str = "DEFAULT"

        tools = create_tool_provider(get_tools=lambda ctx: {}, context_schema=Shelf)
        AGENTS = [runtime.create_agent("a", tools=tools)]
    """
    runtime = bench.open()
    for default in ("old", "new"):
        bench.agents(form.replace("DEFAULT", default))
        await bench.load()
        (field,) = (await runtime.context_form("a", bench.root)).fields
        assert field.default == default


async def test_the_modules_beside_an_agents_file_are_loaded_anew(bench: Bench) -> None:
    runtime = bench.open()
    bench.agents("import names\nAGENTS = [runtime.create_agent(names.NAME)]")
    for name in ("old", "new"):
        (bench.root / ".adal" / "names.py").write_text(f"NAME = {name!r}")
        await bench.load()
        (agent,) = (await runtime.agents(bench.root))[0]
        assert agent.id == name


async def test_many_reloads_with_providers_leave_nothing_behind(bench: Bench) -> None:
    """`ADAL_AGENT_RELOADS=2000` and `--timeout=0` for the long form."""
    runtime = bench.open()
    bench.agents(named("first"))
    await bench.load()
    await bench.run({"calls": [call("who", "c1")]}, {"text": "x"}, agent="one")
    before, warm = held(), 0.0
    for number in range(RELOADS):
        bench.agents(named(f"n{number}"))
        await bench.load()
        if number % 20 == 0:
            await bench.run({"calls": [call("who", "c1")]}, {"text": "x"}, agent="one")
        bench.projects.clear()
        bench.updates.clear()
        if number == RELOADS // 4:
            warm = memory()
    await asyncio.sleep(0.3)
    after, grown = held(), memory() - warm
    assert all(now <= then + 2 for now, then in zip(after, before, strict=True)), (before, after)
    assert grown < 6, f"{grown:.1f} MiB more than after a quarter of {RELOADS} reloads"
    disposed = [line for line in bench.log() if line.startswith("dispose")]
    assert len(disposed) == len(set(disposed)) == RELOADS
    assert len(runtime._projects._outgoing) <= 1


async def test_runs_that_are_over_keep_neither_their_tools_nor_their_workers(bench: Bench) -> None:
    def workers() -> int:
        gc.collect()
        return sum(isinstance(one, WorkerClient) for one in gc.get_objects())

    before = workers()
    for number in range(4):
        bench.agents(named(f"n{number}"))
        await bench.load()
        await bench.run({"calls": [call("who", "c1")]}, {"text": "x"}, agent="one")
    await until(lambda: workers() - before == 1)  # the one that waits for the next run


async def test_a_dispose_that_fails_or_hangs_does_not_hold_up_a_reload(bench: Bench) -> None:
    bench.agents(named("first").replace('note("dispose first")', "note('disposing'); import time; time.sleep(60)"))
    await bench.load()
    bench.agents(named("second").replace('note("dispose second")', "raise SystemExit(3)"))
    assert (await asyncio.wait_for(bench.load(), 10)).generation == 2
    bench.agents(named("third"))
    assert (await asyncio.wait_for(bench.load(), 10)).generation == 3
    assert bench.log() == ["disposing"]
    assert providers.DISPOSE_LIMIT < 10
    assert await bench.run({"text": "good"}, agent="one") == FinishedEvent(stop_reason="end_turn", answer="good")
