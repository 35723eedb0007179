"""Reading what a worker and its children print, and handing it to the calls. In the host."""

from __future__ import annotations

import asyncio
import itertools
import logging
import os
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

from adal_ls.worker.printed import Transcript, Untagger

_log = logging.getLogger(__name__)

_CHUNK = 65536
# One drain takes at most this much, so that a thread printing for ever cannot hold up the loop.
_MOST_DRAINED = 4 * 1024 * 1024
# A thread that prints for ever waits for its full pipe most of the time, so that the loop has time for others.
_MOST_AT_ONCE = 1024 * 1024
_PAUSE = 0.02


class OutputReader:
    """Sorts the worker's output into transcripts: tagged text to its call, other text to all that collect."""

    def __init__(self, descriptor: int, loop: asyncio.AbstractEventLoop) -> None:
        self._descriptor: int | None = descriptor
        self._loop = loop
        self._untagger = Untagger()
        self._transcripts: dict[str | None, Transcript] = {}
        self._taken = 0
        self._pausing = False
        if sys.platform == "win32":
            threading.Thread(target=self._pump, name="adal-ls output", daemon=True).start()
        else:
            os.set_blocking(descriptor, False)
            loop.add_reader(descriptor, self._read)

    @property
    def busy(self) -> bool:
        return bool(self._transcripts)

    def others(self, token: str) -> bool:
        """Whether a call other than `token` is running."""
        return any(key != token for key in self._transcripts)

    @contextmanager
    def collecting(self, token: str | None, transcript: Transcript) -> Iterator[None]:
        """While in the block, text goes to `transcript`. `token` None is for loading, when nothing is tagged."""
        self._transcripts[token] = transcript
        try:
            yield
        finally:
            del self._transcripts[token]
            if token is not None:
                self._untagger.forget(token)

    def drain(self) -> None:
        """Takes all that has been printed so far."""
        if sys.platform == "win32":
            self._wait_for_pump()
        else:
            taken = 0
            while self._descriptor is not None and taken < _MOST_DRAINED and (size := self._read()):
                taken += size
        self._hand_out(self._untagger.rest())

    def close(self) -> None:
        """Idempotent."""
        if self._descriptor is not None and sys.platform != "win32":
            self._loop.remove_reader(self._descriptor)
            os.close(self._descriptor)
        self._descriptor = None

    def _read(self) -> int:
        if self._descriptor is None:
            return 0
        try:
            data = os.read(self._descriptor, _CHUNK)
        except BlockingIOError:
            return 0
        if not data:  # all writers are gone
            self.close()
        self._take(data)
        self._taken += len(data)
        if self._taken > _MOST_AT_ONCE and not self._pausing:
            self._pausing = True
            self._loop.remove_reader(self._descriptor)
            self._loop.call_later(_PAUSE, self._resume)
        return len(data)

    def _resume(self) -> None:
        self._taken, self._pausing = 0, False
        if self._descriptor is not None:
            self._loop.add_reader(self._descriptor, self._read)

    def _take(self, data: bytes) -> None:
        self._hand_out(self._untagger.feed(data))

    def _hand_out(self, pieces: Iterator[tuple[str | None, str]]) -> None:
        for token, group in itertools.groupby(pieces, key=lambda piece: piece[0]):
            text = "".join(text for _, text in group)
            known = self._transcripts.get(token) if token is not None else None
            targets = [known] if known is not None else list(self._transcripts.values())
            if token is not None and known is None:
                targets = []  # of a call that is over
            if not targets:
                _log.debug("printed while no call was running: %s", text)
            for transcript in targets:
                transcript.add(text)

    # Windows has no readable event for pipes: a thread waits instead.

    def _pump(self) -> None:
        descriptor = self._descriptor
        while descriptor is not None:
            try:
                data = os.read(descriptor, _CHUNK)
            except OSError:
                break
            if not data:
                break
            try:
                self._loop.call_soon_threadsafe(self._take, data)
            except RuntimeError:  # the loop is closed
                break
        if descriptor is not None:
            os.close(descriptor)

    def _wait_for_pump(self) -> None:
        """Gives the thread a moment; text that comes later than this is not part of the call."""
        time.sleep(0.02)
