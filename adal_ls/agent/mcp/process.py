"""The program of an MCP server: its lines in bounds, what it writes to stderr in the log, its end with all it started.

Our own instead of the protocol package's, which keeps a line of any length, leaves the children of a server that ends
by itself, and may take six seconds to close.
"""

from __future__ import annotations

import asyncio
import contextlib
import errno
import logging
import os
import secrets
import shutil
import signal
import sys
from collections import deque
from collections.abc import AsyncIterator, Callable

from adal_ls.agent.approvals.visible import visible
from adal_ls.agent.mcp.guard import GUARD, MARK
from adal_ls.agent.mcp.settings import Launch, redacted
from adal_ls.worker.ending import end_strays, kill_group

_log = logging.getLogger(__name__)

MAX_MESSAGE = 24 * 1024 * 1024
"""Bytes of one message of a server; a result of a tool may have 20 MiB."""

_GRACE = 0.7
"""Seconds from the end of its input until a server is asked by a signal; from there half of it until it is killed."""

_LOOK = 0.01
_LONGEST_LINE = 2000  # of stderr
_MOST_LOGGED = 2000
_LAST_WORDS = 5


class MessageTooLongError(Exception):
    """A server sends a line without end."""


class ServerProcess:
    """A started server. Its process group is its own."""

    def __init__(self, name: str, process: asyncio.subprocess.Process, launch: Launch, mark: str) -> None:
        self._name = name
        self._process = process
        self._secrets = launch.secrets
        self._mark = mark
        self._errors: deque[str] = deque(maxlen=_LAST_WORDS)
        self._logged = 0
        self._listening = asyncio.ensure_future(self._log_errors())
        self._ending: asyncio.Task[None] | None = None

    @classmethod
    async def start(cls, name: str, launch: Launch) -> ServerProcess:
        """
        Raises:
            OSError: it cannot be started.
        """
        mark = secrets.token_hex(16)
        program = _program(launch)
        GUARD.watch(mark)
        try:
            process = await asyncio.create_subprocess_exec(
                program,
                *launch.command[1:],
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.PIPE,
                cwd=launch.cwd,
                env={**launch.environment, MARK: mark},
                limit=MAX_MESSAGE,
                start_new_session=True,
            )
        except BaseException:  # a cancelled start too
            GUARD.forget(mark)
            raise
        GUARD.watch(mark, process.pid)
        return cls(name, process, launch, mark)

    async def lines(self) -> AsyncIterator[bytes]:
        """What it sends, to its end.

        Raises:
            MessageTooLongError: a line is longer than `MAX_MESSAGE`.
        """
        assert self._process.stdout is not None  # noqa: S101 - asked for above
        while True:
            try:
                line = await self._process.stdout.readuntil(b"\n")
            except asyncio.IncompleteReadError:
                return
            except asyncio.LimitOverrunError:
                raise MessageTooLongError(f"it sent a message of more than {MAX_MESSAGE:,} bytes") from None
            except ConnectionError:
                return
            yield line

    async def send(self, line: bytes) -> None:
        """
        Raises:
            ConnectionError: it does not listen any more.
        """
        assert self._process.stdin is not None  # noqa: S101 - asked for above
        self._process.stdin.write(line)
        await self._process.stdin.drain()

    def last_words(self) -> str:
        """The last lines it wrote to stderr, in one."""
        return " / ".join(self._errors)

    async def how_it_ended(self) -> str:
        """In words that go on from its name; what it said at the end with them."""
        await self._gone(0.5)
        with contextlib.suppress(asyncio.TimeoutError):
            await asyncio.wait_for(asyncio.shield(self._listening), 0.2)
        words = self.last_words()
        code = self._process.returncode
        how = "closed its output" if code is None else _exit(code)
        return f"{how}; it said: {words}" if words else how

    async def end(self) -> None:
        """Closes its input and waits a little; whatever is left after it is killed. Idempotent."""
        if self._ending is None:
            self._ending = asyncio.ensure_future(self._end())
        await asyncio.shield(self._ending)

    async def _end(self) -> None:
        try:
            assert self._process.stdin is not None  # noqa: S101 - asked for above
            self._process.stdin.close()
            if not await self._gone(_GRACE):
                self._signal(_terminate)
                await self._gone(_GRACE / 2)
        finally:  # also when the loop itself is closing
            self._signal(kill_group)
            await self._gone(_GRACE / 2)
            end_strays(f"{MARK}={self._mark}")
            GUARD.forget(self._mark)
            self._listening.cancel()
            with contextlib.suppress(asyncio.TimeoutError):
                await asyncio.wait_for(self._drained(), _GRACE / 2)

    async def _drained(self) -> None:
        """Reads what nobody wants any more: until the end is read, the pipe stays open."""
        assert self._process.stdout is not None  # noqa: S101 - asked for above
        while await self._process.stdout.read(1024 * 1024):
            pass
        await self._process.wait()

    async def _gone(self, seconds: float) -> bool:
        """Looked at, not awaited: `wait` of some Pythons returns only after every child has closed the pipes."""
        deadline = asyncio.get_running_loop().time() + seconds
        while self._process.returncode is None:
            if asyncio.get_running_loop().time() >= deadline:
                return False
            await asyncio.sleep(_LOOK)
        return True

    def _signal(self, end: Callable[[int], None]) -> None:
        if self._process.returncode is None:
            end(self._process.pid)
        elif sys.platform != "win32":
            # It has ended and been waited for; its group is still its own as long as somebody is in it.
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(self._process.pid, signal.SIGKILL)

    async def _log_errors(self) -> None:
        assert self._process.stderr is not None  # noqa: S101 - asked for above
        rest = b""
        while chunk := await self._process.stderr.read(64 * 1024):
            *lines, rest = (rest + chunk).split(b"\n")
            for line in lines:
                self._heard(line)
            rest = rest[:_LONGEST_LINE]  # of a line without end the beginning is enough
        self._heard(rest)

    def _heard(self, line: bytes) -> None:
        text = visible(redacted(line.decode("utf-8", "replace"), self._secrets)).strip()[:_LONGEST_LINE]
        if not text:
            return
        self._errors.append(text[-300:])
        self._logged += 1
        if self._logged <= _MOST_LOGGED:
            _log.info("MCP server '%s': %s", self._name, text)
        elif self._logged == _MOST_LOGGED + 1:
            _log.info("MCP server '%s' has written %d lines; no more are logged", self._name, _MOST_LOGGED)


def _terminate(pid: int) -> None:
    if sys.platform == "win32":
        kill_group(pid)
        return
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(pid, signal.SIGTERM)


def _program(launch: Launch) -> str:
    """The file of the program: by its path, which may start at the server's folder, or by PATH (and PATHEXT)."""
    name = launch.command[0]
    if os.path.dirname(name):  # noqa: PTH120
        return os.fspath(launch.cwd / name)
    found = shutil.which(name, path=launch.environment.get("PATH", os.defpath))
    if found is None:
        raise FileNotFoundError(errno.ENOENT, "there is no such program in PATH", name)
    return found


def _exit(code: int) -> str:
    if code < 0:
        try:
            return f"crashed (signal {signal.Signals(-code).name})"
        except ValueError:
            return f"crashed (signal {-code})"
    return f"ended (exit code {code})"
