"""ADAL213 and 214: entries whose signature the model cannot see as it is written. Global rules."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from adal_ls.lint.bindings import Definition, Function
from adal_ls.lint.findings import Finding, Severity
from adal_ls.lint.names import Names
from adal_ls.lint.rules.base import Rule, entry_rule, function_rule
from adal_ls.lint.subjects import ToolFunction, meant
from adal_ls.lint.text import Range
from adal_ls.lint.view import ListedEntry

_DESK = 'class Desk:\n    def find(self, x: str) -> str:\n        """Find a room."""\n        return x\n\n\n'


def _logged(wraps: str) -> str:
    tool = 'def f(x: str) -> str:\n    """Do f."""\n    return x\n'
    wrapper = "    def wrapper(*args, **kwargs):\n        return function(*args, **kwargs)\n\n    return wrapper\n"
    head = "import functools\n\n\n" if wraps else ""
    return f"{head}def logged(function):\n{wraps}{wrapper}\n\n@logged\n{tool}\n\nCUSTOM_TOOLS = [f]\n"


@entry_rule(
    code="ADAL213",
    name="unbound-method",
    severity=Severity.WARNING,
    why="Through the class a method has nothing to fill `self` with, and the model cannot do it either.",
    failing=f"{_DESK}CUSTOM_TOOLS = [Desk.find]\n",
    passing=f"{_DESK}desk = Desk()\nCUSTOM_TOOLS = [desk.find]\n",
)
def unbound_method(rule: Rule[ListedEntry], listed: ListedEntry) -> Iterator[Finding]:
    entry = listed.entry
    found = next((target for target in meant(listed.file.bindings, entry) if target.unbound), None)
    if found is None or entry.function is None or found.name is None or not isinstance(found.node, Function):
        return
    arguments = [*found.node.args.posonlyargs, *found.node.args.args]
    first = f"'{arguments[0].arg}'" if arguments else "its first parameter"
    message = (
        f"Nothing fills {first} of '{entry.function.name}': the method is not bound to an object, so the model"
        f" would have to. List the method of an object, such as {found.owner}().{found.node.name}"
    )
    related = ((found.name_range, "Defined here"),) if found.home is None else ()
    yield rule.finding(message, entry.function.range, related=related)


@function_rule(
    code="ADAL214",
    name="wrapper-without-wraps",
    severity=Severity.WARNING,
    why="The tool gets the name, docstring and parameters of the wrapper unless functools.wraps copies its own.",
    failing=_logged(""),
    passing=_logged("    @functools.wraps(function)\n"),
)
def wrapper_without_wraps(rule: Rule[ToolFunction], tool: ToolFunction) -> Iterator[Finding]:
    for decorator in tool.node.decorator_list:
        called = decorator.func if isinstance(decorator, ast.Call) else decorator
        definition = tool.names.function(called.id) if isinstance(called, ast.Name) else None
        if definition is None:
            continue
        wrapper = _bare_wrapper(tool.names, definition, factory=isinstance(decorator, ast.Call))
        if wrapper is not None and definition.lines is not None:
            place = definition.lines.name_of(wrapper)
            yield _finding(rule, tool, decorator, definition, (wrapper, place))


def _finding(
    rule: Rule[ToolFunction],
    tool: ToolFunction,
    decorator: ast.expr,
    definition: Definition,
    placed: tuple[Function, Range],
) -> Finding:
    wrapper, place = placed
    hidden = " and its *args/**kwargs" if wrapper.args.vararg or wrapper.args.kwarg else " and its parameters"
    message = (
        f"The name '{wrapper.name}'{hidden} hide the signature of '{tool.node.name}' from the model: put"
        f" @functools.wraps(...) on '{wrapper.name}' in '{definition.name}'"
    )
    related = ((place, "The wrapper that needs functools.wraps"),)
    return rule.finding(message, tool.lines.range_of(decorator), related=related)


def _bare_wrapper(names: Names, definition: Definition, *, factory: bool) -> Function | None:
    """The wrapper that a decorator of this file returns, where nothing makes it look like what it wraps."""
    node = definition.node
    if node is None:
        return None
    inner = _returned(node)
    if factory:
        inner = _returned(inner) if inner is not None else None
    if inner is None or inner.decorator_list or _copies_metadata(names, node):
        return None
    return inner


def _returned(node: Function) -> Function | None:
    """The function made inside another that it always returns."""
    returns = [inner for inner in node.body if isinstance(inner, ast.Return)]
    if len(returns) != 1 or not isinstance(returns[0].value, ast.Name):
        return None
    made = [inner for inner in node.body if isinstance(inner, ast.FunctionDef | ast.AsyncFunctionDef)]
    return next((inner for inner in made if inner.name == returns[0].value.id), None)


def _copies_metadata(names: Names, node: Function) -> bool:
    """Whether some other way is used: `update_wrapper(...)`, `wrapper.__name__ = ...`."""
    for inner in ast.walk(node):
        if isinstance(inner, ast.Attribute) and isinstance(inner.ctx, ast.Store) and inner.attr.startswith("__"):
            return True
        if isinstance(inner, ast.Name | ast.Attribute):
            name = inner.id if isinstance(inner, ast.Name) else inner.attr
            if name in ("update_wrapper", "setattr") or names.origin(inner) == "functools.update_wrapper":
                return True
    return False
