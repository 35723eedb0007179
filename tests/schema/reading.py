"""Reads one function both ways."""

from __future__ import annotations

import ast
import types
from typing import Any

from adal_ls.schema import ToolSchema, from_ast, from_runtime


def statically(source: str, name: str | None = None) -> ToolSchema:
    module = ast.parse(source)
    functions = [node for node in module.body if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))]
    return from_ast(next(node for node in reversed(functions) if name in (None, node.name)), module)


def live(source: str, name: str | None = None) -> ToolSchema:
    module: dict[str, Any] = {"__name__": "tools_under_test"}
    exec(compile(source, "tools.py", "exec", dont_inherit=True), module)
    functions = [value for value in module.values() if isinstance(value, types.FunctionType)]
    return from_runtime(module[name] if name else functions[-1])


def both(source: str, name: str | None = None) -> ToolSchema:
    """The schema, after checking that the two readers agree on everything but places."""
    static, runtime = statically(source, name), live(source, name)
    assert static.description == runtime.description
    assert static.parameters == runtime.parameters
    assert list(static.parameters["properties"]) == list(runtime.parameters["properties"])
    assert [(p.parameter, p.kind) for p in static.problems] == [(p.parameter, p.kind) for p in runtime.problems]
    assert all(problem.place is not None for problem in static.problems)
    return static
