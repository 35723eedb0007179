"""ADAL212: a function that plainly is a tool, and is not listed. A global rule."""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterator

from adal_ls.lint.bindings import Binding, Definition
from adal_ls.lint.findings import Finding, Fix, Severity, TextEdit
from adal_ls.lint.model import Entry, ToolFile
from adal_ls.lint.rules.base import Rule, rule
from adal_ls.lint.text import Position, Range, line_end
from adal_ls.lint.values import ValueKind

_WORD = re.compile(r"\w+")
_F = 'def f(x: str) -> str:\n    """Do f."""\n    return x\n\n\n'
_G = _F.replace("f(", "g(").replace("Do f", "Do g")


@rule(
    code="ADAL212",
    name="unlisted-tool",
    severity=Severity.HINT,
    why="The runtime reads CUSTOM_TOOLS and nothing else: a function outside of it is no tool.",
    failing=f"{_F}{_G}CUSTOM_TOOLS = [f]\n",
    passing=f"{_F}{_G}CUSTOM_TOOLS = [f, g]\n",
    fix="Add the function to the list.",
)
def unlisted_tool(rule: Rule[ToolFile], file: ToolFile) -> Iterator[Finding]:
    tools = file.tool_list
    # What is computed may list anything; without a list ADAL201 speaks.
    unread = tools.range is None or tools.computed or tools.wrong or file.bindings.open or file.syntax
    if unread or not all(_is_read(entry) for entry in file.entries):
        return
    listed = {id(function.node) for function in file.functions}
    doubtful = [d for d in _single_functions(file) if id(d.node) not in listed and _looks_like_a_tool(d)]
    if not doubtful:
        return
    used = Counter(_WORD.findall(file.lines.text))
    for definition in doubtful:
        own = _WORD.findall(file.lines.slice(definition.range)).count(definition.name)
        if used[definition.name] == own:
            message = f"'{definition.name}' looks like a tool, but is not in CUSTOM_TOOLS: the agent cannot call it"
            yield rule.finding(message, definition.name_range, fixes=_add(file, definition.name))


def _is_read(entry: Entry) -> bool:
    """Whether it is known which function an entry lists."""
    return entry.name is not None and entry.function is not None and entry.function.kind is ValueKind.NAME


def _single_functions(file: ToolFile) -> Iterator[Definition]:
    for definitions in file.bindings.definitions.values():
        if len(definitions) == 1 and definitions[0].kind is Binding.FUNCTION and not definitions[0].conditional:
            yield definitions[0]


def _looks_like_a_tool(definition: Definition) -> bool:
    """Public, documented, typed, and not decorated: a decorator may have listed it elsewhere."""
    node = definition.node
    if node is None or definition.name.startswith(("_", "test_")) or definition.name == "main" or node.decorator_list:
        return False
    parameters = [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs]
    typed = all(parameter.annotation is not None for parameter in parameters)
    return bool(parameters) and typed and not (node.args.vararg or node.args.kwarg) and bool(ast.get_docstring(node))


def _add(file: ToolFile, name: str) -> tuple[Fix, ...]:
    """The name behind the last entry, on a line of its own where the last entry has one."""
    entries = file.entries
    if not entries:
        return ()
    last = entries[-1].range
    line = file.lines.line(last.start.line)
    indent = line[: len(line) - len(line.lstrip())]
    own_line = last.start.column == len(indent) and bool(indent)
    text = f",{line_end(file.text)}{indent}{name}" if own_line else f", {name}"
    place = Range(last.end, Position(last.end.line, last.end.column))
    return (Fix("Add it to CUSTOM_TOOLS", (TextEdit(place, text),)),)
