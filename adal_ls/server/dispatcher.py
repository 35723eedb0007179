"""Stage 2: pygls and lsprotocol as the typed dispatcher of the requests in `capabilities.TYPED_METHODS`.

Loaded on a thread of its own, since importing lsprotocol takes a third of a second. The first stage has answered
`initialize` long before; the client's parameters are replayed here and that answer goes nowhere. Features see
snapshots, never pygls' workspace, whose line rules differ from LSP's.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import TYPE_CHECKING

from adal_ls.server.rpc import INTERNAL_ERROR, Id, Json, Message
from adal_ls.server.snapshot import Snapshot

if TYPE_CHECKING:
    import asyncio

    from adal_ls.server.typed import TypedServer

Deliver = Callable[[Id, bytes], None]
"""Takes the encoded answer to a request. Called from the dispatcher's thread."""

Refuse = Callable[[Id, int, str], None]
"""Takes an error for a request. Called from the dispatcher's thread."""


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
        self._waiting: list[tuple[Message, Snapshot]] = []
        self._queued: set[Id] = set()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._server: TypedServer | None = None
        self._failure: str | None = None

    def load(self) -> None:
        """Begins to load in the background. Has no effect the second time."""
        if self._thread is None:
            self._thread = threading.Thread(target=self._run, name="typed dispatcher", daemon=True)
            self._thread.start()

    def request(self, message: Message, snapshot: Snapshot) -> None:
        """Has one request answered, with `snapshot` as the state of things at this moment."""
        self.load()
        with self._lock:
            self._queued.add(message["id"])
            if self._loop is None and self._failure is None:
                self._waiting.append((message, snapshot))
                return
        self._pass_on(message, snapshot)

    def cancel(self, key: Id) -> None:
        """Leaves a request out if its turn has not come. The caller answers it."""
        with self._lock:
            self._queued.discard(key)

    def _pass_on(self, message: Message, snapshot: Snapshot) -> None:
        if self._loop is not None:
            self._loop.call_soon_threadsafe(self._handle, message, snapshot)
        else:
            self._refuse(message["id"], INTERNAL_ERROR, self._failure or "not loaded")

    def _run(self) -> None:
        try:
            import asyncio  # stage 2 only: stage 1 starts without it

            from adal_ls.server.typed import TypedServer

            loop = asyncio.new_event_loop()
            self._server = TypedServer.start(self._initialize, self._deliver, self._fault)
        except Exception as fault:  # noqa: BLE001 - lint must go on whatever state the installation is in
            self._fault("loading the typed dispatcher", fault)
            self._opened(None, f"the editor features cannot be loaded ({type(fault).__name__}); reinstall adal-ls")
            return
        asyncio.set_event_loop(loop)
        self._opened(loop, None)
        loop.run_forever()

    def _opened(self, loop: asyncio.AbstractEventLoop | None, failure: str | None) -> None:
        with self._lock:
            self._loop, self._failure = loop, failure
            waiting, self._waiting = self._waiting, []
            for message, snapshot in waiting:  # under the lock, so that none of a later moment comes before them
                self._pass_on(message, snapshot)

    def _handle(self, message: Message, snapshot: Snapshot) -> None:
        with self._lock:
            if message["id"] not in self._queued:
                return  # taken back while it waited
            self._queued.discard(message["id"])
        if self._server is not None:
            error = self._server.handle(message, snapshot)
            if error is not None:
                self._refuse(message["id"], error.code, error.message)
