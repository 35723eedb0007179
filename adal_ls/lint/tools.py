"""The tools of a file as far as the text tells: what a tool list shows before, or without, loading the file."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from adal_ls import naming
from adal_ls.lint.model import Entry, StaticTool, ToolFile
from adal_ls.lint.modules.targets import Target
from adal_ls.lint.reading.text import Position, Range
from adal_ls.lint.subjects import meant
from adal_ls.schema import from_ast

UNREAD: Mapping[str, Any] = {"type": "object"}
"""The parameters of a function that is not read: one of another package, for example."""


def static_tools(file: ToolFile) -> tuple[StaticTool, ...]:
    """The tools of a file, each name once (the first entry of it), without their problems."""
    return tuple(_tool(file, entries) for entries in _by_name(file).values())


def tool_at(file: ToolFile, place: Position) -> tuple[StaticTool, Range] | None:
    """The tool whose name, list entry or definition's name is at a place, and what is there. No other tool is made."""
    names = [
        definition.name_range
        for definitions in file.bindings.definitions.values()
        for definition in definitions
        if definition.name_range.start <= place <= definition.name_range.end
    ]
    for entries in _by_name(file).values():
        spans = [entries[0].name_range, *(entry.range for entry in entries)]
        if names and (target := _target(file, entries[0])) is not None and target.home is None:
            spans += [name for name in names if target.range.contains(name)]
        for span in spans:
            if span.start <= place <= span.end:
                return _tool(file, entries), span
    return None


def other_branches(file: ToolFile, tool: StaticTool) -> Iterator[StaticTool]:
    """The tool as other branches of the file define it."""
    for entry in file.entries:
        if entry.name == tool.name and entry.range == tool.entry_ranges[0]:
            for target in meant(file.bindings, entry)[1:]:
                yield _of_target(file, [entry], target)


def _by_name(file: ToolFile) -> dict[str, list[Entry]]:
    """The entries that have a name, by its canonical form."""
    found: dict[str, list[Entry]] = {}
    for entry in file.entries:
        if entry.name is not None:
            found.setdefault(naming.canonical(entry.name), []).append(entry)
    return found


def _target(file: ToolFile, entry: Entry) -> Target | None:
    return next(iter(meant(file.bindings, entry)), None)


def _tool(file: ToolFile, entries: Sequence[Entry]) -> StaticTool:
    """The tool of all entries of one name."""
    return _of_target(file, entries, _target(file, entries[0]))


def _of_target(file: ToolFile, entries: Sequence[Entry], target: Target | None) -> StaticTool:
    entry = entries[0]
    description, parameters = "", dict(UNREAD)
    if target is not None and target.node is not None:
        home = file if target.home is None else target.home.file
        read = from_ast(target.node, home.names.scope, filled=target.filled, named=target.named)
        description, parameters = read.description, read.parameters
    return StaticTool(
        name=entry.name or "",
        description=description if entry.description is None else entry.description,
        parameters=parameters,
        require_approval=entry.require_approval,
        name_range=entry.name_range,
        definition_range=target.range if target is not None and target.home is None else None,
        entry_ranges=tuple(one.range for one in entries),
        named=entry.named,
    )
