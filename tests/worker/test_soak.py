"""Reloads and calls leave nothing behind; the long form is `python -m benchmarks.worker.soak`."""

from __future__ import annotations

from pathlib import Path

import pytest

from adal_ls.worker.starting import FORKS
from benchmarks.worker.soak import soak


@pytest.mark.skipif(not FORKS, reason="descriptors and processes are counted as Linux has them")
async def test_many_reloads_and_calls_leave_no_memory_descriptor_thread_or_process(tmp_path: Path) -> None:
    (tmp_path / ".adal").mkdir()
    early, late, end = await soak(tmp_path, reloads=60, calls=300)
    for later in (late, end):
        assert (later.descriptors, later.threads, later.processes) == (
            early.descriptors,
            early.threads,
            early.processes,
        )
        assert later.memory - early.memory < 4
        assert later.parent_memory - early.parent_memory < 4
