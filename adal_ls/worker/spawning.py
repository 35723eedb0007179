"""Starting Python processes that hold the worker's end of pipes. In the host."""

from __future__ import annotations

import contextlib
import os
import secrets
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from adal_ls.worker.ending import MARK, kill_group

BOOTSTRAP = Path(__file__).with_name("bootstrap.py")


class WorkerProcess(Protocol):
    """A worker as its host sees it, whoever is its parent process."""

    @property
    def pid(self) -> int: ...

    def wait(self, timeout: float | None = None) -> int | None:
        """Blocks until it has ended.

        Returns:
            Its exit code as `subprocess` has it; None where nobody has seen it.

        Raises:
            subprocess.TimeoutExpired: it lives after `timeout` seconds.
        """

    def kill(self) -> None:
        """Kills it with every process it has started. Idempotent; not after `release`."""

    def release(self) -> None:
        """It has ended and nothing more will be asked: its id may be given to another. Idempotent."""


@dataclass(frozen=True, slots=True)
class Started:
    """A running worker and the host's ends of its pipes."""

    process: WorkerProcess
    reading: int
    writing: int
    output: int
    mark: str


@dataclass(frozen=True, slots=True)
class Pipes:
    """Three pipes; of each, one end is the worker's."""

    reading: int
    writing: int
    output: int
    worker_reads: int
    worker_writes: int
    printing: int

    @classmethod
    def open(cls) -> Pipes:
        """Raises: OSError: no more descriptors; none is left open."""
        ends: list[int] = []
        try:
            for _ in range(3):
                ends.extend(os.pipe())
        except OSError:
            _close(ends)
            raise
        return cls(
            reading=ends[2], writing=ends[1], output=ends[4], worker_reads=ends[0], worker_writes=ends[3],
            printing=ends[5],
        )  # fmt: skip

    @property
    def workers(self) -> tuple[int, int, int]:
        return self.worker_reads, self.worker_writes, self.printing

    def close_workers(self) -> None:
        """The worker has its ends."""
        _close(self.workers)

    def close(self) -> None:
        _close((*self.workers, self.reading, self.writing, self.output))


def spawn(interpreter: str) -> Started:
    """Starts `interpreter` as a worker of no project yet, in a session of its own.

    Raises:
        OSError: the interpreter cannot be started.
    """
    pipes = Pipes.open()
    mark = secrets.token_hex(16)
    try:
        process = subprocess.Popen(
            [*command(interpreter), "worker", *_inherited(pipes.worker_reads, pipes.worker_writes)],
            cwd=BOOTSTRAP.parent,
            stdin=subprocess.DEVNULL,
            stdout=pipes.printing,
            stderr=pipes.printing,
            env={**os.environ, MARK: mark},
            **_options(pipes.worker_reads, pipes.worker_writes),
        )
    except BaseException:
        pipes.close()
        raise
    pipes.close_workers()
    return Started(SpawnedProcess(process), pipes.reading, pipes.writing, pipes.output, mark)


def command(interpreter: str) -> list[str]:
    """How the bootstrap is run. Links are not followed: one in an environment stands for that environment."""
    # The process runs in another folder; a relative path is meant from here.
    path = os.path.abspath(interpreter) if os.path.dirname(interpreter) else interpreter  # noqa: PTH100, PTH120
    return [path, "-I", str(BOOTSTRAP)]


class SpawnedProcess:
    """A worker that is a child of this process."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self._process = process

    @property
    def pid(self) -> int:
        return self._process.pid

    def wait(self, timeout: float | None = None) -> int | None:
        return self._process.wait(timeout)

    def kill(self) -> None:
        # Its group outlives it while a child is alive, so the id is not another's; with nobody left nothing is found.
        kill_group(self.pid)
        if self._process.poll() is None:
            self._process.kill()

    def release(self) -> None:
        self._process.poll()


def _close(descriptors: tuple[int, ...] | list[int]) -> None:
    for descriptor in descriptors:
        with contextlib.suppress(OSError):
            os.close(descriptor)


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
