"""Colours and other codes for a terminal: none where `TERM` is `dumb`, no colours where `NO_COLOR` is set.

Source: https://no-color.org. Bold is no colour. Tables and bars are rich's, which heeds both by itself.
"""

from __future__ import annotations

import os

import click


def knows_codes() -> bool:
    """Whether the person's terminal can do more than lines of text."""
    return os.environ.get("TERM") != "dumb"


def bold(text: str, colour: str | None = None) -> str:
    """`text` to stand out, in one of click's colours; click takes the codes away where no terminal is."""
    if not knows_codes():
        return text
    return click.style(text, fg=None if os.environ.get("NO_COLOR") else colour, bold=True)


def clear() -> None:
    """Empties the screen, where it can be emptied."""
    if knows_codes():
        click.clear()
