"""Typed requests from the editor's side: what the second stage is given to answer, and when it is loaded."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

from adal_ls.server.dispatcher import Dispatcher
from adal_ls.server.documents.snapshot import Snapshot
from adal_ls.server.log import Log
from adal_ls.server.transport.inbox import Inbox
from adal_ls.server.transport.rpc import REQUEST_CANCELLED, Connection, Id, Json, Message, RpcError
from adal_ls.server.transport.writer import Writer

LOADED_AFTER = 0.15
"""Seconds that a tools file is open before the second stage is loaded, if no request wants it earlier."""


BRIEFLY = 0.005
"""Seconds for which work that nobody waits for makes room for a request; most are answered in a tenth of it."""


class TypedRequests:
    """Hands requests to a `Dispatcher` and its answers to the editor. All methods are for the main thread."""

    def __init__(
        self,
        editor: Connection,
        writer: Writer,
        inbox: Inbox,
        log: Log,
        initialize: Json,
        snapshot: Callable[[str, Json], Snapshot],
        reading: Callable[[], bool],
    ) -> None:
        """`snapshot` gives the state of things that a request of a method, with these parameters, looks at. `reading`:
        whether a text is being read for its first diagnostics."""
        self._editor = editor
        self._writer = writer
        self._inbox = inbox
        self._log = log
        self._snapshot = snapshot
        self._reading = reading
        self._wanted = False
        self._handed = 0.0  # when the last request was
        post = inbox.post
        self._dispatcher = Dispatcher(
            initialize,
            deliver=lambda key, body: post(lambda: self._answered(key, body)),
            refuse=lambda key, code, text: post(lambda: self._editor.refuse(key, RpcError(code, text))),
            fault=lambda where, error: post(lambda: self._log.fault(where, error)),
        )

    def load_soon(self) -> None:
        """Loads the second stage once the first diagnostics are out, since both want the processor."""
        if self._wanted:
            return
        self._wanted = True
        self._load_later()

    def _load_later(self) -> None:
        timer = threading.Timer(LOADED_AFTER, lambda: self._inbox.post(self._load_unless_reading))
        timer.daemon = True
        timer.start()

    def _load_unless_reading(self) -> None:
        if self._reading():
            self._load_later()
        else:
            self._dispatcher.load()

    def answering(self, method: str) -> Callable[[Id, Json], None]:
        """What answers requests of a method."""

        def run(key: Id, params: Json) -> None:
            message: Message = {"jsonrpc": "2.0", "id": key, "method": method, "params": params}

            def take_back() -> None:
                self._dispatcher.cancel(key)
                self._editor.refuse(key, RpcError(REQUEST_CANCELLED, "cancelled"))

            snapshot = self._snapshot(method, params)
            self._editor.when_cancelled(key, take_back)
            self._handed = time.monotonic()
            self._dispatcher.request(message, snapshot, self._inbox.hold())

        return run

    @property
    def briefly_busy(self) -> bool:
        """Whether a request is being answered that was handed on a moment ago. What ends it wakes the main thread."""
        return self._dispatcher.busy and time.monotonic() - self._handed < BRIEFLY

    def foresee_cancel(self, key: Id) -> None:
        """Stops the work on request `key`, which is going to be taken back. For any thread."""
        self._dispatcher.stop_work(key)

    def end(self) -> None:
        """The session is over."""
        self._dispatcher.end()

    def _answered(self, key: Id, body: bytes) -> None:
        if self._editor.discharge(key):
            if self._log.tracing:
                self._log.trace("sent", {"id": key}, len(body))
            self._writer.send_answer(key, body)
