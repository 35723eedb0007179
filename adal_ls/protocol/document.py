"""docs/protocol.md and docs/protocol.schema.json: `python -m adal_ls.protocol.document` writes them.

Both come from the message table and the models; a test compares them with what is committed.
"""

from __future__ import annotations

import inspect
import json
import sys
import types
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal, Union, get_args, get_origin

from pydantic import BaseModel, JsonValue
from pydantic.fields import FieldInfo
from pydantic.json_schema import models_json_schema

from adal_ls.protocol import messages, methods
from adal_ls.protocol.base import Empty, JsonObject, Message

_HEAD = """\
<!-- Generated from adal_ls/protocol by `python -m adal_ls.protocol.document`. Do not edit. -->

# The `adal/*` messages

Protocol version {version}. JSON-RPC 2.0: an editor and the language server exchange these messages on the LSP
connection, the server and the agent host on the host's standard input and output. The server forwards run traffic as
it stands.

Names are camelCase. A field that has no value is absent, never null; unknown fields are ignored. Every request gets
exactly one answer. A machine-readable form is [protocol.schema.json](protocol.schema.json).

A client that declares `experimental.adal = {{"approval": 1, "runUpdates": 1}}` gets approvals and run updates as
messages. Any other client starts runs by `workspace/executeCommand` with the command `{run}` (it answers at once with
`{{"runId"}}`; `{cancel}` cancels), and approves by `window/showMessageRequest`.

A client that adds `"commands": ["adal.runAgent"]` to it has that command itself: the lens "Run agent with this tool"
calls it with `{{"projectRoot", "draft"}}`, a call for the person to complete. For others the lens starts a run.
`"adal.tryTool"` likewise: the lens "Try" calls it with `{{"projectRoot", "tool"}}`, and the client asks for the
arguments. Others see that lens on tools that need none, and have the command `{attempt}` with
`{{"tool", "arguments"}}`: it answers at once, and a message shows what the tool gave.
"""

_DIRECTIONS: tuple[tuple[methods.Side, methods.Side, str], ...] = (
    ("editor", "server", "Editor → server"),
    ("server", "editor", "Server → editor"),
    ("server", "host", "Server → host"),
    ("host", "server", "Host → server"),
)

_SCALARS: dict[Any, str] = {str: "string", int: "integer", float: "number", bool: "boolean"}


def markdown() -> str:
    """docs/protocol.md, with a final line end."""
    parts = [
        _HEAD.format(
            version=methods.PROTOCOL_VERSION,
            run=methods.COMMANDS[0],
            cancel=methods.COMMANDS[1],
            attempt=methods.COMMANDS[2],
        )
    ]
    for sender, receiver, title in _DIRECTIONS:
        rows = [_row(m) for m in methods.TABLE if (m.sender, m.receiver) == (sender, receiver)]
        parts.append(
            "\n".join([f"## {title}", "", "| message | kind | carries | answer |", "|---|---|---|---|", *rows])
        )
    parts.append("## Models")
    parts += [_section(model) for model in _models()]
    return "\n\n".join(part.rstrip("\n") for part in parts) + "\n"


def schema() -> str:
    """docs/protocol.schema.json: a JSON Schema of every model, and which of them each message carries."""
    references, definitions = models_json_schema(
        [(model, "validation") for model in _models()], ref_template="#/$defs/{model}"
    )
    named = {model: reference for (model, _), reference in references.items()}
    table = {
        method.name: {
            "kind": method.kind,
            "params": named[messages.PARAMS[method.name]],
            **({"result": named[messages.RESULTS[method.name]]} if method.kind == "request" else {}),
        }
        for method in methods.TABLE
    }
    document = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "adal/* messages",
        "protocolVersion": methods.PROTOCOL_VERSION,
        "messages": table,
        "$defs": definitions["$defs"],
    }
    return json.dumps(document, ensure_ascii=False, indent=2) + "\n"


def _row(method: methods.Method) -> str:
    answer = _link(messages.RESULTS[method.name]) if method.kind == "request" else "–"
    summary = f"<br>{method.summary}"
    return f"| `{method.name}`{summary} | {method.kind} | {_link(messages.PARAMS[method.name])} | {answer} |"


def _models() -> Iterator[type[Message]]:
    """Every model a message reaches, each once, in the order in which a reader meets them."""
    seen: dict[type[Message], None] = {}
    for method in methods.TABLE:
        for model in (messages.PARAMS[method.name], messages.RESULTS.get(method.name)):
            if model is not None:
                _reach(model, seen)
    yield from seen


def _reach(annotation: Any, seen: dict[type[Message], None]) -> None:
    if inspect.isclass(annotation) and issubclass(annotation, Message):
        if annotation not in seen:
            seen[annotation] = None
            for field in annotation.model_fields.values():
                _reach(field.annotation, seen)
        return
    for inner in get_args(annotation):
        _reach(inner, seen)


def _section(model: type[Message]) -> str:
    lines = [f"### {model.__name__}", ""]
    words = model.__dict__.get("__doc__")
    if words:
        text = inspect.cleandoc(words)
        for name, field in model.model_fields.items():
            text = text.replace(f"`{name}`", f"`{field.alias or name}`")
        lines += [text, ""]
    if model is not Empty:
        lines += ["| field | type | |", "|---|---|---|"]
        lines += [_field(name, field) for name, field in model.model_fields.items()]
    return "\n".join(lines)


def _field(name: str, field: FieldInfo) -> str:
    notes = [] if field.is_required() or _is_tag(field) else [_absence(field)]
    if field.description:
        notes.append(field.description)
    return f"| `{field.alias or name}` | {_type(field.annotation)} | {' '.join(notes)} |"


def _absence(field: FieldInfo) -> str:
    default = field.get_default(call_default_factory=True)
    if default is None or default == [] or isinstance(default, BaseModel):
        return "Optional."
    return f"Optional, default `{json.dumps(default)}`."


def _is_tag(field: FieldInfo) -> bool:
    return get_origin(field.annotation) is Literal and len(get_args(field.annotation)) == 1


def _type(annotation: Any) -> str:
    if annotation in _SCALARS:
        return _SCALARS[annotation]
    if annotation == JsonObject:
        return "object"
    if annotation is JsonValue:
        return "any JSON"
    origin, inner = get_origin(annotation), get_args(annotation)
    if origin is list:
        return f"array of {_type(inner[0])}"
    if origin is Literal:
        return " \\| ".join(f"`{json.dumps(value)}`" for value in inner)
    if origin in (Union, types.UnionType):
        return " \\| ".join(_type(member) for member in inner if member is not type(None))
    if inspect.isclass(annotation) and issubclass(annotation, Message):
        return _link(annotation)
    raise TypeError(f"no words for the type {annotation!r}: teach adal_ls/protocol/document.py about it")


def _link(model: type[Message]) -> str:
    return f"[{model.__name__}](#{model.__name__.lower()})"


def main(folder: Path) -> None:
    """Writes both files to `folder`."""
    (folder / "protocol.md").write_text(markdown(), encoding="utf-8", newline="\n")
    (folder / "protocol.schema.json").write_text(schema(), encoding="utf-8", newline="\n")


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "docs"))
