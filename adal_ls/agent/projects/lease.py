"""A run's hold on the tools it started with: their code as it was loaded, in a worker that no other run uses.

So a run that is cancelled can end its worker, and with it whatever its tools have started, without a word to the
others. A run that ends otherwise hands its worker on: most runs start with one that is warm.
"""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Mapping
from pathlib import Path

from adal_ls.agent.approvals.digest import sources_digest
from adal_ls.agent.mcp.servers import McpServers
from adal_ls.agent.projects import providers
from adal_ls.agent.projects.loading import (
    LoadFailedError,
    agents_failure,
    digests,
    entries_left_out,
    left_out,
    start_loaded,
    tools_of,
)
from adal_ls.agent.projects.tool_sources import agents_digest, late_modules, tool_digests
from adal_ls.protocol.tools import Tool
from adal_ls.worker.agent_data import AgentListing, LoadedAgent
from adal_ls.worker.client import Limits, LoadedProject, WorkerClient

MOST_IDLE = 8
"""Workers with providers that are kept for further runs; a run beside others has one of its own."""


class ToolsGoneError(Exception):
    """A tool cannot be called any more; the text is for the model and the person."""


class Snapshot:
    """One successful load: tools, agents, sources, and the workers that hold the code."""

    def __init__(
        self, root: Path, interpreter: str, loaded: LoadedProject, worker: WorkerClient, limits: Limits
    ) -> None:
        """`limits`: those of further workers."""
        self.tools: tuple[Tool, ...] = tuple(tools_of(loaded, root))
        self.left_out = left_out(loaded)
        self.entries_left_out = entries_left_out(loaded)
        self.agents: Mapping[str, LoadedAgent] | None = None
        """By id; None where the project has no agents.py."""
        if loaded.agents is not None:
            self.agents = {agent.id: agent for agent in loaded.agents}
        self.agents_failure = agents_failure(loaded, root)
        self.listings: Mapping[str, AgentListing] = {}
        self.servers = McpServers(root)
        self.sources: Mapping[str, str] = dict(loaded.sources)
        self.digest = sources_digest(self.sources)
        names = [tool.name for tool in self.tools]
        self._digests = asyncio.ensure_future(asyncio.to_thread(tool_digests, root, self.sources, names))
        self._late = asyncio.ensure_future(asyncio.to_thread(late_modules, root, self.sources))
        self._agents_digest = asyncio.ensure_future(asyncio.to_thread(agents_digest, root, self.sources))
        self.root = root
        self._interpreter = interpreter
        self._limits = limits
        self._idle = [worker]
        self._workers = {worker}
        self._replaced = False
        self._tasks: set[asyncio.Task[object]] = set()

    @property
    def is_used(self) -> bool:
        """Whether there is a worker that holds it still."""
        return bool(self._workers)

    @property
    def has_providers(self) -> bool:
        return any(agent.has_providers for agent in (self.agents or {}).values())

    async def tool_digests(self) -> Mapping[str, str]:
        """The digest of each tool's own code; a tool that has none is missing. Made beside the load, not in it."""
        return await asyncio.shield(self._digests)

    async def late(self) -> Mapping[str, str]:
        """Digests of the modules that calls alone import, by their path in the project."""
        return await asyncio.shield(self._late)

    async def agents_digest(self) -> str:
        """The digest of all code that tools of agents can be made of; empty where it cannot be told."""
        return await asyncio.shield(self._agents_digest)

    async def describe(self) -> None:
        """Looks at what can be said of the agents without a run; once, before a run has the worker."""
        if self.agents:
            self.listings = await providers.describe(self._idle[0], list(self.agents))

    def take(self) -> WorkerClient | None:
        """A worker that nobody uses, if there is one; it is the caller's until `give_back`."""
        while self._idle:
            worker = self._idle.pop()
            if not worker.closed:
                return worker
            self._workers.discard(worker)
        return None

    async def start(self) -> WorkerClient:
        """One more worker, on the very same code or not at all; the caller's until `give_back`.

        Raises:
            ToolsGoneError: the code on disk is not the code of this snapshot any more, or cannot be loaded again.
        """
        # Looked at before the import: code that nobody asked to load must not run.
        if await asyncio.to_thread(digests, self.root, self.sources) != self.sources:
            raise ToolsGoneError(
                "the project's tool files have changed since this run started, and its tool process is not running; "
                "start a new run to use the new code"
            )
        try:
            worker, loaded = await start_loaded(self._interpreter, self.root, self._limits)
        except LoadFailedError as fault:
            raise ToolsGoneError(f"the tool process could not be started: {fault}") from fault
        if sources_digest(loaded.sources) != self.digest:
            await worker.close()
            raise ToolsGoneError("the project's tool files changed while they were loaded again")
        self._workers.add(worker)
        return worker

    async def give_back(self, worker: WorkerClient, *, reuse: bool) -> None:
        """Ends `worker` with all its processes, or keeps it for the next run.

        Providers live in their worker, so none that can be used again is ended: an end of a run disposes nothing. One
        that a cancel ends is made anew, so that it is there to be disposed.
        """
        room = len(self._idle) < (MOST_IDLE if self.has_providers else 1)
        if reuse and not self._replaced and room and not worker.closed:
            self._idle.append(worker)
            return
        if self._replaced:
            await self._end(worker)
            return
        self._workers.discard(worker)
        await worker.close()
        if self.has_providers and not self._idle:
            self._soon(self._refill())

    def replace(self) -> list[asyncio.Task[object]]:
        """Newer code was loaded: no further run starts on this one, and its providers are disposed.

        Those that a run uses are disposed when it is over. Returns what is being ended, for who wants to wait for it.
        """
        self._replaced = True
        idle, self._idle = self._idle, []
        ending = [self._soon(self._end(worker)) for worker in idle]
        if not self._workers:  # a cancel may have ended the last one, and nobody comes after it
            ending.append(self._soon(self.servers.close()))
        return ending

    async def close(self, *, dispose: bool = True) -> None:
        """Ends all workers, also those in use. `dispose`: tell the providers in those that are not."""
        self._replaced = True
        going_on = set(self._tasks)
        if going_on:
            await asyncio.wait(going_on, timeout=providers.DISPOSE_LIMIT_CLOSING if dispose else 0)
            for task in going_on:
                task.cancel()
            await asyncio.gather(*going_on, return_exceptions=True)
        await asyncio.wait({self._digests, self._late, self._agents_digest})
        if dispose:
            idle, self._idle = self._idle, []
            await asyncio.gather(*(self._end(worker, providers.DISPOSE_LIMIT_CLOSING) for worker in idle))
        await asyncio.gather(self.servers.close(), *(worker.close() for worker in self._workers))

    async def _end(self, worker: WorkerClient, limit: float = providers.DISPOSE_LIMIT) -> None:
        """Disposes the providers in a worker and ends it."""
        if self.has_providers and worker.alive:
            await providers.dispose(worker, limit)
        await worker.close()
        self._workers.discard(worker)
        if self._replaced and not self._workers:
            await self.servers.close()

    async def _refill(self) -> None:
        try:
            worker = await self.start()
        except ToolsGoneError:
            return  # the next load has code of its own
        await self.give_back(worker, reuse=True)

    def _soon(self, work: Coroutine[object, object, None]) -> asyncio.Task[object]:
        task: asyncio.Task[object] = asyncio.ensure_future(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task


class ToolsLease:
    """The tools of one run. Its worker is there when the run starts, or being started."""

    def __init__(self, snapshot: Snapshot, tool_digests: Mapping[str, str], late: Mapping[str, str]) -> None:
        self.tools = snapshot.tools
        self.agents = snapshot.agents
        self.servers = snapshot.servers
        self.agents_failure = snapshot.agents_failure
        self.tool_digests = tool_digests
        self.left_out = snapshot.left_out
        self._late = late
        self._snapshot = snapshot
        self._lock = asyncio.Lock()
        self._worker = snapshot.take()
        # At once, while the files still are what the run was told.
        self._starting = None if self._worker else asyncio.ensure_future(snapshot.start())

    def changed_late(self) -> str:
        """See `CustomTools`: such a module is not in the worker yet, and a call would run what it holds by then."""
        now = digests(self._snapshot.root, self._late)
        return "" if now == self._late else sources_digest(now)

    async def agents_digest(self) -> str:
        """See `Snapshot.agents_digest`."""
        return await self._snapshot.agents_digest()

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
