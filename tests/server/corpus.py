"""Valid and broken LSP messages, made from lsprotocol's types, the same ones for the same seed."""

from __future__ import annotations

import enum
import random
import typing
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import attrs
from lsprotocol import converters, types
from pydantic import BaseModel

from adal_ls.protocol import messages, methods

TEXTS = ("", "x", "adal", "CUSTOM_TOOLS = [f]\n", "ü😀\u2028", "bad-name", "\ud83d", "0", "utf-16", "quickfix")
URIS = (
    "file:///p/.adal/tools.py",
    "file:///c%3A/q/.adal/tools.py",
    "file:///p/other.py",
    "untitled:Untitled-1",
    "git:/p/.adal/tools.py?x",
    "",
    "no uri",
    "file:///p/%00",
    "file:///%ff/.adal/tools.py",
)
JUNK: tuple[Any, ...] = (
    None,
    True,
    -1,
    2**70,
    0.5,
    "",
    "junk",
    [],
    {},
    [[]],
    {"jsonrpc": "2.0", "id": 1, "method": "x"},
)

NEVER = ("initialize", "initialized", "shutdown", "exit")
"""These end or begin the session."""


@dataclass(frozen=True, slots=True)
class Sample:
    """`valid` says that the parameters are of the method's type."""

    method: str
    params: Any
    request: bool
    valid: bool


class Corpus:
    """Makes messages. One generator per run, since it holds the random numbers."""

    def __init__(self, seed: int) -> None:
        self._chance = random.Random(seed)
        self._converter = converters.get_converter()
        self._hints: dict[type, dict[str, Any]] = {}
        self._known = {
            method: (params, method in _requests()) for method, (_, _, params, _) in types.METHOD_TO_TYPES.items()
        }

    def samples(self, registered: set[str], each: int) -> Iterator[Sample]:
        """`each` messages of every registered method, and a few of every other one of LSP."""
        for method, (params, request) in self._known.items():
            if method not in NEVER and types.message_direction(method) != "serverToClient":
                for _ in range(each if method in registered else 4):
                    yield from self._pair(method, request, self._lsp(params) if params is not None else None)
        for entry in methods.TABLE:
            if entry.sender == "editor" and entry.name in registered:
                model = messages.PARAMS[entry.name]
                for _ in range(each):
                    yield from self._pair(entry.name, entry.kind == "request", self._ours(model))

    def _pair(self, method: str, request: bool, params: Any) -> Iterator[Sample]:
        yield Sample(method, params, request, valid=True)
        yield Sample(method, self._broken(params), request, valid=False)

    def _broken(self, value: Any) -> Any:
        """`value` with one thing in it removed, or replaced by junk."""
        if isinstance(value, dict) and value and self._chance.random() < 0.9:
            key = self._chance.choice(list(value))
            rest = {name: inner for name, inner in value.items() if name != key}
            return rest if self._chance.random() < 0.3 else {**rest, key: self._broken(value[key])}
        if isinstance(value, list) and value and self._chance.random() < 0.8:
            index = self._chance.randrange(len(value))
            return [*value[:index], self._broken(value[index]), *value[index + 1 :]]
        return self._chance.choice(JUNK)

    # lsprotocol

    def _lsp(self, kind: Any) -> Any:
        return self._converter.unstructure(self._value(kind, 0), kind)

    def _value(self, kind: Any, depth: int) -> Any:
        origin, arguments = typing.get_origin(kind), typing.get_args(kind)
        if origin is typing.Union:
            plain = [argument for argument in arguments if argument is not type(None)]
            if len(plain) < len(arguments) and (depth > 4 or self._chance.random() < 0.4):
                return None
            return self._value(self._chance.choice(plain), depth)
        if origin in (list, typing.get_origin(typing.Sequence[int])):
            return [self._value(arguments[0], depth + 1) for _ in range(self._chance.randrange(3) if depth < 5 else 0)]
        if origin in (dict, typing.get_origin(typing.Mapping[str, int])):
            return {self._value(arguments[0], depth): self._value(arguments[1], depth + 1)} if depth < 5 else {}
        if origin is typing.Literal:
            return self._chance.choice(arguments)
        if origin is tuple:
            return tuple(self._value(argument, depth + 1) for argument in arguments)
        if isinstance(kind, type) and issubclass(kind, enum.Enum):
            return self._chance.choice(list(kind))
        if isinstance(kind, type) and attrs.has(kind):
            return self._instance(kind, depth)
        return self._plain(kind)

    def _instance(self, kind: Any, depth: int) -> Any:
        if kind not in self._hints:
            self._hints[kind] = typing.get_type_hints(kind, vars(types))
        given = {}
        for field in attrs.fields(kind):
            if field.init and not (field.default is not attrs.NOTHING and field.name in ("kind", "method", "jsonrpc")):
                text = "uri" in field.name.lower()
                given[field.name] = (
                    self._chance.choice(URIS) if text else self._value(self._hints[kind][field.name], depth + 1)
                )
        return kind(**given)

    def _plain(self, kind: Any) -> Any:
        if kind is bool:
            return self._chance.random() < 0.5
        if kind is int:
            return self._chance.choice((0, 1, 3, 80, 2**31 - 1))
        if kind is float:
            return self._chance.random()
        if kind is type(None):
            return None
        return self._chance.choice(TEXTS) if kind is str else self._chance.choice(("x", 1, {"a": [1]}))

    # Our own messages

    def _ours(self, model: type[BaseModel]) -> dict[str, Any]:
        schema = model.model_json_schema(by_alias=True)
        made: dict[str, Any] = self._of_schema(schema, schema.get("$defs", {}))
        return made

    def _of_schema(self, schema: dict[str, Any], definitions: dict[str, Any]) -> Any:
        if "$ref" in schema:
            return self._of_schema(definitions[schema["$ref"].rpartition("/")[2]], definitions)
        for several in ("anyOf", "oneOf"):
            if several in schema:
                return self._of_schema(self._chance.choice(schema[several]), definitions)
        if "const" in schema or "enum" in schema:
            return self._chance.choice(schema.get("enum") or [schema["const"]])
        kind = schema.get("type")
        if kind == "object":
            required = schema.get("required", [])
            return {
                name: self._of_schema(inner, definitions)
                for name, inner in schema.get("properties", {}).items()
                if name in required or self._chance.random() < 0.5
            }
        if kind == "array":
            return [self._of_schema(schema.get("items", {}), definitions) for _ in range(self._chance.randrange(3))]
        simple = {"boolean": bool, "integer": int, "number": float, "null": type(None)}
        return self._plain(simple.get(str(kind), str))


def _requests() -> set[str]:
    return {method for method, (_, response, _, _) in types.METHOD_TO_TYPES.items() if response is not None}
