"""Checks many files: on all cores where that is quicker, always in the order in which they were named."""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from multiprocessing.process import BaseProcess

from adal_ls import lint
from adal_ls.cli import sources
from adal_ls.cli.sources import Source
from adal_ls.workspace import disk

_METHOD = "fork" if sys.platform == "linux" else "spawn"
"""A forked process has all imports done; on other systems a fork is not safe."""

WORTH_PROCESSES = 150_000 if _METHOD == "fork" else 1_500_000
"""Bytes of tools files that take longer to check than processes take to start: about 1 ms a kB."""

_PER_CALL = 8
"""Files handed to a process at once: enough that handing over costs nothing, few enough that all end together."""


@dataclass(frozen=True, slots=True)
class Task:
    """A file to check, and how."""

    path: str
    config: lint.Config

    def run(self) -> Source:
        return sources.read(self.path, self.config)


def check(tasks: Sequence[Task], done: Callable[[int], None]) -> list[Source]:
    """The files of `tasks` with their findings, in that order. `done` hears how many are finished."""
    found: list[Source] = []
    for source in _in_processes(tasks) if _pays(tasks) else (task.run() for task in tasks):
        found.append(source)
        done(len(found))
    return found


def _pays(tasks: Sequence[Task]) -> bool:
    return len(tasks) > 1 and cores() > 1 and sum(map(_size, tasks)) > WORTH_PROCESSES


def cores() -> int:
    """How many processors this process may use."""
    return len(os.sched_getaffinity(0)) if sys.platform == "linux" else os.cpu_count() or 1


def _size(task: Task) -> int:
    try:
        return min(os.stat(task.path).st_size, disk.MAX_BYTES)  # noqa: PTH116 - of many files
    except OSError:
        return 0


def _in_processes(tasks: Sequence[Task]) -> Iterator[Source]:
    """Files that a process died of are checked once more, one at a time, until the one it dies of is known.

    That one becomes a finding: no file is left out without a word.
    """
    waiting = list(tasks)
    workers, per_call = min(cores(), len(waiting)), _PER_CALL
    while waiting:
        finished = 0
        with _pool(workers) as pool, suppress(BrokenProcessPool):
            try:
                with _uninterrupted():
                    results = pool.map(Task.run, waiting, chunksize=per_call)
                for source in results:
                    finished += 1
                    yield source
            except BaseException:
                for process in multiprocessing.active_children():
                    process.kill()  # what they are at is not wanted any more, and can take long
                raise
        waiting = waiting[finished:]
        if waiting and workers == 1:
            yield _died(waiting.pop(0))
        workers = per_call = 1


def _pool(workers: int) -> ProcessPoolExecutor:
    return ProcessPoolExecutor(workers, multiprocessing.get_context(_METHOD), _begin)


@contextmanager
def _uninterrupted() -> Iterator[None]:
    """Holds Ctrl-C back while processes are forked: Python forgets one that comes in the middle of a fork."""
    if sys.platform == "win32":
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _begin() -> None:
    """In each process: Ctrl-C is the parent's to answer, and none outlives it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    parent = multiprocessing.parent_process()
    if parent is not None:
        threading.Thread(target=_end_with, args=(parent,), daemon=True).start()


def _end_with(parent: BaseProcess) -> None:
    parent.join()
    os._exit(1)


def _died(task: Task) -> Source:
    reason = "the process that checked this file died (out of memory, or a fault of Python itself)"
    return Source(task.path, "", disk.unreadable(reason).faults, readable=False)
