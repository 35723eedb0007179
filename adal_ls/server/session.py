"""One session with an editor: reads messages, keeps the life cycle, hands each to the part that answers it."""

from __future__ import annotations

import contextlib
import json
import threading
from collections.abc import Callable, Sequence
from typing import BinaryIO

from adal_ls.server.lifecycle import Lifecycle
from adal_ls.server.log import Log
from adal_ls.server.service import Service
from adal_ls.server.transport.inbox import Inbox
from adal_ls.server.transport.rpc import (
    INTERNAL_ERROR,
    INVALID_PARAMS,
    INVALID_REQUEST,
    METHOD_NOT_FOUND,
    PARSE_ERROR,
    REQUEST_CANCELLED,
    Connection,
    Id,
    Json,
    Message,
    RpcError,
)
from adal_ls.server.transport.writer import Writer
from adal_ls.server.watch import follow_parent
from adal_ls.wire.framing import BrokenFrameError, read_with_headers

LAST_SECONDS = 1.5
"""After the editor is gone, the process ends after this time even if the main thread is busy."""

_CANCEL = b"$/cancelRequest"
_LONGEST_CANCEL = 500


class Session:
    """Owns the main thread. Messages are handled one after the other, in their order."""

    def __init__(
        self,
        source: BinaryIO,
        sink: BinaryIO,
        host_command: Sequence[str] | None,
        log_file: str | None = None,
        log_level: str | None = None,
        *,
        force_exit: Callable[[int], object] | None = None,
    ) -> None:
        """`force_exit` ends the process with an exit code, should the main thread not do so in time."""
        self._source = source
        self._writer = Writer(sink, "editor")
        self._host_command = host_command
        self._force_exit = force_exit
        self._inbox = Inbox()
        self._lifecycle = Lifecycle()
        self._taken_back: set[Id] = set()  # requests whose cancellation was read, and not handled yet
        self._editor = Connection(self._send)
        self._log = Log(self._editor, log_file, log_level)
        self._service: Service | None = None
        self._again_in: float | None = None  # seconds after which to catch up, whatever comes
        self._over = False
        self._ended = threading.Event()

    def run(self) -> int:
        """Serves until the editor leaves. Returns the exit code."""
        threading.Thread(target=self._read, name="read from editor", daemon=True).start()
        while not self._over and (item := self._inbox.get(self._again_in)) is not None:
            if isinstance(item, bytes):
                self._receive(item)
            else:
                self._guarded("a background task", item)
            self._guarded("diagnostics", self._catch_up)
        self._inbox.close()
        if self._service is not None:
            self._service.end()
        self._writer.close(timeout=0.5)
        self._ended.set()
        return self._lifecycle.exit_code

    def interrupt(self) -> None:
        """Has `run` return soon. For any thread and for signal handlers."""
        self._inbox.end()

    def _send(self, message: Message) -> None:
        if self._log.tracing:
            self._log.trace("sent", message)
        self._writer.send(message)

    def _catch_up(self) -> None:
        if self._service is not None:
            self._again_in = self._service.catch_up(idle=self._inbox.empty)

    def _read(self) -> None:
        try:
            for body in read_with_headers(self._source):
                if len(body) < _LONGEST_CANCEL and _CANCEL in body:
                    self._foresee_cancel(body)
                self._inbox.put_message(body)
                self._writer.wait_for_room()
        except (BrokenFrameError, OSError, ValueError):
            pass  # nothing after it can be trusted: the same as the end
        self._leave()

    def _foresee_cancel(self, body: bytes) -> None:
        """Notes what is taken back while the request may still wait in the inbox: then it is never begun.

        One that is being worked on is stopped without waiting for the main thread.
        """
        with contextlib.suppress(ValueError, RecursionError, TypeError, AttributeError):  # refused when its turn comes
            message = json.loads(body)
            if message.get("method") == "$/cancelRequest" and (key := _cancelled_id(message.get("params"))) is not None:
                self._taken_back.add(key)
                if self._service is not None:
                    self._service.foresee_cancel(key)

    def _leave(self) -> None:
        """The editor is gone. For threads of their own, since it waits for the main thread."""
        self._inbox.end()
        if self._ended.wait(LAST_SECONDS):
            return
        if self._service is not None:
            self._service.host.kill()
        if self._force_exit is not None:
            self._force_exit(self._lifecycle.exit_code)

    def _receive(self, body: bytes) -> None:
        try:
            message = json.loads(body)
        except (ValueError, RecursionError) as fault:
            self._editor.refuse_unread(None, RpcError(PARSE_ERROR, f"not JSON: {type(fault).__name__}"))
            return
        if not isinstance(message, dict):
            self._editor.refuse_unread(None, RpcError(INVALID_REQUEST, "a message must be a JSON object"))
            return
        if self._log.tracing:
            self._log.trace("received", message, len(body))
        method = message.get("method")
        if method is None and "id" in message:
            self._guarded("an answer of the editor", lambda: self._settle(message))
        elif not isinstance(method, str):
            self._editor.refuse_unread(None, RpcError(INVALID_REQUEST, "a message needs a method"))
        elif "id" in message:
            self._request(message, method)
        else:
            self._notification(method, message.get("params"))

    def _settle(self, answer: Message) -> None:
        key = answer["id"]
        if isinstance(key, (int, str)):
            self._editor.settle(answer)

    def _request(self, message: Message, method: str) -> None:
        key, params = message["id"], message.get("params")
        if isinstance(key, bool) or not isinstance(key, (int, str)):
            self._editor.refuse_unread(None, RpcError(INVALID_REQUEST, "an id must be a whole number or a string"))
            return
        refusal = self._lifecycle.refusal(method)
        if refusal is not None:
            self._editor.refuse_unread(key, refusal)
            return
        self._editor.owe(key)
        if key in self._taken_back:
            self._editor.refuse(key, RpcError(REQUEST_CANCELLED, "cancelled before its turn came"))
            return
        try:
            self._answer(key, method, params)
        except RpcError as error:
            self._editor.refuse(key, error)
        except Exception as fault:  # noqa: BLE001 - the boundary that owns it: every request gets exactly one answer
            self._log.fault(method, fault)
            self._editor.refuse(key, RpcError(INTERNAL_ERROR, f"internal error in {method}; the log says where"))

    def _answer(self, key: Id, method: str, params: Json) -> None:
        """Answers a request, now or later, or raises."""
        if method == "initialize":
            self._initialize(key, params)
        elif method == "shutdown":
            self._shut_down(key)
        elif self._service is None or method not in self._service.requests:
            raise RpcError(METHOD_NOT_FOUND, f"unknown method {method}")
        elif params is not None and not isinstance(params, (dict, list)):
            raise RpcError(INVALID_PARAMS, "params must be an object")
        else:
            self._service.requests[method](key, params)

    def _notification(self, method: str, params: Json) -> None:
        taken_back = _cancelled_id(params) if method == "$/cancelRequest" else None
        self._taken_back.discard(taken_back)
        if method == "exit":
            self._over = True
        elif self._lifecycle.refusal(method) is not None or self._service is None:
            return  # a notification at the wrong time is dropped (LSP, "Server lifecycle")
        elif taken_back is not None:
            self._guarded(method, lambda: self._editor.cancelled(taken_back))
        elif method in self._service.notifications:
            handle = self._service.notifications[method]
            self._guarded(method, lambda: handle(params))

    def _guarded(self, where: str, call: Callable[[], None]) -> None:
        """Runs what has no answer to carry a fault; the session goes on after one."""
        try:
            call()
        except RpcError as error:
            self._log.write("warning", f"{where} was ignored: {error.message}")
        except Exception as fault:  # noqa: BLE001 - the boundary that owns it
            self._log.fault(where, fault)

    def _initialize(self, key: Id, params: Json) -> None:
        if not isinstance(params, dict):
            raise RpcError(INVALID_PARAMS, "initialize needs params")
        service = Service(self._editor, self._writer, self._inbox, self._log, params, self._host_command)
        self._service = service
        self._log.set_trace(params.get("trace"))
        self._editor.answer(key, service.initialize_result)
        self._lifecycle.entered("initialize")
        process_id = params.get("processId")
        if isinstance(process_id, int) and process_id > 0:
            follow_parent(process_id, self._leave, self._ended)
        import adal_ls.lint.session  # noqa: F401 - now, while the editor reads the answer

    def _shut_down(self, key: Id) -> None:
        if self._service is not None:
            self._service.host.dismiss("the editor shut the server down")
        self._editor.refuse_all(RpcError(REQUEST_CANCELLED, "the server is shutting down"), but=key)
        self._editor.answer(key, None)
        self._lifecycle.entered("shutdown")


def _cancelled_id(params: Json) -> Id | None:
    key = params.get("id") if isinstance(params, dict) else None
    return key if isinstance(key, (int, str)) and not isinstance(key, bool) else None
