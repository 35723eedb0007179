"""What an MCP tool gave back, as a tool result: texts for the model, everything for programs. Pure."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from adal_ls.worker.data import ToolResult

_NO_REASON = "The tool failed and did not say why."


def tool_result(answer: Mapping[str, Any]) -> ToolResult:
    """The result of a `tools/call` answer in its JSON form.

    The model reads the texts and, for what is no text, what it is; without any text the structured content. Programs
    get the structured content, else the parts as they came.
    """
    content: Sequence[Mapping[str, Any]] = answer.get("content") or ()
    structured = answer.get("structuredContent")
    observation = "\n".join(text for part in content if (text := _part(part)))
    if structured is not None and not any(part.get("type") in ("text", "resource") for part in content):
        shown = json.dumps(structured, ensure_ascii=False)
        observation = f"{shown}\n{observation}" if observation else shown
    output = structured if structured is not None else _output(content)
    if answer.get("isError"):
        return ToolResult("error", _clean(output), _text(observation) or _NO_REASON)
    return ToolResult("success", _clean(output), _text(observation))


def _part(part: Mapping[str, Any]) -> str:
    kind = part.get("type")
    if kind == "text":
        return str(part.get("text", ""))
    if kind in ("image", "audio"):
        return f"[{kind} {part.get('mimeType', 'of an unknown type')}, {_size(part.get('data'))}]"
    if kind == "resource_link":
        about = f": {part['description']}" if part.get("description") else ""
        return f"[resource {part.get('name', '')} at {part.get('uri', '')}{about}]"
    resource = part.get("resource")
    if kind == "resource" and isinstance(resource, Mapping):
        if isinstance(resource.get("text"), str):
            return f"[resource {resource.get('uri', '')}]\n{resource['text']}"
        return f"[resource {resource.get('uri', '')} {resource.get('mimeType', '')}, {_size(resource.get('blob'))}]"
    return f"[content of the type {str(kind)[:80]}, which cannot be shown]"


def _size(data: object) -> str:
    """Of base64 text, as bytes."""
    length = len(data.rstrip("=")) * 3 // 4 if isinstance(data, str) else 0
    return f"{length:,} bytes"


def _output(content: Sequence[Mapping[str, Any]]) -> Any:
    """One text alone is itself."""
    if len(content) == 1 and content[0].get("type") == "text":
        return content[0].get("text")
    return [dict(part) for part in content] or None


def _text(text: str) -> str:
    """Half a surrogate pair can be neither stored nor sent on."""
    return text.encode("utf-8", "backslashreplace").decode()


def _clean(value: Any) -> Any:
    if isinstance(value, str):
        return _text(value)
    if isinstance(value, Mapping):
        return {_text(str(key)): _clean(inner) for key, inner in value.items()}
    return [_clean(inner) for inner in value] if isinstance(value, list) else value
