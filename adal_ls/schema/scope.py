"""What the names of a module's top level stand for, read from its source and from the sources of modules beside it."""

from __future__ import annotations

import ast
import sys
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace

Binding = str | ast.expr | ast.ClassDef | None
"""A dotted name (an import), the expression assigned, a class, or None where the name is bound in several ways."""

Resolve = Callable[[str, int], "ast.Module | None"]
"""Gives the source of a module: its dotted name and the number of leading dots, as in an import statement.

Whoever reads files gives it; None for modules that are not there, or not to be read.
"""

_TYPING = ("typing", "typing_extensions")
_BUILTINS = frozenset(
    {"str", "int", "float", "bool", "bytes", "object", "list", "dict", "set", "frozenset", "tuple", "None"}
)
_STEPS = 20  # modules may import each other in a circle

STARRED: Mapping[str, frozenset[str]] = {
    "datetime": frozenset({"date", "datetime", "time", "timedelta"}),
    "pathlib": frozenset({"Path", "PurePath"}),
    "decimal": frozenset({"Decimal"}),
    "uuid": frozenset({"UUID"}),
    "enum": frozenset({"Enum", "IntEnum", "StrEnum", "Flag", "IntFlag", "auto"}),
    "dataclasses": frozenset({"dataclass", "field"}),
    "pydantic": frozenset({"BaseModel", "Field", "RootModel"}),
}
"""What modules that are not read give to `import *`, as far as schemas ask for it."""


@dataclass(frozen=True, slots=True, eq=False)
class Found:
    """The expression or class that a name stands for, and the scope in which its own names are looked up."""

    node: ast.expr | ast.ClassDef
    scope: Scope


@dataclass(slots=True, eq=False)
class Scope:
    """Bindings of the top level. Make one with `read`; it may be kept for all functions of the module."""

    names: dict[str, Binding] = field(default_factory=dict)
    typing_star: bool = False
    stars: list[str] = field(default_factory=list)
    """Modules of which all names are imported."""
    siblings: Siblings | None = None
    module: str = ""
    """The dotted name under which this scope was found, empty for the tools file itself."""

    def dotted(self, node: ast.expr) -> str | None:
        """The full dotted name `node` refers to (`typing.Optional`, `builtins.int`), None where it cannot be told."""
        found = self.find(node)
        return found if isinstance(found, str) else None

    def find(self, node: ast.expr, steps: int = 0) -> Found | str | None:
        """What `node` refers to: something written in a module that can be read, or the dotted name of something else;
        None where it cannot be told."""
        if isinstance(node, ast.Name):
            return self.named(node.id, steps)
        if not isinstance(node, ast.Attribute):
            return None
        base = self.find(node.value, steps)
        if isinstance(base, str):
            return self._outside(f"{base}.{node.attr}", steps)
        return None if base is None else _member(base, node.attr)

    def named(self, name: str, steps: int = 0) -> Found | str | None:
        """`find` for a plain name."""
        if name in self.names:
            binding = self.names[name]
            if isinstance(binding, str):
                return self._outside(binding, steps)
            return None if binding is None else Found(binding, self)
        if name in _BUILTINS:
            return f"builtins.{name}"
        for module in self.stars if self.siblings is not None else ():
            found = self._outside(f"{module}.{name}", steps)
            if isinstance(found, Found):
                return found
        for module in self.stars:
            if name in STARRED.get(module, ()):
                return f"{module}.{name}"
        return f"typing.{name}" if self.typing_star else None

    def _outside(self, dotted: str, steps: int) -> Found | str | None:
        """What an imported name refers to: the text itself, unless the module can be read."""
        if self.siblings is None or steps > _STEPS:
            return dotted
        for candidate in self._absolute(dotted):
            level = len(candidate) - len(candidate.lstrip("."))
            parts = candidate[level:].split(".")
            if not level and parts[0] in sys.stdlib_module_names:
                return dotted
            for cut in range(len(parts) - 1, -1 if level else 0, -1):
                scope = self.siblings.scope(".".join(parts[:cut]), level)
                if scope is None:
                    continue
                found = scope.named(parts[cut], steps + 1)
                for attribute in parts[cut + 1 :]:
                    found = _member(found, attribute) if isinstance(found, Found) else None
                return found
        return dotted

    def _absolute(self, dotted: str) -> list[str]:
        """A relative name as seen from the tools file; this module may be a package or stand in one."""
        level = len(dotted) - len(dotted.lstrip("."))
        if not level or not self.module:
            return [dotted]
        parts = self.module.split(".")
        return [
            ".".join([*parts[: len(parts) - dots], dotted[level:]]) for dots in (level, level - 1) if dots <= len(parts)
        ]


class Siblings:
    """The modules beside a tools file that can be read, each read once."""

    def __init__(self, resolve: Resolve) -> None:
        self._resolve = resolve
        self._scopes: dict[tuple[str, int], Scope | None] = {}

    def scope(self, module: str, level: int) -> Scope | None:
        key = module, level
        if key not in self._scopes:
            tree = self._resolve(module, level)
            self._scopes[key] = None if tree is None else read(tree.body, self, "." * level + module)
        return self._scopes[key]


UNKNOWN = Scope(typing_star=True)
"""Used where the module is not known: names of `typing` are taken to mean what they usually do."""


def read(statements: Iterable[ast.stmt], siblings: Siblings | None = None, module: str = "") -> Scope:
    """The scope of a module's statements. Nothing is evaluated or imported.

    Args:
        statements: the module's body.
        siblings: other modules that imported names are followed into.
        module: the module's dotted name, for its relative imports.
    """
    scope = Scope(siblings=siblings, module=module)
    _collect(statements, scope)
    return scope


def _member(base: Found | str | None, name: str) -> Found | None:
    """What a class of a module that was read holds under `name`."""
    if not isinstance(base, Found) or not isinstance(base.node, ast.ClassDef):
        return None
    inside = Scope()
    _collect(base.node.body, inside)
    binding = inside.names.get(name)
    return Found(binding, base.scope) if isinstance(binding, (ast.expr, ast.ClassDef)) else None


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
            scope.stars.append(module)
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


def with_type_parameters(scope: Scope, node: ast.AST) -> Scope:
    """`scope` with the type parameters of `def f[T: int](...)` or `class C[T]` (Python 3.12): each as its bound."""
    parameters = getattr(node, "type_params", None)
    if not parameters:
        return scope
    bounds: dict[str, Binding] = {}
    for parameter in parameters:
        bound = getattr(parameter, "bound", None)
        parts = bound.elts if isinstance(bound, ast.Tuple) else [bound or ast.Name("object", ast.Load())]
        joined = parts[0]
        for part in parts[1:]:
            joined = ast.BinOp(joined, ast.BitOr(), part)
        bounds[parameter.name] = joined
    return with_names(scope, bounds)


def with_names(scope: Scope, names: Mapping[str, Binding]) -> Scope:
    """`scope` with other meanings of some names."""
    return replace(scope, names={**scope.names, **names})
