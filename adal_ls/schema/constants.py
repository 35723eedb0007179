"""The value of an expression of constants, read from its source without running it."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable
from typing import Any

from adal_ls.schema.scope import Scope

# Names may refer to each other, so a few short lines could ask for endless work.
_DEPTH = 40
_MAX_BITS = 4096
_MAX_TEXT = 65536
_BINARY: dict[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
    ast.Pow: operator.pow,
    ast.LShift: operator.lshift,
    ast.RShift: operator.rshift,
    ast.BitOr: operator.or_,
    ast.BitAnd: operator.and_,
}
_UNARY: dict[type[ast.unaryop], Callable[[Any], Any]] = {
    ast.USub: operator.neg,
    ast.UAdd: operator.pos,
    ast.Not: operator.not_,
    ast.Invert: operator.invert,
}


class NotConstantError(Exception):
    """The value is only known when the code runs."""


def evaluate(node: ast.expr, scope: Scope, depth: int = 0) -> object:
    """The value of literals, arithmetic on numbers, and names of `scope` that are bound once to such.

    Raises:
        NotConstantError: anything else, and arithmetic that could take long.
    """
    if depth > _DEPTH:
        raise NotConstantError("nested too deeply")
    if isinstance(node, ast.Constant):
        return node.value
    if isinstance(node, (ast.List, ast.Tuple)):
        items = [evaluate(item, scope, depth + 1) for item in node.elts]
        return items if isinstance(node, ast.List) else tuple(items)
    if isinstance(node, ast.Dict):
        return _dict(node, scope, depth)
    if isinstance(node, ast.Name):
        bound = scope.binding(node)
        if isinstance(bound, ast.expr):
            return evaluate(bound, scope, depth + 1)
    if isinstance(node, ast.UnaryOp):
        operand = _number(evaluate(node.operand, scope, depth + 1), any_type=isinstance(node.op, ast.Not))
        return _apply(_UNARY[type(node.op)], operand)
    if isinstance(node, ast.BinOp) and type(node.op) in _BINARY:
        left, right = (evaluate(side, scope, depth + 1) for side in (node.left, node.right))
        return _binary(node.op, left, right)
    raise NotConstantError(type(node).__name__)


def _dict(node: ast.Dict, scope: Scope, depth: int) -> dict[object, object]:
    pairs: dict[object, object] = {}
    for key, value in zip(node.keys, node.values, strict=True):
        if not isinstance(key, ast.Constant):
            raise NotConstantError("a key that is not a constant")
        pairs[key.value] = evaluate(value, scope, depth + 1)
    return pairs


def _binary(op: ast.operator, left: object, right: object) -> object:
    if isinstance(op, ast.Add) and isinstance(left, str) and isinstance(right, str):
        if len(left) + len(right) > _MAX_TEXT:
            raise NotConstantError("too large to be computed while reading")
        return left + right
    first, second = _number(left), _number(right)
    if isinstance(op, (ast.Pow, ast.LShift)) and isinstance(first, int):
        size = first.bit_length() * second if isinstance(op, ast.Pow) else first.bit_length() + second
        if size > _MAX_BITS:
            raise NotConstantError("too large to be computed while reading")
    return _apply(_BINARY[type(op)], first, second)


def _number(value: object, *, any_type: bool = False) -> Any:
    if isinstance(value, int) and value.bit_length() > _MAX_BITS:
        raise NotConstantError("too large to be computed while reading")
    if any_type or isinstance(value, (int, float)):
        return value
    raise NotConstantError("not a number")


def _apply(function: Callable[..., Any], *operands: object) -> object:
    try:
        return function(*operands)
    except (ArithmeticError, TypeError, ValueError) as fault:
        raise NotConstantError(str(fault)) from None
