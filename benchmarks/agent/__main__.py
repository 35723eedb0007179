"""`python -m benchmarks.agent`: what our loop costs beside a bare one and beside agent libraries. Prints tables for
docs/performance.md.

All run the same script against one scripted model server: a number of turns with one tool call each, then an answer.
They take turns, each in a process of its own, so that a busy moment of the machine meets all of them.
"""

from __future__ import annotations

import argparse
import asyncio
import importlib.util
import json
import os
import statistics
import sys
import tempfile
from contextlib import ExitStack
from pathlib import Path

from benchmarks.agent import responses_server
from benchmarks.agent.contender import CONTENDERS
from benchmarks.agent.ours import MODEL, Agent
from tests.model_server import Call, ModelServer, Turn

ROOT = Path(__file__).parents[2]
PEERS = ROOT / ".artifacts" / "bench" / "agents" / "bin" / "python"
OURS, BARE = "adal-ls", "bare litellm"
PER_TURN = ("cpu", "wall")

Figures = dict[str, float]


def script(turns: int) -> list[Turn]:
    calls = [Call("echo", json.dumps({"text": f"t{number}"}), f"c{number}", pieces=4) for number in range(turns)]
    return [*(Turn(calls=(call,)) for call in calls), Turn(text="done")]


async def request_of_ours() -> str:
    """The first request that our runtime sends: the bare loop sends the same."""
    async with ModelServer(script(1)) as server:
        os.environ.update(OPENAI_BASE_URL=server.url, OPENAI_API_KEY="x")
        agent = Agent()
        await agent.run(1)
        await agent.runtime.close()
    (request, _) = server.requests
    assert request["model"] == MODEL.partition("/")[2]
    return json.dumps(request)


async def one(*command: str, **environ: str) -> Figures:
    """The figures that a process prints last."""
    process = await asyncio.create_subprocess_exec(
        *command,
        cwd=ROOT,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        env={**os.environ, **environ, "PYTHONWARNINGS": "ignore"},
    )
    told, faults = await process.communicate()
    if process.returncode:
        raise RuntimeError(f"{' '.join(command)}: {faults.decode()[-2000:]}")
    figures: Figures = json.loads(told.decode().splitlines()[-1])
    return figures


async def ours(what: str, url: str, turns: int, runs: int) -> Figures:
    return await one(sys.executable, "-m", "benchmarks.agent.ours", what, url, str(turns), str(runs))


async def contender(name: str, url: str, turns: int, runs: int, request: str) -> Figures:
    if name == OURS:
        return await ours("turns", url, turns, runs)
    python = sys.executable if name == BARE else str(PEERS)
    command = (python, str(Path(__file__).with_name("contender.py")), name)
    with ExitStack() as stack:
        if name == "adalflow":
            url = stack.enter_context(responses_server.serving(turns))
        return await one(
            *command, url, str(turns), str(runs), REQUEST=request, TIKTOKEN_CACHE_DIR=_tokenizers(), OPENAI_API_KEY="x"
        )


def _tokenizers() -> str:
    """adalflow fetches a tokenizer when it is imported; litellm has brought it along."""
    found = importlib.util.find_spec("litellm")
    assert found is not None
    assert found.origin is not None
    return str(Path(found.origin).parent / "litellm_core_utils" / "tokenizers")


async def turns_table(turns: int, rounds: int, runs: int, request: str) -> None:
    names = [OURS, *CONTENDERS]
    measured: dict[str, list[Figures]] = {name: [] for name in names}
    async with ModelServer(script(turns)) as server:
        for _ in range(rounds):
            for name in names:
                measured[name].append(await contender(name, server.url, turns, runs, request))
    middle = {
        name: {key: statistics.median(one[key] for one in taken) for key in taken[0]}
        for name, taken in measured.items()
    }
    base = middle[OURS]
    _say(f"\n{turns} turns, a model request each ({rounds} rounds of {runs} runs, medians)\n")
    _say("| | CPU of a turn (ms) | time of a turn (ms) | first run (ms) | memory (MiB) |")
    _say("|---|---|---|---|---|")
    for name, figures in middle.items():
        cells = [f"{figures[key]:.1f} ({figures[key] / base[key]:.1f}×)" for key in PER_TURN]
        cells += [f"{figures['first']:,.0f}", f"{figures['rss']:.0f}"]
        _say(f"| {name} | {' | '.join(cells)} |")
    alone = await ours("alone", "", turns, runs)
    worker = alone["cpu"] - alone["own"]
    _say(
        f"\nOur own share, without a provider: {alone['own']:.2f} ms CPU of a turn, and {worker:.2f} ms in the worker."
    )


async def rest() -> None:
    async with ModelServer(script(20)) as server:
        alone, crowded = await ours("approvals", server.url, 20, 0), await ours("approvals", server.url, 20, 32)
        cold, warm = await ours("host", server.url, 20, 1), await ours("host-warm", server.url, 20, 1)
    async with ModelServer(script(500)) as server:
        memory = await ours("memory", server.url, 500, 1)
    _say("\n| | |\n|---|---|")
    for title, figures in (("alone", alone), ("while 32 others wait", crowded)):
        _say(f"| approval, {title}: median, 95 % (ms) | {figures['p50']:.1f}, {figures['p95']:.1f} |")
    _say(f"| host: start → greeted (ms) | {cold['greeted']:.0f} |")
    ready = f"{warm['first run']:,.0f} / {cold['first run']:,.0f}"
    _say(f"| first run of 20 turns in it, made ready before / not (ms) | {ready} |")
    _say(
        f"| memory in a run of 500 turns (MiB) | {', '.join(f'{when}: {size:.0f}' for when, size in memory.items())} |"
    )


def _say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


async def main(turns: list[int], rounds: int, runs: int, request: str) -> None:
    for count in turns:
        await turns_table(count, rounds, runs, request)
    await rest()
    load = os.getloadavg()[0] if hasattr(os, "getloadavg") else 0.0
    _say(f"\nLoad average at the end: {load:.1f}.")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--turns", type=int, nargs="*", default=[20, 100])
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--runs", type=int, default=5)
    given = parser.parse_args()
    sent = Path(tempfile.mkdtemp(), "request.json")
    sent.write_text(asyncio.run(request_of_ours()), encoding="utf-8")
    asyncio.run(main(given.turns, given.rounds, given.runs, str(sent)))
    os._exit(0)
