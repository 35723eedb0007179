"""What lint reads out of `.adal/agents.py`: the calls of the SDK at its top level, and the list AGENTS.

Only what is certain: a name that is bound twice, or comes from elsewhere, stands for anything.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass, field

from adal_ls.lint.fixes.nearest import KnownNames
from adal_ls.lint.model import ToolFile
from adal_ls.lint.modules.bindings import Binding, Bindings, Definition
from adal_ls.lint.reading.text import Lines, Range

LIST_NAME = "AGENTS"

_NO_RUN = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)
_MAYBE = (ast.If, ast.For, ast.AsyncFor, ast.While, ast.Try, ast.Match)
_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


@dataclass(frozen=True, slots=True)
class Signature:
    """What a function of the SDK takes. `positional` may be named as well; `required` are those without a default."""

    positional: tuple[str, ...]
    keywords: tuple[str, ...]
    required: tuple[str, ...] = ()


SIGNATURES = {
    "create_runtime": Signature(
        (),
        (
            "tools",
            "model",
            "project_root",
            "permission_mode",
            "can_use_tool",
            "can_use_tool_timeout",
            "enabled_default_tools",
            "disabled_default_tools",
        ),
    ),
    "create_agent": Signature(
        ("id",), ("tools", "model", "system_prompt", "stop_when", "description"), required=("id",)
    ),
    "create_tool_provider": Signature(
        (), ("get_tools", "context_schema", "list_tools", "on_run_end", "dispose"), required=("get_tools",)
    ),
    "combine_tool_providers": Signature(("sources",), (), required=("sources",)),
    "mcp_tool_provider": Signature(
        (),
        ("name", "command", "env", "cwd", "url", "headers", "prefix", "only", "require_approval", "timeout_ms"),
    ),
}
"""As in `adal_ls.sdk`, which lint cannot import; a test compares the two."""


@dataclass(frozen=True, slots=True)
class Expression:
    """An expression and the lines that its place is told by."""

    node: ast.expr
    lines: Lines = field(repr=False)

    @property
    def range(self) -> Range:
        return self.lines.range_of(self.node)

    def inner(self, node: ast.expr) -> Expression:
        return Expression(node, self.lines)


@dataclass(frozen=True, slots=True)
class SdkCall:
    """One call of a function in `SIGNATURES`. `conditional`: in a branch, a loop or a comprehension.

    `runtime` tells runtimes apart, for a call of `create_agent`.
    """

    function: str
    node: ast.Call
    lines: Lines = field(repr=False)
    conditional: bool = False
    runtime: object = None

    def argument(self, name: str) -> Expression | None:
        """What is given for a parameter; None where nothing is, or it cannot be seen."""
        positional = SIGNATURES[self.function].positional
        if name in positional:
            index = positional.index(name)
            given = self.node.args[: index + 1]
            if len(given) > index and not any(isinstance(each, ast.Starred) for each in given):
                return Expression(given[index], self.lines)
        found = next((keyword.value for keyword in self.node.keywords if keyword.arg == name), None)
        return None if found is None else Expression(found, self.lines)


class AgentsFile:
    """One agents file, for the rules that look at it."""

    def __init__(self, file: ToolFile) -> None:
        """`file`: its text, read as any other module."""
        self.lines = file.lines
        self.bindings = file.bindings
        self.calls = tuple(_calls(file))

    @property
    def listed(self) -> Expression | None:
        """What AGENTS is given; None where it is not given once and for all."""
        return self.value_of(LIST_NAME)

    @property
    def entries(self) -> tuple[Expression, ...]:
        """The elements of AGENTS, as far as they are written there."""
        listed = self.listed
        if listed is None or not isinstance(listed.node, ast.List | ast.Tuple):
            return ()
        return tuple(listed.inner(node) for node in listed.node.elts if not isinstance(node, ast.Starred))

    def value_of(self, name: str) -> Expression | None:
        """The one expression that a name stands for."""
        definition = sole(self.bindings, name)
        if definition is None or definition.value is None or definition.lines is None:
            return None
        return Expression(definition.value, definition.lines)

    def sdk_call(self, expression: Expression) -> SdkCall | None:
        """The call behind an entry: itself, or what the name that stands there was assigned."""
        node = expression.node
        if isinstance(node, ast.Name):
            value = self.value_of(node.id)
            return None if value is None or isinstance(value.node, ast.Name) else self.sdk_call(value)
        return next((call for call in self.calls if call.node is node), None)

    def nearest(self, name: str) -> str | None:
        """A name of the file that a mistyped one may stand for."""
        return KnownNames(self.bindings.definitions).nearest(name)


def sole(bindings: Bindings, name: str) -> Definition | None:
    """The definition of a name that has no other one."""
    found = bindings.definitions.get(name, ())
    return found[0] if len(found) == 1 and not found[0].conditional and name not in bindings.unreadable else None


def _calls(file: ToolFile) -> Iterator[SdkCall]:
    for chunk in file.chunks:
        for statement in chunk.parsed.body:
            for node, conditional in _run(statement, conditional=False):
                if isinstance(node, ast.Call) and (found := _function(node, file.bindings)) is not None:
                    name, runtime = found
                    yield SdkCall(name, node, chunk.lines, conditional, runtime)


def _run(node: ast.AST, *, conditional: bool) -> Iterator[tuple[ast.AST, bool]]:
    """What runs when the file is loaded, and whether that depends on something."""
    yield node, conditional
    if isinstance(node, _NO_RUN):
        return
    below = conditional or isinstance(node, (*_MAYBE, *_COMPREHENSIONS))
    for child in ast.iter_child_nodes(node):
        yield from _run(child, conditional=below)


def _function(call: ast.Call, bindings: Bindings) -> tuple[str, object] | None:
    """The function of the SDK that is called, and the runtime that it is called on."""
    function = call.func
    if isinstance(function, ast.Attribute) and function.attr == "create_agent":
        made = function.value
        runtime: object = id(made)
        if isinstance(made, ast.Name):
            runtime = made.id
            definition = sole(bindings, made.id)
            made = definition.value if definition is not None and definition.value is not None else made
        if isinstance(made, ast.Call) and _name(made.func, bindings) == "create_runtime":
            return "create_agent", runtime
        return None
    name = _name(function, bindings)
    return None if name not in SIGNATURES else (name, None)


def _name(function: ast.expr, bindings: Bindings) -> str | None:
    """What the SDK calls a function that the file has imported from it."""
    if isinstance(function, ast.Name):
        definition = sole(bindings, function.id)
        return definition.original if definition is not None and _of_sdk(definition) else None
    if isinstance(function, ast.Attribute) and isinstance(function.value, ast.Name):
        definition = sole(bindings, function.value.id)
        if definition is not None and definition.original is None and _of_sdk(definition):
            return function.attr
    return None


def _of_sdk(definition: Definition) -> bool:
    module = definition.module or ""
    return definition.kind is Binding.IMPORT and (module == "adal_ls" or f"{module}.".startswith("adal_ls.sdk."))
