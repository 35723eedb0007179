"""Checks files in several processes, which takes some of them to die, and Ctrl-C to come, without a file being lost."""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager, suppress
from multiprocessing.process import BaseProcess

from adal_ls.cli.check.batch import METHOD, Task
from adal_ls.cli.sources import Source
from adal_ls.workspace import disk

_PER_CALL = 8
"""Files handed to a process at once: enough that handing over costs nothing, few enough that all end together."""


def run(tasks: Sequence[Task], workers: int) -> Iterator[Source]:
    """The files of `tasks` in that order.

    After a process died, the files that are left are checked by one process, so that the file it dies of is known.
    That one becomes a finding: no file is left out without a word.
    """
    waiting = list(tasks)
    per_call = _PER_CALL
    while waiting:
        finished = 0
        with _pool(workers) as pool, suppress(BrokenProcessPool):
            try:
                # Not `pool.map`: it cancels what is left, and the pool's own thread does not survive that and the kill.
                with _uninterrupted():
                    calls = [pool.submit(_run_all, part) for part in _parts(waiting, per_call)]
                for call in calls:
                    for source in call.result():
                        finished += 1
                        yield source
            except BrokenProcessPool:
                raise
            except BaseException:
                for process in multiprocessing.active_children():
                    process.kill()  # what they are at is not wanted any more, and can take long
                raise
        waiting = waiting[finished:]
        if waiting and workers == 1:
            yield _died(waiting.pop(0))
        workers = per_call = 1


def _parts(tasks: Sequence[Task], size: int) -> Iterator[Sequence[Task]]:
    yield from (tasks[start : start + size] for start in range(0, len(tasks), size))


def _run_all(tasks: Sequence[Task]) -> list[Source]:
    return [task.run() for task in tasks]


def _pool(workers: int) -> ProcessPoolExecutor:
    return ProcessPoolExecutor(workers, multiprocessing.get_context(METHOD), _begin)


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
