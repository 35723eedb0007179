"""What the agent took, without what the person took."""

from __future__ import annotations

import time

import pytest

from adal_ls.cli.chat.stopwatch import Stopwatch


def test_a_stopped_watch_does_not_count(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 100.0
    monkeypatch.setattr(time, "monotonic", lambda: now)
    watch = Stopwatch()
    now = 102.0
    watch.run(runs=False)
    watch.run(runs=False)
    now = 300.0
    assert (watch.runs, watch.seconds) == (False, 2.0)
    watch.run(runs=True)
    now = 303.0
    assert (watch.runs, watch.seconds) == (True, 5.0)
