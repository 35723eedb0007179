"""`python -m benchmarks.worker.soak`: many reloads with edits and many calls, and whether anything grows.

Every reload writes the tools file and its helper anew and checks that the new text answers. Told at the start, after a
tenth and at the end: memory, descriptors, threads and child processes of the host, and of its warm parent.
"""

from __future__ import annotations

import argparse
import asyncio
import gc
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

import psutil

from adal_ls.worker.client import WorkerClient
from adal_ls.worker.starting import WorkerSource

TOOLS = '''
import asyncio
import os

from helpers import WORD


def say(number: int) -> str:
    """Say the word."""
    print(number)
    os.environ["LAST"] = str(number)
    return f"{WORD} {number}"


async def wait(number: int) -> str:
    await asyncio.sleep(0)
    return f"{WORD} {number}"


def count(number: int):
    yield from (f"{WORD} {n}" for n in range(3))
    return f"{WORD} {number}"


CUSTOM_TOOLS = [say, wait, count]
'''


@dataclass(frozen=True)
class Sizes:
    """MiB and counts of the host and of its warm parents together."""

    memory: float
    parent_memory: float
    descriptors: int
    threads: int
    processes: int

    @classmethod
    def now(cls) -> Sizes:
        gc.collect()
        here = psutil.Process()
        below = here.children(recursive=True)
        return cls(
            here.memory_info().rss / 2**20,
            sum(process.memory_info().rss for process in below) / 2**20,
            here.num_fds() + sum(process.num_fds() for process in below),
            here.num_threads(),
            len(below),
        )

    def __str__(self) -> str:
        return (
            f"host {self.memory:.1f} MiB, warm parent {self.parent_memory:.1f} MiB, {self.descriptors} descriptors, "
            f"{self.threads} threads, {self.processes} processes below"
        )


def write(root: Path, version: int) -> None:
    (root / ".adal" / "tools.py").write_text(f"# {version}\n{TOOLS}")
    (root / ".adal" / "helpers.py").write_text(f"WORD = 'word {version % 1000:03}'\n")


async def reload(root: Path, source: WorkerSource, version: int) -> WorkerClient:
    write(root, version)
    worker = await WorkerClient.start(sys.executable, root, source=source)
    loaded = await worker.load()
    if loaded.error is not None:
        raise RuntimeError(str(loaded.error))
    return worker


async def ask(worker: WorkerClient, version: int, number: int) -> None:
    result = await worker.call(("say", "wait", "count")[number % 3], {"number": number})
    if result.observation != f"word {version % 1000:03} {number}":
        raise RuntimeError(f"reload {version}, call {number}: {result}")


async def soak(root: Path, reloads: int, calls: int) -> list[Sizes]:
    source = WorkerSource()
    sizes = []
    marks = {reloads // 10, reloads}
    began = time.monotonic()
    for version in range(1, reloads + 1):
        worker = await reload(root, source, version)
        await ask(worker, version, version)
        await worker.close()
        if version in marks:
            sizes.append(Sizes.now())
            print(f"{version} reloads in {time.monotonic() - began:.0f} s: {sizes[-1]}")
    worker = await reload(root, source, 0)
    process = psutil.Process(worker.pid)
    began = time.monotonic()
    for number in range(calls):
        if number in (calls // 10, calls - 1):
            memory = process.memory_info().rss / 2**20
            print(
                f"{number + 1} calls in {time.monotonic() - began:.0f} s: worker {memory:.1f} MiB, "
                f"{process.num_fds()} descriptors, {process.num_threads()} threads; {Sizes.now()}"
            )
        await ask(worker, 0, number)
    await asyncio.gather(*(ask(worker, 0, number) for number in range(100)))
    await worker.close()
    sizes.append(Sizes.now())
    print(f"at the end: {sizes[-1]}")
    source.close()
    return sizes


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--reloads", type=int, default=2000)
    parser.add_argument("--calls", type=int, default=10_000)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / ".adal").mkdir()
        asyncio.run(soak(Path(folder), options.reloads, options.calls))


if __name__ == "__main__":
    main()
