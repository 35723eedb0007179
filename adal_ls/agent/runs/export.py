"""A run as one text, to keep or to pass on: JSON with every event, or Markdown to read."""

from __future__ import annotations

import json
import re

from adal_ls.protocol.runs import (
    DecisionEvent,
    ErrorEvent,
    Event,
    FinishedEvent,
    NoticeEvent,
    PromptEvent,
    RunGetResult,
    TextEvent,
    ToolCallEvent,
    ToolResultEvent,
)

FORMAT = 1
"""Of the JSON form; grows when a reader of an older one would misread a newer."""


def as_json(run: RunGetResult) -> str:
    """`{"version", "run", "events"}` as in `adal/run/get`, indented, with a final line end."""
    return json.dumps({"version": FORMAT, **run.wire()}, ensure_ascii=False, indent=2) + "\n"


def as_markdown(run: RunGetResult) -> str:
    """What was asked, said and called, in this order; what was decided about a call, and its result, below the call."""
    about = run.run
    head = [f"# {_line(about.title)}", "", f"Run {about.run_id}, model {_line(about.model)}, {about.created}."]
    parts: list[str] = []
    calls: dict[str, int] = {}
    said = ""
    for update in run.events:
        event = update.event
        if isinstance(event, TextEvent):
            said += event.delta
            continue
        if said:
            parts.append(said.strip())
            said = ""
        written = _written(event)
        if not written:
            continue
        if isinstance(event, DecisionEvent | ToolResultEvent) and event.call_id in calls:
            # Calls of one turn run side by side: what happens to them comes in any order.
            parts[calls[event.call_id]] += f"\n\n{written}"
            continue
        if isinstance(event, ToolCallEvent):
            calls[event.call_id] = len(parts)
        parts.append(written)
    if said:
        parts.append(said.strip())
    return "\n".join(head) + "\n\n" + "\n\n".join(parts) + "\n"


def _written(event: Event) -> str | None:
    if isinstance(event, PromptEvent):
        return "## Prompt\n\n" + "\n".join(f"> {line}" for line in event.text.splitlines() or [""])
    if isinstance(event, ToolCallEvent) and event.status == "pending":
        return f"### Call of `{event.tool}`\n\n" + _fenced(
            json.dumps(event.arguments, ensure_ascii=False, indent=2), "json"
        )
    if isinstance(event, DecisionEvent):
        reason = f": {event.reason}" if event.reason else ""
        return f"*{'Allowed' if event.decision == 'allow' else 'Denied'} by {event.decided_by}{reason}*"
    if isinstance(event, ToolResultEvent):
        return f"Result ({event.status}):\n\n{_fenced(event.observation)}"
    if isinstance(event, NoticeEvent):
        return f"*{event.text}*"
    if isinstance(event, ErrorEvent):
        return f"**Error ({event.code}):** {event.message}"
    if isinstance(event, FinishedEvent) and event.stop_reason != "end_turn":
        return f"*The run ended: {event.stop_reason}.*"
    return None


def _fenced(text: str, language: str = "") -> str:
    """A code block that no text gets out of."""
    longest = max((len(ticks) for ticks in re.findall(r"`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}{language}\n{text}\n{fence}"


def _line(text: str) -> str:
    return " ".join(text.split())
