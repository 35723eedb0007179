"""What waits for the main thread: messages of the editor, calls of other threads, and the end. In their order."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable

FULL_BYTES = 32 * 1024 * 1024
"""While more than this waits to be handled, nothing more is read from the editor; its writes then block."""

COST = 1024
"""Bytes that a message takes beside its body, roughly: tiny ones must not be free."""

Item = bytes | Callable[[], None] | None
"""A message's body, a call, or the end."""

Release = Callable[[], None]


def _nothing() -> None:
    """Nothing came."""


class Inbox:
    """A queue with one reader, the main thread, and a bound on the messages in it.

    A message counts until the next one is taken, or until what was returned by `hold` is called: requests that are
    handled on another thread wait there, and must not wait without bound either. Calls are never held back.
    """

    def __init__(self, full: int = FULL_BYTES) -> None:
        self._full = full
        # Its `put` may be called from a signal handler, which no lock of our own could.
        self._items: queue.SimpleQueue[Item] = queue.SimpleQueue()
        self._room = threading.Condition()
        self._waiting = 0
        self._current = 0
        self._over = False

    def put_message(self, body: bytes) -> None:
        """Queues a message. Called from the thread that reads; blocks it until there is room for the next one."""
        with self._room:
            self._waiting += len(body) + COST
        self._items.put(body)
        with self._room:
            while self._waiting > self._full and not self._over:
                self._room.wait()

    def post(self, call: Callable[[], None]) -> None:
        """Has a call run on the main thread, soon. For any thread; never blocks."""
        self._items.put(call)

    def end(self) -> None:
        """The main thread is to stop. For any thread and for signal handlers."""
        self._items.put(None)

    def get(self, timeout: float | None = None) -> Item:
        """The next item; waits for one, for at most `timeout` seconds: then it is a call that does nothing."""
        self._give_back(self._current)
        self._current = 0
        try:
            item = self._items.get(timeout=timeout)
        except queue.Empty:
            return _nothing
        if isinstance(item, bytes):
            self._current = len(item) + COST
        return item

    def hold(self) -> Release:
        """Lets the message that is being handled count until the returned call, which may come from any thread."""
        size, self._current = self._current, 0
        return lambda: self._give_back(size)

    def empty(self) -> bool:
        return self._items.empty()

    def close(self) -> None:
        """Nothing is handled any more: whoever waits for room goes on."""
        with self._room:
            self._over = True
            self._room.notify_all()

    def _give_back(self, size: int) -> None:
        if size:
            with self._room:
                self._waiting -= size
                if self._waiting <= self._full:
                    self._room.notify_all()
