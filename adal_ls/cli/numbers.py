"""Numbers on the command line, refused in words a person uses."""

from __future__ import annotations

import click


class Count(click.IntRange):
    """A whole number from 1 on."""

    name = "whole number"

    def __init__(self) -> None:
        super().__init__(1)


class Amount(click.FloatRange):
    """A number above 0, up to `most`."""

    name = "number"

    def __init__(self, most: float | None = None) -> None:
        super().__init__(0, most, min_open=True)
