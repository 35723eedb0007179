"""The server: one script of turns, answered over HTTP/1.1 with server-sent events or as one JSON body.

Stateless but for its counters: the number of assistant messages in a request decides the turn, so a client that tries
again gets the same turn, and a request after the last turn gets the last one once more.
"""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any


@dataclass(frozen=True)
class Call:
    """One tool call of a turn. `pieces` are the arguments as streamed; `index` and `id` may be missing or wrong."""

    name: str
    arguments: str = "{}"
    id: str | None = "call_1"
    index: int | None = 0
    pieces: int = 1


@dataclass(frozen=True)
class Turn:
    """One answer of the model, and what goes wrong on the way.

    `fail` answers the first `failures` requests of the turn with that HTTP status; `drop_after` closes the connection
    and `hang_after` falls silent after that many chunks; `interleave` alternates the pieces of the calls.
    """

    text: str = ""
    calls: tuple[Call, ...] = ()
    finish: str | None = None
    fail: int | None = None
    failures: int = 1
    retry_after: str | None = None
    drop_after: int | None = None
    hang_after: int | None = None
    interleave: bool = False
    done: bool = True
    usage: tuple[int, int] = (11, 7)

    @classmethod
    def read(cls, data: dict[str, Any]) -> Turn:
        """From JSON, for `python -m tests.model_server`."""
        calls = tuple(Call(**call) for call in data.get("calls", ()))
        return cls(**{**data, "calls": calls, "usage": tuple(data.get("usage", (11, 7)))})

    def deltas(self) -> Iterator[dict[str, Any]]:
        for part in (self.text[: len(self.text) // 2], self.text[len(self.text) // 2 :]):
            if part:
                yield {"content": part}
        streams = [list(_pieces(call)) for call in self.calls]
        if self.interleave:
            for step in range(max(map(len, streams), default=0)):
                yield from ({"tool_calls": [stream[step]]} for stream in streams if step < len(stream))
        else:
            yield from ({"tool_calls": [piece]} for stream in streams for piece in stream)

    @property
    def finish_reason(self) -> str:
        return self.finish or ("tool_calls" if self.calls else "stop")


@dataclass
class ModelServer:
    """Serves `turns` while entered. `requests` are the bodies received, `keys` the bearer tokens."""

    turns: list[Turn]
    requests: list[dict[str, Any]] = field(default_factory=list)
    keys: list[str] = field(default_factory=list)
    disconnected: asyncio.Event = field(default_factory=asyncio.Event)
    hanging: asyncio.Event = field(default_factory=asyncio.Event)
    port: int = 0
    _failed: Counter[int] = field(default_factory=Counter)
    _server: asyncio.base_events.Server | None = None
    _connections: set[asyncio.Task[None]] = field(default_factory=set)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/v1"

    async def __aenter__(self) -> ModelServer:
        self._server = await asyncio.start_server(self._accept, "127.0.0.1", self.port)
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
            _whole(writer, 200, {"object": "list", "data": [{"id": "scripted", "object": "model"}]})
            await writer.drain()
            return True
        body = json.loads(raw)
        self.requests.append(body)
        self.keys.append(headers.get("authorization", "").removeprefix("Bearer "))
        number = min(sum(message["role"] == "assistant" for message in body["messages"]), len(self.turns) - 1)
        turn = self.turns[number]
        if turn.fail is not None and self._failed[number] < turn.failures:
            self._failed[number] += 1
            _whole(writer, turn.fail, {"error": {"message": f"scripted {turn.fail}", "type": "scripted"}}, turn)
            await writer.drain()
            return True
        if not body.get("stream"):
            _whole(writer, 200, _completion(turn))
            await writer.drain()
            return True
        return await self._stream(reader, writer, turn, body)

    async def _stream(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, turn: Turn, body: dict[str, Any]
    ) -> bool:
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n")
        for sent, chunk in enumerate(
            _chunks(turn, usage=bool((body.get("stream_options") or {}).get("include_usage")))
        ):
            if sent == turn.drop_after:
                return False
            if sent == turn.hang_after:
                await writer.drain()
                self.hanging.set()
                await reader.read()  # returns when the client goes away
                self.disconnected.set()
                return False
            _event(writer, json.dumps(chunk))
            await writer.drain()
        if turn.done:
            _event(writer, "[DONE]")
        writer.write(b"0\r\n\r\n")
        await writer.drain()
        return True


def _pieces(call: Call) -> Iterator[dict[str, Any]]:
    size = max(1, -(-len(call.arguments) // call.pieces))
    parts = [call.arguments[at : at + size] for at in range(0, len(call.arguments), size)] or [""]
    for number, part in enumerate(parts):
        piece: dict[str, Any] = {"function": {"arguments": part}}
        if call.index is not None:
            piece["index"] = call.index
        if number == 0:
            piece |= {"id": call.id, "type": "function"}
            piece["function"]["name"] = call.name
        yield piece


def _chunks(turn: Turn, *, usage: bool) -> Iterator[dict[str, Any]]:
    base = {"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1, "model": "scripted"}
    yield base | {"choices": [{"index": 0, "delta": {"role": "assistant", "content": ""}, "finish_reason": None}]}
    for delta in turn.deltas():
        yield base | {"choices": [{"index": 0, "delta": delta, "finish_reason": None}]}
    yield base | {"choices": [{"index": 0, "delta": {}, "finish_reason": turn.finish_reason}]}
    if usage:
        counted = {"prompt_tokens": turn.usage[0], "completion_tokens": turn.usage[1], "total_tokens": sum(turn.usage)}
        yield base | {"choices": [], "usage": counted}


def _completion(turn: Turn) -> dict[str, Any]:
    message: dict[str, Any] = {"role": "assistant", "content": turn.text or None}
    if turn.calls:
        message["tool_calls"] = [
            {"id": call.id, "type": "function", "function": {"name": call.name, "arguments": call.arguments}}
            for call in turn.calls
        ]
    choice = {"index": 0, "message": message, "finish_reason": turn.finish_reason}
    return {"id": "chatcmpl-1", "object": "chat.completion", "created": 1, "model": "scripted", "choices": [choice]}


def _event(writer: asyncio.StreamWriter, data: str) -> None:
    frame = f"data: {data}\n\n".encode()
    writer.write(b"%x\r\n%s\r\n" % (len(frame), frame))


def _whole(writer: asyncio.StreamWriter, status: int, body: dict[str, Any], turn: Turn | None = None) -> None:
    data = json.dumps(body).encode()
    extra = f"Retry-After: {turn.retry_after}\r\n" if turn is not None and turn.retry_after is not None else ""
    head = f"HTTP/1.1 {status} Scripted\r\nContent-Type: application/json\r\nContent-Length: {len(data)}\r\n{extra}\r\n"
    writer.write(head.encode() + data)
