"""The conversation as providers take it, valid at every moment: each call in it has exactly one result."""

from __future__ import annotations

import json
from collections.abc import Sequence

from adal_ls.agent.models.assembly import ModelCall
from adal_ls.agent.models.stream import ChatMessage

OBSERVATION_LIMIT = 50_000
"""Characters of one tool result that the model sees; head and tail are kept."""

_TAIL = 10_000


class Conversation:
    """Grows by prompts, answers and results. `messages` is what the next request carries."""

    def __init__(self, system: str) -> None:
        self._messages: list[ChatMessage] = [{"role": "system", "content": system}]
        self._open: dict[str, None] = {}
        self._call_ids: set[str] = set()

    @property
    def messages(self) -> list[ChatMessage]:
        """A copy of the list, for one request.

        Raises:
            RuntimeError: a call has no result yet; providers would refuse the request.
        """
        if self._open:
            raise RuntimeError(f"calls without a result: {', '.join(self._open)}")
        return list(self._messages)

    @property
    def call_ids(self) -> frozenset[str]:
        """Every call id used so far."""
        return frozenset(self._call_ids)

    @property
    def answered(self) -> bool:
        """Whether the model had the last word, so that a request needs a prompt first."""
        return self._messages[-1]["role"] in ("assistant", "system")

    def instruct(self, system: str) -> None:
        """Another system prompt from the next request on."""
        self._messages[0] = {"role": "system", "content": system}

    def add_prompt(self, text: str) -> None:
        self._messages.append({"role": "user", "content": sound(text)})

    def add_answer(self, text: str, calls: Sequence[ModelCall], names: Sequence[str]) -> None:
        """What the model said, and its calls under `names`, the names it was given.

        The arguments are written afresh, so that what a provider gets back is JSON even where the model's was not.
        """
        if not text and not calls:
            return
        message: ChatMessage = {"role": "assistant", "content": text or None}
        if calls:
            message["tool_calls"] = [
                {
                    "id": call.call_id,
                    "type": "function",
                    "function": {"name": name, "arguments": json.dumps(call.arguments)},
                }
                for call, name in zip(calls, names, strict=True)
            ]
        self._messages.append(message)
        for call in calls:
            self._open[call.call_id] = None
            self._call_ids.add(call.call_id)

    def add_result(self, call_id: str, observation: str) -> None:
        """The one result of a call.

        Raises:
            KeyError: the id is not open: unknown, or answered already.
        """
        del self._open[call_id]
        self._messages.append({"role": "tool", "tool_call_id": call_id, "content": observation})


def sound(text: str) -> str:
    """`text` without half surrogate pairs (a file name can hold one), which no provider takes."""
    return text.encode("utf-8", "backslashreplace").decode()


def cut(observation: str, limit: int = OBSERVATION_LIMIT) -> str:
    """`observation` as the model sees it: whole, or head and tail around a notice that says how much is missing."""
    if len(observation) <= limit:
        return observation
    tail = min(_TAIL, limit // 5)
    head = limit - tail
    missing = len(observation) - limit
    notice = f"\n\n[{missing} of {len(observation)} characters left out here; the limit is {limit}]\n\n"
    return observation[:head] + notice + observation[-tail:]
