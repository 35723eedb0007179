"""Texts, bounds and defaults beside a type, read from source: arguments of `Annotated`, and `Field(...)`."""

from __future__ import annotations

import ast

from adal_ls.schema import notes
from adal_ls.schema.constants import NotConstantError, evaluate
from adal_ls.schema.notes import NONE, UNSET, Notes
from adal_ls.schema.scope import Found, Scope
from adal_ls.schema.signature import json_default
from adal_ls.schema.types import ABSENT, Limits, UnknownTypeError

_STEPS = 20  # names may refer to each other
_FIELDS = frozenset(
    {"pydantic.Field", "pydantic.fields.Field", "dataclasses.field"}
    | {f"fastapi.{name}" for name in ("Query", "Header", "Path", "Body", "Form", "Cookie", "File")}
)
_BOUNDS = {
    "annotated_types.Ge": ("ge",),
    "annotated_types.Gt": ("gt",),
    "annotated_types.Le": ("le",),
    "annotated_types.Lt": ("lt",),
    "annotated_types.MultipleOf": ("multiple_of",),
    "annotated_types.MinLen": ("min_length",),
    "annotated_types.MaxLen": ("max_length",),
    "annotated_types.Len": ("min_length", "max_length"),
    "annotated_types.Interval": (),
    "pydantic.StringConstraints": (),
}
_TEXTS = frozenset({"typing_extensions.Doc", "annotated_doc.Doc"})


def follow(node: ast.expr, scope: Scope) -> tuple[ast.expr, Scope]:
    """What a name was assigned, and the scope that is written in; other expressions as they are."""
    if isinstance(node, ast.Name) and scope.siblings is None and not isinstance(scope.names.get(node.id), ast.expr):
        return node, scope  # most names
    for _ in range(_STEPS):
        found = scope.find(node) if isinstance(node, (ast.Name, ast.Attribute)) else None
        if not isinstance(found, Found) or not isinstance(found.node, ast.expr):
            break
        node, scope = found.node, found.scope
    return node, scope


def beside(node: ast.expr, scope: Scope) -> Notes:
    """What one argument of `Annotated` after the first says."""
    node, scope = follow(node, scope)
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return Notes(text=node.value)
    if not isinstance(node, ast.Call):
        return NONE
    name = scope.dotted(node.func) or ""
    if name in _FIELDS:
        return _field(node, scope)
    if name in _TEXTS and node.args:
        return Notes(text=_text(node.args[0], scope))
    return Notes(limits=bounds(node, scope, _BOUNDS[name])) if name in _BOUNDS else NONE


def default(node: ast.expr, scope: Scope) -> Notes:
    """What a default says: a value, or all that a `Field(...)` does. `...` is no default for models."""
    made, inner = follow(node, scope)
    if isinstance(made, ast.Call) and inner.dotted(made.func) in _FIELDS:
        return _field(made, inner)
    return Notes(default=value(node, scope))


def value(node: ast.expr, scope: Scope) -> object:
    """A default as JSON, ABSENT where only running the code can tell or JSON cannot hold it."""
    try:
        return json_default(evaluate(node, scope))
    except (NotConstantError, RecursionError):
        return ABSENT


def bounds(call: ast.Call, scope: Scope, positional: tuple[str, ...] = ()) -> Limits:
    """The bounds among a call's arguments."""
    given = dict(zip(positional, call.args, strict=False))
    given.update({keyword.arg: keyword.value for keyword in call.keywords if keyword.arg in notes.BOUNDS})
    return notes.limits({name: _constant(node, scope) for name, node in given.items()})


def _field(call: ast.Call, scope: Scope) -> Notes:
    given = {keyword.arg: keyword.value for keyword in call.keywords}
    first = given.get("default", call.args[0] if call.args else None)
    said: object = UNSET
    if first is not None and not (isinstance(first, ast.Constant) and first.value is ...):
        said = value(first, scope)
    if "default_factory" in given:
        made = {"builtins.list": list, "builtins.dict": dict}.get(scope.dotted(given["default_factory"]) or "")
        said = made() if made is not None else ABSENT
    init = given.get("init")
    return Notes(
        description=_text(given.get("description"), scope),
        limits=bounds(call, scope),
        default=said,
        alias=_alias(given.get("validation_alias") or given.get("alias"), scope),
        init=not (isinstance(init, ast.Constant) and init.value is False),
    )


def _alias(node: ast.expr | None, scope: Scope) -> str | None:
    if node is None or (isinstance(node, ast.Constant) and node.value is None):
        return None
    node, scope = follow(node, scope)
    if isinstance(node, ast.Call) and scope.dotted(node.func) == "pydantic.AliasChoices" and node.args:
        return _alias(node.args[0], scope)
    text = _text(node, scope)
    if text is None:
        raise UnknownTypeError(f"alias {ast.unparse(node)}")
    return text


def _text(node: ast.expr | None, scope: Scope) -> str | None:
    found = None if node is None else _constant(node, scope)
    return found if isinstance(found, str) else None


def _constant(node: ast.expr, scope: Scope) -> object:
    try:
        return evaluate(node, scope)
    except (NotConstantError, RecursionError):
        return None
