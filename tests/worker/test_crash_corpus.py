"""Tools files that do harm, in `hostile/`: none reaches the host, each ends in a readable result, the next load works.

The comments at the top of a file say what is expected: `load` is `ok` or a pattern of the error, `call` a pattern of
the status and the observation that calling `attack` gives; `limit` is how long it may take where that is not a second.
An error is told at the line marked `here`.
"""

from __future__ import annotations

import asyncio
import contextlib
import re
import sys
import time
from collections.abc import AsyncIterator, Iterator
from dataclasses import replace
from pathlib import Path

import psutil
import pytest

from adal_ls.worker.client import Limits, LoadedProject, WorkerClient, WorkerDiedError
from adal_ls.worker.starting import WorkerSource

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="what the files do is written for Linux")

FILES = sorted(Path(__file__).with_name("hostile").glob("*.py"))
LIMITS = Limits(load=1.5, call=1.0, stop=0.3)
HEALTHY = "def f() -> str:\n    return 'fine'\n\n\nCUSTOM_TOOLS = [f]\n"


@pytest.fixture(scope="module")
def source() -> Iterator[WorkerSource]:
    made = WorkerSource()
    yield made
    made.close()


def expectations(file: Path) -> dict[str, str]:
    return dict(re.findall(r"^# (load|limit|call): (.*)$", file.read_text(encoding="utf-8"), re.M))


@contextlib.asynccontextmanager
async def heartbeat() -> AsyncIterator[list[float]]:
    """How long the loop was held up, in seconds: what everybody else at the host would have waited."""
    gaps = [0.0]

    async def beat() -> None:
        while True:
            began = time.monotonic()
            await asyncio.sleep(0.01)
            gaps.append(time.monotonic() - began - 0.01)

    task = asyncio.ensure_future(beat())
    try:
        yield gaps
    finally:
        task.cancel()


def made(root: Path, text: str) -> Path:
    (root / ".adal").mkdir(parents=True)
    (root / ".adal" / "tools.py").write_text(text, encoding="utf-8")
    return root


def check_load(file: Path, loaded: LoadedProject, expected: dict[str, str]) -> None:
    said = "ok" if loaded.error is None else loaded.error.message
    assert re.match(f"(?s:.*)(?:{expected['load']})" if expected["load"] != "ok" else "ok$", said), said
    lines = file.read_text(encoding="utf-8").splitlines()
    here = [number for number, line in enumerate(lines, 1) if line.endswith("# here")]
    if here:
        assert loaded.error is not None
        assert [loaded.error.line] == here, loaded.error
    if loaded.error is not None:
        assert loaded.error.file.endswith("tools.py")


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
async def test_a_hostile_file_ends_in_a_readable_result_and_harms_nobody(
    tmp_path: Path, source: WorkerSource, file: Path
) -> None:
    expected = expectations(file)
    root = made(tmp_path / "hostile", file.read_text(encoding="utf-8"))
    async with heartbeat() as gaps:
        longer = float(expected.get("limit", 0))
        limits = replace(LIMITS, load=max(LIMITS.load, longer), call=max(LIMITS.call, longer))
        worker = await WorkerClient.start(sys.executable, root, limits=limits, source=source)
        try:
            loaded = await asyncio.wait_for(worker.load(), 10)
            check_load(file, loaded, expected)
            if "call" in expected:
                assert [tool.name for tool in loaded.tools][-1:] == ["attack"]
                said = await called(worker)
                assert re.match(expected["call"], said, re.S), said
        finally:
            began = time.monotonic()
            await asyncio.wait_for(worker.close(), 5)
    assert time.monotonic() - began < 2
    assert max(gaps) < 1.0, f"the host stood still for {max(gaps):.2f} s"
    assert left_over(root) == []
    again = await WorkerClient.start(sys.executable, made(tmp_path / "healthy", HEALTHY), source=source)
    try:
        assert (await again.load()).error is None
        assert (await again.call("f", {})).observation == "fine"
    finally:
        await again.close()


async def called(worker: WorkerClient) -> str:
    try:
        result = await asyncio.wait_for(worker.call("attack", {}), 10)
    except WorkerDiedError as fault:  # it did not survive the load for long; whoever calls starts another
        return f"error {fault}"
    assert len(result.printed) <= LIMITS.printed + 100
    return f"{result.status} {result.observation[:2000]}"


def left_over(root: Path) -> list[psutil.Process]:
    """Processes that run in the project's folder, where all that a worker starts begins."""
    found = psutil.process_iter(["cwd", "status"])
    alive = (process for process in found if process.info["status"] != psutil.STATUS_ZOMBIE)
    return [process for process in alive if (process.info["cwd"] or "").startswith(str(root))]


def test_there_are_enough_hostile_files_and_each_says_what_it_expects() -> None:
    assert len(FILES) >= 40
    assert all("load" in expectations(file) for file in FILES)
