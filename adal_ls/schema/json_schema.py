"""From the type tree to JSON Schema (draft 2020-12), as far as model providers take it."""

from __future__ import annotations

import math
import re
from collections.abc import Hashable, Iterable, Sequence
from typing import Any

from adal_ls.schema.types import (
    ABSENT,
    AnyOf,
    AnyType,
    Array,
    Choice,
    Field,
    JsonScalar,
    Limits,
    Mapping,
    Noted,
    Record,
    Reference,
    Scalar,
    Type,
)

_NUMBER = {
    "ge": "minimum",
    "gt": "exclusiveMinimum",
    "le": "maximum",
    "lt": "exclusiveMaximum",
    "multiple_of": "multipleOf",
}
_KEYWORDS = {
    "integer": _NUMBER,
    "number": _NUMBER,
    "string": {"min_length": "minLength", "max_length": "maxLength", "pattern": "pattern"},
    "array": {"min_length": "minItems", "max_length": "maxItems"},
    "object": {"min_length": "minProperties", "max_length": "maxProperties"},
}


def parameters_schema(parameters: Sequence[Field]) -> dict[str, Any]:
    """The object of all parameters; `required` always stands there, `$defs` where a record needs it."""
    definitions = _Definitions(parameter.type for parameter in parameters)
    schema: dict[str, Any] = {
        "type": "object",
        "properties": {parameter.name: definitions.field(parameter) for parameter in parameters},
        "required": [parameter.name for parameter in parameters if parameter.required],
    }
    if definitions.records:
        schema["$defs"] = {
            definitions.names[key]: definitions.record(record) for key, record in definitions.records.items()
        }
    return schema


class _Definitions:
    """Which records of some types stand in `$defs`, and the schema of each part.

    Those inside themselves, and those that hold records and are used again, so that a schema grows no more than its
    source. Others are written out where they are used: some providers lose what stands beside a `$ref`.
    """

    def __init__(self, types: Iterable[Type]) -> None:
        self._seen: dict[Hashable, Record] = {}
        self._nesting: set[Hashable] = set()
        self._shared: set[Hashable] = set()
        for node in types:
            self._visit(node)
        self.records = {key: record for key, record in self._seen.items() if key in self._shared}
        self.names: dict[Hashable, str] = {}
        for key, record in self.records.items():
            self.names[key] = _unused(record.name, self.names.values())

    def _visit(self, node: Type) -> bool:
        """Whether `node` holds a record."""
        if isinstance(node, (Scalar, AnyType)):
            return False
        if isinstance(node, Reference):
            self._shared.add(node.key)
            return True
        if isinstance(node, Record):
            if node.key in self._seen:
                if node.key in self._nesting:
                    self._shared.add(node.key)
                return True
            self._seen[node.key] = node
            holds = [self._visit(field.type) for field in node.fields]  # all of them, whatever the first gives
            if any(holds):
                self._nesting.add(node.key)
            return True
        holds = [self._visit(inner) for inner in _inside(node)]
        return any(holds)

    def field(self, field: Field) -> dict[str, Any]:
        schema = self.type(field.type)
        if field.description:
            schema["description"] = field.description
        if field.default is not ABSENT:
            schema["default"] = field.default
        return schema

    def record(self, record: Record) -> dict[str, Any]:
        schema: dict[str, Any] = {"type": "object"}
        if record.description:
            schema["description"] = record.description
        schema["properties"] = {field.name: self.field(field) for field in record.fields}
        required = [field.name for field in record.fields if field.required]
        if required:
            schema["required"] = required
        if record.closed:
            schema["additionalProperties"] = False
        return schema

    def type(self, node: Type) -> dict[str, Any]:
        """The schema of one type; a new dict at every call."""
        if isinstance(node, AnyType):
            return {}
        if isinstance(node, Scalar):
            return {"type": node.name} if node.format is None else {"type": node.name, "format": node.format}
        if isinstance(node, Choice):
            return {"enum": list(node.values)} if node.type is None else {"type": node.type, "enum": list(node.values)}
        if isinstance(node, Array):
            return self._array(node)
        if isinstance(node, Mapping):
            return {"type": "object", "additionalProperties": self.type(node.values)}
        if isinstance(node, AnyOf):
            return {"anyOf": [self.type(member) for member in node.members]}
        if isinstance(node, Noted):
            schema = _limited(self.type(node.inner), node.limits)
            return {**schema, "description": node.description} if node.description else schema
        if node.key in self.names:
            return {"$ref": f"#/$defs/{self.names[node.key]}"}
        return self.record(self._seen[node.key])

    def _array(self, node: Array) -> dict[str, Any]:
        # Providers refuse an array without "items", so it stands there even when anything goes.
        schema: dict[str, Any] = {"type": "array", "items": self.type(node.items)}
        if node.unique:
            schema["uniqueItems"] = True
        if node.length is not None:
            schema["minItems"] = schema["maxItems"] = node.length
        return schema


def _limited(schema: dict[str, Any], limits: Limits) -> dict[str, Any]:
    """`schema` with those bounds that are for its type."""
    keywords = _KEYWORDS.get(schema.get("type", ""), {})
    return {**schema, **{keywords[name]: value for name, value in limits if name in keywords}}


def json_scalar(value: object, *, numbers: bool = True) -> JsonScalar:
    """`value`, which must be one that JSON holds as it is.

    Args:
        value: of an enum's member or a literal.
        numbers: whether numbers with a fraction count, too.

    Raises:
        ValueError: JSON cannot hold it.
    """
    if value is None or type(value) in (str, int, bool):
        return value  # type: ignore[return-value]
    if numbers and isinstance(value, float) and type(value) is float and math.isfinite(value):
        return value
    raise ValueError(f"JSON cannot hold {value!r}")


def _inside(node: Type) -> Sequence[Type]:
    if isinstance(node, Array):
        return (node.items,)
    if isinstance(node, Mapping):
        return (node.values,)
    if isinstance(node, AnyOf):
        return node.members
    return (node.inner,) if isinstance(node, Noted) else ()


def _unused(name: str, taken: Iterable[str]) -> str:
    # Providers take fewer characters than Python has for names, and none of those of Page[int].
    plain = re.sub(r"[^A-Za-z0-9_]+", "_", name).strip("_") or "Record"
    known = set(taken)
    number = 1
    found = plain
    while found in known:
        number += 1
        found = f"{plain}_{number}"
    return found
