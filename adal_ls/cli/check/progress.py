"""How far a check is, at a terminal, when it takes longer than a moment."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import click

from adal_ls.cli.output import is_terminal, printable

_MOMENT = 0.5
_STEP = 0.1


@contextmanager
def progress(total: int, what: str = "Checking", large: str | None = None) -> Iterator[Callable[[int], None]]:
    """Gives what is to be called with how many of `total` files are done. Nothing is shown where nobody looks on.

    `large` is the one file, where it takes longer than a moment by itself.
    """
    if not is_terminal(sys.stderr) or (total < 2 and large is None):
        yield _nothing
        return
    if total < 2:
        from rich.cells import cell_len

        line = printable(f"{what} {large} …")
        click.echo(line, err=True, nl=False)
        try:
            yield _nothing
        finally:
            click.echo(f"\r{' ' * cell_len(line)}\r", err=True, nl=False)
        return
    bar = _Bar(total, what)
    try:
        yield bar.done
    finally:
        bar.end()


def _nothing(done: int) -> None:
    del done


class _Bar:
    """A bar on standard error that is gone when the work is. It is drawn by whoever tells of progress, on no thread of
    its own: a process with threads cannot be forked safely."""

    def __init__(self, total: int, what: str) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

        self._progress = Progress(
            TextColumn(what),
            BarColumn(),
            MofNCompleteColumn(),
            TextColumn("files"),
            console=Console(stderr=True),
            transient=True,
            auto_refresh=False,
        )
        self._task = self._progress.add_task("", total=total)
        self._shown = False
        self._next = time.monotonic() + _MOMENT

    def done(self, count: int) -> None:
        now = time.monotonic()
        if now < self._next:
            return
        self._next = now + _STEP
        if not self._shown:
            self._progress.start()
            self._shown = True
        self._progress.update(self._task, completed=count, refresh=True)

    def end(self) -> None:
        if self._shown:
            self._progress.stop()
