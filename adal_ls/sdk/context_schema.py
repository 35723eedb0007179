"""Context schemas as JSON Schema: of a pydantic model or another type, or written as one. Only for looking at."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from typing import Any, cast

from adal_ls.sdk.errors import InvalidConfigError

JsonSchema = dict[str, Any]

_DEFINITIONS = ("#/$defs/", "#/definitions/")


def as_json_schema(schema: object) -> JsonSchema:
    """The JSON Schema that a `context_schema` stands for, its references resolved. It is a copy.

    Raises:
        InvalidConfigError: neither a mapping nor a type that pydantic can describe.
    """
    if isinstance(schema, Mapping):
        return inlined(copy.deepcopy(dict(schema)))
    from pydantic import TypeAdapter
    from pydantic.errors import PydanticUserError

    try:
        adapter = schema if isinstance(schema, TypeAdapter) else TypeAdapter(cast("Any", schema))
        return inlined(adapter.json_schema())
    except (PydanticUserError, TypeError, AttributeError) as fault:
        raise InvalidConfigError(
            f"context_schema must be a pydantic model or a JSON Schema; {schema!r} cannot be described: {fault}"
        ) from fault


def combined(schemas: Mapping[str, object]) -> object | None:
    """One schema of an object with a key for each of `schemas`; None where there is none.

    pydantic models give a pydantic model, so that whoever parses with it gets the defaults of its parts; with a JSON
    Schema among them it is a JSON Schema.
    """
    if not schemas:
        return None
    if any(isinstance(schema, Mapping) for schema in schemas.values()):
        properties = {name: as_json_schema(schema) for name, schema in schemas.items()}
        return {"type": "object", "properties": properties, "required": list(schemas)}
    from pydantic import BaseModel, Field, create_model

    # By alias, since a source may have any name and a field may not (`schema`, `model_config`, `my-source`).
    fields: dict[str, Any] = {
        f"source_{index}": (schema, Field(alias=name, serialization_alias=name))
        for index, (name, schema) in enumerate(schemas.items())
    }
    model: type[BaseModel] = create_model("CombinedContext", **fields)
    return model


def inlined(schema: JsonSchema) -> JsonSchema:
    """`schema` with what its references stand for in their place; one that stands inside itself becomes `{}`."""
    definitions = {**schema.pop("$defs", {}), **schema.pop("definitions", {})}
    found = _inlined(schema, definitions, ())
    return found if isinstance(found, dict) else {}


def _inlined(node: Any, definitions: Mapping[str, Any], above: tuple[str, ...]) -> Any:
    if isinstance(node, list):
        return [_inlined(item, definitions, above) for item in node]
    if not isinstance(node, dict):
        return node
    reference = node.get("$ref")
    if not isinstance(reference, str):
        return {key: _inlined(value, definitions, above) for key, value in node.items()}
    name = next((reference[len(each) :] for each in _DEFINITIONS if reference.startswith(each)), None)
    beside = {key: _inlined(value, definitions, above) for key, value in node.items() if key != "$ref"}
    if name is None or name in above or name not in definitions:
        return beside
    target = _inlined(definitions[name], definitions, (*above, name))
    return {**target, **beside} if isinstance(target, dict) else beside
