"""A command at a terminal, driven by a test as a person would."""

from __future__ import annotations

import codecs
import os
import pty
import select
import signal
import subprocess
import time
from pathlib import Path

from tests.cli.conftest import clean_environment, command

_PATIENCE = 30.0


class Terminal:
    """`adal-ls ARGUMENTS` with a terminal as standard input and error; standard output is a pipe unless `whole`."""

    def __init__(self, *arguments: str, cwd: Path, whole: bool = False, term: str = "xterm") -> None:
        self._master, slave = pty.openpty()
        self.process = subprocess.Popen(
            [*command(), *arguments],
            stdin=slave,
            stdout=slave if whole else subprocess.PIPE,
            stderr=slave,
            cwd=cwd,
            env={**clean_environment(), "TERM": term},
            start_new_session=True,
        )
        os.close(slave)
        self.seen = ""
        self._decode = codecs.getincrementaldecoder("utf-8")(errors="replace").decode
        self._searched = 0

    def expect(self, text: str) -> str:
        """Waits until `text` appears after what was expected before; returns what came up to its end."""
        deadline = time.monotonic() + _PATIENCE
        while (found := self.seen.find(text, self._searched)) < 0:
            if not self._receive(deadline - time.monotonic()):
                raise AssertionError(f"{text!r} never came; seen: {self.seen[self._searched :]!r}")
        start, self._searched = self._searched, found + len(text)
        return self.seen[start : self._searched]

    def answer(self, line: str) -> None:
        os.write(self._master, line.encode() + b"\n")

    def end_of_input(self) -> None:
        os.write(self._master, b"\x04")

    def interrupt(self) -> None:
        """Ctrl-C; sent as the signal, since the process is not the terminal's foreground group in a test."""
        self.process.send_signal(signal.SIGINT)

    def wait(self) -> tuple[int, str]:
        """The exit code and standard output; what the terminal showed last is in `seen`."""
        output = b""
        deadline = time.monotonic() + _PATIENCE
        while self._receive(deadline - time.monotonic()):
            pass
        if self.process.stdout is not None:
            output = self.process.stdout.read()
            self.process.stdout.close()
        code = self.process.wait(_PATIENCE)
        os.close(self._master)
        return code, output.decode()

    def _receive(self, seconds: float) -> bool:
        ready, _, _ = select.select([self._master], [], [], max(0.0, seconds))
        if not ready:
            return False
        try:
            chunk = os.read(self._master, 65536)
        except OSError:  # Linux says so when the other side is gone
            return False
        # What is read may end in the middle of a character, or of a line end.
        self.seen = (self.seen + self._decode(chunk)).replace("\r\n", "\n")
        return bool(chunk)
