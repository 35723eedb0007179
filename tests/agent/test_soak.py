"""Many runs at once and one after the other; short here, `python -m benchmarks.agent.soak` for a long look."""

from __future__ import annotations

import os

import pytest

from benchmarks.agent.soak import KINDS, soak

TOGETHER = 4
RUNS = int(os.environ.get("ADAL_SOAK", "0")) or 5 * TOGETHER * len(KINDS)


@pytest.mark.filterwarnings("ignore")  # litellm and what it imports warn about their own future
async def test_many_runs_of_every_kind_end_as_they_should_and_leave_nothing_behind(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name in ("ADAL_DATA_DIR", "OPENAI_BASE_URL", "OPENAI_API_KEY"):
        monkeypatch.setenv(name, "")  # the soak sets them; afterwards they are as before
    first, *_, last = await soak(RUNS, TOGETHER)
    assert last.memory < first.memory * 1.1 + 10
    assert last.tasks <= first.tasks + 2
    # One worker waits for the next run, beside the warm parent that forks them; no other outlives its run.
    assert last.children <= 3
    assert last.descriptors <= first.descriptors + 12
    assert last.threads <= first.threads + 6
