"""Starting a worker process and ending it with everything it started. In the host."""

from __future__ import annotations

import contextlib
import os
import secrets
import signal
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

BOOTSTRAP = Path(__file__).with_name("bootstrap.py")

_MARK = "ADAL_WORKER"
"""The environment variable that tells a worker's processes, wherever they have gone, from all others."""


@dataclass(frozen=True, slots=True)
class Spawned:
    """A running worker and the host's ends of its pipes."""

    process: subprocess.Popen[bytes]
    reading: int
    writing: int
    output: int
    mark: str


def spawn(interpreter: str, root: Path, load_limit: float) -> Spawned:
    """Starts `interpreter` as a worker for `root`, in a session of its own.

    Raises:
        OSError: the interpreter cannot be started.
    """
    ends: list[int] = []
    mark = secrets.token_hex(16)
    try:
        worker_reads, host_writes = _pipe(ends)
        host_reads, worker_writes = _pipe(ends)
        output, printing = _pipe(ends)
        process = subprocess.Popen(
            [
                # The worker's folder is the project's; a relative path is meant from here.
                os.path.abspath(interpreter) if os.path.dirname(interpreter) else interpreter,  # noqa: PTH100, PTH120
                "-I",
                str(BOOTSTRAP),
                *_inherited(worker_reads, worker_writes),
                str(root),
                str(load_limit),
            ],
            cwd=root,
            stdin=subprocess.DEVNULL,
            stdout=printing,
            stderr=printing,
            env={**os.environ, _MARK: mark},
            **_options(worker_reads, worker_writes),
        )
    except BaseException:
        for end in ends:
            os.close(end)
        raise
    for end in (worker_reads, worker_writes, printing):
        os.close(end)
    return Spawned(process, host_reads, host_writes, output, mark)


def kill(process: subprocess.Popen[bytes]) -> None:
    """Kills the worker and every process of its group, also when the worker itself is gone. Idempotent."""
    if sys.platform == "win32":
        subprocess.Popen(
            ["taskkill", "/T", "/F", "/PID", str(process.pid)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
    else:
        # The group outlives its leader while a child is alive, so its id cannot have been given to another meanwhile;
        # with nobody left the kill finds nothing.
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
    if process.poll() is None:
        process.kill()


def end_strays(mark: str | None) -> None:
    """Kills processes of a worker that have left its group (a daemon, a session of its own). Linux alone can tell."""
    if sys.platform != "linux" or not mark:
        return
    for _ in range(5):  # one may start another meanwhile
        strays = [pid for pid in _processes() if mark.encode() in _environment(pid)]
        if not strays:
            return
        for pid in strays:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(pid, signal.SIGKILL)
        time.sleep(0.005)


def _processes() -> list[int]:
    own = os.getpid()
    return [int(name) for name in os.listdir("/proc") if name.isdecimal() and int(name) != own]  # noqa: PTH208


def _environment(pid: int) -> bytes:
    """What a process was started with; nothing for another user's, or one that has ended."""
    try:
        return Path(f"/proc/{pid}/environ").read_bytes()
    except OSError:
        return b""


def kill_own_group() -> None:
    """Ends the calling worker and its children at once."""
    end_strays(os.environ.get(_MARK))
    if sys.platform != "win32" and os.getpgrp() == os.getpid():
        os.killpg(0, signal.SIGKILL)
    os._exit(1)


def describe_exit(code: int) -> str:
    """How a process ended, in words that go on from a subject."""
    if code < 0:
        try:
            name = signal.Signals(-code).name
        except ValueError:
            name = str(-code)
        return f"crashed (signal {name})"
    return f"ended its process (exit code {code})"


def _pipe(ends: list[int]) -> tuple[int, int]:
    pair = os.pipe()
    ends.extend(pair)
    return pair


def _inherited(*descriptors: int) -> list[str]:
    """How the worker is told its ends of the pipe: descriptors, on Windows handles."""
    if sys.platform == "win32":
        import msvcrt

        return [str(msvcrt.get_osfhandle(descriptor)) for descriptor in descriptors]
    return [str(descriptor) for descriptor in descriptors]


def _options(*descriptors: int) -> dict[str, Any]:
    if sys.platform == "win32":
        import msvcrt

        handles = [msvcrt.get_osfhandle(descriptor) for descriptor in descriptors]
        for handle in handles:
            os.set_handle_inheritable(handle, True)
        startup = subprocess.STARTUPINFO(lpAttributeList={"handle_list": handles})
        return {"startupinfo": startup, "creationflags": subprocess.CREATE_NEW_PROCESS_GROUP}
    return {"pass_fds": descriptors, "start_new_session": True}
