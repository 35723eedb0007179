"""One end of a JSON-RPC connection in plain dictionaries. Used towards the editor and towards the host.

`adal_ls.wire.peer` does the same on an asyncio loop; the server's first stage must not import asyncio (44 ms).
All methods are for the main thread.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

PARSE_ERROR = -32700
INVALID_REQUEST = -32600
METHOD_NOT_FOUND = -32601
INVALID_PARAMS = -32602
INTERNAL_ERROR = -32603
NOT_INITIALIZED = -32002  # LSP
REQUEST_CANCELLED = -32800  # LSP
REQUEST_FAILED = -32803  # LSP: the request was valid, what it asked for could not be done

Json = Any
Id = Any
"""A request's id as the other side wrote it: an integer or a string."""

Message = dict[str, Json]


class RpcError(Exception):
    """An error answer, received or to be sent."""

    def __init__(self, code: int, message: str, data: Json = None) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.data = data


class Answer:
    """What came back for a request: a result, or an error."""

    __slots__ = ("error", "result")

    def __init__(self, result: Json = None, error: RpcError | None = None) -> None:
        self.result = result
        self.error = error


OnAnswer = Callable[[Answer], None]


class Connection:
    """Requests of ours that wait for the other side, and requests of the other side that wait for us.

    Each request of the other side is answered once: a second answer has no effect, so a cancel and a late result
    cannot both be sent.
    """

    def __init__(self, send: Callable[[Message], None]) -> None:
        self._send = send
        self._new_id = itertools.count(1)
        self._asked: dict[Id, OnAnswer] = {}
        self._owed: dict[Id, Callable[[], None] | None] = {}

    def notify(self, method: str, params: Json) -> None:
        self._send({"jsonrpc": "2.0", "method": method, "params": params})

    def request(self, method: str, params: Json, on_answer: OnAnswer) -> int:
        """Asks the other side; `on_answer` is called once, also when it goes away before it answered."""
        key = next(self._new_id)
        self._asked[key] = on_answer
        self._send({"jsonrpc": "2.0", "id": key, "method": method, "params": params})
        return key

    def cancel(self, key: int) -> None:
        """Tells the other side that the answer to request `key` is not needed; what still comes is passed on."""
        if key in self._asked:
            self.notify("$/cancelRequest", {"id": key})

    def settle(self, message: Message) -> bool:
        """Takes an answer in. False if nobody asked (or it was answered before)."""
        on_answer = self._asked.pop(message.get("id"), None)
        if on_answer is None:
            return False
        error = message.get("error")
        if error is None:
            on_answer(Answer(result=message.get("result")))
        else:
            fields = error if isinstance(error, dict) else {}
            code = fields.get("code")
            on_answer(
                Answer(
                    error=RpcError(
                        code if isinstance(code, int) else INTERNAL_ERROR,
                        str(fields.get("message", "error without a message")),
                        fields.get("data"),
                    )
                )
            )
        return True

    def abandon(self, reason: str) -> None:
        """The other side is gone: every open request of ours ends with an error that says `reason`."""
        asked, self._asked = self._asked, {}
        for on_answer in asked.values():
            on_answer(Answer(error=RpcError(REQUEST_FAILED, reason)))
        self._owed.clear()

    def owe(self, key: Id, on_cancel: Callable[[], None] | None = None) -> None:
        """Notes a request of the other side. `on_cancel` runs when it takes the request back."""
        self._owed[key] = on_cancel

    def when_cancelled(self, key: Id, on_cancel: Callable[[], None]) -> None:
        """Sets what happens when open request `key` is taken back; without it, it is answered as cancelled."""
        if key in self._owed:
            self._owed[key] = on_cancel

    def owes(self, key: Id) -> bool:
        """Whether request `key` still waits for its answer."""
        return key in self._owed

    def answer(self, key: Id, result: Json) -> None:
        if self.discharge(key):
            self._send({"jsonrpc": "2.0", "id": key, "result": result})

    def discharge(self, key: Id) -> bool:
        """Notes that request `key` is answered by other means. False if it is answered already: then do not send."""
        return self._owed.pop(key, self) is not self

    def refuse(self, key: Id, error: RpcError) -> None:
        if self.discharge(key):
            self.refuse_unread(key, error)

    def refuse_all(self, error: RpcError, *, but: Id) -> None:
        """Refuses every open request of the other side except one: nothing will answer them any more."""
        for key in [key for key in self._owed if key != but]:
            self.refuse(key, error)

    def refuse_unread(self, key: Id, error: RpcError) -> None:
        """Refuses what never became an open request: broken JSON (id None), or a request at the wrong time."""
        told: dict[str, Json] = {"code": error.code, "message": error.message}
        if error.data is not None:
            told["data"] = error.data
        self._send({"jsonrpc": "2.0", "id": key, "error": told})

    def cancelled(self, key: Id) -> None:
        """The other side sent `$/cancelRequest` for `key`."""
        if key not in self._owed:
            return  # answered already: the usual race
        on_cancel = self._owed[key]
        if on_cancel is None:
            self.refuse(key, RpcError(REQUEST_CANCELLED, "cancelled"))
        else:
            on_cancel()
