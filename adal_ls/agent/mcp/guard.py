"""Ends the programs of MCP servers when the process that started them is gone without a word: killed, or out of memory.

Then they get the end of their input, which not each of them heeds, and what they have started hears of nothing. So a
small process of our own stands beside them while there are any, and waits for the end of its own input.
"""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
import threading
import time
from pathlib import Path

from adal_ls.worker.ending import end_strays, kill_group

MARK = "ADAL_MCP_SERVER"
"""The environment variable that tells a server's processes from all others, wherever they have gone."""

_GRACE = 0.5
"""Seconds that servers have after the end of their input to end by themselves."""

_LOOK = 0.02


class Guard:
    """The servers of this process, and who watches over them. Any thread may call."""

    def __init__(self) -> None:
        self._servers: dict[str, int] = {}
        self._process: subprocess.Popen[bytes] | None = None
        self._lock = threading.Lock()

    def watch(self, mark: str, pid: int = 0) -> None:
        """A server is being started with this value of `MARK`, or has this id by now."""
        with self._lock:
            self._servers[mark] = pid
            if self._process is None or not self._tell(mark, pid):
                self._start()

    def forget(self, mark: str) -> None:
        """A server has ended with all its processes."""
        with self._lock:
            if self._servers.pop(mark, None) is None:
                return
            self._tell(mark, -1)
            if not self._servers:
                self._end()

    def _start(self) -> None:
        self._end()
        self._process = subprocess.Popen(
            [sys.executable, "-I", "-m", __name__],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            cwd=Path(sys.executable).anchor,
            start_new_session=True,  # neither Ctrl-C nor an end of the terminal is meant for it
        )
        for mark, pid in self._servers.items():
            self._tell(mark, pid)

    def _tell(self, mark: str, pid: int) -> bool:
        """Whether there is somebody who heard it."""
        if self._process is None or self._process.stdin is None or self._process.poll() is not None:
            return False
        try:
            self._process.stdin.write(f"{mark} {pid}\n".encode())
            self._process.stdin.flush()
        except OSError:
            return False
        return True

    def _end(self) -> None:
        process, self._process = self._process, None
        if process is None or process.stdin is None:
            return
        with contextlib.suppress(OSError):
            process.stdin.close()
        threading.Thread(target=process.wait, name="end the MCP guard", daemon=True).start()


GUARD = Guard()


def main() -> None:
    """Reads `mark pid` lines to their end, then ends the servers that are left. A pid of -1: it has ended."""
    servers: dict[str, int] = {}
    for line in sys.stdin.buffer:
        mark, _, pid = line.decode().partition(" ")
        servers[mark] = int(pid)
        if servers[mark] < 0:
            del servers[mark]
    deadline = time.monotonic() + _GRACE
    while servers and time.monotonic() < deadline and any(_lives(pid) for pid in servers.values()):
        time.sleep(_LOOK)
    for mark, pid in servers.items():
        if _lives(pid):
            kill_group(pid)
        end_strays(f"{MARK}={mark}")


def _lives(pid: int) -> bool:
    """Whether somebody is in a server's group; until nobody is, its id is given to no other."""
    if pid <= 0 or sys.platform == "win32":
        return pid > 0
    try:
        os.killpg(pid, 0)
    except OSError:
        return False
    return True


if __name__ == "__main__":
    main()
