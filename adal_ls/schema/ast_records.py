"""Classes of data as source: TypedDict, dataclass, NamedTuple, pydantic model."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from adal_ls.schema import ast_notes, docstring, notes
from adal_ls.schema.ast_types import ROOT_MODELS, Types, elements, typing_name, unquoted
from adal_ls.schema.notes import Notes
from adal_ls.schema.scope import Found, Scope, with_names, with_type_parameters
from adal_ls.schema.types import Field, Record, Type, UnknownTypeError

Kind = Literal["typed dict", "named tuple", "dataclass", "model", "root"]

_DEPTH = 30
_BASES: dict[str, Kind] = {
    "typing.TypedDict": "typed dict",
    "typing_extensions.TypedDict": "typed dict",
    "typing.NamedTuple": "named tuple",
    "typing_extensions.NamedTuple": "named tuple",
    "pydantic.BaseModel": "model",
    "pydantic.main.BaseModel": "model",
    **dict.fromkeys(ROOT_MODELS, "root"),
}
_HARMLESS = frozenset({"typing.Generic", "typing.Protocol", "typing_extensions.Generic", "abc.ABC", "builtins.object"})
_GENERIC = frozenset({"typing.Generic", "typing_extensions.Generic"})
_DATACLASS = frozenset({"dataclasses.dataclass", "pydantic.dataclasses.dataclass"})
_WRAPPERS = frozenset({"Required", "NotRequired", "ReadOnly", "ClassVar", "Final"})


@dataclass(frozen=True, slots=True)
class _Class:
    """One class of a hierarchy, with its own part."""

    node: ast.ClassDef
    scope: Scope
    kind: Kind | None


def read(
    definition: ast.ClassDef | ast.Call,
    scope: Scope,
    types: Types,
    depth: int,
    arguments: Sequence[ast.expr] = (),
) -> Type:
    """The record that a class stands for; of a RootModel, its root's type. `arguments`: those of `Page[int]`.

    Raises:
        UnknownTypeError: a class of another kind, or a part of it that cannot be told.
    """
    if isinstance(definition, ast.Call):
        return _functional(definition, scope, types, depth)
    classes = list(_lineage(definition, scope, set()))
    if arguments:
        classes[-1] = _with_arguments(classes[-1], arguments)
    kind = next((found.kind for found in reversed(classes) if found.kind is not None), None)
    if kind is None:
        raise UnknownTypeError(definition.name, certain=all(_is_plain(part.node) for part in classes))
    if kind == "root":
        return _root(classes, types, depth)
    documented = docstring.parse(_own_docstring(definition), attributes=True)
    fields: dict[str, Field] = {}
    for part in classes:
        if kind == "dataclass" and part.kind != "dataclass":
            continue  # annotations of a class that is not decorated are no fields
        for statement in part.node.body:
            if isinstance(statement, ast.AnnAssign) and isinstance(statement.target, ast.Name):
                name = statement.target.id
                try:
                    found = _field(name, statement, part, kind, types, depth)
                except UnknownTypeError as fault:
                    raise UnknownTypeError(f"{definition.name}.{name}: {fault}", certain=fault.certain) from None
                if found is None:
                    fields.pop(name, None)
                else:
                    fields[name] = found
    shown = tuple(
        Field(
            field.name, field.type, field.required, field.default, field.description or documented.parameters.get(name)
        )
        for name, field in fields.items()
    )
    key = (definition, *map(ast.dump, arguments))
    return Record(definition.name, key, shown, documented.description, kind == "model" and _closed(classes))


def _lineage(definition: ast.ClassDef, scope: Scope, seen: set[ast.ClassDef]) -> Iterator[_Class]:
    """The class and its bases that are written out, each once, bases first."""
    if definition in seen:
        return
    seen.add(definition)
    scope = with_type_parameters(scope, definition)
    kind: Kind | None = None
    for base in reversed(definition.bases):
        plain = base.value if isinstance(base, ast.Subscript) else base
        found = scope.find(plain)
        if isinstance(found, Found) and isinstance(found.node, ast.ClassDef) and plain is base:
            yield from _lineage(found.node, found.scope, seen)
        elif isinstance(found, str) and found in _BASES:
            kind = _BASES[found]
        elif not (isinstance(found, str) and found in _HARMLESS):
            raise UnknownTypeError(f"{definition.name}, whose base {ast.unparse(base)} is not read")
    for decorator in definition.decorator_list:
        target = decorator.func if isinstance(decorator, ast.Call) else decorator
        if scope.dotted(target) in _DATACLASS:
            kind = "dataclass"
    yield _Class(definition, scope, kind)


def _is_plain(definition: ast.ClassDef) -> bool:
    """Whether nothing can make the class more than it is written as."""
    hooks = (getattr(statement, "name", "") for statement in definition.body)
    return not (definition.decorator_list or definition.keywords or "__init_subclass__" in hooks)


def _with_arguments(found: _Class, arguments: Sequence[ast.expr]) -> _Class:
    """A generic model whose type parameters mean `arguments`, which are written in the same module."""
    names = [getattr(each, "name", "") for each in getattr(found.node, "type_params", ())]
    for base in found.node.bases:
        if isinstance(base, ast.Subscript) and found.scope.dotted(base.value) in _GENERIC:
            names = [each.id for each in elements(base.slice) if isinstance(each, ast.Name)]
    if found.kind != "model" or len(names) != len(arguments):
        raise UnknownTypeError(f"{found.node.name} with type arguments")
    return replace(found, scope=with_names(found.scope, dict(zip(names, arguments, strict=True))))


def _field(name: str, statement: ast.AnnAssign, part: _Class, kind: Kind, types: Types, depth: int) -> Field | None:
    """The field that an annotated name is; None where callers cannot give it."""
    node, scope, said, wrappers = _stripped(statement.annotation, part.scope, types, depth)
    if kind == "model" and name.startswith("_"):
        return None
    if "ClassVar" in wrappers or (kind == "dataclass" and scope.dotted(node) == "dataclasses.KW_ONLY"):
        return None
    value = statement.value
    if kind == "model" and "Final" in wrappers and value is not None:
        return None  # a constant of the class, to pydantic
    if value is not None and not (kind == "model" and isinstance(value, ast.Constant) and value.value is ...):
        said = ast_notes.default(value, part.scope).over(said)
    if not said.init:
        return None
    required = not notes.has_default(said)
    if kind == "typed dict":
        required = "NotRequired" not in wrappers and ("Required" in wrappers or _total(part.node))
    node_type = notes.bounded(types.type(node, scope, depth + 1), said)
    alias = said.alias if kind == "model" else None
    return Field(alias or name, node_type, required, notes.json_part(said), said.shown)


def _stripped(node: ast.expr, scope: Scope, types: Types, depth: int) -> tuple[ast.expr, Scope, Notes, frozenset[str]]:
    """A field's type without what says how the field is used, in any order with `Annotated`."""
    wrappers: set[str] = set()
    said = notes.NONE
    for _ in range(_DEPTH):
        node, scope, more = types.annotated(node, scope, depth + 1)
        said = more.then(said)
        node = unquoted(node)
        plain = node.value if isinstance(node, ast.Subscript) else node
        form = typing_name(plain, scope)
        if scope.dotted(plain) == "dataclasses.InitVar" and plain is not node:
            form = "InitVar"
        if form not in _WRAPPERS and form != "InitVar":
            break
        wrappers.add(str(form))
        if plain is node:
            break
        node = elements(node.slice)[0] if isinstance(node, ast.Subscript) else node
    return node, scope, said, frozenset(wrappers)


def _total(definition: ast.ClassDef) -> bool:
    return not any(
        keyword.arg == "total" and isinstance(keyword.value, ast.Constant) and keyword.value.value is False
        for keyword in definition.keywords
    )


def _functional(call: ast.Call, scope: Scope, types: Types, depth: int) -> Type:
    """`TypedDict("Point", {"x": int})`."""
    keys = call.args[1] if len(call.args) == 2 else None
    name = call.args[0] if call.args else None
    if not (isinstance(keys, ast.Dict) and isinstance(name, ast.Constant)):
        raise UnknownTypeError(ast.unparse(call))
    total = not any(
        keyword.arg == "total" and isinstance(keyword.value, ast.Constant) and keyword.value.value is False
        for keyword in call.keywords
    )
    fields = []
    for key, value in zip(keys.keys, keys.values, strict=True):
        if not (isinstance(key, ast.Constant) and isinstance(key.value, str)):
            raise UnknownTypeError(ast.unparse(call))
        node, within, said, wrappers = _stripped(value, scope, types, depth)
        required = "NotRequired" not in wrappers and ("Required" in wrappers or total)
        inner = notes.bounded(types.type(node, within, depth + 1), said)
        fields.append(Field(key.value, inner, required, notes.json_part(said), said.shown))
    return Record(str(name.value), (call,), tuple(fields))


def _root(classes: list[_Class], types: Types, depth: int) -> Type:
    for part in reversed(classes):
        for statement in part.node.body:
            if isinstance(statement, ast.AnnAssign) and ast.unparse(statement.target) == "root":
                return types.type(statement.annotation, part.scope, depth + 1)
        for base in part.node.bases:
            if isinstance(base, ast.Subscript) and _BASES.get(part.scope.dotted(base.value) or "") == "root":
                return types.type(base.slice, part.scope, depth + 1)
    raise UnknownTypeError(classes[-1].node.name)


def _closed(classes: list[_Class]) -> bool:
    """Whether a model refuses other keys.

    Raises:
        UnknownTypeError: its configuration renames its fields.
    """
    closed = False
    for part in classes:
        for name, value in _settings(part):
            if name == "alias_generator":
                raise UnknownTypeError(f"{part.node.name}, whose names an alias generator makes")
            if name == "extra" and isinstance(value, ast.Constant):
                closed = value.value == "forbid"
    return closed


def _settings(part: _Class) -> Iterator[tuple[str, ast.expr]]:
    for keyword in part.node.keywords:
        if keyword.arg:
            yield keyword.arg, keyword.value
    for statement in part.node.body:
        if isinstance(statement, (ast.Assign, ast.AnnAssign)) and statement.value is not None:
            targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
            if any(isinstance(target, ast.Name) and target.id == "model_config" for target in targets):
                yield from _entries(ast_notes.follow(statement.value, part.scope)[0])
        elif isinstance(statement, ast.ClassDef) and statement.name == "Config":
            for inner in statement.body:
                if isinstance(inner, ast.Assign) and isinstance(inner.targets[0], ast.Name):
                    yield inner.targets[0].id, inner.value


def _entries(value: ast.expr) -> Iterator[tuple[str, ast.expr]]:
    if isinstance(value, ast.Call):
        yield from ((keyword.arg, keyword.value) for keyword in value.keywords if keyword.arg)
    elif isinstance(value, ast.Dict):
        for key, inner in zip(value.keys, value.values, strict=True):
            if isinstance(key, ast.Constant) and isinstance(key.value, str):
                yield key.value, inner


def _own_docstring(definition: ast.ClassDef) -> str | None:
    return docstring.of_class(definition.name, ast.get_docstring(definition, clean=False))
