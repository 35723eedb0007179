"""How long runs are kept: for ever, or for as many days as the person's `ADAL_KEEP_RUNS_DAYS` says."""

from __future__ import annotations

import logging
import math
import os
from collections.abc import Mapping
from datetime import timedelta
from typing import TYPE_CHECKING

from adal_ls.agent.store.schema import RunBusyError, StoreError, UnknownRunError, now

if TYPE_CHECKING:
    from adal_ls.agent.store.store import Store

VARIABLE = "ADAL_KEEP_RUNS_DAYS"

_log = logging.getLogger(__name__)


def days_kept(environ: Mapping[str, str] = os.environ) -> float | None:
    """The days for which a run is kept after the last thing that happened in it; None: for ever.

    Raises:
        ValueError: the variable holds no number of days. Guessing could delete what is wanted.
    """
    given = environ.get(VARIABLE, "").strip()
    if not given:
        return None
    try:
        days = float(given)
    except ValueError:
        days = math.nan
    if not 0 < days < 100_000:
        raise ValueError(f"{VARIABLE} must be a number of days above 0, got '{given}'; unset it to keep all runs")
    return days


def forget_old(store: Store, days: float) -> int:
    """Deletes the runs in which nothing has happened for `days`; how many. One that is going on stays.

    A store that cannot be written is no fault of whoever only wants to read it: that is logged.
    """
    count = 0
    try:
        for run in store.runs(before=now(timedelta(days=days))):
            if run.state in ("finished", "interrupted"):
                try:
                    store.delete(run.run_id)
                    count += 1
                except (RunBusyError, UnknownRunError):
                    continue  # another process was quicker: it took the run up, or forgot it
    except StoreError as fault:
        _log.warning("runs older than %g days are not removed: %s", days, fault)
    return count
