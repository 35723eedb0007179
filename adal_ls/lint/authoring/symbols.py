"""The outline of a tools file, and the names that its tools have."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum

from adal_ls.lint.authoring.places import definitions
from adal_ls.lint.model import Entry, ToolFile
from adal_ls.lint.modules.bindings import Binding, Definition
from adal_ls.lint.reading.text import Lines, Range


class Kind(Enum):
    TOOL = "tool"
    FUNCTION = "function"
    CLASS = "class"
    LIST = "list"  # CUSTOM_TOOLS
    ENTRY = "entry"


@dataclass(frozen=True, slots=True)
class Symbol:
    """One line of the outline. `name_range` lies inside `range`."""

    name: str
    detail: str
    kind: Kind
    range: Range
    name_range: Range
    children: tuple[Symbol, ...] = ()


def outline(file: ToolFile) -> tuple[Symbol, ...]:
    """Functions, classes and CUSTOM_TOOLS with its entries, in the order of the text.

    A function that is a tool under one name has that name, and its own in the detail; under several, its own.
    """
    listed = _entries_by_definition(file)
    found = [
        _defined(definition, listed.get(definition.range, []))
        for name in file.bindings.definitions
        for definition in file.bindings.definitions[name]
        if definition.kind in (Binding.FUNCTION, Binding.CLASS)
    ]
    tools = file.tool_list
    if tools.range is not None:
        name_range = Range(tools.range.start, tools.range.start)
        word = file.lines.span(tools.range.start, len("CUSTOM_TOOLS"))
        if file.lines.slice(word) == "CUSTOM_TOOLS":
            name_range = word
        children = tuple(_entry(entry) for entry in file.entries if entry.name and tools.range.contains(entry.range))
        count = len({entry.name for entry in file.entries if entry.name})
        detail = "1 tool" if count == 1 else f"{count} tools"
        found.append(Symbol("CUSTOM_TOOLS", detail, Kind.LIST, tools.range, name_range, children))
    return tuple(sorted(found, key=lambda symbol: symbol.range))


def tool_symbols(file: ToolFile) -> Iterator[Symbol]:
    """The tools by their names, each once, at the definition where that is in the file, else at the entry."""
    seen: set[str] = set()
    for entry in file.entries:
        if entry.name is None or entry.name in seen:
            continue
        seen.add(entry.name)
        found = definitions(file, entry)
        whole, place = (found[0].range, found[0].name_range) if found else (entry.range, entry.range)
        yield Symbol(entry.name, approval(asks=entry.require_approval), Kind.TOOL, whole, place)


def approval(*, asks: bool) -> str:
    """How a tool stands to approval, in the words that every part of the product uses."""
    return "asks for approval" if asks else "runs without asking"


def renamed(file: ToolFile) -> Iterator[tuple[Range, str]]:
    """Where a function is written that is a tool under another name, and that name: definitions, then entries."""
    shown: dict[Range, list[str]] = {}
    for entry in file.entries:
        if entry.named and entry.name and entry.function is not None:
            for definition in definitions(file, entry):
                if definition.name != entry.name:
                    names = shown.setdefault(definition.name_range, [])
                    names += [entry.name] if entry.name not in names else []
            if entry.function.name is not None and entry.function.name.rpartition(".")[2] != entry.name:
                shown.setdefault(entry.function.range, []).append(entry.name)
    for place, names in sorted(shown.items()):
        yield place, ", ".join(names)


def matches(query: str, name: str) -> bool:
    """Whether the characters of `query` stand in `name` in their order, whatever their case."""
    letters = iter(name.casefold())
    return all(letter in letters for letter in query.casefold() if not letter.isspace())


def foldable(file: ToolFile) -> Iterator[tuple[int, int, str | None]]:
    """First and last line of what an editor can fold, and its kind ("imports", "comment") where it has one.

    Whatever spans several lines: statements with a body, brackets, docstrings, runs of imports. What ends in a closing
    bracket keeps the bracket's line.
    """
    found: dict[tuple[int, int], str | None] = {}

    def add(first: int, last: int, kind: str | None = None) -> None:
        if last > first:
            found.setdefault((first, last), kind)

    for first, last in _import_runs(file.module.body):
        add(first, last, "imports")
    for node in ast.walk(file.module):
        if isinstance(node, ast.stmt) and _has_body(node):
            for first, last in _clauses(node):
                add(first, last)
        elif isinstance(node, ast.Expr) and _is_text(node.value):
            add(node.lineno - 1, (node.end_lineno or node.lineno) - 1, "comment")
        elif isinstance(node, ast.List | ast.Tuple | ast.Dict | ast.Set | ast.Call):
            add(node.lineno - 1, (node.end_lineno or node.lineno) - 2)
    for piece in file.unreadable:
        first = piece.range.start.line
        add(first, first + len(Lines(piece.text.rstrip()).starts) - 1)
    for (first, last), kind in sorted(found.items()):
        yield first, last, kind


def _entries_by_definition(file: ToolFile) -> dict[Range, list[Entry]]:
    listed: dict[Range, list[Entry]] = {}
    for entry in file.entries:
        for definition in definitions(file, entry):
            listed.setdefault(definition.range, []).append(entry)
    return listed


def _defined(definition: Definition, entries: list[Entry]) -> Symbol:
    names = list(dict.fromkeys(entry.name for entry in entries if entry.name))
    name, details = definition.name, list[str]()
    if names == [definition.name]:
        details = [approval(asks=entries[0].require_approval)]
    elif len(names) == 1:
        name, details = names[0], [definition.name, approval(asks=entries[0].require_approval)]
    elif names:
        details = [f"tools {', '.join(names)}"]
    kind = Kind.CLASS if definition.kind is Binding.CLASS else Kind.TOOL if names else Kind.FUNCTION
    return Symbol(name, " · ".join(details), kind, definition.range, definition.name_range)


def _entry(entry: Entry) -> Symbol:
    place = entry.name_range if entry.range.contains(entry.name_range) else entry.range
    detail = approval(asks=entry.require_approval)
    return Symbol(entry.name or "", detail, Kind.ENTRY, entry.range, place)


def _import_runs(body: list[ast.stmt]) -> Iterator[tuple[int, int]]:
    run: list[ast.stmt] = []
    for node in [*body, None]:
        if isinstance(node, ast.Import | ast.ImportFrom):
            run.append(node)
        elif run:
            yield run[0].lineno - 1, (run[-1].end_lineno or run[-1].lineno) - 1
            run = []


def _has_body(node: ast.stmt) -> bool:
    return bool(getattr(node, "body", None)) or isinstance(node, ast.Match)


def _clauses(node: ast.stmt) -> Iterator[tuple[int, int]]:
    """A compound statement from its first line on, clause by clause."""
    if isinstance(node, ast.Match):
        yield node.lineno - 1, (node.end_lineno or node.lineno) - 1
        return
    bodies = [body for name in ("body", "orelse", "finalbody") if (body := getattr(node, name, None))]
    yield node.lineno - 1, _last_line(bodies[0])
    for handler in getattr(node, "handlers", ()):
        yield handler.lineno - 1, _last_line(handler.body)


def _last_line(body: list[ast.stmt]) -> int:
    return (body[-1].end_lineno or body[-1].lineno) - 1


def _is_text(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, str)
