"""The tools of one run where they run in this process, under the gate like all others."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Mapping
from contextvars import ContextVar
from typing import Any

from adal_ls.agent.projects.custom import ToolCaller
from adal_ls.worker.calling import StillRunningError, Ways, call
from adal_ls.worker.data import Limits, ToolResult
from adal_ls.worker.listing import ListedTool
from adal_ls.worker.sources import Sources

CALL: ContextVar[str] = ContextVar("adal_inprocess_call", default="")
"""The call that the current task makes."""

_LIMITS = Limits()


class InProcessTools:
    """Implements `CustomTools`, and calls them itself.

    A function that is not async runs in a thread, which Python cannot stop: cancelled or out of time it runs on, and
    `warn` says so.
    """

    def __init__(
        self,
        tools: Mapping[str, ListedTool],
        sources: Sources,
        *,
        on_yield: Callable[[str, str, str], None],
        warn: Callable[[str], None],
        limit: float = _LIMITS.call,
    ) -> None:
        """`on_yield` gets call id, tool and text of each value that a tool yields; `limit` is in seconds."""
        self.outputs: dict[str, Any] = {}
        """Call id → the data a tool returned, for programs; the model reads its text."""
        self._tools = tools
        self._sources = sources
        self._on_yield = on_yield
        self._warn = warn
        self._limit = limit

    async def worker(self) -> InProcessTools:
        return self

    def changed_late(self) -> str:
        return ""  # no answer outlives the script, whose code all of it is

    async def call(
        self,
        name: str,
        arguments: dict[str, Any],
        *,
        on_print: Callable[[str], None] | None = None,  # noqa: ARG002 - what a tool prints is the script's own output
        on_progress: Callable[[str], None] | None = None,  # noqa: ARG002 - `on_yield` keeps values apart
    ) -> ToolResult:
        ways = Ways(self._sources, _LIMITS.observation, self._progress(CALL.get(), name))
        running = asyncio.ensure_future(call(self._tools[name], arguments, ways))
        try:
            await asyncio.wait({running}, timeout=self._limit)
        finally:
            if stopped := not running.done():
                running.cancel()
                await asyncio.wait({running})
                self._look(running, name)
        if stopped:
            return ToolResult("error", None, f"'{name}' was stopped: it took longer than {self._limit:g} seconds")
        result = running.result()
        self.outputs[CALL.get()] = result.output
        return result

    def _look(self, running: asyncio.Future[ToolResult], name: str) -> None:
        if not running.cancelled() and isinstance(running.exception(), StillRunningError):
            self._warn(f"'{name}' runs on in its thread: Python cannot stop a function that is not async")

    def _progress(self, call_id: str, name: str) -> Callable[[str], None]:
        loop, own_thread = asyncio.get_running_loop(), threading.get_ident()

        def tell(text: str) -> None:
            if threading.get_ident() == own_thread:
                self._on_yield(call_id, name, text)
            elif not loop.is_closed():
                loop.call_soon_threadsafe(self._on_yield, call_id, name, text)

        return tell


class NotedCaller:
    """Calls tools that run elsewhere, on an MCP server, and notes their data as that of our own."""

    def __init__(self, caller: ToolCaller, outputs: dict[str, Any]) -> None:
        """`outputs`: call id → data, as `InProcessTools.outputs`."""
        self._caller = caller
        self._outputs = outputs

    async def call(
        self,
        name: str,
        arguments: dict[str, Any],
        *,
        on_print: Callable[[str], None] | None = None,
        on_progress: Callable[[str], None] | None = None,
    ) -> ToolResult:
        result = await self._caller.call(name, arguments, on_print=on_print, on_progress=on_progress)
        self._outputs[CALL.get()] = result.output
        return result
