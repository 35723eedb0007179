"""Checks many files: on all cores where that is quicker, always in the order in which they were named."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Generator, Sequence
from contextlib import closing
from dataclasses import dataclass

from adal_ls import lint
from adal_ls.cli import sources
from adal_ls.cli.sources import Source
from adal_ls.workspace import disk

METHOD = "fork" if sys.platform == "linux" else "spawn"
"""A forked process has all imports done; on other systems a fork is not safe."""

WORTH_PROCESSES = 150_000 if METHOD == "fork" else 1_500_000
"""Bytes of tools files that take longer to check than processes take to start: about 1 ms a kB."""

LARGE = 300_000
"""Bytes of one file that take longer to check than a person waits without a sign of life."""


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
    with closing(_run(tasks)) as sources_found:
        for source in sources_found:
            found.append(source)
            done(len(found))
    return found


def _run(tasks: Sequence[Task]) -> Generator[Source, None, None]:
    if _pays(tasks):
        from adal_ls.cli.check import processes  # only this pays for the import

        yield from processes.run(tasks, min(cores(), len(tasks)))
    else:
        yield from (task.run() for task in tasks)


def _pays(tasks: Sequence[Task]) -> bool:
    return len(tasks) > 1 and cores() > 1 and sum(map(_size, tasks)) > WORTH_PROCESSES


def large(tasks: Sequence[Task]) -> str | None:
    """The one file to check, where that takes longer than a moment."""
    return tasks[0].path if len(tasks) == 1 and _size(tasks[0]) > LARGE else None


def cores() -> int:
    """How many processors this process may use."""
    return len(os.sched_getaffinity(0)) if sys.platform == "linux" else os.cpu_count() or 1


def _size(task: Task) -> int:
    try:
        return min(os.stat(task.path).st_size, disk.MAX_BYTES)  # noqa: PTH116 - of many files
    except OSError:
        return 0
