"""Message framing: bytes in, message bodies out. No JSON here."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from typing import BinaryIO

# A frame larger than this is a fault of the sender, not a message; without a bound one broken
# length would make the reader allocate gigabytes.
MAX_BODY = 64 * 1024 * 1024

_PREFIX = struct.Struct(">I")


class BrokenFrameError(Exception):
    """The stream does not hold a message where one must begin; nothing after it can be trusted."""


def with_headers(body: bytes) -> bytes:
    """`body` framed as LSP's base protocol wants it."""
    return b"Content-Length: %d\r\n\r\n" % len(body) + body


def read_with_headers(stream: BinaryIO) -> Iterator[bytes]:
    """Message bodies from an LSP stream until its end.

    Header names match in any case (LSP 3.17, base protocol); other headers are skipped. A stream that ends inside
    a message ends the iteration: what was cut off was never sent.

    Raises:
        BrokenFrameError: a header block without a usable `Content-Length`.
    """
    while True:
        size = -1
        started = False
        while (line := stream.readline()) not in (b"\r\n", b"\n"):
            if not line:
                return
            started = True
            name, _, value = line.partition(b":")
            if name.strip().lower() == b"content-length":
                try:
                    size = int(value)
                except ValueError:
                    raise BrokenFrameError(f"Content-Length is not a number: {value[:40]!r}") from None
        if not started:
            continue  # a stray blank line between messages
        if not 0 <= size <= MAX_BODY:
            raise BrokenFrameError("header block without a usable Content-Length")
        body = stream.read(size)
        if len(body) < size:
            return
        yield body


def with_prefix(body: bytes) -> bytes:
    """`body` framed by a four-byte big-endian length, as on the worker's pipe."""
    return _PREFIX.pack(len(body)) + body


def read_with_prefix(stream: BinaryIO) -> Iterator[bytes]:
    """Message bodies from a length-prefixed stream until its end.

    Raises:
        BrokenFrameError: a length above `MAX_BODY`, or a stream that ends inside a message.
    """
    while head := stream.read(_PREFIX.size):
        if len(head) < _PREFIX.size:
            raise BrokenFrameError("stream ended inside a length")
        (size,) = _PREFIX.unpack(head)
        if size > MAX_BODY:
            raise BrokenFrameError(f"message of {size} bytes")
        body = stream.read(size)
        if len(body) < size:
            raise BrokenFrameError("stream ended inside a message")
        yield body
