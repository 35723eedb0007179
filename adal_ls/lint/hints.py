"""Type hints as source: what they allow, and which of their names cannot be resolved."""

from __future__ import annotations

import ast
import builtins
import sys
from collections.abc import Iterator

from adal_ls.lint.modules.bindings import Function
from adal_ls.lint.modules.names import Names

_STEPS = 20
SIMPLE = frozenset({"str", "int", "float", "bool", "bytes"})
_CONTAINERS = {
    "builtins.list": "list[str]",
    "builtins.dict": "dict[str, str]",
    "builtins.set": "set[str]",
    "builtins.frozenset": "frozenset[str]",
    "builtins.tuple": "tuple[str, ...]",
    "typing.List": "List[str]",
    "typing.Dict": "Dict[str, str]",
    "typing.Set": "Set[str]",
    "typing.FrozenSet": "FrozenSet[str]",
    "typing.Tuple": "Tuple[str, ...]",
}
_ANYTHING = frozenset({"typing.Any", "builtins.object"})
# Names of modules whose types JSON can hold in some form: what they are is for the schema to say.
_TYPE_MAKERS = frozenset({"typing", "typing_extensions", "enum", "dataclasses", "types"})
_NO_VALUES = frozenset(
    {"Callable", "Iterator", "Generator", "AsyncIterator", "AsyncGenerator", "Awaitable", "Coroutine", "IO", "TextIO"}
    | {"BinaryIO", "Pattern", "Match", "Type", "ContextManager"}
)
_HEAVY = frozenset({"pandas.DataFrame", "pandas.Series", "numpy.ndarray", "PIL.Image.Image"})


def is_simple(annotation: ast.expr, names: Names) -> bool:
    """Whether it is one of the plain types that most parameters have, and the file does not use the name otherwise."""
    return (
        isinstance(annotation, ast.Name) and annotation.id in SIMPLE and annotation.id not in names.bindings.definitions
    )


def has_schema(annotation: ast.expr, names: Names, steps: int = 0) -> bool:
    """Whether a hint certainly has a JSON Schema: plain types, and containers and choices of them. Cheap."""
    if steps > _STEPS or isinstance(annotation, ast.Name):
        return steps <= _STEPS and is_simple(annotation, names)
    if isinstance(annotation, ast.Constant):
        return annotation.value is None
    if isinstance(annotation, ast.BinOp) and isinstance(annotation.op, ast.BitOr):
        return has_schema(annotation.left, names, steps + 1) and has_schema(annotation.right, names, steps + 1)
    if not isinstance(annotation, ast.Subscript) or not isinstance(annotation.value, ast.Name):
        return False
    form = _typing(names.origin(annotation.value))
    if form == "typing.Literal":
        elements = annotation.slice.elts if isinstance(annotation.slice, ast.Tuple) else [annotation.slice]
        return all(isinstance(element, ast.Constant) and isinstance(element.value, str) for element in elements)
    if form in ("builtins.list", "typing.List", "typing.Optional", "builtins.set", "typing.Set"):
        return has_schema(annotation.slice, names, steps + 1)
    if form in ("builtins.dict", "typing.Dict", "typing.Union") and isinstance(annotation.slice, ast.Tuple):
        return all(has_schema(element, names, steps + 1) for element in annotation.slice.elts)
    return False


def unquoted(node: ast.expr, steps: int = 0) -> ast.expr | None:
    """The expression in a quoted hint, others as they are; None where the text is no expression."""
    if not (isinstance(node, ast.Constant) and isinstance(node.value, str)):
        return node
    try:
        inner = ast.parse(node.value.strip(), mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    return unquoted(inner, steps + 1) if steps < _STEPS else None


def bare_container(annotation: ast.expr, names: Names, steps: int = 0) -> str | None:
    """For a bare `list`, `dict`, ... (also one of several types): how it would say what it holds."""
    node = unquoted(annotation)
    if node is None or steps > _STEPS:
        return None
    if isinstance(node, ast.Name | ast.Attribute):
        return _CONTAINERS.get(_typing(names.origin(node)))
    members = _members(node, names)
    return next((found for member in members if (found := bare_container(member, names, steps + 1))), None)


def allows_none(annotation: ast.expr, names: Names, steps: int = 0) -> bool:
    """Whether None is one of the values, or may be: a name whose meaning is not known may be anything."""
    node = unquoted(annotation)
    if node is None or steps > _STEPS:
        return True
    if isinstance(node, ast.Constant):
        return node.value is None
    if isinstance(node, ast.Subscript):
        form = _typing(names.origin(node.value))
        if form == "typing.Optional":
            return True
        if form == "typing.Literal":
            return any(isinstance(inner, ast.Constant) and inner.value is None for inner in ast.walk(node.slice))
        if form in ("typing.Union", "typing.Annotated"):
            return any(allows_none(member, names, steps + 1) for member in _members(node, names))
        return not _is_type(node.value, names)
    if isinstance(node, ast.BinOp):
        return any(allows_none(member, names, steps + 1) for member in _members(node, names))
    return not _is_type(node, names)


def is_annotated(annotation: ast.expr, names: Names) -> bool:
    """Whether it is `Annotated[...]`, which may describe the parameter, by a text or by something like `Field(...)`."""
    node = unquoted(annotation)
    return isinstance(node, ast.Subscript) and _typing(names.origin(node.value)) == "typing.Annotated"


def unresolved(annotation: ast.expr, function: Function, names: Names) -> str | None:
    """Why a hint cannot be resolved when the file has run; None where it can, or where that is not known."""
    parameters = {getattr(parameter, "name", "") for parameter in getattr(function, "type_params", ())}
    for node in _parts(annotation, names):
        if isinstance(node, str):
            return f"{node!r} is no type"
        name = node.id
        definitions = names.bindings.definitions.get(name, ())
        if definitions:
            if name not in names.scope.names and all(definition.type_checking for definition in definitions):
                return f"'{name}' is imported under TYPE_CHECKING only, so it does not exist when the file runs"
        elif not (names.bindings.knows(name) or name in parameters or hasattr(builtins, name)):
            return f"'{name}' is not defined"
    return None


def no_values(annotation: ast.expr, names: Names) -> str | None:
    """The type in a hint that no JSON value can stand for, as far as that is certain."""
    for node in _parts(annotation, names):
        if isinstance(node, ast.Name) and (found := _no_value(node, names)):
            return found
    for inner in ast.walk(unquoted(annotation) or annotation):
        if isinstance(inner, ast.Attribute) and _is_foreign(names.origin(inner)):
            return ast.unparse(inner)
    return None


def _no_value(node: ast.Name, names: Names) -> str | None:
    bound = names.scope.names.get(node.id)
    if isinstance(bound, ast.ClassDef):
        plain = not bound.decorator_list and not bound.keywords
        return node.id if plain and all(_is_object(base) for base in bound.bases) else None
    if node.id in ("any", "callable") and names.root(node.id) == f"builtins.{node.id}":
        return f"{node.id}, which is a function; the types are typing.Any and typing.Callable"
    return node.id if _is_foreign(names.root(node.id)) else None


def _is_object(base: ast.expr) -> bool:
    return isinstance(base, ast.Name) and base.id == "object"


def _is_foreign(origin: str | None) -> bool:
    """Whether a dotted name is a type of which it is known that JSON cannot hold it."""
    if origin is None or origin.startswith("."):
        return False
    module, _, name = origin.rpartition(".")
    top = origin.partition(".")[0]
    if top in _TYPE_MAKERS or module == "collections.abc":
        return name in _NO_VALUES
    if origin in _HEAVY:
        return True
    if top == "builtins":
        return name in ("complex", "bytearray", "memoryview", "range", "type", "slice", "property", "Exception")
    # Modules have lower-case names: `datetime` alone in a hint is most often meant to be the class.
    return "." in origin and top in sys.stdlib_module_names and name[:1].isupper()


def _is_type(node: ast.expr, names: Names) -> bool:
    """Whether it is certainly a type that does not have None: a builtin, a container, or a class of this file."""
    if isinstance(node, ast.Name) and isinstance(names.scope.names.get(node.id), ast.ClassDef):
        return True
    origin = _typing(names.origin(node)) if isinstance(node, ast.Name | ast.Attribute) else ""
    if origin in _CONTAINERS:
        return True
    top, _, name = origin.partition(".")
    return (top == "builtins" and origin not in _ANYTHING) or name in ("Sequence", "Mapping", "Iterable", "Callable")


def _members(node: ast.expr, names: Names) -> Iterator[ast.expr]:
    """The types that a hint is a choice of."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr):
        yield node.left
        yield node.right
    elif isinstance(node, ast.Subscript):
        form = _typing(names.origin(node.value))
        elements = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
        if form in ("typing.Optional", "typing.Union"):
            yield from elements
        elif form == "typing.Annotated":
            yield elements[0]


def _typing(origin: str | None) -> str:
    return (origin or "").replace("typing_extensions.", "typing.")


def _parts(annotation: ast.expr, names: Names) -> Iterator[ast.Name | str]:
    """The names that a hint refers to, those in quoted parts included; a text where that is no expression."""
    stack: list[tuple[ast.AST, int]] = [(annotation, 0)]
    while stack:
        node, steps = stack.pop()
        if steps > _STEPS:
            continue
        if isinstance(node, ast.Name):
            yield node
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            inner = unquoted(node)
            if inner is None:
                yield node.value
            else:
                stack.append((inner, steps + 1))
        elif isinstance(node, ast.Subscript):
            form = _typing(names.origin(node.value))
            stack.append((node.value, steps))
            if form == "typing.Annotated" and isinstance(node.slice, ast.Tuple):
                stack.append((node.slice.elts[0], steps))  # what follows are values
            elif form != "typing.Literal":
                stack.append((node.slice, steps))
        elif not isinstance(node, ast.Call | ast.Lambda):
            stack.extend((child, steps) for child in ast.iter_child_nodes(node))
