"""The end of one worker, whoever brings it about: it is killed with all its processes, reaped, and described. In the
host."""

from __future__ import annotations

import asyncio
import contextlib
import subprocess
import threading
from collections.abc import Callable

from adal_ls.worker.death import ENDING, Death, by_itself
from adal_ls.worker.ending import end_strays
from adal_ls.worker.spawning import Started


class Lifetime:
    """Watches a running worker. `on_finish` is called when its end begins, `on_end` when nothing of it is left."""

    def __init__(
        self, started: Started, *, stop: float, on_finish: Callable[[], None], on_end: Callable[[], None]
    ) -> None:
        """`stop`: seconds that a worker without its pipe may live on."""
        self._process = started.process
        self._mark = started.mark
        self._stop = stop
        self._on_finish, self._on_end = on_finish, on_end
        self._loop = asyncio.get_running_loop()
        self._ended: asyncio.Future[Death] = self._loop.create_future()
        self._reaping: asyncio.Task[None] | None = None
        self.end: Death | None = None
        """How it ended, or that it is ending."""
        threading.Thread(target=self._await_exit, name="adal-ls worker exit", daemon=True).start()

    @property
    def pid(self) -> int:
        return self._process.pid

    @property
    def ended(self) -> asyncio.Future[Death]:
        return self._ended

    def finish(self, death: Death | None) -> None:
        """Kills the group at once and reaps the worker; `death` None means that it ended by itself. Idempotent."""
        if self.end is not None:
            return
        self.end = death or ENDING
        if death is not None:
            self._process.kill()
        self._on_finish()
        self._reaping = asyncio.ensure_future(self._reap(death))

    async def death(self) -> Death:
        """Waits until nothing of it is left."""
        return await asyncio.shield(self._ended)

    async def _reap(self, death: Death | None) -> None:
        if death is None:
            # The pipe's end comes a moment before the exit; a process that lives on without its pipe is of no use.
            await asyncio.to_thread(self._wait, self._stop)
        self._process.kill()
        code = await asyncio.to_thread(self._process.wait)
        await asyncio.to_thread(end_strays, self._mark)
        await asyncio.to_thread(self._process.release)
        self.end = death or by_itself(code)
        self._on_end()
        self._ended.set_result(self.end)

    def _wait(self, seconds: float) -> None:
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(seconds)

    def _await_exit(self) -> None:
        """In a thread: a child that a tool forked can hold the pipe open, so its end is not the only sign."""
        self._process.wait()
        with contextlib.suppress(RuntimeError):  # a loop that has been closed has nobody left to tell
            self._loop.call_soon_threadsafe(self._exited)

    def _exited(self) -> None:
        # What the worker sent before it ended is read first.
        self._loop.call_later(0.2, self.finish, None)
