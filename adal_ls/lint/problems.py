"""Which findings concern which tool."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from adal_ls.lint.findings import Finding
from adal_ls.lint.model import StaticTool, ToolFile
from adal_ls.lint.reading.text import Range


def tools_with_problems(file: ToolFile, findings: Sequence[Finding]) -> tuple[StaticTool, ...]:
    """The tools of a file, each with the codes of the findings that concern it, in order of place."""
    return with_problems(file.tools, findings)


def with_problems(tools: Iterable[StaticTool], findings: Sequence[Finding]) -> tuple[StaticTool, ...]:
    """Tools of a file with the codes of those findings of it that concern them."""
    places = _Places(findings)
    return tuple(replace(tool, problems=tuple(dict.fromkeys(_codes(tool, places)))) for tool in tools)


def _codes(tool: StaticTool, places: _Places) -> Iterator[str]:
    if tool.definition_range is not None:
        for code in places.inside(tool.definition_range):
            # What is said about the definition's name does not concern a tool that got another name.
            if not (tool.named and code.startswith("ADAL1")):
                yield code
    for entry in tool.entry_ranges:
        yield from places.inside(entry)


class _Places:
    """The places of findings, so that those inside a range are found without looking at all."""

    def __init__(self, findings: Sequence[Finding]) -> None:
        found = [(finding.range, finding.code) for finding in findings]
        # The first of two entries with one name is left out too: it is only mentioned as related.
        found += [(place, f.code) for f in findings if f.code == "ADAL103" for place, _ in f.related]
        self._places = sorted(found)

    def inside(self, outer: Range) -> Iterator[str]:
        for index in range(bisect_left(self._places, (Range(outer.start, outer.start), "")), len(self._places)):
            place, code = self._places[index]
            if place.start > outer.end:
                return
            if outer.contains(place):
                yield code
