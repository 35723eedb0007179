"""The envelope of a call (checklist D8, C1, C2) and what crosses to another process."""

from __future__ import annotations

from pathlib import Path

import pytest

from adal_ls.sdk import InvalidInputError, ToolContext, WorkflowStep, parse_tool_context


def test_what_is_left_out_of_the_envelope_is_absent_not_null() -> None:
    assert ToolContext("coder", "call", "scope").wire() == {
        "agentId": "coder",
        "agentCallId": "call",
        "memoryScope": "scope",
    }


def test_the_envelope_comes_back_as_it_went() -> None:
    full = ToolContext("coder", "call", "scope", Path("/w").resolve(), WorkflowStep("run", "step"), {"root": "x"})
    for ctx in (full, ToolContext("coder", "call", "scope")):
        assert ToolContext.from_wire(ctx.wire()) == ctx
    assert full.wire()["workflow"] == {"workflowRunId": "run", "stepId": "step"}


def test_c1_a_tool_context_that_is_no_json_is_invalid_input_with_the_text() -> None:
    with pytest.raises(InvalidInputError, match="Could not parse --tool-context as JSON: ") as caught:
        parse_tool_context("{root: /w}")
    assert caught.value.code == "INVALID_INPUT"


def test_c2_without_the_option_there_is_no_context_and_any_json_value_is_one() -> None:
    assert parse_tool_context(None) is None
    assert parse_tool_context("0") == 0
    assert parse_tool_context("null") is None
    assert parse_tool_context('{"root": "/w"}') == {"root": "/w"}
