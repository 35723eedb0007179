"""Reads one function both ways."""

from __future__ import annotations

import ast
import itertools
import json
import sys
import types
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import jsonschema

from adal_ls.schema import ToolSchema, from_ast, from_runtime

_NUMBERS = itertools.count(1)


def statically(source: str, name: str | None = None, siblings: Mapping[str, str] | None = None) -> ToolSchema:
    module = ast.parse(source)
    functions = [node for node in module.body if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))]
    texts = siblings or {}

    def resolve(wanted: str, level: int) -> ast.Module | None:
        return ast.parse(texts[wanted]) if not level and wanted in texts else None

    return from_ast(next(node for node in reversed(functions) if name in (None, node.name)), module, resolve)


@contextmanager
def imported(source: str, siblings: Mapping[str, str] | None = None) -> Iterator[types.ModuleType]:
    """The module that `source` makes, with `siblings` to import from; registered as an imported one is."""
    texts = {**(siblings or {}), f"tools_under_test_{next(_NUMBERS)}": source}
    module = types.ModuleType("none")
    try:
        for name, text in texts.items():
            module = sys.modules[name] = types.ModuleType(name)
            exec(compile(text, f"{name}.py", "exec", dont_inherit=True), vars(module))
        yield module
    finally:
        for name in texts:
            sys.modules.pop(name, None)


def live(source: str, name: str | None = None, siblings: Mapping[str, str] | None = None) -> ToolSchema:
    with imported(source, siblings) as module:
        return from_runtime(function_of(module, name))


def function_of(module: types.ModuleType, name: str | None = None) -> Callable[..., object]:
    """The last function of a module, or the one of that name."""
    if name is not None:
        return getattr(module, name)  # type: ignore[no-any-return]
    own = [value for value in vars(module).values() if isinstance(value, types.FunctionType)]
    return [value for value in own if value.__module__ == module.__name__][-1]


def both(source: str, name: str | None = None, siblings: Mapping[str, str] | None = None) -> ToolSchema:
    """The schema, after checking that the two readers agree on everything but places, and that it is plain JSON
    Schema."""
    static, runtime = statically(source, name, siblings), live(source, name, siblings)
    assert static.description == runtime.description
    assert comparable(static) == comparable(runtime)
    assert list(static.parameters["properties"]) == list(runtime.parameters["properties"])
    assert [(p.parameter, p.kind) for p in static.problems] == [(p.parameter, p.kind) for p in runtime.problems]
    assert all(problem.place is not None for problem in static.problems)
    jsonschema.Draft202012Validator.check_schema(static.parameters)
    json.dumps(static.parameters, allow_nan=False)
    return static


def comparable(schema: ToolSchema) -> str:
    """The parameters as JSON text, in which 1 and true differ; without the order of an enum's values and of a choice's
    members, since `typing` keeps one object for types that differ in it alone; see `from_runtime`."""
    return json.dumps(_unordered(schema.parameters))


def _unordered(schema: Any) -> Any:
    if isinstance(schema, dict):
        return {
            key: sorted(map(_unordered, value), key=json.dumps) if key in ("anyOf", "enum") else _unordered(value)
            for key, value in schema.items()
        }
    return [_unordered(item) for item in schema] if isinstance(schema, list) else schema
