"""`python -m benchmarks.agent.soak [RUNS] [TOGETHER]`: many runs, several at a time, and whether anything grows.

Against the scripted model server over HTTP: sound answers, sloppy streams, limits of the provider, breaks, calls that
are asked about, runs that are cancelled. Checked for each run: it ends as it should, and each call has one result.
"""

from __future__ import annotations

import asyncio
import gc
import os
import sys
from collections import Counter

import psutil

from adal_ls.protocol.runs import RunStartParams, ToolCallEvent, ToolResultEvent
from benchmarks.agent.ours import MODEL, Agent
from tests.model_server import Call, ModelServer, Turn

KINDS: dict[str, tuple[str, ...]] = {
    "sound": (),
    "sloppy": ("interleaved", "id-repeated", "no-done", "crlf", "comments"),
    "limited": ("once-429-bare",),
    "broken": ("drop",),
    "cut": ("finish-length",),
    "cancelled": (),
}
"""What the runs meet, one after the other; a kind's server has its quirks in every turn."""

ENDS = {"broken": {"error"}, "cancelled": {"cancelled", "end_turn"}}
TURNS = 6


def turns(quirks: tuple[str, ...]) -> list[Turn]:
    calls = [
        tuple(Call("echo", f'{{"text": "t{turn} {call}"}}', f"c{turn}-{call}", call, pieces=3) for call in range(2))
        for turn in range(TURNS)
    ]
    return [*(Turn("hello ", pair, quirks=quirks) for pair in calls), Turn("done")]


class Figures:
    """What a process holds."""

    def __init__(self) -> None:
        gc.collect()
        process = psutil.Process()
        self.memory = process.memory_info().rss / 2**20
        self.descriptors = process.num_fds() if os.name == "posix" else process.num_handles()
        self.threads = process.num_threads()
        self.children = len(process.children(recursive=True))
        self.tasks = len(asyncio.all_tasks())

    def __str__(self) -> str:
        return (
            f"{self.memory:.1f} MiB, {self.descriptors} descriptors, {self.threads} threads, "
            f"{self.children} processes, {self.tasks} tasks"
        )


async def one(agent: Agent, kind: str) -> None:
    run_id = agent.runtime.start(RunStartParams(prompt="go", model=MODEL, max_steps=TURNS + 5))
    if kind == "cancelled":
        await asyncio.sleep(0.1)
        await agent.runtime.cancel(run_id)
    finished = await asyncio.wait_for(agent.runtime.wait(run_id), 120)
    assert finished.stop_reason in ENDS.get(kind, {"end_turn"}), (kind, finished)
    events = [update.event for update in agent.store.get(run_id).events]
    called = [event.call_id for event in events if isinstance(event, ToolCallEvent) and event.status == "pending"]
    results = Counter(event.call_id for event in events if isinstance(event, ToolResultEvent))
    assert results == Counter(called), (kind, results)


async def soak(runs: int, together: int) -> list[Figures]:
    """The figures after a fifth of the runs, and after each further one."""
    agent = Agent(ask=True)
    await agent.runtime.load(agent.root)
    figures: list[Figures] = []
    os.environ["OPENAI_API_KEY"] = "x"
    done = port = 0
    while done < runs:
        for kind, quirks in KINDS.items():
            # One address for all: the model layer keeps a client for each for an hour.
            async with ModelServer(turns(quirks), port=port) as server:
                port, os.environ["OPENAI_BASE_URL"] = server.port, server.url
                await asyncio.gather(*(one(agent, kind) for _ in range(together)))
            done += together
            if done * 5 // runs > len(figures):
                figures.append(Figures())
    await agent.close()
    return figures


if __name__ == "__main__":
    count, parallel = (int(given) for given in (*sys.argv[1:], "200", "8")[:2])
    for number, figure in enumerate(asyncio.run(soak(count, parallel)), 1):
        sys.stdout.write(f"after {number}/5 of {count} runs, {parallel} at a time: {figure}\n")
    sys.stdout.flush()
    os._exit(0)
