"""The tools of a file as far as the text tells: what a tool list shows before, or without, loading the file."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from adal_ls import naming
from adal_ls.lint.model import Entry, StaticTool, ToolFile
from adal_ls.lint.subjects import meant
from adal_ls.lint.targets import Target
from adal_ls.schema import from_ast
from adal_ls.schema.scope import Scope


def static_tools(file: ToolFile) -> tuple[StaticTool, ...]:
    """The tools of a file, each name once (the first entry of it), without their problems."""
    scope = file.names.scope
    tools: dict[str, StaticTool] = {}
    for entry in file.entries:
        if entry.name is None:
            continue
        key = naming.canonical(entry.name)
        if (before := tools.get(key)) is not None:
            tools[key] = replace(before, entry_ranges=(*before.entry_ranges, entry.range))
        else:
            tools[key] = _tool(file, entry, entry.name, scope)
    return tuple(tools.values())


def other_branches(file: ToolFile, tool: StaticTool) -> Iterator[StaticTool]:
    """The tool as other branches of the file define it."""
    for entry in file.entries:
        if entry.name == tool.name and entry.range == tool.entry_ranges[0]:
            for target in meant(file.bindings, entry)[1:]:
                yield _of_target(entry, tool.name, file.names.scope, target)


def _tool(file: ToolFile, entry: Entry, name: str, scope: Scope) -> StaticTool:
    found = meant(file.bindings, entry)
    return _of_target(entry, name, scope, found[0] if found else None)


def _of_target(entry: Entry, name: str, scope: Scope, target: Target | None) -> StaticTool:
    description, parameters = "", dict[str, Any](type="object")
    if target is not None and target.node is not None:
        scope = target.home.file.names.scope if target.home is not None else scope
        read = from_ast(target.node, scope, filled=target.filled, named=target.named)
        description, parameters = read.description, read.parameters
    return StaticTool(
        name=name,
        description=description if entry.description is None else entry.description,
        parameters=parameters,
        require_approval=entry.require_approval,
        name_range=entry.name_range,
        definition_range=target.range if target is not None and target.home is None else None,
        entry_ranges=(entry.range,),
        named=entry.named,
    )
