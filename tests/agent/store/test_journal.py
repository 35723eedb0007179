"""Runs while another process holds the store: the event loop goes on, and nothing runs unrecorded."""

from __future__ import annotations

import asyncio
import sqlite3
import time
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from adal_ls.agent.files.paths import workspace_dir
from adal_ls.agent.store import journal as journal_module
from adal_ls.agent.store.journal import Journal
from adal_ls.agent.store.store import Store
from adal_ls.protocol.runs import RunStartParams
from tests.agent.bench import ECHO, Bench, call
from tests.agent.histories import largest

MARK = """
from pathlib import Path


def mark() -> str:
    '''Leave a mark.'''
    Path("mark.txt").write_text("here")
    return "done"


CUSTOM_TOOLS = [{"function": mark, "require_approval": False}]
"""


@contextmanager
def locked(bench: Bench) -> Iterator[sqlite3.Connection]:
    other = sqlite3.connect(workspace_dir(bench.root) / "runs.db", isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    try:
        yield other
    finally:
        other.close()


async def test_a_locked_store_does_not_stop_the_loop_and_everything_is_written_in_order(bench: Bench) -> None:
    bench.tools(MARK)
    runtime = bench.open()
    await runtime.load(bench.root)
    lags: list[float] = []

    async def watch() -> None:
        while True:
            began = time.monotonic()
            await asyncio.sleep(0.01)
            lags.append(time.monotonic() - began)

    watching = asyncio.ensure_future(watch())
    with locked(bench) as other:
        run_id = runtime.start(
            RunStartParams(prompt="go", model=bench.script({"calls": [call("mark", "c1")]}, {"text": "x"}))
        )
        await bench.until(lambda update: update.event.type == "toolCall" and update.event.status == "in_progress")
        await asyncio.sleep(0.5)
        # Told, numbered, and not yet written: so the call does not run.
        assert not (bench.root / "mark.txt").exists()
        other.execute("ROLLBACK")
        finished = await asyncio.wait_for(runtime.wait(run_id), 20)
    watching.cancel()
    assert finished.stop_reason == "end_turn"
    assert (bench.root / "mark.txt").exists()
    assert bench.store.get(run_id).events == bench.updates
    assert max(lags) < 1, "tried for 50 ms at a time"


async def test_a_store_locked_for_too_long_ends_the_run_and_its_calls_do_not_run(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(journal_module, "LATER", 0.3)
    bench.tools(MARK)
    runtime = bench.open()
    await runtime.load(bench.root)
    model = bench.script({"calls": [call("mark", "c1")]}, {"text": "x"})
    with locked(bench):
        run_id = runtime.start(RunStartParams(prompt="go", model=model))
        finished = await asyncio.wait_for(runtime.wait(run_id), 20)
    assert finished.stop_reason == "error"
    assert "locked by another process" in bench.errors()[-1].message
    assert not (bench.root / "mark.txt").exists()
    # Its end is not written, and nobody waits for it: whoever looks sees that it does not go on, and can take it up.
    window = Store.open(bench.root)
    assert [run.state for run in window.runs()] in ([], ["interrupted"])
    window.close()
    # Once it is free again, so is the way.
    bench.updates.clear()
    again = runtime.start(RunStartParams(prompt="go", model=model))
    assert (await asyncio.wait_for(runtime.wait(again), 20)).stop_reason == "end_turn"
    assert bench.store.get(again).events == bench.updates


async def test_arguments_of_any_size_are_told_cut_and_stored_whole(bench: Bench) -> None:
    bench.tools(ECHO)
    runtime = bench.open()
    long = "line \u00e9\n" * 300_000
    await bench.run({"calls": [call("echo", "c1", {"text": long})]}, {"text": "done"})
    run_id = bench.updates[0].run_id
    assert largest(bench.updates) < 500_000
    (pending,) = [event for event in bench.calls("c1") if event.status == "pending"]
    assert pending.arguments_cut
    assert "characters left out here" in str(pending.arguments["text"])
    assert bench.store.full_text(run_id, "c1", "arguments") is not None
    # Whoever takes the run up again gives the model what it really said.
    said = [update.event for update in await Journal(bench.store).conversation(run_id, run_id)]
    (told,) = [event for event in said if event.type == "toolCall" and event.status == "pending"]
    assert told.arguments == {"text": long}
    assert runtime.knows(run_id)
