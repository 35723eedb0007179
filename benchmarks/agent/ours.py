"""`python -m benchmarks.agent.ours WHAT URL TURNS RUNS`: our own runtime, whole; prints one JSON line.

Everything that a run has is on: the tool in a worker process of its own, the gate with its digests, every event in the
store and told. The CPU counts the worker too. WHAT is `turns`, `alone` (no provider), `memory`, `approvals`, `host` or
`host-warm`.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
import tempfile
import time
from collections.abc import AsyncGenerator, Callable
from pathlib import Path
from typing import Any
from unittest import mock

import psutil

from adal_ls.agent.models.stream import CallDelta, ChatMessage, Delta, FinishDelta, TextDelta, ToolSpec, UsageDelta
from adal_ls.agent.runs import episodes
from adal_ls.agent.runs.runtime import Runtime
from adal_ls.agent.store.store import Store
from adal_ls.protocol import methods
from adal_ls.protocol.approvals import ApprovalAnswer, ApprovalRequest, ApprovalResolved
from adal_ls.protocol.host import HostSettings
from adal_ls.protocol.runs import RunStartParams, RunUpdate, ToolCallEvent

TOOLS = '''
def echo(text: str) -> str:
    """Echo."""
    return text


CUSTOM_TOOLS = [{"function": echo, "require_approval": ASK}]
'''

MODEL = "openai/scripted"


class Person:
    """Allows at once, or never while `away`."""

    def __init__(self) -> None:
        self.away = False
        self.waiting = 0
        self.arrived = asyncio.Condition()

    async def ask(self, request: ApprovalRequest) -> ApprovalAnswer:
        if self.away:
            async with self.arrived:
                self.waiting += 1
                self.arrived.notify_all()
            await asyncio.Event().wait()
        (once,) = [option.option_id for option in request.options if option.kind == "allow_once"]
        return ApprovalAnswer(
            approval_id=request.approval_id, args_digest=request.args_digest, outcome="selected", option_id=once
        )

    def resolved(self, _: ApprovalResolved) -> None:
        return


class Agent:
    """One runtime in a folder of its own."""

    def __init__(self, *, ask: bool = False) -> None:
        self.root = Path(tempfile.mkdtemp())
        os.environ["ADAL_DATA_DIR"] = tempfile.mkdtemp()
        (self.root / ".adal").mkdir()
        (self.root / ".adal" / "tools.py").write_text(TOOLS.replace("ASK", str(ask)))
        self.person = Person()
        self.heard: Callable[[RunUpdate], None] = lambda _: None
        self.store = Store.open(self.root)
        self.runtime = Runtime(
            store=self.store,
            settings=HostSettings(),
            approver=self.person,
            on_update=lambda update: self.heard(update),
            on_project=lambda _: None,
            trusted=True,
            roots=[self.root],
        )

    async def close(self) -> None:
        await self.runtime.close()
        self.store.close()

    def start(self, turns: int) -> str:
        return self.runtime.start(RunStartParams(prompt="go", model=MODEL, max_steps=turns + 5))

    async def run(self, turns: int) -> None:
        finished = await self.runtime.wait(self.start(turns))
        assert finished.answer == "done", finished


def used() -> float:
    """CPU seconds of this process and of the processes it started."""
    own = psutil.Process()
    times = [process.cpu_times() for process in (own, *own.children(recursive=True))]
    return float(sum(one.user + one.system for one in times))


def rss() -> float:
    return float(psutil.Process().memory_info().rss / 2**20)


async def turns_of(count: int, runs: int) -> dict[str, float]:
    agent = Agent()
    await agent.runtime.load(agent.root)
    began = time.perf_counter()
    await agent.run(count)
    first = time.perf_counter() - began
    cpu, wall, own = [], [], []
    for _ in range(runs):
        before, at, alone = used(), time.perf_counter(), time.process_time()
        await agent.run(count)
        cpu.append((used() - before) * 1000 / (count + 1))
        own.append((time.process_time() - alone) * 1000 / (count + 1))
        wall.append((time.perf_counter() - at) * 1000 / (count + 1))
    middle = len(cpu) // 2
    return {
        "first": first * 1000,
        "cpu": sorted(cpu)[middle],
        "own": sorted(own)[middle],
        "wall": sorted(wall)[middle],
        "rss": rss(),
    }


class AtOnce:
    """A model that answers at once, in this process: what is left is the loop, the gate, the store and the pipe."""

    name, any_name, context_tokens = "at-once", True, None

    def __init__(self, turns: int) -> None:
        self._turns = turns

    async def stream(self, messages: list[ChatMessage], _: list[ToolSpec]) -> AsyncGenerator[Delta, None]:
        number = sum(message["role"] == "assistant" for message in messages)
        if number == self._turns:
            yield TextDelta("done")
        else:
            arguments = json.dumps({"text": f"t{number}"})
            yield CallDelta(0, f"c{number}", "echo", arguments[:8])
            yield CallDelta(0, None, None, arguments[8:])
        yield UsageDelta(11, 7)
        yield FinishDelta("stop" if number == self._turns else "tool_calls")


async def alone_of(count: int, runs: int) -> dict[str, float]:
    with mock.patch.object(episodes, "choose_model", return_value=AtOnce(count)):
        return await turns_of(count, runs)


async def memory_of(count: int) -> dict[str, float]:
    """What a conversation of that many turns adds, at five places of it."""
    agent = Agent()
    await agent.runtime.load(agent.root)
    await agent.run(count)  # the first run imports
    figures = {"before": rss()}
    results = 0

    def heard(update: RunUpdate) -> None:
        nonlocal results
        results += update.event.type == "toolResult"
        if results % (count // 5) == 0 and update.event.type == "toolResult":
            figures[f"at {results}"] = rss()

    agent.heard = heard
    await agent.run(count)
    return figures


async def approvals_of(count: int, pending: int) -> dict[str, float]:
    """From a call's announcement until it runs, with a person who needs no time; 95th percentile and median."""
    agent = Agent(ask=True)
    await agent.runtime.load(agent.root)
    await agent.run(count)
    agent.person.away = True
    runs = [agent.start(count) for _ in range(pending)]
    async with agent.person.arrived:
        await agent.person.arrived.wait_for(lambda: agent.person.waiting == pending)
    agent.person.away = False
    announced: dict[str, float] = {}
    took: list[float] = []

    def heard(update: RunUpdate) -> None:
        if isinstance(update.event, ToolCallEvent) and update.run_id not in runs:
            if update.event.status == "pending":
                announced[update.event.call_id] = time.perf_counter()
            elif update.event.status == "in_progress":
                took.append((time.perf_counter() - announced[update.event.call_id]) * 1000)

    agent.heard = heard
    for _ in range(10):
        await agent.run(count)
    took.sort()
    agent.heard = lambda _: None
    for run_id in runs:
        await agent.runtime.cancel(run_id)
    return {"p50": took[len(took) // 2], "p95": took[int(len(took) * 0.95)], "count": len(took)}


async def host_of(count: int, *, warm: bool) -> dict[str, float]:
    """A host process from its start to its greeting, and to the answer of its first run with a model."""
    from tests.agent.host_client import Server

    root = Agent().root
    began = time.perf_counter()
    server = Server(
        await asyncio.create_subprocess_exec(
            *(sys.executable, "-I", "-m", "adal_ls.agent"),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            env=os.environ,
        )
    )
    await server.initialize(root, model=MODEL)
    figures = {"greeted": (time.perf_counter() - began) * 1000}
    await server.request(methods.HOST_LOAD, {"projectRoot": str(root)})
    if warm:
        server.peer.notify(methods.RUN_WARM, {})
        await asyncio.sleep(6)  # while the person writes a prompt
    at = time.perf_counter()
    await server.request(methods.RUN_START, {"prompt": "go", "maxSteps": count + 5})
    await server.until(methods.RUN_UPDATE, type="finished")
    figures["first run"] = (time.perf_counter() - at) * 1000
    server.process.kill()
    await server.process.wait()
    return figures


def main(what: str, url: str, turns: int, runs: int) -> dict[str, float]:
    os.environ.update(OPENAI_BASE_URL=url, OPENAI_API_KEY="x")
    work: dict[str, Callable[[], Any]] = {
        "turns": lambda: turns_of(turns, runs),
        "alone": lambda: alone_of(turns, runs),
        "memory": lambda: memory_of(turns),
        "approvals": lambda: approvals_of(turns, runs),
        "host": lambda: host_of(turns, warm=False),
        "host-warm": lambda: host_of(turns, warm=True),
    }
    figures: dict[str, float] = asyncio.run(work[what]())
    return figures


if __name__ == "__main__":
    sys.stdout.write(f"{json.dumps(main(sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])))}\n")
    sys.stdout.flush()
    os._exit(0)
