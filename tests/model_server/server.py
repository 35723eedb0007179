"""The server: one script of turns, answered over HTTP/1.1 with server-sent events or as one JSON body.

Stateless but for its counters: the number of assistant messages in a request decides the turn, so a client that tries
again gets the same turn (unless `by_request`), and a request after the last turn gets the last one once more.
"""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any

from tests.model_server.answer import Answer, Hang
from tests.model_server.quirks import QUIRKS
from tests.model_server.turns import Turn


@dataclass
class ModelServer:
    """Serves `turns` while entered. `requests` are the bodies received, `keys` the bearer tokens, `times` when."""

    turns: list[Turn]
    requests: list[dict[str, Any]] = field(default_factory=list)
    keys: list[str] = field(default_factory=list)
    times: list[float] = field(default_factory=list)
    disconnected: asyncio.Event = field(default_factory=asyncio.Event)
    hanging: asyncio.Event = field(default_factory=asyncio.Event)
    by_request: bool = False
    port: int = 0
    _asked: Counter[int] = field(default_factory=Counter)
    _server: asyncio.base_events.Server | None = None
    _connections: set[asyncio.Task[None]] = field(default_factory=set)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/v1"

    async def __aenter__(self) -> ModelServer:
        self._server = await asyncio.start_server(self._accept, "127.0.0.1", self.port, limit=2**24)
        self.port = self._server.sockets[0].getsockname()[1]
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, fault: BaseException | None, trace: TracebackType | None
    ) -> None:
        assert self._server is not None
        self._server.close()
        for task in self._connections:
            task.cancel()
        await asyncio.gather(*self._connections, return_exceptions=True)

    def begin(self, *turns: Turn, by_request: bool = False) -> None:
        """Another script, and nothing received yet. `by_request`: also a repeated request gets the next turn."""
        self.turns = list(turns)
        self.by_request = by_request
        for kept in (self.requests, self.keys, self.times, self._asked):
            kept.clear()
        self.hanging.clear()
        self.disconnected.clear()

    def turn_of(self, number: int) -> Turn:
        """What the model says after `number` answers."""
        return self.turns[number]

    async def serve_forever(self) -> None:
        assert self._server is not None
        await self._server.serve_forever()

    async def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._connections.add(task)
        try:
            while await self._serve_one(reader, writer):
                pass
        except (ConnectionError, asyncio.IncompleteReadError, asyncio.CancelledError):
            pass
        finally:
            self._connections.discard(task)
            writer.close()

    async def _serve_one(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        head = await reader.readuntil(b"\r\n\r\n")
        first, *lines = head.decode("latin-1").split("\r\n")
        headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines) if name}
        raw = await reader.readexactly(int(headers.get("content-length", 0)))
        if not first.startswith("POST"):
            return await _json(reader, writer, {"object": "list", "data": [{"id": "scripted", "object": "model"}]})
        body = json.loads(raw)
        self.requests.append(body)
        self.keys.append(headers.get("authorization", "").removeprefix("Bearer "))
        self.times.append(asyncio.get_running_loop().time())
        answered = sum(message["role"] == "assistant" for message in body["messages"])
        number = min(len(self.requests) - 1 if self.by_request else answered, len(self.turns) - 1)
        turn = self.turn_of(number)
        self._asked[number] += 1
        answer = Answer.of(
            turn, self._asked[number], usage=bool((body.get("stream_options") or {}).get("include_usage"))
        )
        for name in turn.quirks:
            QUIRKS[name].change(answer)
        if not body.get("stream") and answer.body is None:
            return await _json(reader, writer, turn.whole())
        open_ = await answer.send(reader, writer, self.hanging)
        if not open_ and any(isinstance(item, Hang) for item in answer.items):
            self.disconnected.set()
        return open_


async def _json(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, body: dict[str, Any]) -> bool:
    answer = Answer(Turn(), 1, [])
    answer.whole(200, json.dumps(body), "application/json")
    return await answer.send(reader, writer, asyncio.Event())
