"""Ending a worker with everything it started, and how an end is described."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import time
import traceback
from pathlib import Path
from typing import NoReturn

# Taken before code of a project runs, which may replace or delete what a module holds.
_exit, _write = os._exit, os.write

BROKEN = 70
"""The exit code of a worker whose own code fails: the project has changed something in Python that it needs."""

MARK = "ADAL_WORKER"
"""The environment variable that tells a worker's processes, wherever they have gone, from all others."""


def kill_group(pid: int) -> None:
    """Kills the worker `pid`, every process of its group and, on Linux, every other process below it. Idempotent.

    The worker must not have been waited for: until then its id cannot be that of another.
    """
    if sys.platform == "win32":
        subprocess.Popen(
            ["taskkill", "/T", "/F", "/PID", str(pid)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        return
    below = _descendants(pid)  # before their parents are gone
    _kill(-pid)
    _kill(pid)  # one that was forked a moment ago has no group of its own yet
    for descendant in below:
        _kill(descendant)


def end_strays(mark: str | None) -> None:
    """Kills processes of a worker that have left its group (a daemon, a session of its own). Linux alone can tell."""
    if sys.platform != "linux" or not mark:
        return
    for _ in range(5):  # one may start another meanwhile
        strays = [pid for pid in _processes() if mark.encode() in _environment(pid)]
        if not strays:
            return
        for pid in strays:
            _kill(pid)
        time.sleep(0.005)


def kill_own_group() -> None:
    """Ends the calling worker and its children at once."""
    try:
        for pid in _descendants(os.getpid()):
            _kill(pid)
        end_strays(os.environ.get(MARK))
        if sys.platform != "win32" and os.getpgrp() == os.getpid():
            os.killpg(0, signal.SIGKILL)
    finally:
        _exit(1)


def break_down(fault: BaseException) -> NoReturn:
    """Ends the worker where its own code fails. What it prints is shown to the person."""
    try:
        text = "".join(traceback.format_exception(fault))
        _write(2, text.encode("utf-8", "backslashreplace"))
    except BaseException:  # noqa: BLE001, S110 - not even that works any more
        pass
    _exit(BROKEN)


def describe_exit(code: int | None) -> str:
    """How a process ended, in words that go on from a subject; None: nobody saw it."""
    if code is None:
        return "ended its process"
    if code < 0:
        try:
            name = signal.Signals(-code).name
        except ValueError:
            name = str(-code)
        return f"crashed (signal {name})"
    if code == BROKEN:
        return "broke down: code of the project has changed a part of Python that it needs (the output says more)"
    return f"ended its process (exit code {code})"


def children(pid: int) -> list[int]:
    """The child processes of `pid`; none where the system does not tell (all but Linux)."""
    found: list[int] = []
    with contextlib.suppress(OSError):
        for task in os.listdir(f"/proc/{pid}/task"):  # noqa: PTH208
            with contextlib.suppress(OSError):
                found += map(int, Path(f"/proc/{pid}/task/{task}/children").read_bytes().split())
    return found


def _descendants(pid: int) -> list[int]:
    found = children(pid)
    for child in found:  # grows meanwhile
        found += children(child)
    return found


def _kill(pid: int) -> None:
    # Gone already, or another user's; on Windows only the tree can be ended.
    if sys.platform != "win32":
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.kill(pid, signal.SIGKILL)


def _processes() -> list[int]:
    own = os.getpid()
    return [int(name) for name in os.listdir("/proc") if name.isdecimal() and int(name) != own]  # noqa: PTH208


def _environment(pid: int) -> bytes:
    """What a process was started with; nothing for another user's, or one that has ended."""
    try:
        return Path(f"/proc/{pid}/environ").read_bytes()
    except OSError:
        return b""
