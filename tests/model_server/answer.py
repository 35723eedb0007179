"""One HTTP answer as it goes over the wire: a row of things to send, to wait for, or to break off with."""

from __future__ import annotations

import asyncio
import json
import zlib
from dataclasses import dataclass, field
from typing import Any

from tests.model_server.turns import Chunk, Turn


@dataclass(frozen=True)
class Comment:
    """A line that is no event: providers send them so that a connection stays open."""

    text: str


@dataclass(frozen=True)
class Wait:
    seconds: float


@dataclass(frozen=True)
class Drop:
    """The connection is closed without an end."""


@dataclass(frozen=True)
class Hang:
    """Nothing more is sent until the client goes away."""


Item = Chunk | Comment | Wait | Drop | Hang


@dataclass
class Answer:
    """What one request gets. Quirks change it: `items` of a stream, or a `body` that comes in one piece.

    `attempt` counts the requests of this turn from 1. `piece`: bytes a write; None sends each event whole.
    """

    turn: Turn
    attempt: int
    items: list[Item]
    status: int = 200
    headers: dict[str, str] = field(default_factory=lambda: {"Content-Type": "text/event-stream"})
    body: bytes | None = None
    done: bool = True
    line_end: str = "\n"
    piece: int | None = None
    gzipped: bool = False
    packer: Any = None

    @classmethod
    def of(cls, turn: Turn, attempt: int, *, usage: bool) -> Answer:
        answer = cls(turn, attempt, list(turn.chunks(usage=usage)))
        if turn.interrupted is not None and attempt == 1:
            answer.items[2:] = [turn.interrupted]
        if turn.drop_after is not None:
            answer.items.insert(turn.drop_after, Drop())
        if turn.hang_after is not None:
            answer.items.insert(turn.hang_after, Hang())
        if turn.fail is not None and attempt <= turn.failures:
            answer.refuse(turn.fail, {"message": f"scripted {turn.fail}", "type": "scripted"})
            if turn.retry_after is not None:
                answer.headers["Retry-After"] = turn.retry_after
        return answer

    @property
    def chunks(self) -> list[Chunk]:
        """The objects of the stream, errors apart, to be changed in place."""
        return [item for item in self.items if isinstance(item, dict) and "choices" in item]

    @property
    def deltas(self) -> list[dict[str, Any]]:
        return [choice["delta"] for item in self.chunks for choice in item["choices"]]

    @property
    def call_pieces(self) -> list[dict[str, Any]]:
        return [piece for delta in self.deltas for piece in delta.get("tool_calls", ())]

    def refuse(self, status: int, error: dict[str, Any]) -> None:
        self.whole(status, json.dumps({"error": error}), "application/json")

    def whole(self, status: int, body: str, kind: str) -> None:
        self.status, self.body, self.headers = status, body.encode(), {"Content-Type": kind}

    async def send(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, hanging: asyncio.Event) -> bool:
        """Whether the connection may serve another request."""
        if self.body is not None:
            self.headers["Content-Length"] = str(len(self.body))
            writer.write(self._head() + self.body)
            await writer.drain()
            return True
        self.headers["Transfer-Encoding"] = "chunked"
        if self.gzipped:
            self.headers["Content-Encoding"] = "gzip"
            self.packer = zlib.compressobj(wbits=31)
        if not isinstance(self.items[0], Wait | Drop):
            writer.write(self._head())
        for number, item in enumerate(self.items):
            if isinstance(item, Drop):
                return False
            if isinstance(item, Wait):
                await writer.drain()
                await asyncio.sleep(item.seconds)
                if number == 0:
                    writer.write(self._head())
            elif isinstance(item, Hang):
                await writer.drain()
                hanging.set()
                await reader.read()  # returns when the client goes away
                return False
            else:
                await self._event(writer, f": {item.text}" if isinstance(item, Comment) else f"data: {_json(item)}")
        if self.done:
            await self._event(writer, "data: [DONE]")
        if self.packer is not None:
            last = self.packer.flush()
            writer.write(b"%x\r\n%s\r\n" % (len(last), last))
        writer.write(b"0\r\n\r\n")
        await writer.drain()
        return True

    async def _event(self, writer: asyncio.StreamWriter, text: str) -> None:
        frame = (text + self.line_end * 2).encode()
        if self.packer is not None:
            frame = self.packer.compress(frame) + self.packer.flush(zlib.Z_SYNC_FLUSH)
        size = self.piece or len(frame)
        for at in range(0, len(frame), size):
            part = frame[at : at + size]
            writer.write(b"%x\r\n%s\r\n" % (len(part), part))
            await writer.drain()

    def _head(self) -> bytes:
        lines = "".join(f"{name}: {value}\r\n" for name, value in self.headers.items())
        return f"HTTP/1.1 {self.status} Scripted\r\n{lines}\r\n".encode()


def _json(item: Chunk) -> str:
    return json.dumps(item, ensure_ascii=False)
