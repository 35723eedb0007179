from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from adal_ls.agent.runs.event_size import LIMIT, bounded
from adal_ls.protocol.runs import (
    DecisionEvent,
    Event,
    FinishedEvent,
    NoticeEvent,
    TextEvent,
    ToolCallEvent,
    ToolResultEvent,
)

LONG = "\x01" * 200_000  # six bytes each in JSON


@pytest.mark.parametrize(
    "event",
    [
        FinishedEvent(stop_reason="end_turn", answer=LONG),
        NoticeEvent(text=LONG),
        ToolResultEvent(
            call_id="c",
            tool="t",
            status="success",
            observation=LONG,
            display=LONG,
            printed=LONG,
            duration_ms=1,
            trace=LONG,
        ),
        DecisionEvent(call_id="c", tool="t", args_digest="d", decision="allow", decided_by="grant", rule=LONG),
        ToolCallEvent(call_id="c", tool="t", arguments={"a": LONG, LONG: ["x", LONG]}, status="pending"),
        ToolCallEvent(call_id="c", tool="t", arguments={str(n): n for n in range(100_000)}, status="pending"),
    ],
)
def test_what_is_said_at_any_length_fits_into_a_message(event: Event) -> None:
    small, whole = bounded(event)
    assert len(json.dumps(small.wire())) < LIMIT + 1000
    assert small.type == event.type
    if isinstance(event, ToolCallEvent):
        assert isinstance(small, ToolCallEvent)
        assert small.arguments_cut
        assert json.loads(str(whole)) == event.arguments
    else:
        assert whole is None


@given(st.dictionaries(st.text(max_size=20), st.text(max_size=100), max_size=20))
@settings(max_examples=30)
def test_what_is_small_passes_as_it_is(arguments: dict[str, str]) -> None:
    event = ToolCallEvent(call_id="c", tool="t", arguments=dict(arguments), status="pending")
    assert bounded(event) == (event, None)
    assert bounded(TextEvent(delta="x")) == (TextEvent(delta="x"), None)
