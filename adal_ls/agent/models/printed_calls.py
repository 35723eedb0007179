"""Tool calls that a model has printed as text in place of making them, as many local models do. They are never run."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterator
from typing import Any

_MOST = 20_000  # characters of an answer that are looked at
_DECODER = json.JSONDecoder()
_MARKS = re.compile(
    r"<\|?tool_call|<function[ =_]|\[TOOL_CALLS\]|<\|tool|<\|python_tag\|>|```(?:json|tool)", re.IGNORECASE
)
_FENCE = re.compile(r"\A```\w*\n(.*)\n```\Z", re.DOTALL)
_INTRODUCTION = 400
"""Characters of what a model may say before the call that it then prints."""

_WRITTEN = tuple(
    re.compile(form, re.IGNORECASE | re.MULTILINE)
    for form in (
        r"<function[ =_][^>]*?([\w.-]+)[\"']?\s*>",  # Llama, Qwen coder
        r"<invoke name=[\"']([\w.-]+)[\"']>",
        r"<tool_call>\s*([\w.-]+)\s*[\n<(]",  # GLM
        r"\[TOOL_CALLS\]\s*([\w.-]+)\s*(?:\[ARGS\]|\{)",  # Mistral
        r"^Action:\s*([\w.-]+)\s*\n+\s*Action Input:",  # ReAct
        r"\bto=(?:functions\.)?([\w.-]+)[^\n]*<\|message\|>",  # gpt-oss
        r"<\|python_tag\|>\s*([\w.-]+)\(",
    )
)
"""Forms that are no JSON, or have the name beside it."""

_PYTHON = re.compile(r"\A\[?(?:print\()?([\w.-]+)\(.*\)\]?\Z", re.DOTALL)
"""An answer that is nothing but a call in Python's syntax (Gemma, Llama)."""


def printed_call(text: str, names: Collection[str]) -> str | None:
    """The name of a tool that `text` plainly tries to call; None for prose, also prose about a tool."""
    head = text[:_MOST].strip()
    whole = found[1].strip() if (found := _FENCE.match(head)) else head
    if (python := _PYTHON.match(whole)) and (name := _known(python[1], names)):
        return name
    for form in _WRITTEN:
        for match in form.finditer(head):
            if name := _known(match[1], names):
                return name
    return _in_json(head, whole, names)


def _in_json(head: str, whole: str, names: Collection[str]) -> str | None:
    first, place, rest = None, 0, whole
    for start, end, value in _values(whole):
        name = _called(value, names)
        if name is not None and first is None:
            first, place = name, start
        if name is not None:
            rest = rest.replace(whole[start:end], "", 1)
    if first is None:
        return None
    # Marked as a call, or all there is, or what a short introduction leads to: an example in the middle of an
    # explanation is none of them.
    led_to = whole.endswith(("}", "]")) and place <= _INTRODUCTION and whole[:place].endswith("\n")
    return first if _MARKS.search(head) or not rest.strip(" \n;,") or led_to else None


def _values(text: str) -> Iterator[tuple[int, int, Any]]:
    """The JSON objects and lists in a text, outermost, with their places."""
    end = 0
    for found in list(re.finditer(r"[{\[]", text))[:50]:
        if found.start() < end:
            continue
        try:
            value, end = _DECODER.raw_decode(text, found.start())
        except (ValueError, RecursionError):
            continue
        yield found.start(), end, value


def _called(value: Any, names: Collection[str]) -> str | None:
    if isinstance(value, dict) and isinstance(inner := value.get("tool_calls") or value.get("tool_call"), list | dict):
        value = inner
    if isinstance(value, list):
        value = value[0] if value else None
    if not isinstance(value, dict):
        return None
    inner = value.get("function")
    inner = inner if isinstance(inner, dict) else value
    name = next((inner[key] for key in ("name", "tool", "tool_name", "function") if key in inner), None)
    has_arguments = any(key in inner for key in ("arguments", "parameters", "args", "input"))
    return _known(name, names) if isinstance(name, str) and has_arguments else None


def _known(name: str, names: Collection[str]) -> str | None:
    name = name.removeprefix("functions.")
    return name if name in names else None
