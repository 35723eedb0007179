"""Writes messages on a thread of its own, so that a reader that is slow never stops the loop that answers."""

from __future__ import annotations

import contextlib
import json
import threading
from collections import deque
from typing import IO, Any

from adal_ls.wire.framing import with_headers

MAX_DROPPABLE = 200
"""Progress messages kept for a reader that does not keep up; the oldest go first. Nothing else is ever dropped."""

# ASCII only: lone surrogates, which a document may hold, have no UTF-8 form but do have an escape.
_encode = json.JSONEncoder(separators=(",", ":"), ensure_ascii=True, allow_nan=False).encode


def encode(message: dict[str, Any]) -> bytes:
    """The body of a message.

    Raises:
        ValueError: the message holds a number JSON cannot hold (NaN, an infinity).
    """
    return _encode(message).encode("ascii")


class Writer:
    """Framed messages to one stream, in the order of the calls. Safe to call from any thread."""

    def __init__(self, stream: IO[bytes], name: str) -> None:
        self._stream = stream
        self._waiting: deque[tuple[bytes, bool]] = deque()
        self._droppable = 0
        self._changed = threading.Condition()
        self._closing = False
        self._thread = threading.Thread(target=self._run, name=f"write to {name}", daemon=True)
        self._thread.start()

    def send(self, message: dict[str, Any], *, droppable: bool = False) -> None:
        self.send_body(encode(message), droppable=droppable)

    def send_body(self, body: bytes, *, droppable: bool = False) -> None:
        """Queues one encoded body. Does not block; after `close`, or when the reader is gone, it has no effect."""
        with self._changed:
            if self._closing:
                return
            if droppable and self._droppable >= MAX_DROPPABLE:
                self._drop_oldest()
            self._waiting.append((body, droppable))
            self._droppable += droppable
            self._changed.notify()

    def close(self, timeout: float) -> None:
        """Waits at most `timeout` seconds until what was queued is written, then closes the stream."""
        with self._changed:
            self._closing = True
            self._changed.notify()
        if threading.current_thread() is not self._thread:
            self._thread.join(timeout)

    def _drop_oldest(self) -> None:
        for index, (_, droppable) in enumerate(self._waiting):
            if droppable:
                del self._waiting[index]
                self._droppable -= 1
                return

    def _run(self) -> None:
        try:
            while True:
                with self._changed:
                    while not self._waiting and not self._closing:
                        self._changed.wait()
                    if not self._waiting:
                        break
                    body, droppable = self._waiting.popleft()
                    self._droppable -= droppable
                self._write(with_headers(body))
        except (OSError, ValueError):  # the reader is gone; whoever reads its other end notices and ends the session
            with self._changed:
                self._closing = True
                self._waiting.clear()
        with contextlib.suppress(OSError):
            self._stream.close()

    def _write(self, framed: bytes) -> None:
        view = memoryview(framed)
        while view:
            written = self._stream.write(view)  # an unbuffered stream may take a part
            view = view[written:]
        self._stream.flush()
