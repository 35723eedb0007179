"""ADAL213, 214 and 218: entries that the model cannot call as they are written. Global rules."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from adal_ls.lint.findings import Finding, Severity
from adal_ls.lint.modules.bindings import Definition, Function
from adal_ls.lint.modules.names import Names
from adal_ls.lint.modules.targets import Target
from adal_ls.lint.reading.text import Range
from adal_ls.lint.rules.base import Rule, entry_rule, function_rule
from adal_ls.lint.subjects import ToolFunction
from adal_ls.lint.view import ListedEntry

_DESK = 'class Desk:\n    def find(self, x: str) -> str:\n        """Find a room."""\n        return x\n\n\n'

_CAPTURE = "from contextlib import contextmanager\n\n\n"


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
    if entry.function is not None and (plain := next(filter(_is_no_method, listed.functions), None)) is not None:
        first = plain.node.args.args[0].arg if plain.node is not None and plain.node.args.args else "self"
        message = (
            f"Nothing fills '{first}' of '{entry.function.name}', which is no method, so the tool is left out: take the"
            " parameter out"
        )
        related = ((plain.name_range, "Defined here"),) if plain.home is None else ()
        yield rule.finding(message, entry.function.range, related=related)
    found = next((target for target in listed.functions if target.unbound), None)
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


def _is_no_method(target: Target) -> bool:
    """Whether it is a function of the module that has a `self` all the same: the runtime leaves that out."""
    if target.owner is not None or target.filled or not isinstance(target.node, Function):
        return False
    arguments = [*target.node.args.posonlyargs, *target.node.args.args]
    return bool(arguments) and arguments[0].arg in ("self", "cls") and arguments[0].arg not in target.named


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
        owner = tool.names.scope.names.get(decorator.id) if isinstance(decorator, ast.Name) else None
        if isinstance(owner, ast.ClassDef) and _hides_signature(tool.names, owner):
            message = (
                f"The objects of '{owner.name}' hide the signature of '{tool.node.name}' from the model: call"
                " functools.update_wrapper(self, ...) where they are made"
            )
            yield rule.finding(message, tool.lines.range_of(decorator))
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
    stars = "*args/**kwargs" if _has_stars(wrapper) else "parameters"
    named = definition.node is not None and _keeps_name(definition.node)
    what = f"The {stars} of '{wrapper.name}'" if named else f"The name '{wrapper.name}' and its {stars}"
    message = (
        f"{what} hide the signature of '{tool.node.name}' from the model: put"
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
    return inner if _has_stars(inner) or not _keeps_name(node) else None


def _returned(node: Function) -> Function | None:
    """The function made inside another that it always returns."""
    returns = [inner for inner in node.body if isinstance(inner, ast.Return)]
    if len(returns) != 1 or not isinstance(returns[0].value, ast.Name):
        return None
    made = [inner for inner in node.body if isinstance(inner, ast.FunctionDef | ast.AsyncFunctionDef)]
    return next((inner for inner in made if inner.name == returns[0].value.id), None)


def _has_stars(wrapper: Function) -> bool:
    return wrapper.args.vararg is not None or wrapper.args.kwarg is not None


def _keeps_name(node: Function) -> bool:
    """Whether a decorator gives its wrapper a name: `wrapper.__name__ = ...`."""
    stored = (
        inner for inner in ast.walk(node) if isinstance(inner, ast.Attribute) and isinstance(inner.ctx, ast.Store)
    )
    return any(inner.attr == "__name__" for inner in stored)


def _copies_metadata(names: Names, node: ast.AST) -> bool:
    """Whether the signature is copied in some other way: `update_wrapper(...)`, `wrapper.__wrapped__ = ...`. A name and
    a docstring alone leave the model without the parameters."""
    for inner in ast.walk(node):
        if isinstance(inner, ast.Attribute) and isinstance(inner.ctx, ast.Store):
            if inner.attr in ("__wrapped__", "__signature__"):
                return True
        elif isinstance(inner, ast.Name | ast.Attribute):
            name = inner.id if isinstance(inner, ast.Name) else inner.attr
            if name in ("update_wrapper", "setattr", "__dict__") or names.origin(inner) == "functools.update_wrapper":
                return True
    return False


def _hides_signature(names: Names, owner: ast.ClassDef) -> bool:
    """Whether objects of a class take the place of the function that it decorates, with parameters of their own."""
    if owner.bases or owner.decorator_list or _copies_metadata(names, owner):
        return False
    methods = {node.name for node in owner.body if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)}
    return "__call__" in methods and "__new__" not in methods


@function_rule(
    code="ADAL218",
    name="context-manager",
    severity=Severity.WARNING,
    why="A call of it makes a context manager and runs nothing of its body; the model gets the object as text.",
    failing=_CAPTURE + '@contextmanager\ndef f(x: str):\n    """Do f."""\n    yield x\n',
    passing=_CAPTURE
    + "@contextmanager\ndef opened(x: str):\n    yield x\n\n\n"
    + 'def f(x: str) -> str:\n    """Do f."""\n    with opened(x) as text:\n        return text\n',
)
def context_manager(rule: Rule[ToolFunction], tool: ToolFunction) -> Iterator[Finding]:
    for decorator in tool.node.decorator_list:
        if tool.names.origin(decorator) in ("contextlib.contextmanager", "contextlib.asynccontextmanager"):
            message = (
                f"A call of '{tool.node.name}' makes a context manager and runs nothing of it: list a function that"
                f" uses it in a `with` statement"
            )
            yield rule.finding(message, tool.lines.range_of(decorator))
