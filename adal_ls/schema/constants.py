"""The value of an expression of constants, read from its source without running it."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable
from importlib import import_module
from typing import Any

from adal_ls.schema.scope import Found, Scope

# Names may refer to each other, so a few short lines could ask for endless work.
_DEPTH = 40
_STEPS = 5000
_MAX_BITS = 4096
_MAX_TEXT = 65536
_BINARY: dict[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
    ast.Pow: operator.pow,
    ast.LShift: operator.lshift,
    ast.RShift: operator.rshift,
    ast.BitOr: operator.or_,
    ast.BitAnd: operator.and_,
}
_UNARY: dict[type[ast.unaryop], Callable[[Any], Any]] = {
    ast.USub: operator.neg,
    ast.UAdd: operator.pos,
    ast.Not: operator.not_,
    ast.Invert: operator.invert,
}
# By name: few files make such values, and importing their modules takes longer than reading a file.
_MADE: dict[str, tuple[str, str]] = {
    "pathlib.Path": ("pathlib", "PurePosixPath"),
    "pathlib.PurePath": ("pathlib", "PurePosixPath"),
    "pathlib.PurePosixPath": ("pathlib", "PurePosixPath"),
    "decimal.Decimal": ("decimal", "Decimal"),
    "uuid.UUID": ("uuid", "UUID"),
    "datetime.date": ("datetime", "date"),
    "datetime.datetime": ("datetime", "datetime"),
    "datetime.time": ("datetime", "time"),
}
_EMPTY: dict[str, Callable[[], object]] = {"builtins.list": list, "builtins.dict": dict, "builtins.tuple": tuple}
ENUMS = frozenset({"enum.Enum", "enum.IntEnum", "enum.StrEnum"})
_MIXINS: dict[str, type] = {"builtins.str": str, "builtins.int": int, "builtins.float": float}


class NotConstantError(Exception):
    """The value is only known when the code runs."""


class Effort:
    """How much was done for one value, so that reading never takes long."""

    __slots__ = ("_depth", "_spent")

    def __init__(self, depth: int = 0, spent: list[int] | None = None) -> None:
        self._depth = depth
        self._spent = [0] if spent is None else spent

    def deeper(self) -> Effort:
        """For a part of the value.

        Raises:
            NotConstantError: it is nested too deeply, or too large.
        """
        self._spent[0] += 1
        if self._depth >= _DEPTH or self._spent[0] > _STEPS:
            raise NotConstantError("too large to be computed while reading")
        return Effort(self._depth + 1, self._spent)


def evaluate(node: ast.expr, scope: Scope, effort: Effort | None = None) -> object:
    """The value of literals, arithmetic on numbers, names of `scope` that are bound once to such, and plain values of
    the standard library made from them; of an enum's member, its value.

    Raises:
        NotConstantError: anything else, and arithmetic that could take long.
    """
    if isinstance(node, ast.Constant):
        return node.value
    effort = effort or Effort()
    if isinstance(node, (ast.List, ast.Tuple)):
        items = [evaluate(item, scope, effort.deeper()) for item in node.elts]
        return items if isinstance(node, ast.List) else tuple(items)
    if isinstance(node, ast.Dict):
        return _dict(node, scope, effort)
    if isinstance(node, (ast.Name, ast.Attribute)):
        return _named(node, scope, effort)
    if isinstance(node, ast.Call):
        return _made(node, scope, effort)
    if isinstance(node, ast.JoinedStr):
        return _bounded("".join(_part(part, scope, effort) for part in node.values))
    if isinstance(node, ast.UnaryOp):
        operand = _number(evaluate(node.operand, scope, effort.deeper()), any_type=isinstance(node.op, ast.Not))
        return _apply(_UNARY[type(node.op)], operand)
    if isinstance(node, ast.BinOp) and type(node.op) in _BINARY:
        left, right = (evaluate(side, scope, effort.deeper()) for side in (node.left, node.right))
        return _binary(node.op, left, right)
    raise NotConstantError(type(node).__name__)


def enum_members(definition: ast.ClassDef, scope: Scope, effort: Effort | None = None) -> dict[str, object]:
    """The values of an enum's members by name, as Python computes them from the class body.

    Raises:
        NotConstantError: not an enum that is written out, or a value that only running the code can tell.
    """
    effort = effort or Effort()
    kind = _enum_base(definition, scope, effort)
    if kind is None:
        raise NotConstantError("not an enum")
    members: dict[str, object] = {}
    for name, node in _member_nodes(definition):
        if isinstance(node, ast.Name) and node.id in members:
            members[name] = members[node.id]
        elif isinstance(node, ast.Call) and scope.dotted(node.func) == "enum.auto":
            members[name] = _next_value(name, kind, members)
        else:
            value = evaluate(node, scope, effort.deeper())
            members[name] = value if kind.mixin in (None, type(value)) else _apply(kind.mixin, value)
    return members


def functional_members(call: ast.Call, scope: Scope, effort: Effort | None = None) -> dict[str, object]:
    """The values by name of `Enum("Color", "RED BLUE")` and its other forms.

    Raises:
        NotConstantError: a form that is not read, or names that only running the code can tell.
    """
    if len(call.args) != 2 or call.keywords:
        raise NotConstantError(ast.unparse(call))
    names = evaluate(call.args[1], scope, effort)
    if isinstance(names, dict):
        return {str(name): value for name, value in names.items()}
    parts = names.replace(",", " ").split() if isinstance(names, str) else names
    found: dict[str, object] = {}
    for index, part in enumerate(parts if isinstance(parts, (list, tuple)) else ()):
        if isinstance(part, str):
            found[part] = part.lower() if scope.dotted(call.func) == "enum.StrEnum" else index + 1
        elif isinstance(part, (list, tuple)) and len(part) == 2:
            found[str(part[0])] = part[1]
    return found


class _EnumBase:
    """What an enum's bases make of its values."""

    def __init__(self, base: str | None = None, mixin: type | None = None) -> None:
        self.base = base
        self.mixin = mixin


def is_enum(definition: ast.ClassDef, scope: Scope) -> bool:
    try:
        return _enum_base(definition, scope, Effort()) is not None
    except NotConstantError:
        return True


def _enum_base(definition: ast.ClassDef, scope: Scope, effort: Effort) -> _EnumBase | None:
    """None where no base is an enum."""
    found = _EnumBase()
    unknown: str | None = None
    for node in definition.bases:
        base = scope.find(node)
        if base in ENUMS:
            found.base = str(base)
            found.mixin = {"enum.IntEnum": int, "enum.StrEnum": str}.get(found.base, found.mixin)
        elif isinstance(base, str) and base in _MIXINS:
            found.mixin = found.mixin or _MIXINS[base]
        elif isinstance(base, Found) and isinstance(base.node, ast.ClassDef):
            inner = _enum_base(base.node, base.scope, effort.deeper())
            if inner is not None:
                found.base, found.mixin = inner.base, found.mixin or inner.mixin
        elif isinstance(base, str):
            unknown = base
    if found.base is None:
        return None
    _without_own_rules(definition)
    if unknown is not None:
        raise NotConstantError(unknown)
    return found


def _without_own_rules(definition: ast.ClassDef) -> None:
    for statement in definition.body:
        if isinstance(statement, ast.FunctionDef) and statement.name in ("__new__", "_generate_next_value_"):
            raise NotConstantError(f"its {statement.name}")


def _member_nodes(definition: ast.ClassDef) -> list[tuple[str, ast.expr]]:
    found: list[tuple[str, ast.expr]] = []
    for statement in definition.body:
        if isinstance(statement, ast.Assign):
            targets, value = statement.targets, statement.value
        elif isinstance(statement, ast.AnnAssign) and statement.value is not None:
            targets, value = [statement.target], statement.value
        else:
            continue
        for target in targets:
            if not isinstance(target, ast.Name):
                raise NotConstantError("members that are not assigned one by one")
            if target.id == "_ignore_":
                ignored = evaluate(value, Scope())
                names = ignored.replace(",", " ").split() if isinstance(ignored, str) else ignored
                if isinstance(names, (list, tuple)):
                    found = [pair for pair in found if pair[0] not in names]
            if not target.id.startswith("__") and not (target.id.startswith("_") and target.id.endswith("_")):
                found.append((target.id, value))
    return found


def _next_value(name: str, kind: _EnumBase, members: dict[str, object]) -> object:
    """What `auto()` stands for. Python 3.13 goes on from the highest value, older ones from the last."""
    if kind.base == "enum.StrEnum":
        return name.lower()
    values = [value for value in members.values() if isinstance(value, int)]
    if kind.mixin not in (None, int) or len(values) < len(members) or (values and values[-1] != max(values)):
        raise NotConstantError("auto() after other values")
    return values[-1] + 1 if values else 1


def _named(node: ast.Name | ast.Attribute, scope: Scope, effort: Effort) -> object:
    found = scope.find(node)
    if isinstance(node, ast.Attribute):
        owner = scope.find(node.value)
        if isinstance(owner, Found):
            members = _members_of(owner, effort.deeper())
            if node.attr in members:
                return members[node.attr]
        if found is None and node.attr == "value":
            return evaluate(node.value, scope, effort.deeper())
    if isinstance(found, Found) and isinstance(found.node, ast.expr):
        return evaluate(found.node, found.scope, effort.deeper())
    raise NotConstantError(ast.unparse(node))


def _members_of(owner: Found, effort: Effort) -> dict[str, object]:
    """The members, where `owner` is an enum."""
    if isinstance(owner.node, ast.ClassDef):
        return enum_members(owner.node, owner.scope, effort) if is_enum(owner.node, owner.scope) else {}
    if isinstance(owner.node, ast.Call) and owner.scope.dotted(owner.node.func) in ENUMS:
        return functional_members(owner.node, owner.scope, effort)
    return {}


def _made(node: ast.Call, scope: Scope, effort: Effort) -> object:
    name = scope.dotted(node.func) or ""
    if name in _EMPTY and not node.args and not node.keywords:
        return _EMPTY[name]()
    kind = _MADE.get(name)
    if kind is None or node.keywords or any(isinstance(argument, ast.Starred) for argument in node.args):
        raise NotConstantError("a call")
    arguments = [evaluate(argument, scope, effort.deeper()) for argument in node.args]
    if any(type(argument) not in (str, int) for argument in arguments):
        raise NotConstantError("a call")
    module, made = kind
    return _apply(getattr(import_module(module), made), *arguments)


def _part(node: ast.expr, scope: Scope, effort: Effort) -> str:
    """A part of an f-string: text, and values that need no format."""
    if not isinstance(node, ast.FormattedValue):
        return str(evaluate(node, scope, effort.deeper()))
    value = evaluate(node.value, scope, effort.deeper())
    if node.conversion != -1 or node.format_spec is not None or type(value) not in (str, int):
        raise NotConstantError("a format")
    return str(value)


def _dict(node: ast.Dict, scope: Scope, effort: Effort) -> dict[object, object]:
    pairs: dict[object, object] = {}
    for key, value in zip(node.keys, node.values, strict=True):
        if not isinstance(key, ast.Constant):
            raise NotConstantError("a key that is not a constant")
        pairs[key.value] = evaluate(value, scope, effort.deeper())
    return pairs


def _binary(op: ast.operator, left: object, right: object) -> object:
    if isinstance(op, ast.Add) and isinstance(left, str) and isinstance(right, str):
        return _bounded(left + right)
    first, second = _number(left), _number(right)
    if isinstance(op, (ast.Pow, ast.LShift)) and isinstance(first, int):
        size = first.bit_length() * second if isinstance(op, ast.Pow) else first.bit_length() + second
        if size > _MAX_BITS:
            raise NotConstantError("too large to be computed while reading")
    return _apply(_BINARY[type(op)], first, second)


def _bounded(text: str) -> str:
    if len(text) > _MAX_TEXT:
        raise NotConstantError("too large to be computed while reading")
    return text


def _number(value: object, *, any_type: bool = False) -> Any:
    if isinstance(value, int) and value.bit_length() > _MAX_BITS:
        raise NotConstantError("too large to be computed while reading")
    if any_type or isinstance(value, (int, float)):
        return value
    raise NotConstantError("not a number")


def _apply(function: Callable[..., Any], *operands: object) -> object:
    try:
        return function(*operands)
    except (ArithmeticError, TypeError, ValueError) as fault:  # decimal's errors are of ArithmeticError
        raise NotConstantError(str(fault)) from None
