"""Writes messages without ever stopping the loop that answers: at once where the reader has room for them, else on a
thread of its own."""

from __future__ import annotations

import contextlib
import json
import os
import select
import stat
import sys
import threading
from collections import OrderedDict
from collections.abc import Callable
from functools import cached_property
from typing import IO, Any, NamedTuple

from adal_ls.wire.framing import with_headers

MAX_DROPPABLE = 200
"""Progress messages kept for a reader that does not keep up; the oldest go first."""

PATIENT_BYTES = 4 * 1024 * 1024
"""Up to this much waits for a slow reader as it is. Above it only the newest diagnostics of each file are kept."""

FULL_BYTES = 32 * 1024 * 1024
"""Above it large answers become short refusals, and the events of runs are left to be fetched (`adal/run/get`)."""

STUCK_BYTES = 48 * 1024 * 1024
"""Above it nothing more is read from the editor (`wait_for_room`): whoever does not read may not ask either."""

AT_ONCE_BYTES = 64 * 1024
"""A message up to this size is written by whoever sends it, as far as there is room: to hand it to the thread costs
more than the write."""

_SHORT = 512
_TOO_SLOW = -32803  # LSP RequestFailed

# ASCII only: lone surrogates, which a document may hold, have no UTF-8 form but do have an escape.
_encode = json.JSONEncoder(separators=(",", ":"), ensure_ascii=True, allow_nan=False).encode


class Kept(dict[str, Any]):
    """A part of messages that are sent again and again. Not to be changed: its JSON is made once."""

    @cached_property
    def json(self) -> str:
        return _encode(self)


def encode(message: dict[str, Any]) -> bytes:
    """The body of a message. A list of diagnostics may hold `Kept` ones.

    Raises:
        ValueError: the message holds a number JSON cannot hold (NaN, an infinity).
    """
    for outer, key in (("params", "diagnostics"), ("result", "items")):
        inner: Any = message.get(outer)
        items = inner.get(key) if type(inner) is dict else None
        if items and type(items) is list and all(type(item) is Kept for item in items):
            rest = _encode({**message, outer: {**inner, key: []}})
            # A quote inside of a string is escaped, so this is the empty list and no text.
            place = rest.index(f'"{key}":[]') + len(key) + 4
            return f"{rest[:place]}{','.join([item.json for item in items])}{rest[place:]}".encode("ascii")
    return _encode(message).encode("ascii")


class _Waiting(NamedTuple):
    """`file`: the URI, where the body holds diagnostics. `begun`: the rest of a message whose beginning was written."""

    body: bytes
    droppable: bool = False
    file: str | None = None
    begun: bool = False


class Writer:
    """Framed messages to one stream, in the order of the calls. Safe to call from any thread.

    A reader that does not keep up costs bounded memory: progress is dropped first, then diagnostics that newer ones
    follow; at last large answers shrink to an error. No request ever goes without an answer.
    """

    def __init__(self, stream: IO[bytes], name: str) -> None:
        self._stream = stream
        self._has_room = _poll(stream)
        self._waiting: OrderedDict[int, _Waiting] = OrderedDict()
        self._bytes = 0
        self._count = 0
        self._droppable = 0
        self._files: dict[str, int] = {}  # URI -> number of its diagnostics that wait
        lock = threading.Lock()
        self._changed = threading.Condition(lock)
        self._room = threading.Condition(lock)
        self._closing = False
        self._writing = False
        self._thread = threading.Thread(target=self._run, name=f"write to {name}", daemon=True)
        self._thread.start()

    def send(self, message: dict[str, Any], *, droppable: bool = False) -> None:
        """Queues one message. Does not block; after `close`, or when the reader is gone, it has no effect."""
        method = message.get("method")
        if method is None:
            self.send_answer(message.get("id"), encode(message))
            return
        file = message["params"]["uri"] if method == "textDocument/publishDiagnostics" else None
        waiting = _Waiting(encode(message), droppable, file)
        with self._changed:
            # The editor sees the gap in the numbers and fetches what it missed; all of it is in the store.
            if self._bytes <= FULL_BYTES or method != "adal/run/update":
                self._put(waiting)

    def send_answer(self, key: int | str | None, body: bytes) -> None:
        """Queues the encoded answer to request `key`, like `send`."""
        with self._changed:
            if self._bytes > FULL_BYTES and len(body) > _SHORT:
                error = {"code": _TOO_SLOW, "message": "the client does not read its answers; ask again"}
                body = encode({"jsonrpc": "2.0", "id": key, "error": error})
            self._put(_Waiting(body))

    def wait_for_room(self) -> None:
        """Blocks while more than `STUCK_BYTES` wait for the reader; not after it is gone."""
        if self._bytes > STUCK_BYTES:
            with self._room:
                while self._bytes > STUCK_BYTES and not self._closing:
                    self._room.wait()

    def close(self, timeout: float) -> None:
        """Waits at most `timeout` seconds until what was queued is written, then closes the stream."""
        with self._changed:
            self._closing = True
            self._changed.notify()
            self._room.notify_all()
        if threading.current_thread() is not self._thread:
            self._thread.join(timeout)

    def _put(self, waiting: _Waiting) -> None:
        if self._closing:
            return
        if not self._waiting and not self._writing and len(waiting.body) <= AT_ONCE_BYTES:
            framed = with_headers(waiting.body)
            written = self._write_at_once(framed)
            if written == len(framed):
                return
            if written:
                waiting = _Waiting(framed[written:], begun=True)
        if waiting.droppable and self._droppable >= MAX_DROPPABLE:
            self._take(next(number for number, entry in self._waiting.items() if entry.droppable))
        if waiting.file is not None:
            if self._bytes > PATIENT_BYTES and waiting.file in self._files:
                self._take(self._files[waiting.file])
            self._files[waiting.file] = self._count
        self._waiting[self._count] = waiting
        self._count += 1
        self._bytes += len(waiting.body)
        self._droppable += waiting.droppable
        self._changed.notify()

    def _take(self, number: int) -> _Waiting:
        waiting = self._waiting.pop(number)
        self._bytes -= len(waiting.body)
        self._droppable -= waiting.droppable
        if waiting.file is not None and self._files.get(waiting.file) == number:
            del self._files[waiting.file]
        return waiting

    def _run(self) -> None:
        try:
            while True:
                with self._changed:
                    while not self._waiting and not self._closing:
                        self._changed.wait()
                    if not self._waiting:
                        break
                    waiting = self._take(next(iter(self._waiting)))
                    self._writing = True
                    self._room.notify_all()
                self._write(waiting.body if waiting.begun else with_headers(waiting.body))
                with self._changed:
                    self._writing = False
        except (OSError, ValueError):  # the reader is gone; whoever reads its other end notices and ends the session
            with self._changed:
                self._closing = True
                self._waiting.clear()
                self._bytes = 0
                self._room.notify_all()
        with contextlib.suppress(OSError):
            self._stream.close()

    def _write_at_once(self, framed: bytes) -> int:
        """Writes as much as surely does not block. Returns how many bytes that was."""
        written = 0
        if self._has_room is not None:
            with contextlib.suppress(OSError, ValueError):  # the thread meets the same fault, and ends the writing
                while written < len(framed) and self._has_room():
                    written += os.write(self._stream.fileno(), framed[written : written + select.PIPE_BUF])
        return written

    def _write(self, framed: bytes) -> None:
        view = memoryview(framed)
        while view:
            written = self._stream.write(view)  # an unbuffered stream may take a part
            view = view[written:]
        self._stream.flush()


def _poll(stream: IO[bytes]) -> Callable[[], bool] | None:
    """Tells whether a stream takes `select.PIPE_BUF` bytes without blocking; None for one of which that is not known.

    POSIX says it of pipes that can be written to. Sockets, which Node.js gives to its children, say so only while they
    have room for more than that.
    """
    if sys.platform == "win32":
        return None
    try:
        descriptor = stream.fileno()
        mode = os.fstat(descriptor).st_mode
    except (OSError, ValueError):
        return None
    if not (stat.S_ISFIFO(mode) or stat.S_ISSOCK(mode)):
        return None
    poll = select.poll()
    poll.register(descriptor, select.POLLOUT)
    return lambda: poll.poll(0) == [(descriptor, select.POLLOUT)]
