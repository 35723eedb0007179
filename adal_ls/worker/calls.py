"""The calls of the host to a loaded project, and which of them run. In the worker, on its loop."""

from __future__ import annotations

import asyncio
import functools
import types
from collections.abc import Callable

from adal_ls.wire.peer import REQUEST_FAILED, Json, Peer, RpcError
from adal_ls.worker.data import ToolResult, result_to_json
from adal_ls.worker.ending import break_down
from adal_ls.worker.load import Project
from adal_ls.worker.printed import CALL
from adal_ls.worker.results import within_frame
from adal_ls.worker.surroundings import Surroundings


@functools.cache
def machinery() -> types.ModuleType:
    """What runs a tool. It needs pydantic, which takes 50 ms and is not needed to load."""
    from adal_ls.worker import calling

    return calling


class _WorkerPeer(Peer):
    """A call whose answer cannot be sent would be waited for until its time is up."""

    def _post(self, message: dict[str, Json]) -> None:
        try:
            super()._post(message)
        except BaseException as fault:  # noqa: BLE001 - tool code has broken json, the builtins or the pipe
            break_down(fault)


class Calls:
    """Answers `call` and `cancel`."""

    def __init__(self, project: Project, send: Callable[[bytes], None]) -> None:
        self._project = project
        self._running: dict[str, asyncio.Task[ToolResult]] = {}
        self._surroundings = Surroundings()
        self.peer = _WorkerPeer(send, {"call": self._call, "cancel": self._cancel})

    async def _call(self, params: Json) -> Json:
        machine = machinery()
        token: str = params["call"]
        CALL.set(token)
        if not self._running:
            self._surroundings.restore()
        tool = self._project.tools[params["name"]]
        on_progress = lambda text: self.peer.notify("progress", {"call": token, "text": text})  # noqa: E731
        ways = machine.Ways(self._project.sources, params["limit"], on_progress)
        self._running[token] = task = asyncio.ensure_future(machine.call(tool, params["arguments"], ways))
        try:
            return result_to_json(within_frame(await task))
        except asyncio.CancelledError:
            if not task.cancelled():
                raise
            return result_to_json(ToolResult("cancelled", None, "The call was cancelled."))
        except machine.StillRunningError:
            raise RpcError(REQUEST_FAILED, "the tool cannot be stopped without its process") from None
        finally:
            del self._running[token]

    async def _cancel(self, params: Json) -> Json:
        task = self._running.get(params["call"])
        if task is not None:
            task.cancel()
        return None
