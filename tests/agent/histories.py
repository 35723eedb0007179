"""What every provider asks of a conversation."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Any

from adal_ls.protocol.runs import RunUpdate


def assert_valid(messages: Sequence[dict[str, Any]]) -> None:
    """System prompt first; each call has one result, right behind its answer, in order; arguments are objects."""
    assert messages[0]["role"] == "system"
    assert messages[1]["role"] == "user"
    assert messages[-1]["role"] in ("user", "tool"), "a request must give the model something to answer"
    expected: list[str] = []
    used: set[str] = set()
    for message in messages[1:]:
        if message["role"] == "tool":
            assert message["tool_call_id"] == expected.pop(0)
            assert isinstance(message["content"], str)
            message["content"].encode()
            continue
        assert not expected, f"calls without a result: {expected}"
        assert message["role"] in ("user", "assistant")
        calls = message.get("tool_calls")
        assert message.get("content") or calls, "an empty message"
        for call in calls or ():
            assert re.fullmatch(r"[a-zA-Z0-9_-]{1,64}", call["function"]["name"])
            assert isinstance(json.loads(call["function"]["arguments"]), dict)
            assert call["id"]
            assert call["id"] not in used
            used.add(call["id"])
            expected.append(call["id"])
    assert not expected, f"calls without a result: {expected}"


def largest(updates: Sequence[RunUpdate]) -> int:
    """Bytes of the largest message."""
    return max(len(json.dumps(update.wire())) for update in updates)
