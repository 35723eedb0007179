"""Which names a top-level statement may change what they hold: so that a list can be followed through a file."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator

MUTATORS = frozenset(
    {"append", "extend", "insert", "remove", "clear", "pop", "reverse", "sort", "update", "setdefault"}
)
"""Methods that change a list or dict."""

_READERS = frozenset(
    {"print", "len", "str", "repr", "sorted", "list", "tuple", "set", "frozenset", "dict", "sum", "any", "all", "min"}
    | {"max", "enumerate", "range", "zip", "map", "filter", "reversed", "isinstance", "iter", "chain", "from_iterable"}
    | {"debug", "info", "warning", "error", "format", "join", "pprint", "copy", "deepcopy", "partial", "wraps", "bool"}
)
_MUTATED = re.compile(rf"\b(\w+)[ \t]*\.[ \t]*(?:{'|'.join(sorted(MUTATORS))})\b")
_MUTATES = re.compile(rf"\.[ \t]*(?:{'|'.join(sorted(MUTATORS))})\b")
"""Found, or not found, several times as fast as what it is done to."""
_GLOBAL = re.compile(r"\bglobal[ \t]+(\w+(?:[ \t]*,[ \t]*\w+)*)")
_WORD = re.compile(r"\w+")


def changed_names(body: Iterable[ast.stmt], source: str) -> frozenset[str]:
    """The names that statements may bind, change, or hand to someone who may change what they hold.

    A definition has those that its body may change once it is called, and what decorates it.
    """
    return frozenset(name for statement in body for name in _of(statement, source))


def _of(statement: ast.stmt, source: str) -> Iterator[str]:
    if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        for decorator in statement.decorator_list:
            yield from _names(decorator)
        changed = [match[1] for match in _MUTATED.finditer(source)] if _MUTATES.search(source) else []
        if "global" in source:
            changed += [word for match in _GLOBAL.finditer(source) for word in _WORD.findall(match[1])]
        yield from changed
    elif isinstance(statement, ast.Assign | ast.AnnAssign | ast.AugAssign):
        for target in statement.targets if isinstance(statement, ast.Assign) else [statement.target]:
            yield from _names(target)
        if isinstance(statement.value, ast.Call | ast.Await | ast.NamedExpr):
            yield from _names(statement.value)
        elif isinstance(statement.value, ast.Name):  # from now on two names mean the same
            yield statement.value.id
    elif isinstance(statement, ast.Import | ast.ImportFrom):
        for alias in statement.names:
            yield alias.asname or alias.name.partition(".")[0]
    elif not isinstance(statement, ast.Expr) or not isinstance(statement.value, ast.Constant):
        yield from _names(statement)
        for inner in ast.walk(statement):
            if isinstance(inner, ast.Import | ast.ImportFrom):
                yield from _of(inner, source)


def may_change(node: ast.AST, name: str) -> bool:
    """Whether running some code may change what a name holds, other than by a function that it calls."""
    for inner in ast.walk(node):
        if isinstance(inner, ast.Attribute | ast.Subscript) and _is(inner.value, name):
            changing = inner.attr in MUTATORS if isinstance(inner, ast.Attribute) else False
            if changing or not isinstance(inner.ctx, ast.Load):
                return True
        elif isinstance(inner, ast.Call):
            handed = [*inner.args, *(keyword.value for keyword in inner.keywords)]
            if any(_is(argument, name) for argument in handed) and not _only_reads(inner.func):
                return True
        elif _is(inner, name) and not isinstance(getattr(inner, "ctx", None), ast.Load):
            return True
    return False


def _is(node: ast.AST, name: str) -> bool:
    return isinstance(node, ast.Name) and node.id == name


def _only_reads(function: ast.expr) -> bool:
    called = function.id if isinstance(function, ast.Name) else getattr(function, "attr", "")
    return called in _READERS


def _names(node: ast.AST) -> Iterator[str]:
    return (inner.id for inner in ast.walk(node) if isinstance(inner, ast.Name))
