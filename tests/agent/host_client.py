"""The server's end of a host process, for tests: everything it told, and questions to answer."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

from adal_ls.protocol import methods
from adal_ls.version import __version__
from adal_ls.wire.framing import with_headers
from adal_ls.wire.peer import Json, Peer


class Server:
    """The other end: a host process, everything it told, and questions to answer."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self.process = process
        self.told: list[tuple[str, dict[str, Any]]] = []
        self.answers: dict[str, Any] = {"optionId": "allow_once", "outcome": "selected"}
        self.approval_gate = asyncio.Event()
        self.approval_gate.set()
        self._news = asyncio.Event()
        self._answer: Callable[[Json], Awaitable[Json]] | None = None
        assert process.stdin is not None
        stdin = process.stdin
        self.peer = Peer(
            lambda body: stdin.write(with_headers(body)),
            {
                methods.RUN_UPDATE: self._note(methods.RUN_UPDATE),
                methods.HOST_PROJECT: self._note(methods.HOST_PROJECT),
                methods.HOST_CHANGED: self._note(methods.HOST_CHANGED),
                methods.APPROVAL_RESOLVED: self._note(methods.APPROVAL_RESOLVED),
                methods.TOOLS_TRY_PROGRESS: self._note(methods.TOOLS_TRY_PROGRESS),
                methods.APPROVAL_REQUEST: self._approve,
            },
        )
        self.reading = asyncio.ensure_future(self._read())

    def answer_approvals(self, answer: Callable[[Json], Awaitable[Json]]) -> None:
        """Has `answer` answer them from now on, whatever it gives."""
        self._answer = answer

    async def initialize(self, root: Path, *, trusted: bool = True, watch: bool = False, **settings: Any) -> Json:
        params = {
            "protocolVersion": methods.PROTOCOL_VERSION,
            "version": __version__,
            "trusted": trusted,
            "workspaceRoots": [str(root)],
            "settings": settings,
            "watch": watch,
        }
        return await self.request(methods.HOST_INITIALIZE, params)

    async def request(self, method: str, params: Json) -> Json:
        return await self.peer.request(method, params, timeout=30)

    async def until(self, method: str, **fields: Any) -> dict[str, Any]:
        """The first message of that method whose event (or params) has these fields."""
        checked = 0
        while True:
            for told, params in self.told[checked:]:
                checked += 1
                inner: dict[str, Any] = params.get("event", params)
                if told == method and all(inner.get(name) == value for name, value in fields.items()):
                    return inner
            self._news.clear()
            await asyncio.wait_for(self._news.wait(), 30)

    def _note(self, method: str) -> Any:
        async def note(params: Json) -> None:
            self.told.append((method, params))
            self._news.set()

        return note

    async def _approve(self, params: Json) -> Json:
        self.told.append((methods.APPROVAL_REQUEST, params))
        self._news.set()
        await self.approval_gate.wait()
        if self._answer is not None:
            return await self._answer(params)
        return {"approvalId": params["approvalId"], "argsDigest": params["argsDigest"], **self.answers}

    async def _read(self) -> None:
        stdout = self.process.stdout
        assert stdout is not None
        while head := await stdout.readline():
            # Strict: a single stray byte between messages fails here.
            name, _, value = head.partition(b": ")
            assert name == b"Content-Length", head
            assert await stdout.readline() == b"\r\n"
            self.peer.receive(await stdout.readexactly(int(value)))
        self.peer.close()
