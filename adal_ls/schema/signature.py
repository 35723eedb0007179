"""What both readers give: parameters in the order of the signature, and the tool's schema built from them."""

from __future__ import annotations

import ast
import enum
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from adal_ls.schema import docstring
from adal_ls.schema.json_schema import parameters_schema
from adal_ls.schema.types import ABSENT, Field, nullable

ProblemKind = Literal["stars", "self", "context", "type"]


@dataclass(frozen=True, slots=True)
class SchemaProblem:
    """Why a parameter is not in the schema as it is written. `place` is the node to mark, from `from_ast` only.

    `certain` (of a type, from `from_ast` only): the runtime says so as well, whatever it knows that cannot be read.

    Kinds: `stars` (`*args`, `**kwargs`), `self` (an unbound method's first parameter), `context`
    (a first parameter for a context object), `type` (no JSON Schema).
    """

    parameter: str | None
    message: str
    place: ast.expr | ast.arg | None = None
    kind: ProblemKind = "type"
    certain: bool = False


@dataclass(frozen=True, slots=True)
class ToolSchema:
    """`parameters` is a JSON Schema object; `required` always stands there, in the order of the signature."""

    description: str
    parameters: dict[str, Any]
    problems: tuple[SchemaProblem, ...] = ()


def build(parameters: Sequence[Field], doc: str | None, problems: Sequence[SchemaProblem]) -> ToolSchema:
    """The tool's schema. A text in the annotation wins over the docstring's; the two are never joined."""
    documented = docstring.parse(doc)
    shown = []
    for parameter in parameters:
        # `x: int = None` is common; what the signature says is then what the model may leave out or send as null.
        node = nullable(parameter.type) if parameter.default is None else parameter.type
        text = parameter.description or documented.parameters.get(parameter.name)
        shown.append(Field(parameter.name, node, parameter.required, parameter.default, text))
    return ToolSchema(documented.description, parameters_schema(shown), tuple(problems))


def json_default(value: object) -> object:
    """`value` as JSON holds it, or ABSENT: tuples become lists, members of enums and values like paths what the model
    would send for them."""
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
    if isinstance(value, enum.Enum):
        return json_default(value.value)
    return _as_text(value)


def _as_text(value: object) -> object:
    # Imported only where a default is none of the plain values: together they take longer than all of the lint's own.
    from datetime import date, datetime, time
    from decimal import Decimal
    from pathlib import PurePath
    from uuid import UUID

    if isinstance(value, PurePath):
        return value.as_posix()
    kind = type(value)
    if kind in (date, datetime, time):
        return value.isoformat()  # type: ignore[attr-defined]
    return str(value) if kind in (Decimal, UUID) else ABSENT


def stars_problem(name: str, place: ast.arg | None = None) -> SchemaProblem:
    message = f"'{name}' takes any number of arguments, which a model cannot be told of; it is left out of the schema"
    return SchemaProblem(name, message, place, "stars")


def self_problem(name: str, place: ast.arg | None = None) -> SchemaProblem:
    message = (
        f"'{name}' is the first parameter of a method that is not bound to an object, so the model would have to fill"
        " it; it is left out of the schema. List the method of an object instead"
    )
    return SchemaProblem(name, message, place, "self")


def context_problem(name: str, place: ast.arg | None = None) -> SchemaProblem:
    message = (
        f"'{name}' is meant for a context object, which tools do not get: it is left out of the schema, and None in"
        " each call"
    )
    return SchemaProblem(name, message, place, "context")


def type_problem(name: str, what: str, place: ast.expr | None = None, *, certain: bool = False) -> SchemaProblem:
    message = f"the type of '{name}' has no JSON Schema here ({what}); the model may send anything for it"
    return SchemaProblem(name, message, place, "type", certain)
