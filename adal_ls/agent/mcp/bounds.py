"""How much of an MCP server is listened to beside its answers."""

from __future__ import annotations

import time
from collections.abc import Callable

from adal_ls.agent.approvals.visible import visible

_MOST_UNASKED, _UNASKED_A_SECOND = 5000, 500
"""Messages that answer nothing (notifications, requests of the server, lines that are no messages): at once, and how
many more each second."""

_MOST_PROGRESS = 64 * 1024
"""Characters of what a server says about one call that goes on."""


class Budget:
    """How many messages that nobody asked for are taken: some at once, and fewer in the long run."""

    def __init__(self) -> None:
        self._left = float(_MOST_UNASKED)
        self._since = time.monotonic()

    def spend(self) -> bool:
        """One message; whether it was within the budget."""
        now = time.monotonic()
        self._left = min(_MOST_UNASKED, self._left + (now - self._since) * _UNASKED_A_SECOND) - 1
        self._since = now
        return self._left >= 0


class Progress:
    """What a server says about a call that goes on, as text; no more of it than a person can want."""

    def __init__(self, tell: Callable[[str], None]) -> None:
        self._tell = tell
        self._told = 0

    async def __call__(self, progress: float, total: float | None, message: str | None) -> None:
        done = f"{progress:g}/{total:g}" if total else f"{progress:g}"
        text = f"{done} {visible(message[:2000])}\n" if message else f"{done}\n"
        if self._told <= _MOST_PROGRESS:
            self._told += len(text)
            self._tell(text if self._told <= _MOST_PROGRESS else "… (the rest of its progress is not shown)\n")
