"""`python -m benchmarks.worker`: from a saved tools file to its tools in a fresh worker, as a table.

Every round writes the file anew and takes each way to a worker in turn: a new Python process (what there would be
without anything kept warm), a spare that was started ahead (Windows, macOS), a fork of a warm parent (Linux). The
file's own imports are typing and ToolOutput, so all of the time is ours and the compiler's.
"""

from __future__ import annotations

import argparse
import asyncio
import statistics
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path

from adal_ls.worker.client import WorkerClient
from adal_ls.worker.starting import FORKS, WorkerSource

SIZES = (20, 200, 2000)

HEAD = "from typing import Literal, Optional\n\nfrom adalflow.core.types import ToolOutput\n"
TOOL = '''

def tool_{n}(title: str, points: Optional[int] = None, kind: Literal["bug", "task"] = "bug") -> ToolOutput:
    """Create ticket {n} in the current sprint.

    Args:
        title: Short summary of the ticket.
        points: Estimate; left out where nobody has made one.
        kind: What the ticket is.
    """
    key = f"{n}-{{kind}}"
    return ToolOutput(output={{"key": key, "points": points}}, observation=f"Created {{key}}: {{title}}")
'''


@dataclass
class Times:
    """Seconds: until the worker stands, until the tools are loaded (both from the save), of the first call, of the
    end."""

    started: list[float] = field(default_factory=list)
    loaded: list[float] = field(default_factory=list)
    called: list[float] = field(default_factory=list)
    closed: list[float] = field(default_factory=list)


def tools_file(tools: int, version: int) -> str:
    names = "".join(f"    tool_{n},\n" for n in range(tools))
    return f"# {version}\n{HEAD}{''.join(TOOL.format(n=n) for n in range(tools))}\n\nCUSTOM_TOOLS = [\n{names}]\n"


async def reload(root: Path, tools: int, version: int, source: WorkerSource, times: Times) -> None:
    (root / ".adal" / "tools.py").write_text(tools_file(tools, version))
    saved = time.perf_counter()
    worker = await WorkerClient.start(sys.executable, root, source=source)
    times.started.append(time.perf_counter() - saved)
    loaded = await worker.load()
    times.loaded.append(time.perf_counter() - saved)
    if len(loaded.tools) != tools:
        raise RuntimeError(f"{len(loaded.tools)} of {tools} tools: {loaded.error}")
    for listed in (times.called, times.closed):
        began = time.perf_counter()
        await (worker.call("tool_1", {"title": "x"}) if listed is times.called else worker.close())
        listed.append(time.perf_counter() - began)


async def measure(root: Path, tools: int, rounds: int) -> dict[str, Times]:
    times = {"new process": Times(), "spare": Times(), **({"warm parent": Times()} if FORKS else {})}
    kept = {"spare": WorkerSource(forks=False), "warm parent": WorkerSource()}
    for source in kept.values():
        await reload(root, tools, -1, source, Times())
    await asyncio.sleep(1)  # the warm-up is over
    for version in range(rounds):
        for way, found in times.items():
            source = kept.get(way) or WorkerSource(forks=False)
            await reload(root, tools, version, source, found)
            if way not in kept:
                await asyncio.sleep(0.1)  # the spare that it starts for the next is on its way
                source.close()
            await asyncio.sleep(0.3)  # nobody saves faster, and the next spare is warm
    for source in kept.values():
        source.close()
    return times


def row(title: str, seconds: list[float]) -> str:
    ordered = sorted(seconds)
    best, late = ordered[0], ordered[int(len(ordered) * 0.95)]
    return f"| {title} | {best * 1000:.1f} | {statistics.median(ordered) * 1000:.1f} | {late * 1000:.1f} |"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--sizes", type=int, nargs="+", default=SIZES)
    options = parser.parse_args()
    print("| ms | best | median | 95 % |\n|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / ".adal").mkdir()
        for tools in options.sizes:
            for way, times in asyncio.run(measure(Path(folder), tools, options.rounds)).items():
                print(row(f"{way}, {tools} tools: save → loaded", times.loaded))
                print(row(f"{way}, {tools} tools: of these, until the worker stands", times.started))
                print(row(f"{way}, {tools} tools: first call", times.called))
                print(row(f"{way}, {tools} tools: end", times.closed))


if __name__ == "__main__":
    main()
