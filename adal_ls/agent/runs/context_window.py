"""Keeps a conversation under what its model takes: older tool results are cut first, then older turns left out.

What is left out stays in the store; only the request is shorter. No model is asked for a summary: only the loop asks
the model.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field

from adal_ls.agent.models.stream import ChatMessage

CHARACTERS_PER_TOKEN = 3.0
"""A careful guess until the provider has counted a request; English text has about four."""

KEPT_TURNS = 6
"""Answers of the model, the newest ones, whose results are the last to be cut."""

_RESERVED = 0.15  # of the window, for the tools' schemas and the answer
_CUT_TO = 400  # characters of an older result
_SHRINK = 0.7  # of what was sent, after a provider called it too long


@dataclass(slots=True)
class ContextWindow:
    """The limit of one model, and how many characters it takes for a token."""

    tokens: int | None = None
    """None: unknown; then only a refusal of the provider sets a limit."""

    _per_token: float = field(default=CHARACTERS_PER_TOKEN, init=False)
    _characters: int | None = field(default=None, init=False)
    _sent: int = field(default=0, init=False)
    _sizes: dict[int, tuple[ChatMessage, int]] = field(default_factory=dict, init=False)
    """By identity, with the message, so that none is measured twice in a conversation that grows."""

    def fit(self, messages: list[ChatMessage]) -> tuple[list[ChatMessage], str | None]:
        """The messages of the next request, and what was left out of them in words, None where nothing was."""
        limit = self._limit()
        sent = self._size(messages)
        fitted, words = messages, None
        if limit is not None and sent > limit:
            fitted, words = fit(messages, limit)
            sent = size(fitted)
        self._sent = sent
        return fitted, words

    def _size(self, messages: Sequence[ChatMessage]) -> int:
        total = 0
        for message in messages:
            if id(message) not in self._sizes:
                self._sizes[id(message)] = (message, size([message]))
            total += self._sizes[id(message)][1]
        return total

    def counted(self, input_tokens: int) -> None:
        """The provider's count of the last request."""
        if input_tokens > 0 and self._sent:
            # Schemas count too, so this is low rather than high for text alone: the careful side.
            self._per_token = max(1.0, self._sent / input_tokens)

    def refused(self) -> bool:
        """The provider called the last request too long. Whether a shorter one can be made."""
        shorter = int(self._sent * _SHRINK)
        if self._characters is not None and shorter >= self._characters:
            return False
        self._characters = shorter
        return shorter > 1_000

    def _limit(self) -> int | None:
        known = None if self.tokens is None else int(self.tokens * (1 - _RESERVED) * self._per_token)
        both = [limit for limit in (known, self._characters) if limit is not None]
        return min(both) if both else None


def size(messages: Sequence[ChatMessage]) -> int:
    """Characters of the messages as they are sent."""
    return sum(len(json.dumps(message, ensure_ascii=False)) for message in messages)


def fit(messages: list[ChatMessage], limit: int) -> tuple[list[ChatMessage], str | None]:
    """At most about `limit` characters of `messages`: the system prompt, the newest turns, as much between as fits.

    Every call keeps its one result, and a result is never without its call.
    """
    if size(messages) <= limit:
        return messages, None
    turns = _turns(messages[1:])
    cut = [turn if place >= len(turns) - KEPT_TURNS else _shorter(turn) for place, turn in enumerate(turns)]
    fitted = [messages[0], *(message for turn in cut for message in turn)]
    if size(fitted) <= limit:
        return fitted, "older tool results are cut"
    dropped = 0
    while len(cut) > 1 and size(fitted) > limit:
        # The first prompt stays: it says what the conversation is about.
        dropped += len(cut.pop(1 if len(cut) > 2 else 0))
        gap: ChatMessage = {"role": "user", "content": f"[{dropped} earlier messages are left out here to save room]"}
        fitted = [messages[0], *cut[0], gap, *(message for turn in cut[1:] for message in turn)]
    if size(fitted) > limit:
        cut = [_shorter(turn) for turn in cut]
        fitted = [messages[0], *(message for turn in cut for message in turn)]
    return fitted, f"older tool results are cut and {dropped} earlier messages left out"


def _turns(messages: list[ChatMessage]) -> list[list[ChatMessage]]:
    """Each prompt on its own, each answer with the results of its calls."""
    turns: list[list[ChatMessage]] = []
    for message in messages:
        if message["role"] == "tool" and turns:
            turns[-1].append(message)
        else:
            turns.append([message])
    return turns


def _shorter(turn: list[ChatMessage]) -> list[ChatMessage]:
    return [_cut(message) if message["role"] == "tool" else message for message in turn]


def _cut(message: ChatMessage) -> ChatMessage:
    text = message["content"]
    if len(text) <= _CUT_TO * 2:
        return message
    notice = f"{text[:_CUT_TO]}\n[{len(text) - _CUT_TO} of {len(text)} characters left out later to save room]"
    return {**message, "content": notice}
