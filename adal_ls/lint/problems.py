"""Which findings concern which tool."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from adal_ls.lint.findings import Finding
from adal_ls.lint.model import StaticTool, ToolFile


def tools_with_problems(file: ToolFile, findings: Iterable[Finding]) -> tuple[StaticTool, ...]:
    """The tools of a file, with the codes of the findings that concern each of them, in the findings' order."""
    known = list(findings)
    return tuple(
        replace(tool, problems=tuple(dict.fromkeys(found.code for found in known if _concerns(found, tool))))
        for tool in file.tools
    )


def _concerns(finding: Finding, tool: StaticTool) -> bool:
    places = [finding.range]
    if finding.code == "ADAL103":  # the first of two entries is left out too
        places += [place for place, _ in finding.related]
    if any(entry.contains(place) for entry in tool.entry_ranges for place in places):
        return True
    if tool.definition_range is None or not tool.definition_range.contains(finding.range):
        return False
    # A finding on the definition's name says nothing about a tool that got another name.
    return not (tool.named and finding.code.startswith("ADAL1"))
