"""Ctrl-C and SIGTERM while a run goes on: the first cancels it, the second ends this process."""

from __future__ import annotations

import asyncio
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

SIGNALS = (signal.SIGINT, signal.SIGTERM)


@contextmanager
def interrupts(first: Callable[[int], None], second: Callable[[int], None]) -> Iterator[None]:
    """Calls `first` with the first signal that comes, on the loop, and `second` with every later one."""
    loop = asyncio.get_running_loop()
    came: list[int] = []
    before = {number: signal.getsignal(number) for number in SIGNALS}

    def hear(number: int) -> None:
        came.append(number)
        (first if len(came) == 1 else second)(number)

    for number in SIGNALS:
        if sys.platform == "win32":
            signal.signal(number, lambda came, _: loop.call_soon_threadsafe(hear, came))
        else:
            loop.add_signal_handler(number, hear, number)
    try:
        yield
    finally:
        for number in SIGNALS:
            if sys.platform != "win32":
                loop.remove_signal_handler(number)
            signal.signal(number, before[number])
