"""A tool's schema from its source, without importing anything."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator

from adal_ls.schema import ast_notes, contexts, notes
from adal_ls.schema import scope as scopes
from adal_ls.schema.ast_types import Types
from adal_ls.schema.scope import Resolve, Scope, Siblings
from adal_ls.schema.signature import (
    SchemaProblem,
    ToolSchema,
    build,
    context_problem,
    self_problem,
    stars_problem,
    type_problem,
)
from adal_ls.schema.types import ABSENT, ANY, Field, Type, UnknownTypeError


def from_ast(
    function: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda,
    module: ast.Module | Scope | None = None,
    resolve: Resolve | None = None,
    *,
    filled: int = 0,
    named: Collection[str] = (),
) -> ToolSchema:
    """The schema of `function` as its source tells it; never raises.

    Decorators are taken to keep the signature, as `functools.wraps` does. A default that only running the code can
    tell is left out.

    Args:
        function: the definition.
        module: where its names come from. Give a `Scope` (from `adal_ls.schema.scope.read`) for many functions of one
            module. Without it, names of `typing` mean what they usually do.
        resolve: gives the source of modules that `module` imports, for classes that stand there; a `Scope` brings its
            own (`Siblings`).
        filled: how many parameters, from the first, are filled: 1 for a method of an object.
        named: parameters that are filled by name, as `functools.partial` does.
    """
    if isinstance(module, ast.Module):
        scope = scopes.read(module.body, Siblings(resolve) if resolve is not None else None)
    else:
        scope = module or scopes.UNKNOWN
    scope = scopes.with_type_parameters(scope, function)
    types = Types()
    problems: list[SchemaProblem] = []
    parameters: list[Field] = []
    for index, (argument, default) in enumerate(_positional_and_keyword(function.args)):
        if index < filled or argument.arg in named:
            continue
        if index == 0 and argument.arg in ("self", "cls"):
            problems.append(self_problem(argument.arg, argument))
            continue
        found: list[SchemaProblem] = []
        parameter = _parameter(argument, default, scope, types, found)
        hint = None if argument.annotation is None else ast.unparse(argument.annotation)
        if index == filled and contexts.is_meant(argument.arg, hint) and (hint is None or found):
            problems.append(context_problem(argument.arg, argument))
        else:
            problems += found
            parameters.append(parameter)
    for star, taken in (("*", function.args.vararg), ("**", function.args.kwarg)):
        if taken is not None:
            problems.append(stars_problem(star + taken.arg, taken))
    doc = None if isinstance(function, ast.Lambda) else ast.get_docstring(function, clean=False)
    return build(parameters, doc, problems)


def _positional_and_keyword(arguments: ast.arguments) -> Iterator[tuple[ast.arg, ast.expr | None]]:
    positional = [*arguments.posonlyargs, *arguments.args]
    missing: list[ast.expr | None] = [None] * (len(positional) - len(arguments.defaults))
    yield from zip(positional, [*missing, *arguments.defaults], strict=True)
    yield from zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True)


def _parameter(
    argument: ast.arg, default: ast.expr | None, scope: Scope, types: Types, problems: list[SchemaProblem]
) -> Field:
    node: Type = ANY
    said = notes.NONE
    if argument.annotation is not None:
        try:
            inner, within, beside = types.annotated(argument.annotation, scope)
            node, said = types.type(inner, within), beside
        except (UnknownTypeError, RecursionError) as fault:
            certain = isinstance(fault, UnknownTypeError) and fault.certain
            problems.append(type_problem(argument.arg, str(fault), argument.annotation, certain=certain))
    if default is not None:
        try:
            said = ast_notes.default(default, scope).over(said)
        except UnknownTypeError:
            said = notes.Notes(default=ABSENT).over(said)
    required = not notes.has_default(said)
    return Field(argument.arg, notes.bounded(node, said), required, notes.json_part(said), said.shown)
