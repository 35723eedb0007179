"""What a run shows to a person while it goes on: one thing at a time, and nothing while a question is open."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import click

from adal_ls.cli.output import is_terminal, printable, say


class Screen:
    """The terminal of a run; a pipe as well, where only plain lines go. Not for threads."""

    def __init__(self) -> None:
        self.watched = is_terminal(sys.stderr)
        """Whether somebody sees standard error."""
        self.streams = self.watched and is_terminal(sys.stdout)
        """Whether the answer is shown as it comes."""
        self._held: list[Callable[[], None]] | None = None
        self._status = ""
        self._line_open = False
        self._quiet_since = time.monotonic()

    def say(self, text: str) -> None:
        """Lines on standard error; later, if a question is open."""

        def draw() -> None:
            self.end_line()
            say(text)

        self._draw(draw)

    def stream(self, text: str) -> None:
        """A piece of the model's text on standard output, where the line is not ended."""

        def draw() -> None:
            self._clear_status()
            click.echo(printable(text), nl=False)
            self._line_open = not text.endswith("\n")

        self._draw(draw)

    def end_line(self) -> None:
        """Ends what was streamed, or the status."""
        self._clear_status()
        if self._line_open:
            click.echo("")
            self._line_open = False

    @contextmanager
    def question(self) -> Iterator[None]:
        """Holds everything back until the person has answered: the question stays the last thing they see."""
        self.end_line()
        self._held = []
        try:
            yield
        finally:
            held, self._held = self._held, None
            self._quiet_since = time.monotonic()
            for draw in held:
                draw()

    def status(self, text: str, after: float) -> None:
        """Shows, in place, what goes on for longer than `after` seconds without any other output."""
        quiet = time.monotonic() - self._quiet_since
        if not self.watched or self._held is not None or self._line_open or quiet < after:
            return
        shown = printable(f"{text} {quiet:.0f} s")
        if shown != self._status:
            padding = " " * max(0, len(self._status) - len(shown))
            click.echo(f"\r{shown}{padding}", err=True, nl=False)
            self._status = shown

    def _draw(self, draw: Callable[[], None]) -> None:
        self._quiet_since = time.monotonic()
        if self._held is None:
            draw()
        else:
            self._held.append(draw)

    def _clear_status(self) -> None:
        if self._status:
            from rich.cells import cell_len

            click.echo(f"\r{' ' * cell_len(self._status)}\r", err=True, nl=False)
            self._status = ""
