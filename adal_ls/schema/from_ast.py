"""A tool's schema from its source, without importing anything."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from adal_ls.schema import scope as scopes
from adal_ls.schema.constants import NotConstantError, evaluate
from adal_ls.schema.scope import Scope
from adal_ls.schema.signature import (
    ABSENT,
    Parameter,
    SchemaProblem,
    ToolSchema,
    build,
    json_default,
    self_problem,
    stars_problem,
    type_problem,
)
from adal_ls.schema.types import (
    ANY,
    NULL,
    SCALARS,
    TYPING_ALIASES,
    JsonScalar,
    Type,
    UnknownTypeError,
    choice,
    generic,
    union,
)

_DEPTH = 30  # aliases may refer to themselves
_ENUM_BASES = frozenset({"enum.Enum", "enum.IntEnum", "enum.StrEnum"})


def from_ast(function: ast.FunctionDef | ast.AsyncFunctionDef, module: ast.Module | Scope | None = None) -> ToolSchema:
    """The schema of `function` as its source tells it; never raises.

    Decorators are taken to keep the signature, as `functools.wraps` does. A default that only running the code can
    tell is left out.

    Args:
        function: the definition.
        module: where its names come from. Give a `Scope` (from `adal_ls.schema.scope.read`) for many functions of one
            module. Without it, names of `typing` mean what they usually do.
    """
    scope = scopes.read(module.body) if isinstance(module, ast.Module) else module or scopes.UNKNOWN
    problems: list[SchemaProblem] = []
    parameters: list[Parameter] = []
    for index, (argument, default) in enumerate(_positional_and_keyword(function.args)):
        if index == 0 and argument.arg in ("self", "cls"):
            problems.append(self_problem(argument.arg, argument))
        else:
            parameters.append(_parameter(argument, default, scope, problems))
    for star, taken in (("*", function.args.vararg), ("**", function.args.kwarg)):
        if taken is not None:
            problems.append(stars_problem(star + taken.arg, taken))
    return build(parameters, ast.get_docstring(function, clean=False), problems)


def _positional_and_keyword(arguments: ast.arguments) -> Iterator[tuple[ast.arg, ast.expr | None]]:
    positional = [*arguments.posonlyargs, *arguments.args]
    missing: list[ast.expr | None] = [None] * (len(positional) - len(arguments.defaults))
    yield from zip(positional, [*missing, *arguments.defaults], strict=True)
    yield from zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True)


def _parameter(argument: ast.arg, default: ast.expr | None, scope: Scope, problems: list[SchemaProblem]) -> Parameter:
    node: Type = ANY
    text: str | None = None
    if argument.annotation is not None:
        reader = _Reader(scope)
        try:
            inner, written = reader.annotated(argument.annotation)
            node, text = reader.type(inner), written
        except (UnknownTypeError, RecursionError) as fault:
            problems.append(type_problem(argument.arg, str(fault), argument.annotation))
    value: object = ABSENT
    if default is not None:
        try:
            value = json_default(evaluate(default, scope))
        except (NotConstantError, RecursionError):
            value = ABSENT
    return Parameter(argument.arg, node, required=default is None, default=value, description=text)


class _Reader:
    """Reads annotations of one scope."""

    def __init__(self, scope: Scope) -> None:
        self._scope = scope

    def annotated(self, node: ast.expr, depth: int = 0) -> tuple[ast.expr, str | None]:
        """What `Annotated[X, "text"]` is of, and its text; other annotations as they are."""
        if depth > _DEPTH:
            raise UnknownTypeError("it refers to itself")
        node = _unquoted(node)
        bound = self._scope.binding(node)
        if isinstance(bound, ast.Subscript) and self._typing_name(bound.value) == "Annotated":
            node = bound
        if not (isinstance(node, ast.Subscript) and self._typing_name(node.value) == "Annotated"):
            return node, None
        inner, *extras = _elements(node.slice)
        innermost, text = self.annotated(inner, depth + 1)  # typing flattens them, the inner text first
        texts = [extra.value for extra in extras if isinstance(extra, ast.Constant) and isinstance(extra.value, str)]
        return innermost, text or (texts[0] if texts else None)

    def type(self, node: ast.expr, depth: int = 0) -> Type:
        """Raises: UnknownTypeError."""
        if depth > _DEPTH:
            raise UnknownTypeError("it refers to itself")
        node = _unquoted(node)
        if isinstance(node, ast.Constant) and node.value is None:
            return NULL
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr):
            if all(isinstance(side, ast.Constant) for side in (node.left, node.right)):
                raise UnknownTypeError(ast.unparse(node))  # Python joins no two constants, neither None nor quoted
            return union([self.type(node.left, depth + 1), self.type(node.right, depth + 1)])
        if isinstance(node, ast.Subscript):
            return self._subscript(node, depth)
        bound = self._scope.binding(node)
        if isinstance(bound, ast.ClassDef):
            return self._enum(bound)
        if bound is not None:
            return self.type(bound, depth + 1)
        name = self._name(node)
        if name is None:
            raise UnknownTypeError(ast.unparse(node))
        if name in SCALARS:
            return SCALARS[name]
        try:
            return generic(name, [])
        except UnknownTypeError:
            raise UnknownTypeError(ast.unparse(node)) from None

    def _subscript(self, node: ast.Subscript, depth: int) -> Type:
        elements = _elements(node.slice)
        form = self._typing_name(node.value)
        if form == "Literal":
            return choice(self._literals(elements))
        if form == "Annotated":
            return self.type(elements[0], depth + 1)
        if form == "Optional" and len(elements) == 1:
            return union([self.type(elements[0], depth + 1), NULL])
        if form == "Union":
            return union([self.type(element, depth + 1) for element in elements])
        name = self._name(node.value)
        if name is None:
            raise UnknownTypeError(ast.unparse(node))
        open_ended = len(elements) == 2 and isinstance(elements[1], ast.Constant) and elements[1].value is ...
        arguments = [self.type(element, depth + 1) for element in (elements[:1] if open_ended else elements)]
        try:
            return generic(name, arguments, open_ended=open_ended)
        except UnknownTypeError:
            raise UnknownTypeError(ast.unparse(node)) from None

    def _literals(self, elements: list[ast.expr]) -> Iterator[JsonScalar]:
        for element in elements:
            if isinstance(element, ast.Subscript) and self._typing_name(element.value) == "Literal":
                yield from self._literals(_elements(element.slice))
                continue
            try:
                value = evaluate(element, Scope())
            except NotConstantError:
                raise UnknownTypeError(f"Literal of {ast.unparse(element)}") from None
            if value is not None and type(value) not in (str, int, bool):
                raise UnknownTypeError(f"Literal of {ast.unparse(element)}")
            yield value  # type: ignore[misc]

    def _enum(self, definition: ast.ClassDef) -> Type:
        """The values of an enum that is written out; mixed-in types other than str and int are not read."""
        bases = [self._scope.dotted(base) for base in definition.bases]
        if not any(base in _ENUM_BASES for base in bases) or not {
            base for base in bases if base not in _ENUM_BASES
        } <= {"builtins.str", "builtins.int"}:
            raise UnknownTypeError(definition.name)
        values: list[JsonScalar] = []
        for statement in definition.body:
            if not (isinstance(statement, ast.Assign) and isinstance(statement.targets[0], ast.Name)):
                continue
            if statement.targets[0].id.startswith("_"):
                continue
            try:
                value = evaluate(statement.value, Scope())
            except NotConstantError:
                raise UnknownTypeError(f"{definition.name}, whose values only running the code can tell") from None
            if type(value) not in (str, int, bool):
                raise UnknownTypeError(f"{definition.name}, whose values JSON cannot hold")
            values.append(value)  # type: ignore[arg-type]
        if not values:
            raise UnknownTypeError(definition.name)
        return choice(values)

    def _typing_name(self, node: ast.expr) -> str | None:
        module, _, name = (self._scope.dotted(node) or "").rpartition(".")
        return name if module in ("typing", "typing_extensions") else None

    def _name(self, node: ast.expr) -> str | None:
        """The dotted name in the form of the tables in `types`."""
        alias = self._typing_name(node)
        if alias == "Any":
            return "typing.Any"
        return TYPING_ALIASES.get(alias) if alias is not None else self._scope.dotted(node)


def _unquoted(node: ast.expr, depth: int = 0) -> ast.expr:
    if not (isinstance(node, ast.Constant) and isinstance(node.value, str)):
        return node
    try:
        inner = ast.parse(node.value.strip(), mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        raise UnknownTypeError(node.value) from None
    return _unquoted(inner, depth + 1) if depth < _DEPTH else inner


def _elements(node: ast.expr) -> list[ast.expr]:
    return list(node.elts) if isinstance(node, ast.Tuple) else [node]
