from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from adal_ls.agent.store import Store
from tests.agent.runs import Bench


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
