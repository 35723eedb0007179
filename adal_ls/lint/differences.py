"""What a loaded file gives beside what its text told: ADAL905, where the two differ.

Pure: whoever loaded the file says what it gave. Nothing is said where the text itself leaves the matter open.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from adal_ls import naming
from adal_ls.lint.findings import Finding, Severity
from adal_ls.lint.model import StaticTool, ToolFile
from adal_ls.lint.reading.text import Position, Range
from adal_ls.lint.rules.environment import runtime_difference
from adal_ls.lint.settings.config import FIXED
from adal_ls.lint.tools import UNREAD, other_branches, static_tools

LoadedTool = Mapping[str, Any]
"""`name`, `description`, `parameters` and `requireApproval`, as in `adal/tools/list`."""

LeftOut = Mapping[str, Any]
"""`tool` (its name, where it has one), `message`, and `code` of the rule that leaves it out, where there is one."""


def differences(
    file: ToolFile, findings: Sequence[Finding], loaded: Sequence[LoadedTool], left_out: Sequence[LeftOut] = ()
) -> list[Finding]:
    """The differences, in the order of the text. `findings` are those of the text: what they say is not said twice."""
    known = {naming.canonical(tool["name"]): tool for tool in loaded}
    reasons = {naming.canonical(one["tool"]): one for one in left_out if one.get("tool")}
    tools = static_tools(file)
    listed = {naming.canonical(entry.name) for entry in file.entries if entry.name and not entry.conditional}
    may_be_missing = {naming.canonical(entry.name) for entry in file.entries if entry.name} - listed
    found: list[Finding] = []
    for tool in tools:
        key = naming.canonical(tool.name)
        if key in known:
            found += _of_tool(file, tool, known.pop(key))
        elif (key not in may_be_missing or key in reasons) and not _told(tool, findings, reasons.get(key)):
            found.append(_missing(tool, reasons.get(key)))
    place = file.tool_list.range
    if place is not None and _names_all(file):
        for extra in known.values():
            text = f"the loaded file also has the tool '{extra['name']}', which cannot be seen in the text"
            found.append(_finding(text, _line_start(place), Severity.INFORMATION))
    return sorted(found, key=lambda finding: finding.range)


def _told(tool: StaticTool, findings: Sequence[Finding], reason: LeftOut | None) -> bool:
    """Whether lint says already that the runtime leaves this tool out, and why."""
    if reason is not None and reason.get("code") in FIXED:
        return True
    places = (tool.name_range, *tool.entry_ranges)
    return any(
        finding.severity is Severity.ERROR and any(place.contains(finding.range) for place in places)
        for finding in findings
    )


def _missing(tool: StaticTool, reason: LeftOut | None) -> Finding:
    why = f": {reason['message']}" if reason is not None else "; the text says that it is"
    return _finding(f"'{tool.name}' is no tool once the file is loaded{why}", tool.name_range, Severity.ERROR)


def _of_tool(file: ToolFile, tool: StaticTool, loaded: LoadedTool) -> Iterator[Finding]:
    if loaded.get("requireApproval", True) != tool.require_approval:
        really = "asks for approval" if loaded.get("requireApproval", True) else "runs without asking"
        yield _finding(f"'{tool.name}' {really} once the file is loaded; the text says otherwise", tool.name_range)
    text = _other_than(tool, loaded)
    if text is not None and all(_other_than(other, loaded) is not None for other in other_branches(file, tool)):
        yield _finding(text, tool.name_range)


def _other_than(tool: StaticTool, loaded: LoadedTool) -> str | None:
    """What is told to a model that the text does not show, in words."""
    if tool.parameters == UNREAD:
        return None  # the text does not say what it takes
    where = _unequal(tool.parameters, loaded.get("parameters", {}), "")
    if where is not None:
        return f"a model is told other parameters of '{tool.name}' than the text shows: {where}"
    if tool.description.strip() != str(loaded.get("description", "")).strip():
        return f"a model is told another description of '{tool.name}' than the text shows"
    return None


def _unequal(text: Any, loaded: Any, path: str, *, names: bool = False) -> str | None:
    """The first place at which two schemas differ, in words; None where they are equal.

    Args:
        names: the keys are names of parameters or types, not words of JSON Schema.
    """
    if isinstance(text, dict) and isinstance(loaded, dict):
        if path and not names and not _SAYS.intersection(text):
            return None  # a type that only the loaded file knows
        keys = [*text, *(key for key in loaded if key not in text)]
        for key in sorted(keys, key=lambda key: key != "properties"):  # what differs there says it best
            inner = f"{path}.{key}" if path else str(key)
            if key not in loaded:
                return f"{inner} is not there"
            if key not in text and key == "default" and not names:
                continue  # what only running the file can tell
            if key not in text:
                return f"{inner} is there as well"
            inside = not names and key in ("properties", "$defs")
            if (where := _unequal(text[key], loaded[key], inner, names=inside)) is not None:
                return where
        return None
    if text == loaded:
        return None
    return f"{path} is {_short(loaded)}, not {_short(text)}"


_SAYS = frozenset({"type", "enum", "const", "anyOf", "oneOf", "allOf", "$ref"})
"""Keys of which a schema that says anything about its value has one."""


def _short(value: Any) -> str:
    words = str(value)
    return words if len(words) <= 60 else f"{words[:60]}…"


def _names_all(file: ToolFile) -> bool:
    """Whether the text names every tool that the file has."""
    listed = file.tool_list
    return not (listed.computed or listed.wrong or file.unreadable or file.syntax) and all(
        entry.name is not None for entry in listed.entries
    )


def _line_start(place: Range) -> Range:
    return Range(place.start, Position(place.start.line, place.start.column + len("CUSTOM_TOOLS")))


def _finding(text: str, place: Range, severity: Severity = Severity.WARNING) -> Finding:
    return replace(runtime_difference.finding(text, place), severity=severity)
