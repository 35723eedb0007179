"""How long the agent has worked: what a person takes to answer is no work of it."""

from __future__ import annotations

import time


class Stopwatch:
    """Runs from the moment it is made, and can be stopped for a while."""

    def __init__(self) -> None:
        self._ran = 0.0
        self._since: float | None = time.monotonic()

    @property
    def runs(self) -> bool:
        return self._since is not None

    @property
    def seconds(self) -> float:
        """For how long it has run, all in all."""
        return self._ran + (0.0 if self._since is None else time.monotonic() - self._since)

    def run(self, *, runs: bool) -> None:
        """Goes on, or stops; once more is as good as once."""
        if runs != self.runs:
            self._ran = self.seconds
            self._since = time.monotonic() if runs else None
