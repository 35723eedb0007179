"""From what a tool returned to what the host is told. In the worker."""

from __future__ import annotations

import base64
import dataclasses
import datetime
import decimal
import enum
import json
import math
import os
import uuid
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any, TypeVar, cast

from adal_ls.wire.framing import MAX_BODY
from adal_ls.worker.data import Status, ToolResult, result_to_json
from adal_ls.worker.frames import message

NOTHING = "(the tool returned no value)"

_FIELDS = ("output", "observation", "display", "is_streaming", "metadata", "status")
_STATUSES = ("success", "error", "cancelled")
_DEPTH = 60
_MOST_DISPLAY = 100_000
_MOST_ITEMS = 2_000_000  # of one list or mapping; an iterator may go on for ever

T = TypeVar("T")


def from_value(value: object, limit: int) -> ToolResult:
    """The result of a tool that returned `value`: a ToolOutput of any make, or a plain value, which is wrapped."""
    if not is_tool_output(value):
        output = to_json(value)
        return ToolResult("success", fitting(output, limit), cut(as_text(output), limit))
    given = cast("Any", value)
    output = to_json(given.output)
    observation = given.observation if given.observation is not None else output
    status, note = _status(given.status)
    display = None if given.display is None else as_text(to_json(given.display))
    return ToolResult(
        status,
        fitting(output, limit),
        cut(as_text(to_json(observation)), limit),
        display=None if display is None else cut(display, _MOST_DISPLAY),
        trace=note,
    )


def within_frame(result: ToolResult, most: int = MAX_BODY - 4096) -> ToolResult:
    """`result`, or one with notices in place of parts, where its message would take more than `most` bytes.

    Text grows up to six times as JSON, so what keeps to its own limit may still be too large to send.
    """
    # The copy that is measured costs time, so small results are not measured.
    if len(result.observation) < most // 64 and isinstance(result.output, (str, int, float, bool, type(None))):
        return result
    if (size := _wire_size(result)) <= most:
        return result
    result = replace(result, output=f"[left out: the result takes {size} bytes, more than {most}]")
    if _wire_size(result) <= most:
        return result
    return replace(result, observation=cut(result.observation, most // 8))


def _wire_size(result: ToolResult) -> int:
    return len(json.dumps(result_to_json(result)))


def is_tool_output(value: object) -> bool:
    """By the fields, not the class: a project may use adalflow's class, ours, or its own."""
    return not isinstance(value, type) and all(hasattr(value, name) for name in _FIELDS)


def as_text(value: object) -> str:
    """A JSON value as the model reads it: text as it is, other values as JSON."""
    if value is None:
        return NOTHING
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def cut(text: str, limit: int) -> str:
    """`text`, with a notice where it had to be cut to `limit` bytes of UTF-8."""
    data = text.encode()
    if len(data) <= limit:
        return text
    return f"{data[:limit].decode(errors='ignore')}\n[cut: {len(data)} bytes, of which the first {limit} are shown]"


def fitting(output: Any, limit: int) -> Any:
    """`output`, or a notice in its place where its JSON is larger than `limit` bytes."""
    if isinstance(output, str):
        return cut(output, limit)
    size = len(json.dumps(output))
    return output if size <= limit else f"[left out: {size} bytes of JSON, more than {limit}]"


def to_json(value: object, depth: int = 0, above: frozenset[int] = frozenset()) -> Any:
    """`value` as JSON holds it; what JSON does not know becomes readable text. Never raises."""
    simple = _simple(value)
    if simple is not _OTHER:
        return simple
    if depth > _DEPTH or id(value) in above:
        return f"<{type(value).__name__} inside itself or too deep>"
    above |= {id(value)}
    try:
        inner = _opened(value)
        if isinstance(inner, Mapping):
            return {_key(key): to_json(item, depth + 1, above) for key, item in _counted(inner.items())}
        if isinstance(inner, (list, tuple)):
            return [to_json(item, depth + 1, above) for item in _counted(inner)]
        return _shown(value) if inner is _OTHER else to_json(inner, depth + 1, above)
    except BaseException as fault:  # noqa: BLE001 - the project's classes may do anything when looked at
        return f"<{type(value).__name__} that cannot be shown: {message(fault)}>"


def _counted(items: Iterable[T]) -> Iterator[T]:
    """`items`, which may go on for ever.

    Raises:
        ValueError: there are more than any result can hold.
    """
    for count, item in enumerate(items):
        if count >= _MOST_ITEMS:
            raise ValueError(f"more than {_MOST_ITEMS} items")
        yield item


class _Other:
    pass


_OTHER = _Other()


def _simple(value: object) -> Any:
    kind = type(value)
    if value is None or kind in (bool, int):
        return value
    if kind is str:
        return _clean(cast("str", value))
    if kind is float:
        return value if math.isfinite(cast("float", value)) else str(value)
    return _OTHER


def _opened(value: object) -> object:
    """What stands for `value`: a mapping, a list, or a simpler value; `_OTHER` where only its text does."""
    if isinstance(value, enum.Enum):
        return value.value
    if isinstance(value, (datetime.datetime, datetime.date, datetime.time)):
        return value.isoformat()
    if isinstance(value, (decimal.Decimal, uuid.UUID, datetime.timedelta)):
        return str(value)
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    if isinstance(value, (bytes, bytearray, memoryview)):
        return _bytes(bytes(value))
    for base in (str, float, int):  # subclasses
        if isinstance(value, base):
            return base(value)
    if isinstance(value, BaseException):
        return f"{type(value).__name__}: {value}"
    if isinstance(value, (set, frozenset)):
        return sorted(value, key=repr)
    if isinstance(value, (Mapping, list)):
        return value
    if isinstance(value, tuple):
        return value._asdict() if hasattr(value, "_asdict") else value
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {field.name: getattr(value, field.name) for field in dataclasses.fields(value)}
    for method in ("model_dump", "tolist"):  # pydantic models; arrays and numbers of numpy
        made = getattr(value, method, None)
        if callable(made) and not isinstance(value, type):
            return made()
    return _OTHER


def _status(status: object) -> tuple[Status, str | None]:
    if status in _STATUSES:
        return cast("Status", status), None
    return "error", f"the tool returned the status {status!r}, which is none of {', '.join(_STATUSES)}"


def _key(key: object) -> str:
    simple = to_json(key)
    return simple if isinstance(simple, str) else json.dumps(simple, ensure_ascii=False)


def _bytes(data: bytes) -> str:
    try:
        return data.decode()
    except UnicodeDecodeError:
        return f"<{len(data)} bytes, base64: {base64.b64encode(data).decode()}>"


def _shown(value: object) -> str:
    return _clean(repr(value))


def _clean(text: str) -> str:
    """Without lone surrogates, which UTF-8 cannot carry."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-8", "backslashreplace").decode()
    return text
