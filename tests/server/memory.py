"""The server inside the test's own process: the same session, on streams in memory.

The agent host, where a test needs one, is a real process.
"""

from __future__ import annotations

import io
import os
import threading
import uuid
from collections.abc import Sequence
from typing import BinaryIO, cast

from adal_ls.server.session import Session
from tests.server.client import LIMIT, MARK, Client, marked


class Pipe(io.RawIOBase):
    """One end writes, another thread reads; like a pipe of the system, but without a bound."""

    def __init__(self) -> None:
        self._held = bytearray()
        self._changed = threading.Condition()
        self._no_more = False

    def readable(self) -> bool:
        return True

    def writable(self) -> bool:
        return True

    def write(self, data: object) -> int:
        with self._changed:
            if self._no_more:
                raise BrokenPipeError
            self._held += data  # type: ignore[arg-type]
            self._changed.notify_all()
        return len(data)  # type: ignore[arg-type]

    def readinto(self, buffer: object) -> int:
        view = memoryview(buffer)  # type: ignore[arg-type]
        with self._changed:
            self._changed.wait_for(lambda: self._held or self._no_more)
            size = min(len(view), len(self._held))
            view[:size] = self._held[:size]
            del self._held[:size]
        return size

    def close(self) -> None:
        """No more is written: the reader gets what is held, then the end."""
        with self._changed:
            self._no_more = True
            self._changed.notify_all()


class MemoryClient(Client):
    def __init__(
        self,
        host_command: Sequence[str] | None = None,
        *,
        log_file: str | None = None,
        log_level: str | None = None,
        tolerated: Sequence[str] = (),
    ) -> None:
        """`host_command` replaces the command line of the agent host."""
        mark = os.environ[MARK] = uuid.uuid4().hex  # what the session starts inherits it
        incoming, outgoing = Pipe(), Pipe()
        source = cast(BinaryIO, io.BufferedReader(incoming))
        self._session = Session(source, cast(BinaryIO, outgoing), host_command, log_file, log_level)
        self._code: int | None = None
        self._fault: BaseException | None = None
        self._thread = threading.Thread(target=self._serve, name="server", daemon=True)
        super().__init__(cast(BinaryIO, io.BufferedReader(outgoing)), cast(BinaryIO, incoming), mark, tolerated)
        self._thread.start()

    def is_over(self) -> bool:
        return not self._thread.is_alive()

    def wait_end(self, timeout: float = LIMIT) -> int:
        self._thread.join(timeout)
        assert not self._thread.is_alive(), f"the server has not ended after {timeout} s"
        assert self._code is not None, f"the server ended by {self._fault!r}"
        return self._code

    def kill(self) -> None:
        self._session.interrupt()
        self._stdin.close()
        self._thread.join(LIMIT)
        for process in marked(self._mark):
            process.kill()

    def _serve(self) -> None:
        try:
            self._code = self._session.run()
        except BaseException as fault:
            self._fault = fault
            raise
