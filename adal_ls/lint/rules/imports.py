"""ADAL216 and 217: imports of modules beside the file that fail when it is loaded. Local rules."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import replace

from adal_ls.lint.findings import Finding, Fix, Severity, TextEdit
from adal_ls.lint.fixes.nearest import KnownNames
from adal_ls.lint.lists.values import Value
from adal_ls.lint.modules.bindings import Binding
from adal_ls.lint.reading.text import Position, Range
from adal_ls.lint.rules.base import ENTRY_RULES, Rule, also, statement_rule
from adal_ls.lint.subjects import Statement
from adal_ls.lint.view import ListedEntry

_F = "\n\nCUSTOM_TOOLS = [find_room]\n"


@statement_rule(
    code="ADAL216",
    name="relative-import",
    severity=Severity.ERROR,
    why="tools.py is loaded by its place and is no part of a package; modules beside it are found by their plain name.",
    failing=f"from .helpers import find_room{_F}",
    passing=f"from helpers import find_room{_F}",
    fix="Import by the plain name.",
)
def relative_import(rule: Rule[Statement], statement: Statement) -> Iterator[Finding]:
    if statement.names.bindings.around.name:
        return
    if isinstance(statement.node, ast.ImportFrom):
        yield from _relative(rule, statement, statement.node, "when the file is loaded")
    elif "import" in statement.text and isinstance(statement.node, ast.FunctionDef | ast.AsyncFunctionDef):
        for node in _imports_in(statement.node):
            for finding in _relative(rule, statement, node, "when the function is called"):
                yield replace(finding, severity=Severity.WARNING)


def _imports_in(function: ast.FunctionDef | ast.AsyncFunctionDef) -> Iterator[ast.ImportFrom]:
    """The imports that a call comes to, but for those that may fail: what stands in a `try` has another way."""
    waiting: list[ast.stmt] = [*function.body]
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.ImportFrom):
            yield node
        elif not isinstance(node, ast.Try) and type(node).__name__ != "TryStar":
            waiting += [child for child in ast.iter_child_nodes(node) if isinstance(child, ast.stmt)]


def _relative(rule: Rule[Statement], statement: Statement, node: ast.ImportFrom, when: str) -> Iterator[Finding]:
    if not node.level:
        return
    place, dots = _module_place(statement, node)
    if node.module is not None:
        plain = f"from {node.module} import ..."
        fix = Fix(f"Import from {node.module}", (TextEdit(dots, ""),), preferred=node.level == 1)
        fixes = (fix,) if node.level == 1 else ()
    else:
        plain, fixes = f"import {node.names[0].name}", ()
    message = f"This file is no part of a package, so this import fails {when}: write `{plain}`"
    yield rule.finding(message, place, fixes=fixes)


@statement_rule(
    code="ADAL217",
    name="not-in-module",
    severity=Severity.WARNING,
    why="An import of a name that the module does not have ends in an ImportError, and none of the file's tools run.",
    failing="",
    passing="",
    fix="Import the most similar name.",
)
def not_in_module(rule: Rule[Statement], statement: Statement) -> Iterator[Finding]:
    node, around = statement.node, statement.names.bindings.around
    if not isinstance(node, ast.ImportFrom) or node.level or node.module is None:
        return
    home = around.imported(node.module)
    if home is None or home.file.bindings.knows("__getattr__"):
        return
    for alias in node.names:
        name = alias.name
        if name == "*" or name.startswith("__") or home.file.bindings.knows(name):
            continue
        if around.imported(f"{node.module}.{name}") is None:
            near = KnownNames(home.file.bindings.definitions).nearest(name)
            place = statement.lines.range_of(alias)
            word = statement.lines.span(place.start, len(name))
            advice = f"; did you mean '{near}'?" if near else ""
            fixes = (Fix(f"Import {near}", (TextEdit(word, near),)),) if near and alias.asname else ()
            message = f"The module '{node.module}' beside this file has no '{name}'{advice}"
            yield rule.finding(message, place, fixes=fixes)


@also(not_in_module, ENTRY_RULES)
def attribute_not_in_module(rule: Rule[ListedEntry], listed: ListedEntry) -> Iterator[Finding]:
    function = listed.entry.function
    missing = None if function is None else _missing(listed, function)
    if function is not None and missing is not None:
        module, attribute = missing
        yield rule.finding(f"The module '{module}' beside this file has no '{attribute}'", function.range)


def _missing(listed: ListedEntry, function: Value) -> tuple[str, str] | None:
    """The module beside the file, and the name, where `helpers.search` is certainly not there."""
    module, _, attribute = (function.module_name or "").rpartition(".")
    found = listed.file.bindings.candidates(module.partition(".")[0])
    around = listed.file.bindings.around
    if len(found) != 1 or found[0].kind is not Binding.IMPORT or found[0].original is not None or not module:
        return None
    name = ".".join(part for part in (found[0].module, module.partition(".")[2]) if part)
    home = around.imported(name)
    if home is None or home.file.bindings.knows(attribute) or home.file.bindings.knows("__getattr__"):
        return None
    return None if around.imported(f"{name}.{attribute}") is not None else (name, attribute)


def _module_place(statement: Statement, node: ast.ImportFrom) -> tuple[Range, Range]:
    """Where the module is written, and its leading dots."""
    start = statement.lines.range_of(node).start
    line = statement.lines.line(start.line)
    first = line.find(".", start.column)
    if first < 0:  # behind a line that is joined to the next
        whole = statement.lines.range_of(node)
        return whole, Range(whole.start, whole.start)
    dots = Range(Position(start.line, first), Position(start.line, first + node.level))
    end = first + node.level + len(node.module or "")
    return Range(dots.start, Position(start.line, min(end, len(line)))), dots
