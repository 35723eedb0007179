"""ADAL708: the context that a provider reads, and the one that people are asked for."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from adal_ls.lint.agents_file import AgentsFile, Expression, sole
from adal_ls.lint.findings import Finding, Severity
from adal_ls.lint.rules.base import Rule, agents_rule, quoted

_PLAIN = ("BaseModel", "TypedDict", "NamedTuple")
_CONTEXT = "ToolContext"

_EXAMPLE = """\
from pydantic import BaseModel

from adal_ls import ToolContext, create_runtime, create_tool_provider


class Shelf(BaseModel):
    {field}: str


class Root(BaseModel):
    root: str


def tools_for(ctx: ToolContext[Root]):
    return []


runtime = create_runtime()
tools = create_tool_provider(get_tools=tools_for, context_schema=Shelf)
AGENTS = [runtime.create_agent("librarian", tools=tools)]
"""


@agents_rule(
    code="ADAL708",
    name="context-mismatch",
    severity=Severity.WARNING,
    why="People fill in the fields of context_schema, and get_tools reads those of its own type: the two must have the"
    " same ones.",
    failing=_EXAMPLE.format(field="name"),
    passing=_EXAMPLE.format(field="root"),
)
def context_mismatch(rule: Rule[AgentsFile], file: AgentsFile) -> Iterator[Finding]:
    for schema, function in (*_made(file), *_classes(file)):
        read = _context_type(function)
        if read is None or not isinstance(schema.node, ast.Name) or schema.node.id == read:
            continue
        asked_for, known = _fields(file, schema.node.id), _fields(file, read)
        if asked_for is None or known is None or set(asked_for) == set(known):
            continue
        missing = [name for name in known if name not in asked_for]
        more = [name for name in asked_for if name not in known]
        words = [f"does not have {quoted(missing)}"] if missing else []
        words += [f"has {quoted(more)}, which that does not know"] if more else []
        message = f"get_tools reads a {read}; {schema.node.id} {', and '.join(words)}"
        yield rule.finding(message, schema.range)


def _made(file: AgentsFile) -> Iterator[tuple[Expression, ast.FunctionDef | ast.AsyncFunctionDef]]:
    for call in file.calls:
        if call.function != "create_tool_provider":
            continue
        schema, given = call.argument("context_schema"), call.argument("get_tools")
        if schema is not None and given is not None and isinstance(given.node, ast.Name):
            definition = sole(file.bindings, given.node.id)
            if definition is not None and definition.node is not None:
                yield schema, definition.node


def _classes(file: AgentsFile) -> Iterator[tuple[Expression, ast.FunctionDef | ast.AsyncFunctionDef]]:
    for name in file.bindings.definitions:
        definition = sole(file.bindings, name)
        if definition is None or definition.owner is None or definition.lines is None:
            continue
        schema, function = None, None
        for node in definition.owner.body:
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name == "get_tools":
                function = node
            elif isinstance(node, ast.Assign) and [getattr(one, "id", None) for one in node.targets] == [
                "context_schema"
            ]:
                schema = Expression(node.value, definition.lines)
        if schema is not None and function is not None:
            yield schema, function


def _context_type(function: ast.FunctionDef | ast.AsyncFunctionDef) -> str | None:
    """The class that is written in `ctx: ToolContext[...]`."""
    arguments = [*function.args.posonlyargs, *function.args.args]
    hint = arguments[-1].annotation if arguments else None
    if not isinstance(hint, ast.Subscript) or not isinstance(hint.slice, ast.Name):
        return None
    outer = hint.value
    name = outer.attr if isinstance(outer, ast.Attribute) else getattr(outer, "id", None)
    return hint.slice.id if name == _CONTEXT else None


def _fields(file: AgentsFile, name: str) -> list[str] | None:
    """The annotated fields of a class of the file; None where it may have others."""
    definition = sole(file.bindings, name)
    owner = definition.owner if definition is not None else None
    if (
        owner is None
        or not owner.bases
        or not all(isinstance(base, ast.Name) and base.id in _PLAIN for base in owner.bases)
    ):
        return None
    annotated = (node.target for node in owner.body if isinstance(node, ast.AnnAssign))
    return [target.id for target in annotated if isinstance(target, ast.Name)]
