"""How long what a provider describes is in use."""

from __future__ import annotations

from collections.abc import Awaitable, Callable


class Lifetime:
    """Lasts until its provider is disposed; whoever serves what the provider describes hears of the end."""

    def __init__(self) -> None:
        self.over = False
        self._at_end: list[Callable[[], Awaitable[None]]] = []

    def at_end(self, close: Callable[[], Awaitable[None]]) -> None:
        """`close` is awaited at the end, once however often it is given. It must not raise."""
        if close not in self._at_end:
            self._at_end.append(close)

    async def end(self) -> None:
        """A second time does nothing."""
        self.over = True
        waiting, self._at_end = self._at_end, []
        for close in waiting:
            await close()
