"""One end of a JSON-RPC 2.0 connection on an asyncio loop."""

from __future__ import annotations

import asyncio
import itertools
import json
import logging
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, NoReturn

PARSE_ERROR = -32700
INVALID_REQUEST = -32600
METHOD_NOT_FOUND = -32601
INVALID_PARAMS = -32602
INTERNAL_ERROR = -32603
REQUEST_CANCELLED = -32800  # LSP
REQUEST_FAILED = -32803  # LSP: the request was valid, what it asked for could not be done

Json = Any
"""A JSON value; the boundary that reads it turns it into a typed one."""

Handler = Callable[[Json], Awaitable[Json]]
"""Takes `params` (a dict, or `{}` where the message has none) and returns the result."""

_log = logging.getLogger(__name__)


class RpcError(Exception):
    """An error answer, received or to be sent."""

    def __init__(self, code: int, message: str, data: Json = None) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.data = data


class ConnectionClosedError(Exception):
    """The other side is gone; what was asked of it will not be answered."""


class ProtocolViolationError(Exception):
    """A message that a well-behaved peer never sends, such as an answer to a question that was not asked."""


class Peer:
    """Sends requests and notifications, and answers those of the other side.

    `send` takes one encoded message body and must not block. `handlers` maps a method to a coroutine function; each
    request is answered exactly once. Handlers of requests run as tasks of their own, so one that waits (for a person,
    say) delays nothing. Handlers start in the order of arrival. `$/cancelRequest` cancels the task of that request.

    With `strict`, an answer that fits no open request raises `ProtocolViolationError` out of `receive`: tool code
    can write to the worker's pipe, so a guess must end the connection rather than pass unnoticed.
    """

    def __init__(
        self,
        send: Callable[[bytes], None],
        handlers: Mapping[str, Handler],
        *,
        new_id: Callable[[], int | str] | None = None,
        strict: bool = False,
    ) -> None:
        self._send = send
        self._handlers = dict(handlers)
        self._new_id = new_id or itertools.count(1).__next__
        self._strict = strict
        self._open: dict[int | str, asyncio.Future[Json]] = {}
        self._running: dict[int | str, asyncio.Task[None]] = {}  # requests of the other side
        self._told: set[asyncio.Task[None]] = set()  # its notifications
        self._closed = False

    @property
    def closed(self) -> bool:
        return self._closed

    def notify(self, method: str, params: Json) -> None:
        """Sends a notification; silently dropped after `close` (there is nobody to tell)."""
        if not self._closed:
            self._post({"jsonrpc": "2.0", "method": method, "params": params})

    async def request(self, method: str, params: Json, *, timeout: float | None = None) -> Json:
        """Sends a request and waits for its answer. A caller that is cancelled sends `$/cancelRequest`.

        Args:
            timeout: seconds; None waits for ever.

        Raises:
            RpcError: the other side answered with an error.
            ConnectionClosedError: it went away first.
            asyncio.TimeoutError: no answer in time; a later one is dropped.
        """
        if self._closed:
            raise ConnectionClosedError(method)
        key = self._new_id()
        future: asyncio.Future[Json] = asyncio.get_running_loop().create_future()
        self._open[key] = future
        self._post({"jsonrpc": "2.0", "id": key, "method": method, "params": params})
        try:
            # Shielded, so that a cancelled caller leaves the future for the late answer to find.
            return await asyncio.wait_for(asyncio.shield(future), timeout)
        except (asyncio.CancelledError, asyncio.TimeoutError):
            if not future.done():
                future.cancel()  # kept in `_open`: the late answer is expected, not a violation
                self.notify("$/cancelRequest", {"id": key})
            raise

    def receive(self, body: bytes) -> None:
        """Handles one incoming message body. Call on the loop's thread.

        Raises:
            ProtocolViolationError: only with `strict`, see the class.
        """
        try:
            message = json.loads(body, parse_constant=_no_constant)
        except (ValueError, RecursionError) as fault:
            self._violation(f"not JSON: {fault}")
            self._answer_error(None, PARSE_ERROR, str(fault))
            return
        if not isinstance(message, dict):
            self._violation("not a JSON object")
            self._answer_error(None, INVALID_REQUEST, "a message must be a JSON object")
        elif not isinstance(message.get("id", 0), int | str):
            self._violation("an id that is neither a number nor a text")
            if "method" in message:  # an error answer has id null where the question could not be read
                self._answer_error(None, INVALID_REQUEST, "an id must be a number or a text")
        elif "method" in message:
            self._receive_call(message)
        else:
            self._receive_answer(message)

    def close(self) -> None:
        """Ends the connection: open requests raise `ConnectionClosedError`, handlers are cancelled. Idempotent."""
        if self._closed:
            return
        self._closed = True
        for future in self._open.values():
            if not future.done():
                future.set_exception(ConnectionClosedError("the other side is gone"))
                future.exception()  # marks it as seen; a request nobody awaits any more must not warn
        self._open.clear()
        for task in [*self._running.values(), *self._told]:
            task.cancel()

    def _receive_call(self, message: dict[str, Json]) -> None:
        method: Json = message["method"]
        params: Json = message.get("params") or {}
        if not isinstance(method, str) or not isinstance(params, dict):
            self._violation("a method that is no text, or params that are no object")
            self._answer_error(message.get("id"), INVALID_REQUEST, "method must be a text, params an object")
            return
        if method == "$/cancelRequest":
            wanted = params.get("id")
            task = self._running.get(wanted) if isinstance(wanted, int | str) else None
            if task is not None:
                task.cancel()
            return
        handler = self._handlers.get(method)
        if "id" not in message:
            if handler is None:
                _log.debug("no handler for notification %s", method)
                return
            told = asyncio.ensure_future(self._run_notification(method, handler, params))
            self._told.add(told)
            told.add_done_callback(self._told.discard)
            return
        key = message["id"]
        if handler is None:
            self._answer_error(key, METHOD_NOT_FOUND, f"unknown method {method}")
            return
        task = asyncio.ensure_future(self._run_request(key, method, handler, params))
        self._running[key] = task
        task.add_done_callback(lambda _: self._running.pop(key, None))

    async def _run_notification(self, method: str, handler: Handler, params: Json) -> None:
        try:
            await handler(params)
        except asyncio.CancelledError:
            raise
        except Exception:  # noqa: BLE001 - the boundary that owns it: a notification has no answer to carry the fault
            _log.exception("handling notification %s failed", method)

    async def _run_request(self, key: int | str, method: str, handler: Handler, params: Json) -> None:
        try:
            result = await handler(params)
        except asyncio.CancelledError:
            self._answer_error(key, REQUEST_CANCELLED, "cancelled")
        except RpcError as error:
            self._answer_error(key, error.code, error.message, error.data)
        except Exception as fault:  # noqa: BLE001 - the boundary that owns it: every request gets exactly one answer
            _log.exception("handling request %s failed", method)
            self._answer_error(key, INTERNAL_ERROR, f"{type(fault).__name__}: {fault}")
        else:
            if not self._closed:
                self._post({"jsonrpc": "2.0", "id": key, "result": result})

    def _receive_answer(self, message: dict[str, Json]) -> None:
        future = self._open.pop(message.get("id", ""), None)
        if future is None:
            self._violation("answer to a request that is not open")
        elif future.done():
            return  # cancelled or timed out earlier
        elif "error" in message:
            error = message["error"] if isinstance(message["error"], dict) else {}
            code = error.get("code")
            future.set_exception(
                RpcError(
                    code if isinstance(code, int) else INTERNAL_ERROR,
                    str(error.get("message", "")),
                    error.get("data"),
                )
            )
        else:
            future.set_result(message.get("result"))

    def _answer_error(self, key: int | str | None, code: int, text: str, data: Json = None) -> None:
        if self._closed:
            return
        error: dict[str, Json] = {"code": code, "message": text}
        if data is not None:
            error["data"] = data
        self._post({"jsonrpc": "2.0", "id": key, "error": error})

    def _post(self, message: dict[str, Json]) -> None:
        self._send(json.dumps(message, separators=(",", ":")).encode())

    def _violation(self, what: str) -> None:
        if self._strict:
            raise ProtocolViolationError(what)
        _log.warning("peer: %s", what)


def _no_constant(name: str) -> NoReturn:
    # Python reads NaN and Infinity, and would pass them on to readers that do not.
    raise ValueError(f"{name} is not JSON")
