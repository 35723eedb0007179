"""Stage 2: pygls and lsprotocol as the typed dispatcher of the requests in `capabilities.TYPED_METHODS`.

Loaded on a thread of its own, since importing lsprotocol takes a third of a second. The first stage has answered
`initialize` long before; the client's parameters are replayed here and that answer goes nowhere. Features see
snapshots, never pygls' workspace, whose line rules differ from LSP's.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from adal_ls.server.documents.snapshot import Snapshot
from adal_ls.server.transport.inbox import Release
from adal_ls.server.transport.rpc import INTERNAL_ERROR, Id, Json, Message

if TYPE_CHECKING:
    import asyncio

    from adal_ls.server.typed import TypedServer

Deliver = Callable[[Id, bytes], None]
"""Takes the encoded answer to a request. Called from the dispatcher's thread."""

Refuse = Callable[[Id, int, str], None]
"""Takes an error for a request. Called from the dispatcher's thread."""

END_LIMIT = 1.0
"""Seconds the end waits for the thread; a feature that is at work looks up many times in one."""


@dataclass(frozen=True, slots=True, eq=False)
class _Turn:
    """A request from the moment it is asked until it is handled. `done` is called then."""

    message: Message
    snapshot: Snapshot
    done: Release


class Dispatcher:
    """Hands typed requests to pygls in their order, from the moment it is loaded; they wait until then."""

    def __init__(
        self, initialize: Json, deliver: Deliver, refuse: Refuse, fault: Callable[[str, BaseException], None]
    ) -> None:
        """`initialize` are the client's parameters; `fault` hears of exceptions in features."""
        self._initialize = initialize
        self._deliver = deliver
        self._refuse = refuse
        self._fault = fault
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None
        self._waiting: list[_Turn] = []  # until it is loaded
        self._open: dict[Id, _Turn] = {}
        self._loop: asyncio.AbstractEventLoop | None = None
        self._server: TypedServer | None = None
        self._failure: str | None = None
        self._over = False

    def load(self) -> None:
        """Begins to load in the background. Has no effect the second time."""
        if self._thread is None:
            self._thread = threading.Thread(target=self._run, name="typed dispatcher", daemon=True)
            self._thread.start()

    def request(self, message: Message, snapshot: Snapshot, done: Release) -> None:
        """Has one request answered, with `snapshot` as the state of things at this moment."""
        self.load()
        turn = _Turn(message, snapshot, done)
        with self._lock:
            self._open[message["id"]] = turn
            if self._loop is None and self._failure is None:
                self._waiting.append(turn)
                return
        self._pass_on(turn)

    @property
    def busy(self) -> bool:
        """Whether there are requests that are not handled yet."""
        return bool(self._open)

    def stop_work(self, key: Id) -> None:
        """Has the work on a request look up and stop; it is answered as cancelled. For any thread."""
        turn = self._open.get(key)
        if turn is not None:
            turn.snapshot.cancellation.cancel()

    def cancel(self, key: Id) -> None:
        """Leaves a request out if its turn has not come, and stops the work on it if it has. The caller answers it."""
        with self._lock:
            turn = self._open.pop(key, None)
        if turn is not None:
            turn.snapshot.cancellation.cancel()
            if self._loop is not None:
                self._loop.call_soon_threadsafe(self._stop_task, key)

    def end(self) -> None:
        """Stops all work and the thread."""
        with self._lock:
            self._over = True
            keys, loop = list(self._open), self._loop
        for key in keys:
            self.cancel(key)
        if loop is not None and self._thread is not None:
            loop.call_soon_threadsafe(loop.stop)
            self._thread.join(END_LIMIT)

    def _stop_task(self, key: Id) -> None:
        if self._server is not None:
            self._server.stop(key)

    def _pass_on(self, turn: _Turn) -> None:
        if self._loop is not None:
            self._loop.call_soon_threadsafe(self._handle, turn)
        else:
            turn.done()
            self._refuse(turn.message["id"], INTERNAL_ERROR, self._failure or "not loaded")

    def _run(self) -> None:
        try:
            import asyncio  # stage 2 only: stage 1 starts without it

            from adal_ls.server.typed import TypedServer

            self._server = TypedServer.start(self._initialize, self._deliver, self._fault)
            loop = asyncio.new_event_loop()
        except Exception as fault:  # noqa: BLE001 - lint must go on whatever state the installation is in
            self._fault("loading the typed dispatcher", fault)
            self._opened(None, f"the editor features cannot be loaded ({type(fault).__name__}); reinstall adal-ls")
            return
        asyncio.set_event_loop(loop)
        try:
            if self._opened(loop, None):
                loop.run_forever()
        finally:
            self._server.close(loop)

    def _opened(self, loop: asyncio.AbstractEventLoop | None, failure: str | None) -> bool:
        with self._lock:
            self._loop, self._failure = loop, failure
            waiting, self._waiting = self._waiting, []
            for turn in waiting:  # under the lock, so that none of a later moment comes before them
                self._pass_on(turn)
            return not self._over

    def _handle(self, turn: _Turn) -> None:
        key = turn.message["id"]
        if self._server is None or turn.snapshot.cancellation.is_set:
            turn.done()  # taken back while it waited
            return
        error = self._server.handle(turn.message, turn.snapshot, lambda: self._handled(key, turn))
        if error is not None:
            self._handled(key, turn)
            self._refuse(key, error.code, error.message)

    def _handled(self, key: Id, turn: _Turn) -> None:
        turn.done()
        with self._lock:
            if self._open.get(key) is turn:
                del self._open[key]
