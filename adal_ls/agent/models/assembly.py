"""Streamed tool-call pieces → whole calls. Pure.

Providers disagree about how pieces of parallel calls are told apart: some give every call index 0, some no id, some
repeat the name. What cannot be read for certain becomes a problem that the model is told; nothing is guessed, because
a guess would be executed.
"""

from __future__ import annotations

import json
import math
import secrets
from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import Any, NoReturn

from adal_ls.agent.models.stream import CallDelta

_UNFINISHED = {
    "length": "the output limit of the model was hit, so this call may be cut off; call again with less output",
    "content_filter": "the provider's content filter ended the answer, so this call may be cut off",
    "dropped": "the connection ended before the answer was complete, so this call may be cut off",
}
"""Finish reasons after which no call is trusted, even where its JSON happens to be valid."""

_QUOTED = 200

_MAX_NAME = 200
"""Characters of a tool's name or a call's id; providers take 64."""

_MAX_DEPTH = 100
"""Nesting of arguments; validators and encoders along the way give up at a few hundred."""


@dataclass(frozen=True, slots=True)
class ModelCall:
    """One call as the model made it. Either `arguments` holds an object, or `problem` says why it cannot be run."""

    call_id: str
    name: str
    arguments: dict[str, Any]
    problem: str | None = None


class _Piece:
    __slots__ = ("arguments", "id", "index", "name")

    def __init__(self, index: int | None, call_id: str | None) -> None:
        self.index = index
        self.id = call_id
        self.name = ""
        self.arguments = ""


class CallAssembly:
    """Collects the pieces of one model turn.

    `taken` are call ids already used in the conversation: some providers count from `call_0` in every turn, and every
    id of a history must have exactly one result. `names` are the tools the model was told of: a name that comes in
    pieces is put together where the whole is one of them.
    """

    def __init__(
        self, taken: Collection[str] = (), names: Collection[str] = (), new_id: Callable[[], str] | None = None
    ) -> None:
        self._pieces: list[_Piece] = []
        self._names = frozenset(names)
        self._taken = set(taken)
        self._new_id = new_id or (lambda: f"call_{secrets.token_hex(12)}")

    def __bool__(self) -> bool:
        return bool(self._pieces)

    def add(self, delta: CallDelta) -> None:
        piece = self._find(delta)
        if piece is None:
            piece = _Piece(delta.index, delta.id or None)
            self._pieces.append(piece)
        if delta.id and piece.id is None:
            piece.id = delta.id
        if delta.name and (not piece.name or self._continues_name(piece, delta)):
            piece.name += delta.name
        piece.arguments += delta.arguments

    def finish(self, reason: str) -> list[ModelCall]:
        """The calls in the order in which they were opened, given why the model stopped."""
        cut = _UNFINISHED.get(reason)
        calls = []
        for piece in self._pieces:
            arguments, problem = read_arguments(piece.arguments)
            name = _writable(piece.name)
            if not name:
                problem = "the call names no tool"
            elif name != piece.name:
                problem = "no tool has such a name"
            calls.append(ModelCall(self._unique(piece.id), name, arguments, cut or problem))
        return calls

    def _find(self, delta: CallDelta) -> _Piece | None:
        """The open call that a piece continues; None where it opens a new one."""
        if delta.id:
            for piece in reversed(self._pieces):
                if piece.id == delta.id and (delta.index is None or piece.index in (None, delta.index)):
                    return piece
            # An id that comes late belongs to the call opened without one; any other new id is a new call.
            last = self._last_at(delta.index)
            return last if last is not None and last.id is None and not delta.name else None
        last = self._last_at(delta.index)
        if last is None or self._continues_name(last, delta):
            return last
        if delta.name and last.name and (delta.name != last.name or _is_complete(last.arguments)):
            return None  # no id, but a name again: a further call, unless it merely repeats the name of an open one
        return last

    def _continues_name(self, piece: _Piece, delta: CallDelta) -> bool:
        """Whether a further piece of a name came; arguments come behind the whole name."""
        if not delta.name or not piece.name or piece.arguments or delta.name in self._names:
            return False
        return any(name.startswith(piece.name + delta.name) for name in self._names)

    def _last_at(self, index: int | None) -> _Piece | None:
        for piece in reversed(self._pieces):
            if index is None or piece.index == index:
                return piece
        return None

    def _unique(self, wanted: str | None) -> str:
        call_id = wanted or self._new_id()
        # Half a surrogate pair cannot be stored, and an id without end is none.
        while call_id in self._taken or len(call_id) > _MAX_NAME or _has_lone_surrogate(call_id):
            call_id = self._new_id()
        self._taken.add(call_id)
        return call_id


def read_arguments(text: str) -> tuple[dict[str, Any], str | None]:
    """The arguments object of a call, and None; or `{}` and what is wrong. Empty text is a call without arguments."""
    if not text.strip():
        return {}, None
    try:
        value = json.loads(text, parse_constant=_no_constant, parse_float=_finite)
    except json.JSONDecodeError as fault:
        what = "more than one JSON value" if fault.msg == "Extra data" else fault.msg
        return {}, f"the arguments are not valid JSON: {what} at {_place(text, fault.pos)}; got {_quote(text)}"
    except (ValueError, RecursionError) as fault:
        return {}, f"the arguments are not valid JSON: {fault}; got {_quote(text)}"
    if not isinstance(value, dict):
        return {}, f"the arguments must be one JSON object, not {_kind(value)}; got {_quote(text)}"
    if _is_deeper(value, _MAX_DEPTH):
        return {}, f"the arguments are nested more than {_MAX_DEPTH} levels deep"
    if _has_lone_surrogate(value):
        return {}, "the arguments hold half of a surrogate pair (\\ud800-\\udfff), which is not text"
    return value, None


def _writable(name: str) -> str:
    """A name as it can be shown and stored."""
    return name.encode("utf-8", "backslashreplace").decode()[:_MAX_NAME]


def _is_complete(arguments: str) -> bool:
    try:
        json.loads(arguments)
    except (ValueError, RecursionError):
        return False
    return True


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON")


def _finite(text: str) -> float:
    """A number that JSON allows and no float holds (1e999) would become Infinity, which JSON does not have."""
    number = float(text)
    if not math.isfinite(number):
        raise ValueError(f"the number {_quote(text)} is too large")
    return number


def _place(text: str, position: int) -> str:
    line = text.count("\n", 0, position) + 1
    column = position - (text.rfind("\n", 0, position) + 1) + 1
    return f"line {line} column {column}"


def _quote(text: str) -> str:
    if len(text) <= _QUOTED:
        return repr(text)
    return f"{text[:_QUOTED]!r} and {len(text) - _QUOTED} more characters"


def _kind(value: object) -> str:
    kinds = {list: "an array", str: "a string", bool: "a boolean", int: "a number", float: "a number"}
    return kinds.get(type(value), "null")


def _is_deeper(value: object, levels: int) -> bool:
    if levels == 0:
        return True
    if isinstance(value, dict):
        return any(_is_deeper(item, levels - 1) for item in value.values())
    return isinstance(value, list) and any(_is_deeper(item, levels - 1) for item in value)


def _has_lone_surrogate(value: object) -> bool:
    try:
        json.dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        return True
    return False
