"""A run's hold on the tools it started with: their code as it was loaded, in a worker that no other run uses.

So a run that is cancelled can end its worker, and with it whatever its tools have started, without a word to the
others. A run that ends otherwise hands its worker on: most runs start with one that is warm.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from pathlib import Path

from adal_ls.agent.digest import sources_digest
from adal_ls.agent.loading import LoadFailedError, digests, entries_left_out, left_out, start_loaded, tools_of
from adal_ls.agent.tool_sources import tool_digests
from adal_ls.protocol.tools import Tool
from adal_ls.worker.client import LoadedProject, WorkerClient


class ToolsGoneError(Exception):
    """A tool cannot be called any more; the text is for the model and the person."""


class Snapshot:
    """One successful load: tools, sources, and the workers that hold the code."""

    def __init__(self, root: Path, interpreter: str, loaded: LoadedProject, worker: WorkerClient) -> None:
        self.tools: tuple[Tool, ...] = tuple(tools_of(loaded, root))
        self.left_out = left_out(loaded)
        self.entries_left_out = entries_left_out(loaded)
        self.sources: Mapping[str, str] = dict(loaded.sources)
        self.digest = sources_digest(self.sources)
        self._digests = asyncio.ensure_future(
            asyncio.to_thread(tool_digests, root, self.sources, [tool.name for tool in self.tools])
        )
        self._root = root
        self._interpreter = interpreter
        self._idle: WorkerClient | None = worker
        self._workers = {worker}
        self._replaced = False

    async def tool_digests(self) -> Mapping[str, str]:
        """The digest of each tool's own code; a tool that has none is missing. Made beside the load, not in it."""
        return await asyncio.shield(self._digests)

    def take(self) -> WorkerClient | None:
        """The worker that nobody uses, if there is one; it is the caller's until `give_back`."""
        idle, self._idle = self._idle, None
        return idle if idle is not None and not idle.closed else None

    async def start(self) -> WorkerClient:
        """One more worker, on the very same code or not at all; the caller's until `give_back`.

        Raises:
            ToolsGoneError: the code on disk is not the code of this snapshot any more, or cannot be loaded again.
        """
        # Looked at before the import: code that nobody asked to load must not run.
        if await asyncio.to_thread(digests, self._root, self.sources) != self.sources:
            raise ToolsGoneError(
                "the project's tool files have changed since this run started, and its tool process is not running; "
                "start a new run to use the new code"
            )
        try:
            worker, loaded = await start_loaded(self._interpreter, self._root)
        except LoadFailedError as fault:
            raise ToolsGoneError(f"the tool process could not be started: {fault}") from fault
        if sources_digest(loaded.sources) != self.digest:
            await worker.close()
            raise ToolsGoneError("the project's tool files changed while they were loaded again")
        self._workers.add(worker)
        return worker

    async def give_back(self, worker: WorkerClient, *, reuse: bool) -> None:
        """Ends `worker` with all its processes, or keeps it for the next run."""
        if reuse and not self._replaced and self._idle is None and not worker.closed:
            self._idle = worker
            return
        self._workers.discard(worker)
        await worker.close()

    async def replace(self) -> None:
        """Newer code was loaded: no further run starts on this one."""
        self._replaced = True
        idle = self.take()
        if idle is not None:
            await self.give_back(idle, reuse=False)

    async def close(self) -> None:
        """Ends all workers, also those in use."""
        self._replaced = True
        await asyncio.wait({self._digests})
        await asyncio.gather(*(worker.close() for worker in self._workers))


class ToolsLease:
    """The tools of one run. Its worker is there when the run starts, or being started."""

    def __init__(self, snapshot: Snapshot, tool_digests: Mapping[str, str]) -> None:
        self.tools = snapshot.tools
        self.tool_digests = tool_digests
        self.left_out = snapshot.left_out
        self._snapshot = snapshot
        self._lock = asyncio.Lock()
        self._worker = snapshot.take()
        # At once, while the files still are what the run was told.
        self._starting = None if self._worker else asyncio.ensure_future(snapshot.start())

    async def worker(self) -> WorkerClient:
        """The run's worker, alive: another one where it died.

        Raises:
            ToolsGoneError: see `Snapshot.start`.
        """
        async with self._lock:
            if self._worker is not None and not self._worker.closed:
                return self._worker
            if self._worker is not None:
                await self._snapshot.give_back(self._worker, reuse=False)
                self._worker = None
            self._starting = self._starting or asyncio.ensure_future(self._snapshot.start())
            try:
                # Shielded: a start that a cancelled call leaves behind is ended by `release`.
                self._worker = await asyncio.shield(self._starting)
            finally:
                if self._starting.done():
                    self._starting = None
            return self._worker

    async def release(self, *, stop: bool) -> None:
        """Gives the tools back; once. `stop`: whatever the run has started ends with it."""
        if self._starting is not None:
            self._starting.cancel()
            (outcome,) = await asyncio.gather(self._starting, return_exceptions=True)
            self._worker = outcome if isinstance(outcome, WorkerClient) else None
        if self._worker is not None:
            await self._snapshot.give_back(self._worker, reuse=not stop)
