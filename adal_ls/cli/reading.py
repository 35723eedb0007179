"""Lines from the terminal: read on the loop, so that waiting for a person can be cancelled."""

from __future__ import annotations

import asyncio
import contextlib
import os
import sys
import threading
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Protocol

import click

from adal_ls.cli.output import printable


class Reader(Protocol):
    """Where a person's answers come from."""

    async def line(self, prompt: str) -> str | None:
        """One line without its end, None at the end of input; what was typed before `prompt` is no part of it."""

    def lent(self) -> AbstractAsyncContextManager[None]:
        """The terminal is another program's meanwhile."""


class TerminalReader:
    """Standard input, with questions on standard error."""

    async def line(self, prompt: str) -> str | None:
        _forget_typed()
        click.echo(printable(prompt), nl=False, err=True)
        line = await (_line_in_thread() if sys.platform == "win32" else _line_when_ready())
        return None if not line else line.strip()

    def lent(self) -> AbstractAsyncContextManager[None]:
        return kept_settings()


@asynccontextmanager
async def kept_settings() -> AsyncIterator[None]:
    """The terminal has the settings again afterwards that it had, however the other program left it."""
    if sys.platform == "win32":
        yield
        return
    import termios

    try:
        settings = termios.tcgetattr(sys.stdin.fileno())
    except termios.error:  # not a terminal
        yield
        return
    try:
        yield
    finally:
        termios.tcsetattr(sys.stdin.fileno(), termios.TCSADRAIN, settings)


def _forget_typed() -> None:
    """Drops what was typed before the question was shown: it cannot be an answer to it."""
    if sys.platform != "win32":
        import termios

        with contextlib.suppress(termios.error):  # not a terminal, as in tests
            termios.tcflush(sys.stdin.fileno(), termios.TCIFLUSH)


async def _line_when_ready() -> str:
    # A thread that waits in `read` could not be cancelled, and would hold the process at its end.
    loop = asyncio.get_running_loop()
    descriptor = sys.stdin.fileno()
    typed = bytearray()
    while not typed.endswith(b"\n"):
        ready = asyncio.Event()
        loop.add_reader(descriptor, ready.set)
        try:
            await ready.wait()
        finally:
            loop.remove_reader(descriptor)
        chunk = os.read(descriptor, 4096)
        if not chunk:
            break
        typed += chunk
    return typed.decode(sys.stdin.encoding or "utf-8", "replace")


async def _line_in_thread() -> str:
    loop = asyncio.get_running_loop()
    line: asyncio.Future[str] = loop.create_future()

    def give(text: str) -> None:
        if not line.cancelled():
            line.set_result(text)

    def read() -> None:
        text = sys.stdin.readline()
        # The loop may be closed by the time somebody presses Enter.
        with contextlib.suppress(RuntimeError):
            loop.call_soon_threadsafe(give, text)

    threading.Thread(target=read, name="read the terminal", daemon=True).start()
    return await line
