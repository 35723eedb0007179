"""The history is one that providers take."""

from __future__ import annotations

import pytest

from adal_ls.agent.models.assembly import ModelCall
from adal_ls.agent.runs.history import OBSERVATION_LIMIT, Conversation, cut


def test_every_call_must_be_answered_before_the_next_request() -> None:
    conversation = Conversation("system")
    conversation.add_prompt("go")
    conversation.add_answer("", [ModelCall("c1", "now", {}), ModelCall("c2", "now", {})], ["now", "now"])
    conversation.add_result("c1", "12:00")
    with pytest.raises(RuntimeError, match="c2"):
        _ = conversation.messages
    conversation.add_result("c2", "12:01")
    assert [message["role"] for message in conversation.messages] == ["system", "user", "assistant", "tool", "tool"]


def test_a_second_result_for_a_call_is_refused() -> None:
    conversation = Conversation("system")
    conversation.add_answer("", [ModelCall("c1", "now", {})], ["now"])
    conversation.add_result("c1", "12:00")
    with pytest.raises(KeyError):
        conversation.add_result("c1", "again")


def test_arguments_in_the_history_are_valid_json_whatever_the_model_sent() -> None:
    # https://github.com/BerriAI/litellm/issues/5063
    conversation = Conversation("system")
    conversation.add_answer("", [ModelCall("c1", "now", {}, problem="not JSON")], ["now"])
    conversation.add_result("c1", "no")
    assert conversation.messages[-2]["tool_calls"][0]["function"] == {"name": "now", "arguments": "{}"}


def test_a_long_observation_keeps_head_and_tail_and_says_what_is_missing() -> None:
    text = "H" * 100 + "m" * OBSERVATION_LIMIT + "T" * 100
    seen = cut(text)
    assert seen.startswith("H" * 100)
    assert seen.endswith("T" * 100)
    assert f"200 of {len(text)} characters left out here; the limit is {OBSERVATION_LIMIT}" in seen
    assert len(seen) < OBSERVATION_LIMIT + 200


def test_an_observation_within_the_limit_is_untouched() -> None:
    assert cut("x" * OBSERVATION_LIMIT) == "x" * OBSERVATION_LIMIT
