"""What happens in a run as short lines: one when a call begins, one with its time when it has ended. Pure."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from adal_ls.protocol.runs import (
    ErrorEvent,
    Event,
    FinishedEvent,
    NoticeEvent,
    TodosEvent,
    ToolCallEvent,
    ToolResultEvent,
    Usage,
)

WIDTH = 100
"""Characters of a card; `/show` has the whole."""

_MARKS = {"success": "✓", "error": "✗", "cancelled": "–"}
_TODO_MARKS = {"pending": "[ ]", "in_progress": "[>]", "completed": "[x]"}


def card(event: Event) -> str | None:
    """The line for an event, None where there is nothing to show (and for text, which is streamed)."""
    if isinstance(event, ToolCallEvent) and event.status == "pending":
        return _cut(f"→ {event.tool}({_arguments(event.arguments)})")
    if isinstance(event, ToolResultEvent):
        told = (event.display or event.observation).strip()
        more = "" if "\n" not in told else " …"
        took = f" {duration(event.duration_ms / 1000)}" if event.duration_ms else ""  # 0: it never ran
        first = told.split("\n", 1)[0]
        return _cut(f"{_MARKS[event.status]} {event.tool}{took}  {first}{more}")
    if isinstance(event, TodosEvent):
        return "\n".join(f"  {_TODO_MARKS[todo.status]} {todo.content}" for todo in event.todos)
    if isinstance(event, NoticeEvent):
        return f"! {event.text}"
    if isinstance(event, ErrorEvent):
        return f"Error: {event.message}"
    if isinstance(event, FinishedEvent) and event.stop_reason == "cancelled":
        return "Cancelled. The conversation goes on with what you type next."
    return None


def ending(usage: Usage | None, seconds: float) -> str:
    """The last line of an episode: what it took."""
    if usage is None:
        return f"({duration(seconds)})"
    cost = "" if usage.cost is None else f", ${usage.cost:.4f}"
    return f"({duration(seconds)}, {usage.input_tokens:,} tokens in, {usage.output_tokens:,} out{cost})"


def duration(seconds: float) -> str:
    if seconds < 60:
        return f"{seconds:.1f} s"
    return f"{int(seconds // 60)} min {int(seconds % 60)} s"


def _arguments(arguments: Mapping[str, Any]) -> str:
    return ", ".join(f"{name}={json.dumps(value, ensure_ascii=False)}" for name, value in arguments.items())


def _cut(line: str) -> str:
    line = line.replace("\n", " ")
    return line if len(line) <= WIDTH else line[: WIDTH - 1] + "…"
