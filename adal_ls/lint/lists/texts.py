"""Texts that are put together from constants: f-strings, sums, the names of functions."""

from __future__ import annotations

import ast

from adal_ls.lint.lists.elements import Element
from adal_ls.lint.lists.following import constant
from adal_ls.lint.modules.bindings import Bindings
from adal_ls.lint.modules.targets import targets

_DEEPEST = 20
_LONGEST = 1_000  # characters; longer ones are no names, and a description need not be known


def text_of(at: Element, bindings: Bindings, depth: int = 0) -> str | None:
    """The string that an expression gives; None where only the run tells, or it is none."""
    at = constant(at, bindings)
    node = at.node
    if depth > _DEEPEST or at.function is not None:
        return None
    if isinstance(node, ast.Constant):
        return node.value if isinstance(node.value, str) else None
    if isinstance(node, ast.JoinedStr):
        return _joined([_field(at, part, bindings, depth + 1) for part in node.values])
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        return _joined([text_of(at.of(part), bindings, depth + 1) for part in (node.left, node.right)])
    if isinstance(node, ast.Attribute) and node.attr == "__name__":
        found = targets(at.of(node.value), bindings)
        return found[0].name if len(found) == 1 else None
    return None


def _field(at: Element, part: ast.expr, bindings: Bindings, depth: int) -> str | None:
    if not isinstance(part, ast.FormattedValue):
        return text_of(at.of(part), bindings, depth)
    if part.format_spec is not None or part.conversion not in (-1, ord("s")):
        return None
    inner = constant(at.of(part.value), bindings)
    if isinstance(inner.node, ast.Constant) and type(inner.node.value) is int:
        return str(inner.node.value)
    return text_of(inner, bindings, depth)


def _joined(parts: list[str | None]) -> str | None:
    text = "".join(part or "" for part in parts)
    return None if None in parts or len(text) > _LONGEST else text
