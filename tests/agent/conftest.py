from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from adal_ls.agent.store.store import Store
from tests.agent.bench import Bench
from tests.agent.host_client import Server


@pytest.fixture
async def bench(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Bench]:
    """An empty workspace, with the person's data folder apart from it; closed at the end."""
    monkeypatch.setenv("ADAL_DATA_DIR", str(tmp_path / "data"))
    root = tmp_path / "work"
    root.mkdir()
    store = Store.open(root)
    bench = Bench(root, store)
    yield bench
    if bench.runtime is not None:
        await bench.runtime.close()
    store.close()


@pytest.fixture
async def server(tmp_path: Path) -> AsyncIterator[Server]:
    """A host process, not greeted yet."""
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-I", "-m", "adal_ls.agent"),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        env={**os.environ, "ADAL_DATA_DIR": str(tmp_path / "data")},
        cwd=tmp_path,
    )
    server = Server(process)
    yield server
    assert process.stdin is not None
    process.stdin.close()
    await asyncio.wait_for(process.wait(), 5)
    await server.reading
