"""Printed text: tagged with its call in the worker, sorted to the calls in the host.

What Python code prints carries the call's token, also while several calls run. Text that reaches descriptors 1 and 2
another way (child processes, C code, threads the tool started) has no tag: it goes to every call that runs at that
moment, to the load while the project loads, and is dropped where nothing runs.
"""

from __future__ import annotations

import codecs
import contextvars
import io
import os
import re
import sys
from collections.abc import Callable, Iterator

CALL: contextvars.ContextVar[str | None] = contextvars.ContextVar("adal_ls_call", default=None)
"""The token of the call that the current context belongs to. In the worker."""

_os_write = os.write  # code of a project may replace what the module holds

_TAG = re.compile(rb"\x00adal:([0-9a-f]{32}|)\x00")
_END = b"\x00adal:\x00"
_TAG_SIZE = len(_END) + 32
# A write up to this size is never torn by another writer (POSIX; the smallest PIPE_BUF is 512).
_ATOMIC = 4096 if sys.platform == "linux" else 512


class TaggingStream(io.RawIOBase):
    """Writes to `descriptor` what Python prints, each piece marked with the call that prints it."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor

    def writable(self) -> bool:
        return True

    def fileno(self) -> int:
        return self._descriptor

    def write(self, data: object) -> int:
        view = memoryview(data).cast("B")  # type: ignore[arg-type]
        token = CALL.get()
        start = b"" if token is None else b"\x00adal:%s\x00" % token.encode()
        end = b"" if token is None else _END
        room = _ATOMIC - 2 * _TAG_SIZE
        for at in range(0, len(view), room):
            piece = start + bytes(view[at : at + room]) + end
            while piece:
                piece = piece[_os_write(self._descriptor, piece) :]
        return len(view)


def install_streams() -> None:
    """Replaces `sys.stdout` and `sys.stderr`; descriptor 0 is `/dev/null`, so `sys.stdin` is at its end already."""
    for name, descriptor in (("stdout", 1), ("stderr", 2)):
        # TextIOWrapper wants a buffered stream by its types; it takes a raw one with write_through (as `python -u`).
        stream = io.TextIOWrapper(
            TaggingStream(descriptor),  # type: ignore[type-var]
            encoding="utf-8",
            errors="backslashreplace",
            newline="",
            write_through=True,
        )
        setattr(sys, name, stream)
        setattr(sys, f"__{name}__", stream)


class Transcript:
    """The printed text of one call or load, up to a limit; `listener` hears each new piece."""

    def __init__(self, limit: int, listener: Callable[[str], None] | None = None) -> None:
        self._left = limit
        self._limit = limit
        self._listener = listener
        self._parts: list[str] = []

    def add(self, text: str) -> None:
        if self._left < 0 or not text:
            return
        size = len(text.encode("utf-8", "replace"))
        if size > self._left:
            kept = text.encode("utf-8", "replace")[: self._left].decode("utf-8", "ignore")
            text = f"{kept}\n[text over {self._limit} bytes is not kept]\n"
        self._left -= size  # below zero: full, and said so
        self._parts.append(text)
        if self._listener is not None:
            self._listener(text)

    @property
    def text(self) -> str:
        return "".join(self._parts)


class Untagger:
    """Splits the worker's output stream into (token, text); token None is text without a tag. In the host."""

    def __init__(self) -> None:
        self._rest = b""
        self._token: str | None = None
        self._decoders: dict[str | None, codecs.IncrementalDecoder] = {}

    def feed(self, data: bytes) -> Iterator[tuple[str | None, str]]:
        data = self._rest + data
        at = 0
        for tag in _TAG.finditer(data):
            yield from self._text(data[at : tag.start()])
            self._token = tag[1].decode() or None
            at = tag.end()
        cut = self._cut(data, at)
        self._rest = data[cut:]
        yield from self._text(data[at:cut])

    def rest(self) -> Iterator[tuple[str | None, str]]:
        """What was held back as the possible start of a tag."""
        data, self._rest = self._rest, b""
        yield from self._text(data)

    def _cut(self, data: bytes, at: int) -> int:
        """Where a tag may begin whose end is not here yet."""
        start = data.rfind(b"\x00", max(at, len(data) - _TAG_SIZE + 1))
        unfinished = start >= 0 and b"\x00adal:".startswith(data[start : start + 6])
        return start if unfinished else len(data)

    def _text(self, data: bytes) -> Iterator[tuple[str | None, str]]:
        if data:
            decoder = self._decoders.get(self._token)
            if decoder is None:
                decoder = self._decoders[self._token] = codecs.getincrementaldecoder("utf-8")("replace")
            text = decoder.decode(data)
            if text:
                yield self._token, text

    def forget(self, token: str) -> None:
        """Drops what is kept for a call that has ended."""
        self._decoders.pop(token, None)
