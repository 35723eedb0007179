"""What a scripted model says in one turn, and the chunks in which a well-behaved provider would stream it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

Chunk = dict[str, Any]
"""One object of the stream, as `chat.completions` has it."""


@dataclass(frozen=True)
class Call:
    """One tool call of a turn. `pieces`: in how many deltas its arguments are streamed."""

    name: str
    arguments: str = "{}"
    id: str | None = "call_1"
    index: int | None = 0
    pieces: int = 1


@dataclass(frozen=True)
class Turn:
    """One answer of the model, and what goes wrong on the way.

    `quirks` are names of `quirks.QUIRKS`. `deltas` are streamed as they are, in the place of text and calls.
    `interrupted` comes in the first request of the turn, in the place of what follows the first half of the text.
    `fail` answers the first `failures` requests of the turn with that HTTP status; `drop_after` closes the connection
    and `hang_after` falls silent after that many chunks.
    """

    text: str = ""
    calls: tuple[Call, ...] = ()
    finish: str | None = None
    fail: int | None = None
    failures: int = 1
    retry_after: str | None = None
    drop_after: int | None = None
    hang_after: int | None = None
    usage: tuple[int, int] = (11, 7)
    quirks: tuple[str, ...] = ()
    deltas: tuple[dict[str, Any], ...] = ()
    interrupted: dict[str, Any] | None = None

    @classmethod
    def read(cls, data: dict[str, Any]) -> Turn:
        """From JSON, for `python -m tests.model_server`."""
        calls = tuple(Call(**call) for call in data.get("calls", ()))
        rows: dict[str, Any] = {name: tuple(data.get(name, ())) for name in ("quirks", "deltas")}
        rows["usage"] = tuple(data.get("usage", (11, 7)))
        return cls(**{**data, "calls": calls, **rows})

    @property
    def finish_reason(self) -> str:
        calls = self.calls or any("tool_calls" in delta for delta in self.deltas)
        return self.finish or ("tool_calls" if calls else "stop")

    def chunks(self, *, usage: bool) -> list[Chunk]:
        """`usage`: the request asked for a last chunk that counts the tokens."""
        out = [chunk({"role": "assistant", "content": ""})]
        half = len(self.text) // 2
        out += [chunk({"content": part}) for part in (self.text[:half], self.text[half:]) if part]
        out += [chunk({"tool_calls": [piece]}) for call in self.calls for piece in _pieces(call)]
        out += [chunk(delta) for delta in self.deltas]
        out.append(chunk({}, self.finish_reason))
        if usage:
            out.append(_BASE | {"choices": [], "usage": self.counted()})
        return out

    def counted(self) -> dict[str, int]:
        prompt, completion = self.usage
        return {"prompt_tokens": prompt, "completion_tokens": completion, "total_tokens": prompt + completion}

    def whole(self) -> dict[str, Any]:
        """The answer in one body, for a request that asks for no stream."""
        message: dict[str, Any] = {"role": "assistant", "content": self.text or None}
        if self.calls:
            message["tool_calls"] = [
                {"id": call.id, "type": "function", "function": {"name": call.name, "arguments": call.arguments}}
                for call in self.calls
            ]
        choice = {"index": 0, "message": message, "finish_reason": self.finish_reason}
        return {**_BASE, "object": "chat.completion", "choices": [choice], "usage": self.counted()}


_BASE: Chunk = {"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1, "model": "scripted"}


def chunk(delta: dict[str, Any], finish: str | None = None) -> Chunk:
    return _BASE | {"choices": [{"index": 0, "delta": delta, "finish_reason": finish}]}


def _pieces(call: Call) -> Iterator[dict[str, Any]]:
    size = max(1, -(-len(call.arguments) // call.pieces))
    parts = [call.arguments[at : at + size] for at in range(0, len(call.arguments), size)] or [""]
    for number, part in enumerate(parts):
        piece: dict[str, Any] = {"index": call.index, "function": {"arguments": part}}
        if call.index is None:
            del piece["index"]
        if number == 0:
            piece |= {"id": call.id, "type": "function"}
            piece["function"]["name"] = call.name
        yield piece
