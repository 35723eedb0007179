"""What a model streams, as typed deltas, and the interface that every model offers to the loop."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from dataclasses import dataclass
from typing import Any, Literal, Protocol

ErrorCode = Literal[
    "auth", "connection", "rate_limit", "timeout", "context_window", "not_found", "bad_request", "server", "script"
]

ChatMessage = dict[str, Any]
"""One message in the chat-completions shape, as providers take it."""

ToolSpec = dict[str, Any]
"""One tool in the chat-completions shape: `{"type": "function", "function": {name, description, parameters}}`."""


@dataclass(frozen=True, slots=True)
class TextDelta:
    text: str


@dataclass(frozen=True, slots=True)
class CallDelta:
    """A piece of a tool call. Which call it belongs to is `assembly`'s question; providers are sloppy about it."""

    index: int | None = None
    id: str | None = None
    name: str | None = None
    arguments: str = ""


@dataclass(frozen=True, slots=True)
class FinishDelta:
    """Why the model stopped: `stop`, `tool_calls`, `length`, `content_filter`, or what else the provider says."""

    reason: str


@dataclass(frozen=True, slots=True)
class UsageDelta:
    """Tokens of one request; `cost` in US dollars, None where the price is unknown (never 0 by guess)."""

    input_tokens: int
    output_tokens: int
    cost: float | None = None


@dataclass(frozen=True, slots=True)
class AgainDelta:
    """The request failed and is made once more: pieces of calls so far count for nothing. `why` is for the person."""

    why: str


Delta = TextDelta | CallDelta | FinishDelta | UsageDelta | AgainDelta


class ModelError(Exception):
    """The model could not answer. `message` says what happened and what to do next, and holds no key."""

    def __init__(self, code: ErrorCode, message: str) -> None:
        super().__init__(message)
        self.code = code
        self.message = message


class Model(Protocol):
    """Answers a conversation as a stream. Closing the iterator early ends the request at the provider."""

    @property
    def name(self) -> str: ...

    @property
    def any_name(self) -> bool:
        """Whether the model takes tool names that providers refuse (see `naming.fits_providers`)."""
        ...

    @property
    def context_tokens(self) -> int | None:
        """How long a conversation the model takes, where that is known."""
        ...

    def stream(self, messages: list[ChatMessage], tools: list[ToolSpec]) -> AsyncGenerator[Delta, None]:
        """One answer.

        Raises:
            ModelError: while iterating.
        """
        ...
