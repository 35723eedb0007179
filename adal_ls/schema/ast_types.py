"""Annotations as source, turned into the type tree."""

from __future__ import annotations

import ast
from collections.abc import Hashable, Iterator, Sequence

from adal_ls.schema import ast_notes, notes
from adal_ls.schema.constants import ENUMS, NotConstantError, enum_members, evaluate, functional_members, is_enum
from adal_ls.schema.json_schema import json_scalar
from adal_ls.schema.notes import NONE, Notes
from adal_ls.schema.scope import Found, Scope
from adal_ls.schema.types import (
    ANY,
    INTEGER,
    MOST_STEPS,
    NULL,
    NUMBER,
    SCALARS,
    STRING,
    TYPING_ALIASES,
    JsonScalar,
    Noted,
    Record,
    Reference,
    Type,
    UnknownTypeError,
    choice,
    generic,
    is_generic,
    union,
)

_DEPTH = 30  # aliases may refer to themselves
_FLAGS = frozenset({"enum.Flag", "enum.IntFlag"})
ROOT_MODELS = ("pydantic.RootModel", "pydantic.root_model.RootModel")
_BOUNDED = {"pydantic.conint": INTEGER, "pydantic.confloat": NUMBER, "pydantic.constr": STRING}


class Types:
    """Reads annotations. One for each function; it keeps the classes it has read."""

    def __init__(self) -> None:
        self._records: dict[Hashable, Type] = {}
        self._steps = 0
        self._open: set[Hashable] = set()

    def annotated(self, node: ast.expr, scope: Scope, depth: int = 0) -> tuple[ast.expr, Scope, Notes]:
        """What `Annotated[X, ...]` is of, with all that stands beside it; other annotations as they are."""
        if depth > _DEPTH:
            raise UnknownTypeError("it refers to itself")
        node = unquoted(node)
        target, inner = ast_notes.follow(node, scope)
        if target is not node and isinstance(target, ast.Constant) and isinstance(target.value, str):
            return self.annotated(target, inner, depth + 1)
        if not (isinstance(target, ast.Subscript) and typing_name(target.value, inner) == "Annotated"):
            return node, scope, NONE
        first, *extras = elements(target.slice)
        found, within, said = self.annotated(first, inner, depth + 1)  # typing flattens them, the inner text first
        return found, within, notes.joined([said, *(ast_notes.beside(extra, inner) for extra in extras)])

    def type(self, node: ast.expr, scope: Scope, depth: int = 0) -> Type:
        """Raises: UnknownTypeError."""
        self._steps += 1
        if depth > _DEPTH or self._steps > MOST_STEPS:
            raise UnknownTypeError("it refers to itself" if depth > _DEPTH else "it is too large")
        node = unquoted(node)
        if isinstance(node, ast.Constant) and node.value is None:
            return NULL
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr):
            if not _joins(node.left, node.right, scope) or not _joins(node.right, node.left, scope):
                raise UnknownTypeError(ast.unparse(node))
            return union([self.type(node.left, scope, depth + 1), self.type(node.right, scope, depth + 1)])
        if isinstance(node, ast.Subscript):
            return self._subscript(node, scope, depth)
        if isinstance(node, ast.Call):
            return self._call(node, scope, depth)
        found = scope.find(node)
        if isinstance(found, Found):
            if isinstance(found.node, ast.ClassDef):
                return self._class(found.node, found.scope, depth)
            return self.type(found.node, found.scope, depth + 1)
        if found is None:
            # What is neither a name nor made of other types (`5`, `[int]`, a lambda) is no type.
            raise UnknownTypeError(ast.unparse(node), certain=not isinstance(node, ast.Name | ast.Attribute))
        name = canonical(found)
        if name in SCALARS:
            return SCALARS[name]
        try:
            return generic(name, [])
        except UnknownTypeError:
            raise UnknownTypeError(ast.unparse(node)) from None

    def _subscript(self, node: ast.Subscript, scope: Scope, depth: int) -> Type:
        parts = elements(node.slice)
        value, inner = ast_notes.follow(node.value, scope)  # `Maybe = Optional`
        form = typing_name(value, inner)
        if form == "Literal":
            return choice(self._literals(parts, scope))
        if form == "Annotated":
            first, within, said = self.annotated(node, scope, depth + 1)
            return notes.noted(self.type(first, within, depth + 1), said)
        if form == "Optional" and len(parts) == 1:
            return union([self.type(parts[0], scope, depth + 1), NULL])
        if form == "Union":
            return union([self.type(part, scope, depth + 1) for part in parts])
        found = inner.find(value)
        if isinstance(found, Found) and isinstance(found.node, ast.ClassDef) and found.scope is scope:
            return self._record(found.node, scope, depth, parts)
        if found in ROOT_MODELS:
            return self.type(parts[0], scope, depth + 1)
        if not isinstance(found, str) or not is_generic(canonical(found)):
            raise UnknownTypeError(ast.unparse(node))
        open_ended = len(parts) == 2 and isinstance(parts[1], ast.Constant) and parts[1].value is ...
        arguments = [self.type(part, scope, depth + 1) for part in (parts[:1] if open_ended else parts)]
        try:
            return generic(canonical(found), arguments, open_ended=open_ended)
        except UnknownTypeError:
            raise UnknownTypeError(ast.unparse(node)) from None

    def _literals(self, parts: list[ast.expr], scope: Scope) -> Iterator[JsonScalar]:
        for part in parts:
            target, inner = ast_notes.follow(part, scope)
            if isinstance(target, ast.Subscript) and typing_name(target.value, inner) == "Literal":
                yield from self._literals(elements(target.slice), inner)
                continue
            try:
                yield json_scalar(evaluate(part, scope), numbers=isinstance(part, ast.Attribute))
            except (NotConstantError, ValueError):
                raise UnknownTypeError(f"Literal of {ast.unparse(part)}") from None

    def _call(self, node: ast.Call, scope: Scope, depth: int) -> Type:
        """Types that are made by a call: NewType, TypeVar, enums and TypedDicts in functional form, conint."""
        name = scope.dotted(node.func) or ""
        form = typing_name(node.func, scope)
        if form in ("NewType", "TypeAliasType") and len(node.args) == 2:
            return self.type(node.args[1], scope, depth + 1)
        if form == "TypeVar":
            bound = next((keyword.value for keyword in node.keywords if keyword.arg == "bound"), None)
            if bound is not None:
                return self.type(bound, scope, depth + 1)
            constraints = [self.type(argument, scope, depth + 1) for argument in node.args[1:]]
            return union(constraints) if constraints else ANY
        if name in _BOUNDED:
            return Noted(_BOUNDED[name], None, ast_notes.bounds(node, scope))
        if name in ENUMS:
            try:
                return self._values(list(functional_members(node, scope).values()), ast.unparse(node))
            except NotConstantError:
                raise UnknownTypeError(ast.unparse(node)) from None
        if form == "TypedDict":
            return self._record(node, scope, depth)
        raise UnknownTypeError(ast.unparse(node), certain=name == "collections.namedtuple")

    def _class(self, definition: ast.ClassDef, scope: Scope, depth: int) -> Type:
        if any(scope.dotted(base) in _FLAGS for base in definition.bases):
            return INTEGER
        if not is_enum(definition, scope):
            return self._record(definition, scope, depth)
        try:
            values = list(enum_members(definition, scope).values())
        except NotConstantError:
            raise UnknownTypeError(f"{definition.name}, whose values only running the code can tell") from None
        return self._values(values, definition.name)

    def _values(self, values: list[object], name: str) -> Type:
        if not values:
            raise UnknownTypeError(f"{name}, which has no values", certain=True)
        try:
            return choice([json_scalar(value) for value in values])
        except ValueError:
            raise UnknownTypeError(f"{name}, whose values JSON cannot hold", certain=True) from None

    def _record(
        self, definition: ast.ClassDef | ast.Call, scope: Scope, depth: int, arguments: Sequence[ast.expr] = ()
    ) -> Type:
        from adal_ls.schema import ast_records  # each reads the other's part of the tree

        key = (definition, *map(ast.dump, arguments))
        if key in self._records:
            return self._records[key]
        if key in self._open:
            return Reference(key)
        self._open.add(key)
        try:
            record = ast_records.read(definition, scope, self, depth + 1, arguments)
        except UnknownTypeError:
            self._records.clear()  # some may refer to this one
            raise
        finally:
            self._open.discard(key)
        if not isinstance(record, Record):
            return record
        self._records[key] = record
        return record


def _joins(side: ast.expr, other: ast.expr, scope: Scope) -> bool:
    """Whether Python joins `side` to `other` by a bar: None to all but constants, quoted names to forms of `typing`."""
    if not isinstance(side, ast.Constant):
        return True
    if side.value is None:
        return not isinstance(other, ast.Constant)
    return isinstance(other, ast.Subscript) and typing_name(other.value, scope) is not None


def canonical(name: str) -> str:
    """A dotted name in the form of the tables in `types`."""
    module, _, last = name.rpartition(".")
    if module not in ("typing", "typing_extensions"):
        return name
    return "typing.Any" if last == "Any" else TYPING_ALIASES.get(last, name)


def typing_name(node: ast.expr, scope: Scope) -> str | None:
    module, _, name = (scope.dotted(node) or "").rpartition(".")
    return name if module in ("typing", "typing_extensions") else None


def unquoted(node: ast.expr, depth: int = 0) -> ast.expr:
    """The expression in a quoted annotation, others as they are.

    Raises:
        UnknownTypeError: the text is no expression.
    """
    if not (isinstance(node, ast.Constant) and isinstance(node.value, str)):
        return node
    try:
        inner = ast.parse(node.value.strip(), mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        raise UnknownTypeError(node.value) from None
    return unquoted(inner, depth + 1) if depth < _DEPTH else inner


def elements(node: ast.expr) -> list[ast.expr]:
    return list(node.elts) if isinstance(node, ast.Tuple) else [node]
