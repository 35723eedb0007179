"""Old runs go where the person says so, and only then."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest

from adal_ls.agent.store import retention, store
from adal_ls.agent.store.store import Store, now
from adal_ls.protocol.runs import FinishedEvent, PromptEvent, Run


@pytest.fixture(autouse=True)
def own_data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ADAL_DATA_DIR", str(tmp_path / "data"))
    monkeypatch.delenv(retention.VARIABLE, raising=False)


def add(opened: Store, run_id: str, days: float, *, finished: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """A run whose last event is `days` old."""
    moment = now(timedelta(days=days))
    with monkeypatch.context() as patch:
        patch.setattr(store, "now", lambda: moment)
        opened.create(Run(run_id=run_id, title="t", model="m", state="running", created=moment, updated=moment))
        opened.append(run_id, PromptEvent(text="go"))
        if finished:
            opened.append(run_id, FinishedEvent(stop_reason="end_turn"))


def names(opened: Store) -> set[str]:
    return {run.run_id for run in opened.runs()}


def test_without_the_setting_every_run_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    opened = Store.open(tmp_path)
    add(opened, "ancient", 4000, finished=True, monkeypatch=monkeypatch)
    opened.close()
    opened = Store.open(tmp_path)
    assert names(opened) == {"ancient"}
    opened.close()


def test_old_runs_are_forgotten_when_the_store_is_opened(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    opened = Store.open(tmp_path)
    add(opened, "old", 31, finished=True, monkeypatch=monkeypatch)
    add(opened, "cut short", 31, finished=False, monkeypatch=monkeypatch)
    add(opened, "young", 29, finished=True, monkeypatch=monkeypatch)
    opened.close()
    monkeypatch.setenv(retention.VARIABLE, "30")
    opened = Store.open(tmp_path)
    assert names(opened) == {"young"}
    opened.close()


def test_a_run_that_is_going_on_stays_however_old_it_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    window = Store.open(tmp_path)
    add(window, "going on", 31, finished=False, monkeypatch=monkeypatch)
    monkeypatch.setenv(retention.VARIABLE, "30")
    other = Store.open(tmp_path)
    assert names(other) == {"going on"}
    window.close()
    assert retention.forget_old(other, 30) == 1
    assert names(other) == set()
    other.close()


@pytest.mark.parametrize("given", ["never", "0", "-1", "nan", "inf", "1e99", "30d"])
def test_a_setting_that_is_no_number_of_days_deletes_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, given: str
) -> None:
    opened = Store.open(tmp_path)
    add(opened, "old", 31, finished=True, monkeypatch=monkeypatch)
    opened.close()
    monkeypatch.setenv(retention.VARIABLE, given)
    with pytest.raises(ValueError, match=f"ADAL_KEEP_RUNS_DAYS must be a number of days above 0, got '{given}'"):
        Store.open(tmp_path)
    monkeypatch.setenv(retention.VARIABLE, " ")
    opened = Store.open(tmp_path)
    assert names(opened) == {"old"}
    opened.close()
