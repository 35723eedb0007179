"""From the type tree to JSON Schema."""

from __future__ import annotations

from typing import Any

from adal_ls.schema.types import AnyOf, AnyType, Array, Choice, Mapping, Scalar, Type


def type_schema(node: Type) -> dict[str, Any]:
    """The JSON Schema of one type; a new dict at every call."""
    if isinstance(node, AnyType):
        return {}
    if isinstance(node, Scalar):
        return {"type": node.name} if node.format is None else {"type": node.name, "format": node.format}
    if isinstance(node, Choice):
        return {"enum": list(node.values)} if node.type is None else {"type": node.type, "enum": list(node.values)}
    if isinstance(node, Array):
        # Providers refuse an array without "items", so it stands there even when anything goes.
        schema: dict[str, Any] = {"type": "array", "items": type_schema(node.items)}
        if node.unique:
            schema["uniqueItems"] = True
        if node.length is not None:
            schema["minItems"] = schema["maxItems"] = node.length
        return schema
    if isinstance(node, Mapping):
        return {"type": "object", "additionalProperties": type_schema(node.values)}
    return _any_of(node)


def _any_of(node: AnyOf) -> dict[str, Any]:
    return {"anyOf": [type_schema(member) for member in node.members]}
