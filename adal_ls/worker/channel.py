"""Both ends of the private pipe pair. Reading runs in a thread on both sides, so that the end of the other process is
seen while tool code blocks."""

from __future__ import annotations

import contextlib
import os
import queue
import threading
from collections.abc import Callable

from adal_ls.wire.framing import BrokenFrameError, read_with_prefix, with_prefix

_os_write = os.write  # code of a project may replace what the module holds

OnBody = Callable[[bytes], None]
OnEnd = Callable[[str | None], None]
"""Takes why the stream ended: None at its plain end, else what was wrong with it."""


def start_reading(descriptor: int, on_body: OnBody, on_end: OnEnd) -> None:
    """Reads messages from `descriptor` in a daemon thread, which closes it at the end. Callbacks run in that thread.

    The next message is read when `on_body` returns: one that waits holds up the sender as soon as the pipe is full.
    """

    def run() -> None:
        fault: str | None = None
        try:
            with os.fdopen(descriptor, "rb") as stream:
                for body in read_with_prefix(stream):
                    on_body(body)
        except BrokenFrameError as broken:
            fault = str(broken)
        except OSError:
            fault = None  # the descriptor was closed under the reader: as good as the end
        on_end(fault)

    threading.Thread(target=run, name="adal-ls reader", daemon=True).start()


class BlockingWriter:
    """The worker's writer: any thread may send; a send waits until the host has room for it."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._lock = threading.Lock()

    def close(self) -> None:
        """In a forked child: nothing is sent any more, also not to a file that gets the descriptor's number."""
        close_quietly(self._descriptor)
        self._descriptor = -1

    def send(self, body: bytes) -> None:
        with self._lock:
            _write(self._descriptor, with_prefix(body))


class QueueWriter:
    """The host's writer: a send never waits, so that a stuck worker cannot hold up the loop."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._bodies: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        threading.Thread(target=self._run, name="adal-ls writer", daemon=True).start()

    def send(self, body: bytes) -> None:
        self._bodies.put(body)

    def close(self) -> None:
        """Closes the descriptor once everything before has been sent. Idempotent."""
        self._bodies.put(None)

    def _run(self) -> None:
        try:
            while (body := self._bodies.get()) is not None:
                _write(self._descriptor, with_prefix(body))
        except OSError:
            pass  # the worker is gone; its reader reports that
        finally:
            os.close(self._descriptor)


def close_quietly(descriptor: int) -> None:
    with contextlib.suppress(OSError):
        os.close(descriptor)


def _write(descriptor: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[_os_write(descriptor, view) :]
