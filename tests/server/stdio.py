"""The server as a process on real pipes, as an editor starts it."""

from __future__ import annotations

import contextlib
import os
import subprocess
import uuid
from collections.abc import Sequence
from typing import Any

from tests.server.client import LIMIT, MARK, SERVER, Client, marked


class StdioClient(Client):
    def __init__(self, command: Sequence[str] = SERVER, *, tolerated: Sequence[str] = (), stderr: Any = None) -> None:
        mark = uuid.uuid4().hex
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=stderr, env={**os.environ, MARK: mark}
        )
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        super().__init__(self.process.stdout, self.process.stdin, mark, tolerated)  # type: ignore[arg-type]

    def is_over(self) -> bool:
        return self.process.poll() is not None

    def wait_end(self, timeout: float = LIMIT) -> int:
        return self.process.wait(timeout)

    def kill(self) -> None:
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait(LIMIT)
        for process in marked(self._mark):
            process.kill()
        self._reader.join(LIMIT)
        for stream in (self._stdin, self._stdout):
            with contextlib.suppress(OSError):
                stream.close()
