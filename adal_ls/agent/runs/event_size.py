"""Events kept small enough for one message: what a model or a tool says has any length, a message has not. Pure."""

from __future__ import annotations

import json
from typing import Any

from pydantic import TypeAdapter

from adal_ls.agent.runs.history import cut
from adal_ls.protocol.runs import Event, FinishedEvent, StateEvent, TextEvent, ToolCallEvent, UsageEvent

LIMIT = 400_000
"""Bytes of one event as JSON; messages stay under 1 MB, and an event may stand in one with others."""

_ANSWER = 50_000
_LENGTHS = (50_000, 5_000, 500, 50)  # characters of one text in it, the first that makes the event small enough
_EVENT: TypeAdapter[Event] = TypeAdapter(Event)


def bounded(event: Event) -> tuple[Event, str | None]:
    """`event` as it is told and stored, and the whole arguments of a call, as JSON, where those were cut."""
    if isinstance(event, TextEvent | StateEvent | UsageEvent):  # small by their nature, and the most there are
        return event, None
    wire = event.wire()
    if _size(wire) <= LIMIT:
        return event, None
    if isinstance(event, ToolCallEvent):
        whole = json.dumps(event.arguments)
        small = {**wire, "arguments": _shortened(event.arguments), "argumentsCut": True}
        return _EVENT.validate_python(small), whole
    if isinstance(event, FinishedEvent) and event.answer is not None:
        return event.model_copy(update={"answer": cut(event.answer, _ANSWER)}), None
    return _EVENT.validate_python(_shortened(wire)), None


def _shortened(value: dict[str, Any]) -> dict[str, Any]:
    for length in _LENGTHS:
        short: dict[str, Any] = _cut(value, length)
        if _size(short) <= LIMIT:
            return short
    return {}  # a great many small parts


def _cut(value: Any, length: int) -> Any:
    if isinstance(value, str):
        return cut(value, length)
    if isinstance(value, list):
        return [_cut(part, length) for part in value]
    if isinstance(value, dict):
        return {cut(key, length): _cut(part, length) for key, part in value.items()}
    return value


def _size(value: object) -> int:
    return len(json.dumps(value))
