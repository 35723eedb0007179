"""The agent host as a process: started with private pipes, ended for certain, its children included."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Sequence

from adal_ls.server.transport.rpc import Message
from adal_ls.server.transport.writer import Writer
from adal_ls.wire.framing import BrokenFrameError, read_with_headers

if sys.platform == "win32":
    _FLAGS = subprocess.CREATE_NEW_PROCESS_GROUP
else:
    _FLAGS = 0

GRACE = 1.0
"""Seconds a host gets to end by itself after its input closed; then its process group is killed."""


class HostProcess:
    """A running host. `received` and `ended` are called from a thread of this object's."""

    def __init__(
        self, command: Sequence[str], received: Callable[[Message], None], ended: Callable[[str], None]
    ) -> None:
        """Starts the process.

        Raises:
            OSError: it cannot be started.
        """
        # A group of its own, so that everything it starts can be ended with it, and so that a Ctrl-C in the editor's
        # terminal is the editor's business alone.
        self._process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            bufsize=0,
            start_new_session=True,
            creationflags=_FLAGS,
        )
        stdin, stdout = self._process.stdin, self._process.stdout
        if stdin is None or stdout is None:
            raise OSError("the host has no pipes")
        self._received = received
        self._ended = ended
        self._writer = Writer(stdin, "host")
        self._output = os.fdopen(os.dup(stdout.fileno()), "rb")
        stdout.close()
        threading.Thread(target=self._read, name="read from host", daemon=True).start()

    @property
    def pid(self) -> int:
        return self._process.pid

    def send(self, message: Message) -> None:
        self._writer.send(message)

    def end(self) -> None:
        """Closes the host's input, waits `GRACE` at most and kills what is left. Blocks for that long."""
        self._writer.close(timeout=0.2)
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(GRACE)
        self.kill()

    def kill(self) -> None:
        """Ends the host and its process group now."""
        if sys.platform == "win32":
            # taskkill ends the children as well; TerminateProcess would leave them.
            subprocess.run(
                ["taskkill", "/F", "/T", "/PID", str(self._process.pid)],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                check=False,
            )
        else:
            try:
                os.killpg(self._process.pid, signal.SIGKILL)
            except ProcessLookupError:
                pass  # all of them are gone
            except PermissionError:
                pass  # macOS says so for a group of zombies
        self._process.wait(GRACE)

    def _read(self) -> None:
        reason = "the agent host ended"
        try:
            with self._output:
                for body in read_with_headers(self._output):
                    self._received(_message(body))
        except (BrokenFrameError, ValueError, RecursionError) as fault:
            reason = f"the agent host sent what is no message ({type(fault).__name__})"
            self.kill()
        except OSError:
            pass  # the pipe broke: the same as its end
        try:
            code = self._process.wait(GRACE)
            reason = f"{reason} (exit code {code})"
        except subprocess.TimeoutExpired:
            self.kill()  # it closed its output but lives on: nothing can be asked of it any more
        self._ended(reason)


def _message(body: bytes) -> Message:
    message = json.loads(body)
    if not isinstance(message, dict):
        raise BrokenFrameError("a message that is not an object")
    return message
