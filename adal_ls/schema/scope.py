"""What the names of a module's top level stand for, read from its source."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from dataclasses import dataclass, field

Binding = str | ast.expr | ast.ClassDef | None
"""A dotted name (an import), the expression assigned, a class, or None where the name is bound in several ways."""

_TYPING = ("typing", "typing_extensions")
_BUILTINS = frozenset(
    {"str", "int", "float", "bool", "bytes", "object", "list", "dict", "set", "frozenset", "tuple", "None"}
)


@dataclass(slots=True)
class Scope:
    """Bindings of the top level. Make one with `read`; it may be kept for all functions of the module."""

    names: dict[str, Binding] = field(default_factory=dict)
    typing_star: bool = False

    def dotted(self, node: ast.expr) -> str | None:
        """The full dotted name `node` refers to (`typing.Optional`, `builtins.int`), None where it cannot be told."""
        if isinstance(node, ast.Attribute):
            base = self.dotted(node.value)
            return None if base is None else f"{base}.{node.attr}"
        if not isinstance(node, ast.Name):
            return None
        if node.id in self.names:
            binding = self.names[node.id]
            return binding if isinstance(binding, str) else None
        if node.id in _BUILTINS:
            return f"builtins.{node.id}"
        return f"typing.{node.id}" if self.typing_star else None

    def binding(self, node: ast.expr) -> ast.expr | ast.ClassDef | None:
        """The expression or class that the plain name `node` was bound to in this module, if it was once."""
        found = self.names.get(node.id) if isinstance(node, ast.Name) else None
        return found if isinstance(found, (ast.expr, ast.ClassDef)) else None


UNKNOWN = Scope(typing_star=True)
"""Used where the module is not known: names of `typing` are taken to mean what they usually do."""


def read(statements: Iterable[ast.stmt]) -> Scope:
    """The scope of a module's statements. Nothing is evaluated or imported."""
    scope = Scope()
    _collect(statements, scope)
    return scope


def _collect(statements: Iterable[ast.stmt], scope: Scope) -> None:
    for statement in statements:
        if isinstance(statement, ast.Import):
            for alias in statement.names:
                top = alias.name.partition(".")[0]
                _bind(scope, alias.asname or top, alias.name if alias.asname else top)
        elif isinstance(statement, ast.ImportFrom):
            _collect_from(statement, scope)
        elif isinstance(statement, ast.ClassDef):
            _bind(scope, statement.name, statement)
        elif isinstance(statement, ast.Assign):
            for target in statement.targets:
                if isinstance(target, ast.Name):
                    _bind(scope, target.id, statement.value)
        elif isinstance(statement, ast.AnnAssign):
            if isinstance(statement.target, ast.Name) and statement.value is not None:
                _bind(scope, statement.target.id, statement.value)
        elif isinstance(statement, ast.AugAssign):
            if isinstance(statement.target, ast.Name):
                scope.names[statement.target.id] = None
        elif isinstance(statement, ast.Try):
            _collect([*statement.body, *statement.orelse, *statement.finalbody], scope)
            for handler in statement.handlers:
                _collect(handler.body, scope)
        elif isinstance(statement, ast.If):
            if not _type_checking(statement.test):
                _collect(statement.body, scope)
            _collect(statement.orelse, scope)
        elif type(statement).__name__ == "TypeAlias":  # `type X = ...`, Python 3.12
            _bind(scope, statement.name.id, statement.value)  # type: ignore[attr-defined]


def _collect_from(statement: ast.ImportFrom, scope: Scope) -> None:
    module = "." * statement.level + (statement.module or "")
    for alias in statement.names:
        if alias.name == "*":
            scope.typing_star = scope.typing_star or module in _TYPING
        else:
            _bind(scope, alias.asname or alias.name, f"{module}.{alias.name}")


def _bind(scope: Scope, name: str, binding: Binding) -> None:
    known = scope.names.get(name, binding)
    if isinstance(known, str):  # try: from typing import X / except: from typing_extensions import X
        scope.names[name] = known
    else:
        scope.names[name] = binding if known is binding else None


def _type_checking(test: ast.expr) -> bool:
    """`if TYPE_CHECKING:`: such imports do not exist when the file runs."""
    return (isinstance(test, ast.Name) and test.id == "TYPE_CHECKING") or (
        isinstance(test, ast.Attribute) and test.attr == "TYPE_CHECKING"
    )
