"""The calls of the host to a loaded project, and which of them run. In the worker, on its loop."""

from __future__ import annotations

import asyncio
import functools
import types
from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

from adal_ls.wire.peer import REQUEST_FAILED, Handler, Json, Peer, RpcError
from adal_ls.worker.data import ToolResult, result_to_json
from adal_ls.worker.ending import break_down
from adal_ls.worker.listing import ListedTool
from adal_ls.worker.load import Project
from adal_ls.worker.printed import CALL
from adal_ls.worker.results import within_frame
from adal_ls.worker.surroundings import Printing, Surroundings

T = TypeVar("T")


@functools.cache
def machinery() -> types.ModuleType:
    """What runs a tool. It needs pydantic, which takes 50 ms and is not needed to load."""
    from adal_ls.worker import calling

    return calling


class _CancelledByHost(Exception):  # noqa: N818 - no fault
    pass


class _WorkerPeer(Peer):
    """A call whose answer cannot be sent would be waited for until its time is up."""

    def _post(self, message: dict[str, Json]) -> None:
        try:
            super()._post(message)
        except BaseException as fault:  # noqa: BLE001 - tool code has broken json, the builtins or the pipe
            break_down(fault)


class Calls:
    """Answers `call` and `cancel`, and what the host asks about agents and their providers."""

    def __init__(self, project: Project, send: Callable[[bytes], None]) -> None:
        self._project = project
        self._running: dict[str, asyncio.Task[Any]] = {}
        self._printing = Printing()
        self._loaded = self._surroundings = Surroundings()
        handlers: dict[str, Handler] = {"call": self._call, "cancel": self._cancel}
        if project.agents is not None:
            asked = {
                "resolve": project.agents.resolve,
                "endRun": project.agents.end,
                "dispose": project.agents.dispose,
                "describe": project.agents.describe,
            }
            handlers |= {method: functools.partial(self._ask, method, answer) for method, answer in asked.items()}
        self.peer = _WorkerPeer(send, handlers)

    async def _call(self, params: Json) -> Json:
        machine = machinery()
        token: str = params["call"]
        tool = self._tool(params)
        on_progress = lambda text: self.peer.notify("progress", {"call": token, "text": text})  # noqa: E731
        ways = machine.Ways(self._project.sources, params["limit"], on_progress)
        try:
            return result_to_json(within_frame(await self._run(token, machine.call(tool, params["arguments"], ways))))
        except _CancelledByHost:
            return result_to_json(ToolResult("cancelled", None, "The call was cancelled."))
        except machine.StillRunningError:
            raise RpcError(REQUEST_FAILED, "the tool cannot be stopped without its process") from None

    def _tool(self, params: Json) -> ListedTool:
        episode = params.get("episode")
        if episode is None:
            return self._project.tools[params["name"]]
        assert self._project.agents is not None  # noqa: S101 - the host has got the tool from them
        return self._project.agents.tool(episode, params["name"])

    async def _ask(self, method: str, answer: Handler, params: Json) -> Json:
        """What providers set up for an episode in the whole process stays for its calls."""
        try:
            result: Json = await self._run(params["call"], answer(params))
        except _CancelledByHost:
            return None  # nobody waits for it
        if method in ("resolve", "endRun") and not self._running:
            self._surroundings = Surroundings() if method == "resolve" else self._loaded
        return result

    async def _run(self, token: str, work: Awaitable[T]) -> T:
        """
        Raises:
            _CancelledByHost: it was stopped, because the host said so.
        """
        CALL.set(token)
        if not self._running:
            self._printing.restore()
            self._surroundings.restore()
        self._running[token] = task = asyncio.ensure_future(work)
        try:
            return await task
        except asyncio.CancelledError:
            if not task.cancelled():
                raise
            raise _CancelledByHost from None
        finally:
            del self._running[token]

    async def _cancel(self, params: Json) -> Json:
        task = self._running.get(params["call"])
        if task is not None:
            task.cancel()
        return None
