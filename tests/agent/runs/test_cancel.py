"""Cancelling a run stops everything of it, and nothing else."""

from __future__ import annotations

import asyncio
import contextlib
import json
import sqlite3
import sys
import time
from pathlib import Path

import psutil
import pytest

from adal_ls.agent.approvals.approval import Approvals
from adal_ls.agent.files.paths import workspace_dir
from adal_ls.agent.gate import GateContext
from adal_ls.agent.models.script import ScriptModel
from adal_ls.agent.projects.loading import limits_of, start_loaded
from adal_ls.agent.runs.history import Conversation
from adal_ls.agent.runs.loop import Episode
from adal_ls.agent.runs.registry import build_registry
from adal_ls.protocol.host import HostSettings
from adal_ls.protocol.runs import Event, FinishedEvent, RunStartParams, ToolCallEvent, ToolResultEvent
from tests.agent.approvers import Desk
from tests.agent.bench import Bench, call, dedent

NEIGHBOURS = """
import asyncio
import subprocess
import time

def stuck(tag: str) -> str:
    '''Start a process and wait for it.'''
    subprocess.run(["sh", "-c", "sleep 20; echo late > late.txt"], check=True)
    return tag

async def polite(tag: str) -> str:
    '''Start a process and leave it running, then wait.'''
    subprocess.Popen(["sh", "-c", "sleep 20; echo late > late.txt"])
    await asyncio.sleep(20)
    return tag

def steady(tag: str) -> str:
    '''Take a moment.'''
    time.sleep(1.2)
    return "steady " + tag

CUSTOM_TOOLS = [{"function": f, "require_approval": False} for f in (stuck, polite, steady)]
"""


@pytest.mark.parametrize("cancelled", ["stuck", "polite"])
async def test_cancelling_one_run_ends_its_processes_and_leaves_another_run_alone(bench: Bench, cancelled: str) -> None:
    bench.tools(NEIGHBOURS)
    runtime = bench.open()
    before = set(psutil.Process().children(recursive=True))
    one = runtime.start(
        RunStartParams(prompt="go", model=bench.script({"calls": [call(cancelled, "c1", {"tag": "a"})]}))
    )
    while "sleep 20" not in commands(before):
        await asyncio.sleep(0.02)
    (bench.root / "other.yaml").write_text(
        json.dumps([{"calls": [call("steady", "c2", {"tag": "b"})]}, {"text": "done"}]), encoding="utf-8"
    )
    two = runtime.start(RunStartParams(prompt="go", model="script:other.yaml"))
    await bench.until(lambda update: update.run_id == two and getattr(update.event, "status", "") == "in_progress")
    began = time.monotonic()
    await runtime.cancel(one)
    assert time.monotonic() - began < 1.0
    assert "sleep 20" not in commands(before)
    finished = await asyncio.wait_for(runtime.wait(two), 30)
    assert finished.answer == "done"
    assert bench.observation("c2") == "steady b"


async def test_processes_that_a_cancelled_run_left_behind_end_with_it(bench: Bench) -> None:
    bench.tools(
        dedent('''
        import subprocess

        def serve() -> str:
            """Start a server in the background."""
            subprocess.Popen(["sh", "-c", "sleep 20; echo late > late.txt"])
            return "started"

        CUSTOM_TOOLS = [serve]
        ''')
    )
    desk = Desk()
    runtime = bench.open(desk)
    before = set(psutil.Process().children(recursive=True))
    model = bench.script({"calls": [call("serve", "c1")]}, {"calls": [call("serve", "c2")]}, {"text": "done"})
    run_id = runtime.start(RunStartParams(prompt="go", model=model))
    desk.reply((await desk.until(1))[0], "allow_once")
    await desk.until(2)
    await appears("sleep 20", before)
    await runtime.cancel(run_id)
    assert "sleep 20" not in commands(before)


async def appears(command: str, before: set[psutil.Process]) -> None:
    """Waits until a process shows `command`: for a moment after its start it shows none yet."""

    async def look() -> None:
        while command not in commands(before):
            await asyncio.sleep(0.01)

    await asyncio.wait_for(look(), 10)


def commands(before: set[psutil.Process]) -> str:
    """The command lines of our processes that were not there `before`."""
    lines = []
    for process in set(psutil.Process().children(recursive=True)) - before:
        with contextlib.suppress(psutil.NoSuchProcess):
            lines.append(" ".join(process.cmdline()))
    return "\n".join(lines)


async def test_a_run_is_stopped_although_its_store_cannot_be_written_any_more(bench: Bench) -> None:
    runtime = bench.open()
    model = bench.script({"calls": [call("bash", "c1", {"command": "sleep 60"})]}, {"text": "x"})
    run_id = runtime.start(RunStartParams(prompt="go", model=model, permission_mode="yolo"))
    await bench.until(lambda update: update.event.type == "toolCall" and update.event.status == "in_progress")
    other = sqlite3.connect(workspace_dir(bench.root) / "runs.db")
    other.execute("DROP TABLE events")
    other.close()
    await asyncio.wait_for(runtime.cancel(run_id), 5)
    assert (await runtime.wait(run_id)).stop_reason == "error"
    assert bench.errors()[-1].code == "store"


async def test_calls_that_are_cancelled_in_the_moment_they_are_announced_have_their_results(tmp_path: Path) -> None:
    script = tmp_path / "script.yaml"
    script.write_text(json.dumps([{"calls": [call("list_files", "c1"), call("list_files", "c2")]}, {"text": "x"}]))
    events: list[Event] = []
    running: list[asyncio.Future[FinishedEvent]] = []

    def emit(event: Event) -> None:
        events.append(event)
        if isinstance(event, ToolCallEvent):
            running[0].cancel()

    def store_result(event: ToolResultEvent, _: str | None) -> None:
        events.append(event)

    context = GateContext("run", build_registry(), "yolo", tmp_path, Approvals(None), None, emit)
    conversation = Conversation("system")
    conversation.add_prompt("go")
    running.append(asyncio.ensure_future(Episode(ScriptModel(script), conversation, context, emit, store_result).run()))
    assert (await running[0]).stop_reason == "cancelled"
    results = [event for event in events if isinstance(event, ToolResultEvent)]
    assert [(result.call_id, result.status) for result in results] == [("c1", "cancelled"), ("c2", "cancelled")]
    assert conversation.messages[-1]["content"] == "cancelled by the user"


async def test_a_start_that_is_cancelled_at_any_point_leaves_no_worker(bench: Bench) -> None:
    bench.tools(dedent(NEIGHBOURS))
    warm, _ = await start_loaded(sys.executable, bench.root, limits_of(HostSettings()))
    before = {process.pid for process in psutil.Process().children(recursive=True)}
    for milliseconds in (0, 1, 2, 4, 8, 12, 16, 20, 24, 32):
        starting = asyncio.ensure_future(start_loaded(sys.executable, bench.root, limits_of(HostSettings())))
        await asyncio.sleep(milliseconds / 1000)
        starting.cancel()
        for outcome in await asyncio.gather(starting, return_exceptions=True):
            if not isinstance(outcome, BaseException):
                await outcome[0].close()
    left = [process for process in psutil.Process().children(recursive=True) if process.pid not in before]
    psutil.wait_procs(left, timeout=5)
    assert [process for process in left if process.is_running()] == []
    await warm.close()
