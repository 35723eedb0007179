"""The tools of a file as far as the text tells: what a tool list shows before, or without, loading the file."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from adal_ls import naming
from adal_ls.lint.bindings import Binding, Definition
from adal_ls.lint.model import Entry, StaticTool, ToolFile
from adal_ls.lint.subjects import method
from adal_ls.lint.text import Range
from adal_ls.lint.values import ValueKind
from adal_ls.schema import from_ast
from adal_ls.schema.scope import Scope

_ALIAS_STEPS = 10


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


def _tool(file: ToolFile, entry: Entry, name: str, scope: Scope) -> StaticTool:
    definition = _definition(file, entry)
    description, parameters = "", dict[str, Any](type="object")
    found = method(file.names, entry)
    if definition is not None and definition.node is not None:
        read = from_ast(definition.node, scope)
        description, parameters = read.description, read.parameters
    elif found is not None:
        read = from_ast(found.node, scope, filled=0 if found.unbound else 1)
        description, parameters = read.description, read.parameters
    return StaticTool(
        name=name,
        description=description if entry.description is None else entry.description,
        parameters=parameters,
        require_approval=entry.require_approval,
        name_range=entry.name_range,
        definition_range=_whole(definition) if found is None else found.lines.range_of(found.node),
        entry_ranges=(entry.range,),
        named=entry.named,
    )


def _definition(file: ToolFile, entry: Entry) -> Definition | None:
    """The function of this file that an entry refers to, through aliases."""
    if entry.function is None or entry.function.kind is not ValueKind.NAME:
        return None
    name = entry.function.name
    for _ in range(_ALIAS_STEPS):
        definition = file.bindings.effective(name) if name else None
        if definition is None or definition.kind is not Binding.ALIAS:
            return definition if definition and definition.kind is Binding.FUNCTION else None
        name = definition.original
    return None


def _whole(definition: Definition | None) -> Range | None:
    return definition.range if definition else None
