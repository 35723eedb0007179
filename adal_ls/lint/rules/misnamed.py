"""ADAL215: a list that plainly is meant to be CUSTOM_TOOLS, and is not. A global rule."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from adal_ls.lint.body import is_main
from adal_ls.lint.findings import Finding, Fix, Severity, TextEdit
from adal_ls.lint.modules.bindings import Binding, Definition
from adal_ls.lint.reading.chunks import LIST_NAME, says
from adal_ls.lint.reading.text import Range
from adal_ls.lint.rules.base import Rule, file_rule
from adal_ls.lint.view import Overview

_ALIKE = 0.8  # of the letters: one or two slips, two that changed places
_F = 'def f(x: str) -> str:\n    """Do f."""\n    return x\n\n\n'


@file_rule(
    code="ADAL215",
    name="misnamed-list",
    severity=Severity.WARNING,
    why="The runtime reads CUSTOM_TOOLS of the module, written exactly so; from any other list it gets no tools.",
    failing=f"{_F}CUSTOM_TOOL = [f]\n",
    passing=f"{_F}CUSTOM_TOOLS = [f]\n",
    fix="Rename the list.",
)
def misnamed_list(rule: Rule[Overview], file: Overview) -> Iterator[Finding]:
    if file.tool_list.range is None and not file.bindings.open:
        for place in _under_main(file):
            message = f"{LIST_NAME} is set only where the file runs as a script: the runtime imports it and finds none"
            yield rule.finding(message, place)
    if not is_missing(file):
        return
    for definition in misnamed(file):
        message = f"'{definition.name}' is not read, so this file gives no tools; did you mean {LIST_NAME}?"
        yield rule.finding(message, definition.name_range, fixes=(_rename(file, definition.name),))
    for name, place in hidden(file):
        message = f"{LIST_NAME} is set inside of '{name}' only; the runtime reads the one at the top level of the file"
        yield rule.finding(message, place)


def is_missing(file: Overview) -> bool:
    """Whether the file certainly has no CUSTOM_TOOLS."""
    return file.tool_list.range is None and not file.bindings.knows(LIST_NAME)


def misnamed(file: Overview) -> list[Definition]:
    """The first definition of each module-level name that is nearly CUSTOM_TOOLS, or a list called TOOLS."""
    firsts = [definitions[0] for definitions in file.bindings.definitions.values()]
    found = [first for first in firsts if first.kind is Binding.OTHER and _is_meant(file, first)]
    return sorted(found, key=lambda definition: file.order(definition.range))


def hidden(file: Overview) -> Iterator[tuple[str, Range]]:
    """Where a function or class sets a CUSTOM_TOOLS of its own: its name, and the place."""
    for chunk in file.chunks():
        if says(chunk.lines.text, LIST_NAME):
            for owner in (inner for node in chunk.parsed.body for inner in ast.walk(node)):
                if isinstance(owner, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                    for node in _own(owner):
                        if isinstance(node, ast.Name) and node.id == LIST_NAME and isinstance(node.ctx, ast.Store):
                            yield owner.name, chunk.lines.range_of(node)


def _under_main(file: Overview) -> Iterator[Range]:
    """Where CUSTOM_TOOLS is set under `if __name__ == "__main__":`."""
    for chunk in file.chunks():
        if says(chunk.lines.text, LIST_NAME) and "__main__" in chunk.lines.text:
            for owner in (node for node in chunk.parsed.body if isinstance(node, ast.If) and is_main(node)):
                for node in (inner for statement in owner.body for inner in _own(statement)):
                    if isinstance(node, ast.Name) and node.id == LIST_NAME and isinstance(node.ctx, ast.Store):
                        yield chunk.lines.range_of(node)


def _own(owner: ast.AST) -> Iterator[ast.AST]:
    """What stands in a function or class, and not in a further one inside of it."""
    for child in ast.iter_child_nodes(owner):
        if not isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield child
            yield from _own(child)


def _is_meant(file: Overview, definition: Definition) -> bool:
    letters = definition.name.replace("_", "").lower()
    if letters == "tools":
        return (
            file.lines_at(definition.range.start)
            .slice(definition.range)
            .rpartition("=")[2]
            .lstrip()
            .startswith(("[", "("))
        )
    from difflib import SequenceMatcher  # only a file without the list pays for the import

    meant = LIST_NAME.replace("_", "").lower()
    return SequenceMatcher(None, letters, meant).ratio() >= _ALIKE


def _rename(file: Overview, name: str) -> Fix:
    places = [
        chunk.lines.range_of(node)
        for chunk in file.chunks()
        if says(chunk.lines.text, name)
        for statement in chunk.parsed.body
        for node in ast.walk(statement)
        if isinstance(node, ast.Name) and node.id == name
    ]
    edits = tuple(TextEdit(place, LIST_NAME) for place in sorted(places, key=file.order))
    return Fix(f"Rename it to {LIST_NAME}", edits, preferred=True)
