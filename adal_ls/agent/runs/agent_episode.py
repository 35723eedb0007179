"""The agent of one episode: what its providers give for it, and how they hear of its end."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

from adal_ls.agent.projects import providers
from adal_ls.agent.projects.lease import ToolsGoneError, ToolsLease
from adal_ls.agent.projects.provided import refuse_twice, registered
from adal_ls.agent.runs.registry import RegisteredTool
from adal_ls.agent.workspaces.run_workspaces import RunWorkspaces
from adal_ls.sdk.context import ToolContext
from adal_ls.sdk.errors import InvalidConfigError, ProviderHooksError
from adal_ls.sdk.hosted import McpServer
from adal_ls.worker.agent_data import LoadedAgent
from adal_ls.worker.client import ToolResult, WorkerClient, WorkerDiedError
from adal_ls.worker.data import LoadedTool
from adal_ls.worker.provided_data import ProvidedTools, ProviderError

_MOST_PRINTED = 2_000
"""Characters of what a hook prints that a person is shown."""


class AgentEpisode:
    """Asks the providers once, and tells them of the end in the same process wherever that is there still.

    Where the process of the run dies, its tools are made again in the next one: they are of that process.
    """

    def __init__(
        self,
        agent: LoadedAgent,
        lease: ToolsLease,
        ctx: ToolContext[Any],
        workspaces: RunWorkspaces,
        notice: Callable[[str], None],
    ) -> None:
        """`notice` gets what a person should know: notes about tools, and what hooks print."""
        self.agent = agent
        self.ctx = ctx
        self._lease = lease
        self._workspaces = workspaces
        self._notice = notice
        self._asked: WorkerClient | None = None
        self._lock = asyncio.Lock()

    async def tools(self, root: Path) -> tuple[list[RegisteredTool], list[McpServer]]:
        """The tools of the runtime and of the agent, as they stand for the whole episode, and servers that have more.

        Raises:
            AdalError: a provider's own error, unchanged; or a tool that cannot be offered.
        """
        if not self.agent.has_tools:
            return [], []
        async with self._lock:
            provided = await self._ask()
        for note in provided.notes:
            self._notice(note)
        digest = await self._lease.agents_digest()
        made_of = [digest, self.agent.id, self.ctx.tool_provider_context] if digest else None
        found: list[RegisteredTool] = []
        servers: list[McpServer] = []
        for tool in provided.tools:
            if isinstance(tool, LoadedTool):
                found.append(registered(tool, caller=self, made_of=made_of, root=root))
            elif isinstance(tool, McpServer):
                servers.append(tool)
            else:
                found.append(self._workspaces.tool(tool))
        refuse_twice(found)
        return found, servers

    async def call(
        self,
        name: str,
        arguments: dict[str, Any],
        *,
        on_print: Callable[[str], None] | None = None,
        on_progress: Callable[[str], None] | None = None,
    ) -> ToolResult:
        """Implements `custom.ToolCaller` for the tools that are functions.

        Raises:
            ToolsGoneError: they cannot be called any more.
        """

        async def once() -> ToolResult:
            worker = await self._worker()
            return await worker.call(
                name, arguments, episode=self.ctx.agent_call_id, on_print=on_print, on_progress=on_progress
            )

        try:
            return await once()
        except WorkerDiedError:
            return await once()  # it was gone before the call, so nothing has run yet

    async def end(self, *, cancelled: bool) -> None:
        """The episode is over, whatever came of it.

        Raises:
            ProviderError: an `on_run_end` raised, or could not be called.
        """
        if not self.agent.has_providers:
            return
        limit = providers.END_LIMIT_CANCELLED if cancelled else providers.END_LIMIT
        printed: list[str] = []
        worker = self._asked
        try:
            if worker is None or not worker.alive:
                worker = await self._lease.worker()
            await providers.end_run(worker, self.agent.id, self.ctx, limit, printed.append)
        except ToolsGoneError as fault:
            raise ProviderError(f"on_run_end was not called: {fault}", code=ProviderHooksError.code) from fault
        finally:
            self._tell("on_run_end", printed)
            if worker is not None:
                worker.let_go()

    async def _worker(self) -> WorkerClient:
        """A worker in which the tools of the episode are.

        Raises:
            ToolsGoneError: there is none any more.
        """
        async with self._lock:
            worker = await self._lease.worker()
            if worker is not self._asked:
                try:
                    await self._ask()
                except (ProviderError, InvalidConfigError) as fault:
                    raise ToolsGoneError(f"the tool's process had ended, and in a new one {fault}") from fault
            return self._asked or worker

    async def _ask(self) -> ProvidedTools:
        try:
            worker = await self._lease.worker()
        except ToolsGoneError as fault:
            raise ProviderError(str(fault), code=ProviderHooksError.code) from fault
        # The tools may be cancelled, the worker must hear of the end all the same.
        worker.hold()
        self._asked = worker
        printed: list[str] = []
        try:
            return await providers.resolve(worker, self.agent.id, self.ctx, printed.append)
        finally:
            self._tell("get_tools", printed)

    def _tell(self, hook: str, printed: list[str]) -> None:
        text = "".join(printed).strip()
        if text:
            cut = f"{text[:_MOST_PRINTED]}…" if len(text) > _MOST_PRINTED else text
            self._notice(f"{hook} printed: {cut}")
