"""A run's events as lines for a person, for replay and for a run that is going on."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator

from adal_ls.protocol.runs import (
    DecisionEvent,
    ErrorEvent,
    Event,
    FinishedEvent,
    NoticeEvent,
    PromptEvent,
    TextEvent,
    ToolCallEvent,
    ToolResultEvent,
)


def lines(events: Iterable[Event]) -> Iterator[str]:
    """The transcript: what was asked, called, decided, seen and answered; nothing is cut."""
    text: list[str] = []
    for event in events:
        if isinstance(event, TextEvent):
            text.append(event.delta)
            continue
        if text:
            yield f"agent    {_indented(''.join(text))}"
            text.clear()
        line = line_of(event)
        if line is not None:
            yield line
    if text:
        yield f"agent    {_indented(''.join(text))}"


def line_of(event: Event) -> str | None:
    """One event as a line or a few, None for those that a person need not see (and for text, which comes in parts)."""
    if isinstance(event, PromptEvent):
        return f"prompt   {_indented(event.text)}"
    if isinstance(event, ToolCallEvent) and event.status == "pending":
        return f"call     {event.tool} {json.dumps(event.arguments, ensure_ascii=False)}"
    if isinstance(event, DecisionEvent):
        reason = f": {event.reason}" if event.reason else ""
        return f"decision {event.decision} {event.tool} (by {event.decided_by}){_indented(reason)}"
    if isinstance(event, ToolResultEvent):
        printed = f"\n         printed: {_indented(event.printed.rstrip())}" if event.printed else ""
        trace = f"\n         trace: {_indented(event.trace.rstrip())}" if event.trace else ""
        return f"result   {event.tool} {event.status}: {_indented(event.observation)}{printed}{trace}"
    if isinstance(event, NoticeEvent):
        return f"notice   {_indented(event.text)}"
    if isinstance(event, ErrorEvent):
        trace = f"\n         trace: {_indented(event.trace.rstrip())}" if event.trace else ""
        return f"error    {event.code}: {_indented(event.message)}{trace}"
    if isinstance(event, FinishedEvent):
        return f"finished {event.stop_reason}"
    return None


def _indented(text: str) -> str:
    return text.replace("\n", "\n         ")
