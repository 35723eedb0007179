"""What is written for a function and certainly is none: a module, or what a call of a tool gives."""

from __future__ import annotations

import ast
from dataclasses import dataclass

from adal_ls.lint.lists.elements import Element
from adal_ls.lint.lists.values import Value, ValueKind
from adal_ls.lint.modules.bindings import Binding, Bindings, Function

_PLAIN = frozenset(
    {"str", "int", "float", "bool", "bytes", "list", "dict", "tuple", "set", "List", "Dict", "ToolOutput"}
)


@dataclass(frozen=True, slots=True)
class NoFunction:
    """`words` say what it is. `function`: the one that is called where it was to be listed."""

    words: str
    function: str | None = None


def no_function(value: Value, bindings: Bindings) -> NoFunction | None:
    """What a value of the file itself is instead of a function; None where it may be one."""
    at = value.source
    if at is None or at.function is not None or at.home is not None or bindings.open:
        return None
    if value.kind is ValueKind.NAME and value.module_name is not None and _is_module(value.module_name, bindings):
        return NoFunction(f"the module '{value.name}'")
    return _called(at, bindings)


def _is_module(name: str, bindings: Bindings) -> bool:
    found = bindings.definitions.get(name, ())
    return bool(found) and all(one.kind is Binding.IMPORT and one.original is None for one in found)


def _called(at: Element, bindings: Bindings) -> NoFunction | None:
    """`find("x")`, where `find` is a function of the file that says what it returns, and that is no function."""
    call = at.node
    if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Name) or call.func.id in at.given:
        return None
    found = bindings.definitions.get(call.func.id, ())
    if len(found) != 1 or found[0].node is None or found[0].node.decorator_list:
        return None
    gives = _gives(found[0].node)
    return None if gives is None else NoFunction(f"what '{call.func.id}' returns ({gives})", call.func.id)


def _gives(function: Function) -> str | None:
    """What a call of a function gives, as far as its head tells; None where that may be a function or an entry."""
    if isinstance(function, ast.AsyncFunctionDef):
        return "a coroutine"
    hint = function.returns
    base = hint.value if isinstance(hint, ast.Subscript) else hint
    if isinstance(base, ast.Constant) and base.value is None:
        return "None"
    if hint is None or not isinstance(base, ast.Name) or base.id not in _PLAIN or base.id in ("dict", "Dict"):
        return None  # a dict may be an entry
    return ast.unparse(hint)
