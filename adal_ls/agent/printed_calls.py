"""Tool calls that a model has printed as text in place of making them, as many local models do. They are never run."""

from __future__ import annotations

import json
import re
from collections.abc import Collection
from typing import Any

_MOST = 20_000  # characters of an answer that are looked at
_MARKS = re.compile(r"<tool_call>|<function[ =_]|\[TOOL_CALLS\]|<\|tool|```(?:json|tool)", re.IGNORECASE)
_DECODER = json.JSONDecoder()


def printed_call(text: str, names: Collection[str]) -> str | None:
    """The name of a tool that `text` plainly tries to call; None for prose, also prose about a tool."""
    head = text[:_MOST]
    for start in [found.start() for found in re.finditer(r"[{\[]", head)][:50]:
        try:
            value, end = _DECODER.raw_decode(head, start)
        except (ValueError, RecursionError):
            continue
        name = _called(value, names)
        # The whole answer, or marked as a call: an example in the middle of an explanation is neither.
        if name is not None and (_MARKS.search(head) or not (head[:start] + head[end:]).strip()):
            return name
    return None


def _called(value: Any, names: Collection[str]) -> str | None:
    if isinstance(value, list):
        value = value[0] if len(value) == 1 else None
    if not isinstance(value, dict):
        return None
    inner = value.get("function")
    inner = inner if isinstance(inner, dict) else value
    name = inner.get("name") or inner.get("tool")
    has_arguments = any(key in inner for key in ("arguments", "parameters", "args", "input"))
    return name if isinstance(name, str) and name in names and has_arguments else None
