"""What both readers give: parameters in the order of the signature, and the tool's schema built from them."""

from __future__ import annotations

import ast
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from adal_ls.schema import docstring
from adal_ls.schema.json_schema import type_schema
from adal_ls.schema.types import Type, nullable

ProblemKind = Literal["stars", "self", "type"]


@dataclass(frozen=True, slots=True)
class SchemaProblem:
    """Why a parameter is not in the schema as it is written. `place` is the node to mark, from `from_ast` only.

    Kinds: `stars` (`*args`, `**kwargs`), `self` (an unbound method's first parameter), `type` (no JSON Schema).
    """

    parameter: str | None
    message: str
    place: ast.expr | ast.arg | None = None
    kind: ProblemKind = "type"


@dataclass(frozen=True, slots=True)
class ToolSchema:
    """`parameters` is a JSON Schema object; `required` always stands there, in the order of the signature."""

    description: str
    parameters: dict[str, Any]
    problems: tuple[SchemaProblem, ...] = ()


class _Absent:
    """No default, or none that JSON can hold."""


ABSENT = _Absent()


@dataclass(frozen=True, slots=True)
class Parameter:
    """`default` is a JSON value, or ABSENT where there is none or JSON cannot hold it (then `required` tells)."""

    name: str
    type: Type
    required: bool
    default: object = ABSENT
    description: str | None = None


def build(parameters: Sequence[Parameter], doc: str | None, problems: Sequence[SchemaProblem]) -> ToolSchema:
    """The tool's schema. A text in the annotation wins over the docstring's; the two are never joined."""
    documented = docstring.parse(doc)
    properties: dict[str, Any] = {}
    for parameter in parameters:
        # `x: int = None` is common; what the signature says is then what the model may leave out or send as null.
        node = nullable(parameter.type) if parameter.default is None else parameter.type
        schema = type_schema(node)
        text = parameter.description or documented.parameters.get(parameter.name)
        if text:
            schema["description"] = text
        if parameter.default is not ABSENT:
            schema["default"] = parameter.default
        properties[parameter.name] = schema
    required = [parameter.name for parameter in parameters if parameter.required]
    return ToolSchema(
        documented.description,
        {"type": "object", "properties": properties, "required": required},
        tuple(problems),
    )


def json_default(value: object) -> object:
    """`value` as JSON holds it (tuples become lists), or ABSENT. Subclasses (an enum's members) are not their base."""
    kind = type(value)
    if value is None or kind in (bool, int, str):
        return value
    if kind is float:
        return value if math.isfinite(value) else ABSENT  # type: ignore[arg-type]
    if kind in (list, tuple):
        items = [json_default(item) for item in value]  # type: ignore[attr-defined]
        return ABSENT if ABSENT in items else items
    if kind is dict:
        pairs = {key: json_default(item) for key, item in value.items()}  # type: ignore[attr-defined]
        usable = all(type(key) is str for key in pairs) and ABSENT not in pairs.values()
        return pairs if usable else ABSENT
    return ABSENT


def stars_problem(name: str, place: ast.arg | None = None) -> SchemaProblem:
    message = f"'{name}' takes any number of arguments, which a model cannot be told of; it is left out of the schema"
    return SchemaProblem(name, message, place, "stars")


def self_problem(name: str, place: ast.arg | None = None) -> SchemaProblem:
    message = (
        f"'{name}' is the first parameter of a method that is not bound to an object, so the model would have to fill"
        " it; it is left out of the schema. List the method of an object instead"
    )
    return SchemaProblem(name, message, place, "self")


def type_problem(name: str, what: str, place: ast.expr | None = None) -> SchemaProblem:
    message = f"the type of '{name}' has no JSON Schema here ({what}); the model may send anything for it"
    return SchemaProblem(name, message, place, "type")
