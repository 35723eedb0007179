"""Lint that takes long can be stopped by whoever runs it: between two statements of the file it looks up. Or it is done
in steps, as a generator, with other things in between.

Lint itself knows no threads and no requests. Where nothing was said by `stoppable`, looking up has no effect.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TypeVar

T = TypeVar("T")

_check: ContextVar[Callable[[], None] | None] = ContextVar("check", default=None)


@contextmanager
def stoppable(check: Callable[[], None]) -> Iterator[None]:
    """Calls `check` again and again during lint inside this context; what it raises ends the work."""
    token = _check.set(check)
    try:
        yield
    finally:
        _check.reset(token)


def look_up() -> None:
    """Called by lint between two statements."""
    check = _check.get()
    if check is not None:
        check()


def finished(steps: Generator[None, None, T]) -> T:
    """What steps give that are done one after the other, with nothing in between."""
    try:
        while True:
            next(steps)
    except StopIteration as end:
        result: T = end.value
        return result
