"""What an editor shows above a tool: at its definition, and at its entry where that is a dict."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from adal_ls import naming
from adal_ls.lint.authoring.places import definitions, definitions_beside
from adal_ls.lint.authoring.symbols import approval
from adal_ls.lint.findings import Finding
from adal_ls.lint.lists.left_out import refused
from adal_ls.lint.model import EntryKind, ToolFile
from adal_ls.lint.reading.text import Range
from adal_ls.lint.subjects import meant
from adal_ls.schema import from_ast

_PLACEHOLDERS = {"integer": "0", "number": "0.0", "boolean": "False", "array": "[]", "object": "{}", "null": "None"}


@dataclass(frozen=True, slots=True)
class Lens:
    """A place of a tool. `shared`: its definition is another tool as well, so the name must be said."""

    place: Range
    tool: str
    shared: bool = False


def lenses(file: ToolFile) -> Iterator[Lens]:
    """The places of all tools, each on one line, in the order of the text."""
    at: dict[Range, list[str]] = {}
    for entry in file.entries:
        if entry.name is None:
            continue
        places = [definition.name_range for definition in definitions(file, entry)]
        source = entry.value.source
        if (
            entry.kind is EntryKind.DICT
            and source is not None
            and isinstance(source.node, ast.Dict)
            and (entry.range == entry.value.range and source.shown is None)
        ):
            places.append(file.lines.span(entry.range.start, 1))
        elif not places and definitions_beside(file, entry):
            places.append(entry.range)
        for place in places:
            names = at.setdefault(place, [])
            names += [entry.name] if entry.name not in names else []
    for place, names in sorted(at.items()):
        for name in names:
            yield Lens(place, name, shared=len(names) > 1)


def state(file: ToolFile, findings: Iterable[Finding], tool: str) -> str | None:
    """What holds of a tool: "asks for approval", "runs without asking", or the code of the rule that leaves it out;
    None if there is no such tool any more."""
    entry = next((entry for entry in file.entries if entry.name == tool), None)
    if entry is None:
        return None
    code = refused(file, findings).get(naming.canonical(tool))
    return f"left out: {code}" if code else approval(asks=entry.require_approval)


def example_call(file: ToolFile, tool: str) -> str:
    """A call of a tool with its required parameters, to be filled in: `create(title="", count=0)`."""
    parameters = _parameters(file, tool)
    properties, required = parameters.get("properties", {}), parameters.get("required", [])
    given = ", ".join(f"{name}={_placeholder(schema)}" for name, schema in properties.items() if name in required)
    return f"{tool}({given})"


def needs_arguments(file: ToolFile, tool: str) -> bool:
    """Whether the tool has parameters without a default."""
    return bool(_parameters(file, tool).get("required"))


def _parameters(file: ToolFile, tool: str) -> dict[str, Any]:
    entry = next(entry for entry in file.entries if entry.name == tool)
    target = next(iter(meant(file.bindings, entry)), None)
    if target is None or target.node is None:
        return {}
    scope = (target.home.file if target.home is not None else file).names.scope
    return from_ast(target.node, scope, filled=target.filled, named=target.named).parameters


def _placeholder(schema: Any) -> str:
    if not isinstance(schema, dict):
        return '""'
    if schema.get("enum"):
        return repr(schema["enum"][0])
    kind = schema.get("type")
    return _PLACEHOLDERS.get(kind, '""') if isinstance(kind, str) else '""'
