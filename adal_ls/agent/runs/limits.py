"""The limits of one episode: model requests, seconds of work, cost. Reaching one stops the run and says which."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from dataclasses import dataclass, field
from typing import Any, TypeVar

from adal_ls.protocol.runs import RunStartParams

MAX_STEPS = 20
"""Model requests of one episode where nobody says otherwise."""

_LOOK = 0.25  # seconds; how exactly time is kept

T = TypeVar("T")


class TimeIsUpError(Exception):
    """The seconds of the episode are used up."""


@dataclass(slots=True)
class Limits:
    """`seconds` leaves out the time in which approvals wait for a person; `cost` is in US dollars."""

    steps: int = MAX_STEPS
    seconds: float | None = None
    cost: float | None = None
    spent: float = field(default=0.0, init=False)
    unpriced: bool = field(default=False, init=False)

    @classmethod
    def of(cls, params: RunStartParams, *, steps: int | None = None) -> Limits:
        """Those that a run was started with; `steps`: of its agent, where the run has none of its own."""
        return cls(params.max_steps or steps or MAX_STEPS, params.max_seconds, params.max_cost)

    def paid(self, cost: float | None) -> None:
        """The price of one request; None where it is unknown."""
        if cost is None:
            self.unpriced = True
        else:
            self.spent += cost

    @property
    def over_cost(self) -> str | None:
        """Why no further request may be made; None where one may."""
        if self.cost is None or self.spent < self.cost:
            return None
        return f"the cost limit of ${self.cost:g} is reached (${self.spent:.4f} so far)"

    async def timed(self, work: Coroutine[Any, Any, T], *, waiting: Callable[[], bool], over: Callable[[], None]) -> T:
        """Runs `work` for as long as the seconds last.

        Args:
            waiting: whether a person is being waited for; that time does not count.
            over: called once when the time is up, before the work is cancelled.

        Raises:
            TimeIsUpError: the work was cancelled.
        """
        if self.seconds is None:
            return await work
        task = asyncio.ensure_future(work)
        used = 0.0
        try:
            while True:
                began = asyncio.get_running_loop().time()
                counted = not waiting()
                await asyncio.wait({task}, timeout=min(_LOOK, max(0.01, self.seconds - used)))
                if task.done():
                    return task.result()
                if counted:
                    used += asyncio.get_running_loop().time() - began
                if used >= self.seconds:
                    break
        except asyncio.CancelledError:
            task.cancel()
            await asyncio.wait({task})
            raise
        over()
        task.cancel()
        await asyncio.wait({task})
        raise TimeIsUpError
