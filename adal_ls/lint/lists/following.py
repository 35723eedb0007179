"""What a name or a call stands for, as far as one expression that is written down says it."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import replace

from adal_ls.lint.lists.changes import may_change
from adal_ls.lint.lists.elements import Element, dotted, name_of
from adal_ls.lint.modules.bindings import Binding, Bindings, Definition, Function

_STEPS = 10  # names may be defined through each other


def bindings_at(at: Element, bindings: Bindings) -> Bindings:
    """The names that an element's own names are looked up in."""
    return bindings if at.home is None else at.home.file.bindings


def imported(at: Element, bindings: Bindings) -> Element | None:
    """What a name or attribute means in the module beside the file that it is imported from."""
    at = at.meant()
    path = at.node.id if isinstance(at.node, ast.Name) else dotted(at.node)
    if path is None or at.function is not None:
        return None
    known = bindings_at(at, bindings)
    root, _, rest = path.partition(".")
    definition = known.effective(root)
    if definition is None or definition.kind is not Binding.IMPORT or definition.module is None:
        return None
    way = ".".join(part for part in (definition.original, rest) if part)
    module = definition.module
    while way:
        home = known.around.imported(module)
        name, _, more = way.partition(".")
        if home is not None and name in home.file.bindings.definitions:
            node = ast.copy_location(_path([name, *more.split(".")] if more else [name]), at.node)
            return Element(node, at.lines, at.conditional, home=home, shown=at.range, salvaged=at.salvaged)
        module = f"{module}.{name}" if module.strip(".") else f"{module}{name}"
        way = more
    return None


def _path(names: Sequence[str]) -> ast.expr:
    node: ast.expr = ast.Name(names[0], ast.Load())
    for name in names[1:]:
        node = ast.Attribute(node, name, ast.Load())
    return node


def through(at: Element, bindings: Bindings) -> Element:
    """An expression where it is written: in the file, or in the module that it comes from."""
    for _ in range(_STEPS):
        further = imported(at, bindings)
        if further is None:
            break
        at = further
    return at.meant()


def constant(at: Element, bindings: Bindings) -> Element:
    """The expression behind a name that is assigned once and never changed; the element itself where it is none."""
    for _ in range(_STEPS):
        at = through(at, bindings)
        if not isinstance(at.node, ast.Name) or at.function is not None:
            break
        known = bindings_at(at, bindings)
        definition = only(known, at.node.id)
        if definition is None or definition.value is None or definition.lines is None:
            break
        if changed_elsewhere(at.node.id, definition, known):
            break
        at = Element(definition.value, definition.lines, at.conditional, home=at.home, shown=at.shown)
    return at


def changed_elsewhere(name: str, definition: Definition, bindings: Bindings) -> bool:
    """Whether a statement other than its definition may change what a name holds."""
    changers = (
        placed.chunk for placed in bindings.changers.get(name, ()) if placed.chunk.lines is not definition.lines
    )
    return any(may_change(statement, name) for chunk in changers for statement in chunk.statements)


def only(bindings: Bindings, name: str) -> Definition | None:
    """The definition of a name that has no other."""
    found = bindings.definitions.get(name, ())
    if len(found) != 1 or found[0].conditional or name in bindings.unreadable:
        return None
    return found[0]


def call(at: Element, node: ast.Call, bindings: Bindings) -> Element | None:
    """The expression that a call of a function of the module returns, where the function only puts it together."""
    if dotted(node.func) is None:
        return None
    found = through(at.of(node.func), bindings)
    if found.function is None:
        if not isinstance(found.node, ast.Name):
            return None
        definition = only(bindings_at(found, bindings), found.node.id)
        if definition is None or definition.node is None or definition.lines is None:
            return None
        inside = Element(found.node, definition.lines, at.conditional, home=found.home, shown=found.shown)
        function: Function = definition.node
    else:
        inside, function = replace(found, function=None), found.function
    given = _arguments(at, node, function, inside)
    return None if given is None else returned(function, replace(inside, given=given))


def returned(function: Function, inside: Element) -> Element | None:
    """What a function returns whose body is nothing but names for things and a `return`. `inside` is its place."""
    if function.decorator_list or isinstance(function, ast.AsyncFunctionDef):
        return None
    at = inside
    for statement in function.body:
        if isinstance(statement, ast.Return):
            return None if statement.value is None else at.of(statement.value)
        local = bound_locally(statement, at)
        if local is None:
            return None
        at = local
    return None


def bound_locally(statement: ast.stmt, at: Element) -> Element | None:
    """The place behind a statement of a function that only gives something a name; None where it does more."""
    if isinstance(statement, ast.Pass | ast.Import | ast.ImportFrom) or _is_docstring(statement):
        return at
    if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef):
        wrapped = wrapped_by(statement, at)
        made = wrapped or Element(
            name_of(statement, at.lines), at.lines, at.conditional, at.given, statement, at.home, at.shown
        )
        return replace(at, given={**at.given, statement.name: made})
    if isinstance(statement, ast.Assign) and len(statement.targets) == 1 and isinstance(statement.targets[0], ast.Name):
        return replace(at, given={**at.given, statement.targets[0].id: at.of(statement.value)})
    return None


def wrapped_by(function: Function, at: Element) -> Element | None:
    """The function whose name and signature another takes over, by `@functools.wraps(f)`."""
    for decorator in function.decorator_list:
        if isinstance(decorator, ast.Call) and len(decorator.args) == 1:
            name = decorator.func
            if (name.id if isinstance(name, ast.Name) else getattr(name, "attr", "")) == "wraps":
                return at.of(decorator.args[0]).meant()
    return None


def _is_docstring(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)


def _arguments(at: Element, node: ast.Call, function: Function, inside: Element) -> dict[str, Element] | None:
    """What the parameters of a function stand for in one call; None where that cannot be told."""
    if any(isinstance(argument, ast.Starred) for argument in node.args) or any(k.arg is None for k in node.keywords):
        return None
    arguments = function.args
    positional = [*arguments.posonlyargs, *arguments.args]
    given = {parameter.arg: at.of(argument) for parameter, argument in zip(positional, node.args)}  # noqa: B905
    rest = node.args[len(positional) :]
    if arguments.vararg is not None:
        packed = ast.copy_location(ast.Tuple([*rest], ast.Load()), node)
        given[arguments.vararg.arg] = at.of(packed)
    elif rest:
        return None
    known = {parameter.arg for parameter in [*arguments.args, *arguments.kwonlyargs]}
    for keyword in node.keywords:
        if keyword.arg not in known or keyword.arg in given or keyword.arg is None:
            return None
        given[keyword.arg] = at.of(keyword.value)
    for parameter, default in _defaults(arguments):
        if parameter not in given:
            given[parameter] = replace(inside, given=inside.given).of(default)
    every = [parameter.arg for parameter in [*positional, *arguments.kwonlyargs]]
    return {**inside.given, **given} if all(name in given for name in every) else None


def _defaults(arguments: ast.arguments) -> Iterator[tuple[str, ast.expr]]:
    positional = [*arguments.posonlyargs, *arguments.args]
    with_default: Sequence[ast.arg] = positional[len(positional) - len(arguments.defaults) :]
    yield from ((parameter.arg, default) for parameter, default in zip(with_default, arguments.defaults, strict=True))
    for parameter, default in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True):
        if default is not None:
            yield parameter.arg, default
