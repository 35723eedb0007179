"""A session without line editing: a pipe, or a terminal that can do no more than lines."""

from __future__ import annotations

import sys
from collections.abc import AsyncIterator

from adal_ls.cli.output import is_terminal
from adal_ls.cli.reading import TerminalReader


async def lines() -> AsyncIterator[str]:
    """What comes on standard input, line by line."""
    if is_terminal(sys.stdin):
        reader = TerminalReader()
        while (line := await reader.line("> ")) is not None:
            if line:
                yield line
        return
    # A pipe has it all: there is nothing to wait for on the loop.
    for text in sys.stdin:
        if text.strip():
            yield text.strip()
