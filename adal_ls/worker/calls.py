"""The calls of the host to a loaded project, and which of them run. In the worker, on its loop."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import TYPE_CHECKING

from adal_ls.wire.peer import REQUEST_FAILED, Json, Peer, RpcError
from adal_ls.worker.data import ToolResult, result_to_json
from adal_ls.worker.load import Project
from adal_ls.worker.printed import CALL
from adal_ls.worker.results import within_frame

if TYPE_CHECKING:
    from adal_ls.worker.arguments import Signature


class Calls:
    """Answers `call` and `cancel`."""

    def __init__(self, project: Project, send: Callable[[bytes], None]) -> None:
        self._project = project
        self._running: dict[str, asyncio.Task[ToolResult]] = {}
        self._signatures: dict[str, Signature] = {}
        self.peer = Peer(send, {"call": self._call, "cancel": self._cancel})

    async def _call(self, params: Json) -> Json:
        # Here, since they need pydantic, which takes 50 ms and is not needed to load.
        from adal_ls.worker.arguments import Signature
        from adal_ls.worker.calling import StillRunningError, call

        token: str = params["call"]
        CALL.set(token)
        tool = self._project.tools[params["name"]]
        if tool.loaded.name not in self._signatures:
            self._signatures[tool.loaded.name] = Signature(tool.loaded.name, tool.function)
        self._running[token] = task = asyncio.ensure_future(
            call(
                tool.function,
                self._signatures[tool.loaded.name],
                params["arguments"],
                self._project.sources,
                limit=params["limit"],
                on_progress=lambda text: self.peer.notify("progress", {"call": token, "text": text}),
            )
        )
        try:
            return result_to_json(within_frame(await task))
        except asyncio.CancelledError:
            if not task.cancelled():
                raise
            return result_to_json(ToolResult("cancelled", None, "The call was cancelled."))
        except StillRunningError:
            raise RpcError(REQUEST_FAILED, "the tool cannot be stopped without its process") from None
        finally:
            del self._running[token]

    async def _cancel(self, params: Json) -> Json:
        task = self._running.get(params["call"])
        if task is not None:
            task.cancel()
        return None
