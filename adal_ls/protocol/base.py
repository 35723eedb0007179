"""What all message models share: camelCase on the wire, unknown keys ignored, absent rather than null."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, ConfigDict, JsonValue
from pydantic.alias_generators import to_camel

JsonObject = dict[str, JsonValue]
"""Tool arguments, tool context and the like: any JSON object, passed on unchanged."""


class Message(BaseModel):
    """Base of every message part. Built and read by Python names, sent by camelCase ones."""

    model_config = ConfigDict(
        alias_generator=to_camel,
        populate_by_name=True,
        extra="ignore",
        frozen=True,
        # Tool results and arguments may hold any text, and NaN or lone surrogates must not end a run here.
        ser_json_inf_nan="strings",
    )

    def wire(self) -> dict[str, Any]:
        """The JSON object to send: camelCase keys, unset optional fields left out.

        A value of None that stands inside free JSON (an argument, an output) is kept; only fields of our own whose
        value is None are absent.
        """
        dumped = self.model_dump(mode="json", by_alias=True)
        pruned: dict[str, Any] = _prune(self, dumped)
        return pruned


class Empty(Message):
    """No fields."""


def _prune(value: Any, dumped: Any) -> Any:
    if isinstance(value, BaseModel):
        fields = type(value).model_fields
        out = {}
        for name, field in fields.items():
            key = field.alias or name
            inner = getattr(value, name)
            if inner is None and not field.is_required():
                continue
            out[key] = _prune(inner, dumped[key])
        return out
    if isinstance(value, list | tuple):
        return [_prune(a, b) for a, b in zip(value, dumped, strict=True)]
    return dumped
