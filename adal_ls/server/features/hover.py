"""`textDocument/hover`: the card of a tool, as the model will see it."""

from __future__ import annotations

import json
import re
from typing import Any

from lsprotocol import types

from adal_ls.lint import Finding, StaticTool
from adal_ls.lint.problems import with_problems
from adal_ls.lint.tools import UNREAD, tool_at
from adal_ls.server.diagnostics.analysis import Analysis
from adal_ls.server.documents.snapshot import Snapshot
from adal_ls.server.features.places import position, types_range


def hover(snapshot: Snapshot, params: types.HoverParams) -> types.Hover | None:
    """The card of the tool whose name, definition name or list entry is at the position; None elsewhere."""
    analysis = snapshot.analysis
    if analysis is None:
        return None
    place = position(analysis.document, params.position, snapshot.client.encoding)
    found = tool_at(analysis.file, place)
    if found is None:
        return None
    (tool,), span = with_problems([found[0]], analysis.findings), found[1]
    markdown = snapshot.client.markdown_hover
    kind = types.MarkupKind.Markdown if markdown else types.MarkupKind.PlainText
    text = card(tool, _problems(analysis, tool), markdown=markdown)
    shown = types_range(analysis.document, span, snapshot.client.encoding)
    return types.Hover(types.MarkupContent(kind, text), shown)


def _problems(analysis: Analysis, tool: StaticTool) -> list[Finding]:
    """The findings behind the tool's codes: of those codes, the ones that stand on it."""
    places = [*tool.entry_ranges, *([tool.definition_range] if tool.definition_range is not None else [])]
    return [
        finding
        for finding in analysis.findings
        if finding.code in tool.problems and any(place.contains(finding.range) for place in places)
    ]


def card(tool: StaticTool, findings: list[Finding], *, markdown: bool) -> str:
    """Name, description, parameters, approval and problems of a tool."""
    asks = "asks for approval before it runs" if tool.require_approval else "runs without asking"
    blocks = [f"**{_escape(tool.name)}** — {asks}" if markdown else f"{tool.name} - {asks}"]
    if tool.description:
        blocks.append(_escape(tool.description) if markdown else tool.description)
    rows = _rows(tool.parameters)
    if rows:
        blocks.append(_table(rows) if markdown else "\n".join(f"  {' | '.join(row)}".rstrip(" |") for row in rows))
    elif tool.parameters == UNREAD:
        blocks.append("What it takes is known once the file is loaded.")
    else:
        blocks.append("No parameters.")
    if findings:
        lines = [f"{finding.code}: {finding.message}" for finding in findings]
        blocks.append("\n".join(f"- {_escape(line) if markdown else line}" for line in lines))
    return "\n\n".join(blocks)


def _rows(parameters: dict[str, Any]) -> list[tuple[str, str, str, str, str]]:
    properties = parameters.get("properties") or {}
    required = parameters.get("required") or []
    return [
        (
            name,
            type_text(schema),
            "required" if name in required else "optional",
            json.dumps(schema["default"], ensure_ascii=False) if "default" in schema else "",
            str(schema.get("description", "")),
        )
        for name, schema in properties.items()
        if isinstance(schema, dict)
    ]


def type_text(schema: dict[str, Any]) -> str:
    """A JSON Schema in a few words: "string", "list of integer", "string or null"."""
    if "enum" in schema:
        return " or ".join(json.dumps(value, ensure_ascii=False) for value in schema["enum"])
    if "const" in schema:
        return json.dumps(schema["const"], ensure_ascii=False)
    for key in ("anyOf", "oneOf"):
        if key in schema:
            return " or ".join(type_text(option) for option in schema[key])
    if "$ref" in schema:
        return str(schema["$ref"]).rpartition("/")[2]
    kind = schema.get("type", "any")
    words = " or ".join(kind) if isinstance(kind, list) else str(kind)
    if kind == "array" and isinstance(schema.get("items"), dict):
        words = f"list of {type_text(schema['items'])}"
    elif kind == "object" and schema.get("properties"):
        words = f"object with {', '.join(schema['properties'])}"
    elif kind == "object" and schema.get("additionalProperties"):
        words = f"object of {type_text(schema['additionalProperties'])}"
    limits = [text.format(schema[key]) for key, text in _LIMITS.items() if key in schema]
    return f"{words} ({', '.join(limits)})" if limits else words


_LIMITS = {
    "format": "{}",
    "minimum": "≥ {}",
    "exclusiveMinimum": "> {}",
    "maximum": "≤ {}",
    "exclusiveMaximum": "< {}",
    "multipleOf": "a multiple of {}",
    "minLength": "at least {} characters",
    "maxLength": "at most {} characters",
    "pattern": "matching {}",
    "minItems": "at least {} items",
    "maxItems": "at most {} items",
}
"""What a schema asks of a value beside its type, in words."""


def _table(rows: list[tuple[str, str, str, str, str]]) -> str:
    head = ["| parameter | type | | default | description |", "|---|---|---|---|---|"]
    return "\n".join([*head, *("| " + " | ".join(_cell(cell) for cell in row) + " |" for row in rows)])


def _cell(text: str) -> str:
    return _escape(" ".join(text.split()))


def _escape(text: str) -> str:
    """Text of a user as Markdown that shows it as it is: no links, images, HTML or table breaks."""
    return re.sub(r"([\\`*_{}\[\]<>|#!&])", r"\\\1", text)
