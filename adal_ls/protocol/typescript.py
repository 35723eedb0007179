"""The messages an editor sees, as TypeScript: `python -m adal_ls.protocol.typescript` prints the file.

One interface per model, in the order in which the models are declared; a field that has a default may be absent on the
wire, so it is optional here. `Requests` and `Notifications` map the method names of each direction to their types.
"""

from __future__ import annotations

import functools
import inspect
import json
import operator
import sys
import types
from collections.abc import Iterator
from typing import Any, Literal, Union, get_args, get_origin

from pydantic import BaseModel, JsonValue
from pydantic.fields import FieldInfo

from adal_ls.protocol import agents, approvals, messages, methods, runs, tools
from adal_ls.protocol.base import Empty, JsonObject, Message

_SUBJECTS = (tools, agents, runs, approvals)
"""The modules whose models an editor may see, in the order of the output."""

_HEAD = """\
// Generated from adal_ls/protocol by `python -m adal_ls.protocol.typescript`. Do not edit.

/** Exchanged at start; a mismatch is refused with one clear message. */
export const PROTOCOL_VERSION = {version};

export type JsonValue = null | boolean | number | string | JsonValue[] | {{ [key: string]: JsonValue }};

/** Tool arguments, tool context and the like: any JSON object, passed on unchanged. */
export type JsonObject = {{ [key: string]: JsonValue }};

/** No fields. */
export type Empty = Record<string, never>;
"""


def render() -> str:
    """The TypeScript file, with a final line end."""
    models = list(_models())
    parts = [_HEAD.format(version=methods.PROTOCOL_VERSION)]
    parts += [_alias(name, literal) for name, literal in _literals().items() if _is_used(literal, models)]
    parts += [_interface(model) for model in models]
    parts.append(_events())
    parts.append(_requests("EditorRequests", "Requests that the editor sends.", sender="editor"))
    parts.append(_requests("ServerRequests", "Requests that the editor answers.", sender="server"))
    parts.append(_notifications("EditorNotifications", "Notifications that the editor sends.", sender="editor"))
    parts.append(_notifications("ServerNotifications", "Notifications that the editor hears.", sender="server"))
    return "\n".join(parts)


def _methods(kind: methods.Kind, sender: methods.Side) -> Iterator[methods.Method]:
    other: methods.Side = "server" if sender == "editor" else "editor"
    for method in methods.TABLE:
        if (method.kind, method.sender, method.receiver) == (kind, sender, other):
            yield method


def _models() -> Iterator[type[Message]]:
    """The models that the editor's messages reach, in the order of their declaration."""
    reached: set[type[BaseModel]] = set()
    for method in methods.TABLE:
        if method.receiver == "host" or method.sender == "host":
            continue
        _reach(messages.PARAMS[method.name], reached)
        if method.kind == "request":
            _reach(messages.RESULTS[method.name], reached)
    for module in _SUBJECTS:
        for value in vars(module).values():
            if not inspect.isclass(value) or value.__module__ != module.__name__:
                continue
            if value in reached and issubclass(value, Message):
                yield value
    elsewhere = {m for m in reached if m is not Empty and m.__module__ not in {s.__name__ for s in _SUBJECTS}}
    if elsewhere:
        names = ", ".join(sorted(model.__name__ for model in elsewhere))
        raise TypeError(f"the editor's messages reach models outside {_SUBJECTS}: {names}; add their module")


def _reach(annotation: Any, reached: set[type[BaseModel]]) -> None:
    if inspect.isclass(annotation) and issubclass(annotation, BaseModel):
        if annotation not in reached:
            reached.add(annotation)
            for field in annotation.model_fields.values():
                _reach(field.annotation, reached)
        return
    for inner in get_args(annotation):
        _reach(inner, reached)


def _literals() -> dict[str, Any]:
    """The named enumerations of the subjects, such as `PermissionMode`."""
    return {
        name: value
        for module in _SUBJECTS
        for name, value in vars(module).items()
        if get_origin(value) is Literal and not name.startswith("_")
    }


def _is_used(literal: Any, models: list[type[Message]]) -> bool:
    return any(_mentions(field.annotation, literal) for model in models for field in model.model_fields.values())


def _mentions(annotation: Any, wanted: Any) -> bool:
    return annotation == wanted or any(_mentions(inner, wanted) for inner in get_args(annotation))


def _alias(name: str, literal: Any) -> str:
    return f"export type {name} = {_union(literal)};\n"


def _interface(model: type[Message]) -> str:
    lines = [_comment(_wire_words(model), "")]
    bases = [base.__name__ for base in model.__bases__ if base is not Message]
    extends = f" extends {', '.join(bases)}" if bases else ""
    lines.append(f"export interface {model.__name__}{extends} {{\n")
    inherited = {name for base in model.__bases__ if issubclass(base, Message) for name in base.model_fields}
    for name, field in model.model_fields.items():
        if name not in inherited:
            lines.append(_property(name, field))
    lines.append("}\n")
    return "".join(lines)


def _wire_words(model: type[Message]) -> str | None:
    """The model's docstring, with its fields called as they are on the wire."""
    text: str | None = model.__dict__.get("__doc__")
    for name, field in model.model_fields.items():
        text = text and text.replace(f"`{name}`", f"`{field.alias or name}`")
    return text


def _property(name: str, field: FieldInfo) -> str:
    optional = "" if field.is_required() or _is_tag(field) else "?"
    annotation = _without_none(field.annotation) if optional else field.annotation
    return f"{_comment(field.description, '  ')}  {field.alias or name}{optional}: {_type(annotation)};\n"


def _is_tag(field: FieldInfo) -> bool:
    """A field with one possible value tells the members of a union apart, and is always sent."""
    return get_origin(field.annotation) is Literal and len(get_args(field.annotation)) == 1


def _without_none(annotation: Any) -> Any:
    """`X` of `X | None`: our own fields are absent rather than null."""
    if get_origin(annotation) in (Union, types.UnionType):
        rest = [inner for inner in get_args(annotation) if inner is not type(None)]
        return functools.reduce(operator.or_, rest)
    return annotation


def _type(annotation: Any) -> str:
    if annotation in _SCALARS:
        return _SCALARS[annotation]
    if annotation == JsonObject:
        return "JsonObject"
    if annotation is JsonValue:
        return "JsonValue"
    origin = get_origin(annotation)
    if origin is list:
        inner = _type(get_args(annotation)[0])
        return f"({inner})[]" if " | " in inner else f"{inner}[]"
    if origin is Literal:
        named = [name for name, literal in _literals().items() if literal == annotation]
        return named[0] if named else _union(annotation)
    if origin in (Union, types.UnionType):
        if annotation == _event_union():
            return "Event"
        return " | ".join(_type(inner) for inner in get_args(annotation))
    if inspect.isclass(annotation) and issubclass(annotation, BaseModel):
        return annotation.__name__
    raise TypeError(f"no TypeScript type for {annotation!r}: teach adal_ls/protocol/typescript.py about it")


_SCALARS: dict[Any, str] = {str: "string", int: "number", float: "number", bool: "boolean", type(None): "null"}


def _union(literal: Any) -> str:
    return " | ".join(json.dumps(value) for value in get_args(literal))


def _event_union() -> Any:
    return get_args(runs.Event)[0]


def _events() -> str:
    members = "\n".join(f"  | {member.__name__}" for member in get_args(_event_union()))
    return f"/** What can happen in a run, told apart by `type`. */\nexport type Event =\n{members};\n"


def _requests(name: str, comment: str, sender: methods.Side) -> str:
    entries = [
        f"{_comment(method.summary, '  ')}"
        f"  {json.dumps(method.name)}: {{ params: {messages.PARAMS[method.name].__name__}; "
        f"result: {messages.RESULTS[method.name].__name__} }};\n"
        for method in _methods("request", sender)
    ]
    return f"/** {comment} */\nexport interface {name} {{\n{''.join(entries)}}}\n"


def _notifications(name: str, comment: str, sender: methods.Side) -> str:
    entries = [
        f"{_comment(method.summary, '  ')}  {json.dumps(method.name)}: {messages.PARAMS[method.name].__name__};\n"
        for method in _methods("notification", sender)
    ]
    return f"/** {comment} */\nexport interface {name} {{\n{''.join(entries)}}}\n"


def _comment(text: str | None, indent: str) -> str:
    if not text:
        return ""
    lines = inspect.cleandoc(text).replace("*/", "*\\/").splitlines()
    if len(lines) == 1:
        return f"{indent}/** {lines[0]} */\n"
    body = "".join(f"{indent} * {line}".rstrip() + "\n" for line in lines)
    return f"{indent}/**\n{body}{indent} */\n"


if __name__ == "__main__":
    sys.stdout.write(render())
