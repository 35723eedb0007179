"""One command as a process: its output in bounds and as it comes, its end in time, and all its processes with it."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

_READ_SIZE = 64 * 1024
_LOOK_SECONDS = 0.02
_MOST_REAPING = 5.0  # seconds


@dataclass(frozen=True, slots=True)
class SandboxLimits:
    """`seconds` until a command is killed; `output_bytes` kept of what it prints (the rest is counted)."""

    seconds: float = 30.0
    output_bytes: int = 1_000_000


@dataclass(frozen=True, slots=True)
class Finished:
    """How a command ended. `exit_code` is None where it was killed at the time limit; 128 + n after a signal n.

    `output` is standard output and error in the order written. `dropped` counts bytes over the limit.
    `new_protected` are protected paths that were not there before, which no mount can prevent (a fresh `.env`).
    """

    exit_code: int | None
    output: bytes
    dropped: int
    seconds: float
    new_protected: tuple[Path, ...] = ()


def unheard(_: bytes) -> None:
    """Nobody follows the output while the command runs."""


async def run(
    arguments: Sequence[str],
    limits: SandboxLimits,
    on_output: Callable[[bytes], None] = unheard,
    *,
    cwd: Path | None = None,
    environment: Mapping[str, str] | None = None,
    group_only: bool = False,
) -> Finished:
    """Runs a program with an empty standard input, in a process group of its own.

    Args:
        environment: all of it; nothing is inherited.
        group_only: no kernel namespace ends what the program leaves behind, so its group is killed when it ends.
    """
    output = _Output(limits.output_bytes, on_output)
    # Spawned on the loop's own thread: --die-with-parent watches the thread that starts it, not the process.
    started = time.monotonic()
    starting = asyncio.ensure_future(
        asyncio.create_subprocess_exec(
            *arguments,
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.STDOUT,
            cwd=cwd,
            env=dict(environment or {}),
            start_new_session=True,
        )
    )
    try:
        # Shielded: a start that is cancelled kills the program alone, not what it has started by then.
        process = await asyncio.shield(starting)
    except asyncio.CancelledError:
        await _kill(await starting)
        raise
    code: int | None
    ending = asyncio.ensure_future(_end_group(process)) if group_only else None
    try:
        code = await asyncio.wait_for(_drain(process, output), limits.seconds)
    except asyncio.TimeoutError:
        code = None
    finally:
        if ending is not None:
            ending.cancel()
        await _kill(process)
    if code is not None and code < 0:
        code = 128 - code  # it was killed by a signal
    return Finished(code, bytes(output.kept), output.dropped, time.monotonic() - started)


class _Output:
    def __init__(self, limit: int, hear: Callable[[bytes], None]) -> None:
        self.kept = bytearray()
        self.dropped = 0
        self._limit = limit
        self._hear = hear

    def add(self, chunk: bytes) -> None:
        kept = chunk[: self._limit - len(self.kept)]
        self.kept += kept
        self.dropped += len(chunk) - len(kept)
        if kept:
            self._hear(kept)


async def _drain(process: asyncio.subprocess.Process, output: _Output) -> int:
    """Reads to the end; a command that prints without end is stopped by the time limit, not by a full pipe."""
    assert process.stdout is not None  # noqa: S101 - asked for above
    while chunk := await process.stdout.read(_READ_SIZE):
        output.add(chunk)
    return await process.wait()


async def _kill(process: asyncio.subprocess.Process) -> None:
    """Ends the group; of bubblewrap the kernel ends every process of its namespace as well (--die-with-parent)."""
    if process.returncode is None:
        # A child of bubblewrap that is only just starting has left the group and is not tied to its parent yet. It
        # would wait for it for ever, with the output open.
        _stop_group(process.pid)
        started = _children(process.pid)
        _kill_group(process.pid)
        for child in started:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(child, signal.SIGKILL)
        # Shielded: a second cancellation must not leave a process that nobody waits for.
        await asyncio.shield(_reap(process))


def _stop_group(leader: int) -> None:
    """Keeps a group that is to be killed from starting anything more; a few milliseconds at most."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        if sys.platform != "win32":
            os.killpg(leader, signal.SIGSTOP)
    for _ in range(20):
        if not _is_running(leader):
            return
        time.sleep(0.001)


def _is_running(pid: int) -> bool:
    """Whether a process goes on: not stopped yet, where the system says so (on Linux)."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(") ")[2][0] not in "TtZX"
    except (OSError, IndexError):
        return False


def _children(pid: int) -> list[int]:
    """The children of a process, where the system lists them: on Linux."""
    try:
        listed = Path(f"/proc/{pid}/task/{pid}/children").read_bytes()
    except OSError:
        return []
    return [int(child) for child in listed.split()]


async def _reap(process: asyncio.subprocess.Process) -> None:
    """Waits for the end of a killed process and of its output, which ends when its last child is gone."""
    # A process that escaped all the same must not hold up whoever cancelled.
    with contextlib.suppress(asyncio.TimeoutError):
        await asyncio.wait_for(_ended(process), _MOST_REAPING)


async def _ended(process: asyncio.subprocess.Process) -> None:
    assert process.stdout is not None  # noqa: S101 - asked for above
    while await process.stdout.read(_READ_SIZE):
        pass
    await process.wait()


async def _end_group(process: asyncio.subprocess.Process) -> None:
    """Kills what a program left in its group once it has ended; until then the pipe of its output stays open."""
    # Looked at, not awaited: `wait` of some Pythons returns only after that pipe is closed.
    while process.returncode is None:  # noqa: ASYNC110
        await asyncio.sleep(_LOOK_SECONDS)
    _kill_group(process.pid)


def _kill_group(leader: int) -> None:
    # PermissionError: macOS says so of a group that has only dead processes left.
    with contextlib.suppress(ProcessLookupError, PermissionError):
        if sys.platform != "win32":
            os.killpg(leader, signal.SIGKILL)
