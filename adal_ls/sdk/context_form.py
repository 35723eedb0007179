"""The form for a tool context: described from a provider's schema, filled in by a person, built into a value.

A form that is declared and has no fields is a box for JSON. Nothing here calls `get_tools`.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from adal_ls.sdk.context_schema import JsonSchema, as_json_schema
from adal_ls.sdk.errors import InvalidInputError
from adal_ls.sdk.provider import Source, as_provider

FieldKind = Literal["string", "number", "boolean", "json"]
JsonType = dict[str, Any]
"""The shape of a `json` field, for people: `{"type": "array", "items": ...}`, `{"type": "object", "fields": [...]}`,
`{"type": "record", "values": ...}`, `{"type": "union", "of": [...]}`, `{"type": "enum", "options": [...]}`, or the
`type` alone: string, number, boolean, null, any."""

_KINDS: dict[object, FieldKind] = {"string": "string", "integer": "number", "number": "number", "boolean": "boolean"}


@dataclass(frozen=True, slots=True)
class ContextField:
    """One field. With a `default` it counts as required: the default is in it until somebody takes it out.

    `options` are what may be chosen; `json_type` is there for the kind `json`. None: there is none of it.
    """

    name: str
    kind: FieldKind
    required: bool
    description: str | None = None
    options: tuple[Any, ...] | None = None
    default: Any = None
    json_type: JsonType | None = None

    def wire(self) -> dict[str, Any]:
        """The field as messages carry it; what is None is absent."""
        shown = {
            "description": self.description,
            "options": None if self.options is None else list(self.options),
            "default": self.default,
            "jsonType": self.json_type,
        }
        found = {key: value for key, value in shown.items() if value is not None}
        return {"name": self.name, "kind": self.kind, "required": self.required, **found}


@dataclass(frozen=True, slots=True)
class ContextForm:
    """`declared`: the agent's tools depend on a context. Then without fields it is a box for JSON."""

    declared: bool
    fields: tuple[ContextField, ...] = ()

    @property
    def raw(self) -> bool:
        return self.declared and not self.fields


def describe(runtime_tools: Source, agent_tools: Source = None) -> ContextForm:
    """The form of an agent. The schema of its own tools beats that of its runtime's."""
    providers = [found for source in (agent_tools, runtime_tools) if (found := as_provider(source)) is not None]
    schemas = (getattr(provider, "context_schema", None) for provider in providers)
    schema = next((found for found in schemas if found is not None), None)
    return ContextForm(bool(providers), () if schema is None else _fields(as_json_schema(schema)))


def sample(form: ContextForm) -> dict[str, Any]:
    """The defaults of the form's fields: nothing is invented."""
    return {field.name: field.default for field in form.fields if field.default is not None}


def initial(form: ContextForm, used_before: Any = None) -> Any:
    """What the form shows at first: the value used before, where there is one, else the sample."""
    return sample(form) if used_before is None else used_before


def raw_text(value: Any) -> str:
    """A value as the box for JSON shows it; nothing where there is none."""
    return "" if value is None else json.dumps(value, indent=2, ensure_ascii=False)


def build(form: ContextForm, *, values: Mapping[str, Any] | None = None, raw: str = "") -> Any:
    """The tool context that a filled-in form stands for; None where nothing is sent.

    Args:
        values: by field; what a field of kind json or number holds may be text. Blank text is no value.
        raw: the text of the box for JSON.

    Raises:
        InvalidInputError: a required field is missing, or a text is not what its field takes.
    """
    if not form.declared:
        return None
    if form.raw and values is None:
        return _parsed("The tool context", raw) if raw.strip() else None
    return build_fields(form.fields, values or {})


def build_fields(fields: Sequence[ContextField], values: Mapping[str, Any]) -> dict[str, Any]:
    """The object that the fields stand for. What is left out of an optional field is left out of the object.

    Raises:
        InvalidInputError: see `build`.
    """
    built = {}
    for field in fields:
        value = values.get(field.name, field.default)
        if value is None or (isinstance(value, str) and not value.strip()):
            if field.required:
                raise InvalidInputError(f"{field.name} is required")
            continue
        built[field.name] = _read(field, value)
    return built


def _read(field: ContextField, value: Any) -> Any:
    if field.options is not None and value not in field.options:
        shown = next((option for option in field.options if str(option) == value), None)
        if shown is None:
            raise InvalidInputError(f"{field.name} must be one of {', '.join(map(str, field.options))}, not {value!r}")
        return shown
    if not isinstance(value, str) or field.kind == "string":
        return value
    parsed = _parsed(field.name, value)
    if field.kind == "number" and (not isinstance(parsed, (int, float)) or isinstance(parsed, bool)):
        raise InvalidInputError(f"{field.name} must be a number, not {value!r}")
    if field.kind == "boolean" and not isinstance(parsed, bool):
        raise InvalidInputError(f"{field.name} must be true or false, not {value!r}")
    return parsed


def _parsed(what: str, text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as fault:
        raise InvalidInputError(f"{what} is not valid JSON: {fault}") from None


def _fields(schema: JsonSchema) -> tuple[ContextField, ...]:
    properties = schema.get("properties")
    if schema.get("type") != "object" or not isinstance(properties, Mapping):
        return ()
    required = schema.get("required", ())
    return tuple(_field(name, node, name in required) for name, node in properties.items())


def _field(name: str, node: Any, required: bool) -> ContextField:
    schema: JsonSchema = node if isinstance(node, dict) else {}
    # An optional field is a union with null whose default is null; null itself is then said by leaving it out.
    plain = schema if required else _without_null(schema)
    default = schema.get("default")
    kind, options = _kind(plain)
    description = schema.get("description", plain.get("description"))
    return ContextField(
        name=name,
        kind=kind,
        required=required or default is not None,
        description=description if isinstance(description, str) else None,
        options=options,
        default=default,
        json_type=json_type(plain) if kind == "json" else None,
    )


def _without_null(schema: JsonSchema) -> JsonSchema:
    for word in ("anyOf", "oneOf"):
        members = schema.get(word)
        if isinstance(members, list):
            kept = [member for member in members if member != {"type": "null"}]
            return kept[0] if len(kept) == 1 and isinstance(kept[0], dict) else {**schema, word: kept}
    kinds = schema.get("type")
    if isinstance(kinds, list):
        rest = [kind for kind in kinds if kind != "null"]
        return {**schema, "type": rest[0] if len(rest) == 1 else rest}
    return schema


def _kind(schema: JsonSchema) -> tuple[FieldKind, tuple[Any, ...] | None]:
    options = [schema["const"]] if "const" in schema else schema.get("enum")
    if isinstance(options, list):
        if all(isinstance(option, str) for option in options):
            return "string", tuple(options)
        numbers = all(isinstance(option, (int, float)) and not isinstance(option, bool) for option in options)
        return ("number", tuple(options)) if numbers else ("json", None)
    kind = schema.get("type")
    return (_KINDS.get(kind, "json") if isinstance(kind, str) else "json"), None


def json_type(node: Any) -> JsonType:
    """The shape of a JSON Schema without references, for people."""
    schema: JsonSchema = node if isinstance(node, dict) else {}
    options = [schema["const"]] if "const" in schema else schema.get("enum")
    if isinstance(options, list):
        return {"type": "enum", "options": options}
    members = schema.get("anyOf", schema.get("oneOf"))
    if isinstance(members, list):
        return {"type": "union", "of": [json_type(member) for member in members]}
    kind = schema.get("type")
    if isinstance(kind, list):
        return {"type": "union", "of": [json_type({**schema, "type": each}) for each in kind]}
    if kind == "array":
        return {"type": "array", "items": json_type(schema.get("items"))}
    if kind == "object":
        properties, required = schema.get("properties"), schema.get("required", ())
        if isinstance(properties, Mapping):
            fields = [
                {"name": name, "required": name in required, "type": json_type(inner), **_default_of(inner)}
                for name, inner in properties.items()
            ]
            return {"type": "object", "fields": fields}
        return {"type": "record", "values": json_type(schema.get("additionalProperties"))}
    if kind == "null":
        return {"type": "null"}
    return {"type": _KINDS.get(kind, "any")} if isinstance(kind, str) else {"type": "any"}


def _default_of(node: Any) -> dict[str, Any]:
    default = node.get("default") if isinstance(node, dict) else None
    return {} if default is None else {"default": default}
