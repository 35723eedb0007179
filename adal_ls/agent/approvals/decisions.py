"""The decision log as it is read: one line for each call that was decided about, made of the events of runs. Pure.

The events are append-only, so the log is: nothing changes a decision that was recorded. It goes only with its run.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from adal_ls.protocol.approvals import Decision


def in_folder(event: str, project_root: str) -> bool:
    """Whether a decision, as its event's JSON, is about a call in that folder."""
    return bool(json.loads(event).get("projectRoot") == project_root)


def within(decisions: Iterable[Decision], most: int) -> list[Decision]:
    """The decisions with as many bytes of arguments as fit a message, counted from the first; the rest without them."""
    told, size = list[Decision](), 0
    for one in decisions:
        size += 0 if one.arguments is None else len(json.dumps(one.arguments))
        told.append(one if size <= most else one.model_copy(update={"arguments": None}))
    return told


def decision(row: tuple[str, str, int, str], calls: Iterable[str]) -> Decision:
    """One decision with the arguments that it was about.

    Args:
        row: time, run, number and JSON of the decision's event.
        calls: JSON of the run's `toolCall` events, in order.
    """
    moment, run_id, seq, text = row
    event: dict[str, Any] = json.loads(text)
    made = [call for call in map(json.loads, calls) if call["callId"] == event["callId"]]
    # Edited arguments are told when the call begins; what the model asked for was told first.
    begun = [call for call in made if call["status"] == "in_progress"] if event.get("edited") else []
    arguments = next((call["arguments"] for call in (*begun, *made)), None)
    return Decision.model_validate({**event, "time": moment, "runId": run_id, "seq": seq, "arguments": arguments})
