"""The hold on a run that is going on."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Generator
from typing import Any

from adal_ls.sdk.errors import InvalidInputError, RunCancelledError
from adal_ls.sdk.events import AgentEvent, AgentFailed, AgentFinished, AgentTextDelta
from adal_ls.sdk.runner import Emit, RunResult

Main = Callable[[Emit, Callable[[], bool]], Coroutine[Any, Any, RunResult]]


class RunHandle:
    """A run. It goes on whether or not anybody looks; iterating gives its events, `await handle.result` its end."""

    def __init__(self, agent_call_id: str, memory_scope: str, main: Main) -> None:
        """Starts the run, on the loop that is running.

        Raises:
            InvalidInputError: no loop is running.
        """
        self.agent_call_id = agent_call_id
        self.memory_scope = memory_scope
        self._events: list[AgentEvent] = []
        self._changed = asyncio.Event()
        self._begun = False
        self._cancelled = False
        self._watched = False
        coroutine = self._run(main)
        try:
            self._task = asyncio.get_running_loop().create_task(coroutine)
        except RuntimeError:
            coroutine.close()
            raise InvalidInputError(
                "an agent runs on an event loop: call it in an async function, started by asyncio.run(...)"
            ) from None
        self._task.add_done_callback(self._ended)

    @property
    def result(self) -> Awaitable[RunResult]:
        """The end of the run; may be awaited several times. To cancel who waits for it cancels the run.

        Raises (when awaited):
            AdalError: the run failed, or was cancelled (RunCancelledError). A provider's own error comes as it is.
        """
        return _Result(self._wait)

    @property
    def events(self) -> AsyncIterator[AgentEvent]:
        """All events, from the first on, also for those who come late. A failed run ends with `AgentFailed`."""
        return self._iterate()

    @property
    def text(self) -> AsyncIterator[str]:
        """What the model says, piece by piece. At the end of a run that failed its error is raised."""
        return self._iterate_text()

    def cancel(self) -> None:
        """Asks the run to stop; `result` then raises RunCancelledError. Nothing happens once it has ended."""
        self._cancelled = True
        if self._begun:  # a task that is cancelled before its first step would not tell the providers
            self._task.cancel()

    def add_done_callback(self, function: Callable[[], object]) -> None:
        """Calls `function` when the run has ended, however it did."""
        self._task.add_done_callback(lambda _: function())

    def __aiter__(self) -> AsyncIterator[AgentEvent]:
        return self.events

    async def _run(self, main: Main) -> RunResult:
        self._begun = True
        try:
            return await main(self._emit, lambda: self._cancelled)
        except RunCancelledError:
            if not self._cancelled:
                raise asyncio.CancelledError from None  # the loop closes, and reports all else as a fault
            self._watched = True  # whoever cancelled it knows
            raise

    def _emit(self, event: AgentEvent) -> None:
        if self._events and isinstance(self._events[-1], AgentFinished | AgentFailed):
            return  # a tool that runs on in its thread has nobody to tell any more
        self._events.append(event)
        self._wake()

    def _wake(self) -> None:
        changed, self._changed = self._changed, asyncio.Event()
        changed.set()

    def _ended(self, task: asyncio.Task[RunResult]) -> None:
        if self._watched and not task.cancelled():
            task.exception()  # whoever saw the events knows; nothing warns of an error that nobody fetched
        self._wake()

    async def _wait(self) -> RunResult:
        try:
            return await asyncio.shield(self._task)
        except asyncio.CancelledError:
            if not self._task.done():
                self.cancel()
                await asyncio.wait({self._task})
            raise

    async def _iterate(self) -> AsyncIterator[AgentEvent]:
        seen = 0
        while True:
            while seen < len(self._events):
                event = self._events[seen]
                seen += 1
                self._watched = self._watched or isinstance(event, AgentFailed)
                yield event
            if self._task.done():
                return
            await self._changed.wait()

    async def _iterate_text(self) -> AsyncIterator[str]:
        async for event in self._iterate():
            if isinstance(event, AgentTextDelta):
                yield event.delta
        await self._wait()


class _Result:
    def __init__(self, wait: Callable[[], Coroutine[Any, Any, RunResult]]) -> None:
        self._wait = wait

    def __await__(self) -> Generator[Any, None, RunResult]:
        return self._wait().__await__()
