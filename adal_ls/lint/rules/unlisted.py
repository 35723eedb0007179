"""ADAL212: a function that plainly is a tool, and is not listed. A global rule."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from adal_ls.lint.findings import Finding, Fix, Severity, TextEdit
from adal_ls.lint.lists.values import ValueKind
from adal_ls.lint.model import Entry
from adal_ls.lint.modules.bindings import Definition
from adal_ls.lint.reading.text import Position, Range, line_end
from adal_ls.lint.rules.base import Rule, file_rule
from adal_ls.lint.view import Overview

_F = 'def f(x: str) -> str:\n    """Do f."""\n    return x\n\n\n'
_G = _F.replace("f(", "g(").replace("Do f", "Do g")


@file_rule(
    code="ADAL212",
    name="unlisted-tool",
    severity=Severity.HINT,
    why="The runtime reads CUSTOM_TOOLS and nothing else: a function outside of it is no tool.",
    failing=f"{_F}{_G}CUSTOM_TOOLS = [f]\n",
    passing=f"{_F}{_G}CUSTOM_TOOLS = [f, g]\n",
    fix="Add the function to the list.",
)
def unlisted_tool(rule: Rule[Overview], file: Overview) -> Iterator[Finding]:
    tools = file.tool_list
    # What is computed may list anything; without a list ADAL201 speaks.
    unread = tools.range is None or tools.computed or tools.wrong or file.bindings.open or file.syntax
    if unread or not file.unlisted or not file.all_read:
        return
    for definition in file.unlisted:
        if not file.uses(definition):
            message = f"'{definition.name}' looks like a tool, but is not in CUSTOM_TOOLS: the agent cannot call it"
            yield rule.finding(message, definition.name_range, fixes=_add(file, definition.name))


def looks_like_a_tool(definition: Definition) -> bool:
    """Whether a function is public, documented, typed, and not decorated: a decorator may have listed it elsewhere."""
    node = definition.node
    if node is None or definition.conditional or definition.name.startswith(("_", "test_")):
        return False
    if definition.name == "main" or node.decorator_list:
        return False
    parameters = [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs]
    typed = all(parameter.annotation is not None for parameter in parameters)
    return bool(parameters) and typed and not (node.args.vararg or node.args.kwarg) and bool(ast.get_docstring(node))


def is_read(entry: Entry) -> bool:
    """Whether it is known which function an entry lists."""
    return entry.name is not None and entry.function is not None and entry.function.kind is ValueKind.NAME


def _add(file: Overview, name: str) -> tuple[Fix, ...]:
    """The name behind the last entry, on a line of its own where the last entry has one."""
    entry = file.last_entry()
    if entry is None:
        return ()
    last = entry.range
    lines = file.lines_at(last.start)
    line = lines.line(last.start.line)
    indent = line[: len(line) - len(line.lstrip())]
    own_line = last.start.column == len(indent) and bool(indent)
    text = f",{line_end(lines.text)}{indent}{name}" if own_line else f", {name}"
    place = Range(last.end, Position(last.end.line, last.end.column))
    return (Fix("Add it to CUSTOM_TOOLS", (TextEdit(place, text),)),)
