"""Text that comes in small pieces, passed on in larger ones."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

_PIECE = 64 * 1024  # characters, up to six times as many bytes in JSON; a message stays under 1 MB
_BATCH = 0.02  # seconds; one event, and one editor update, for all text that arrives meanwhile


class TextBatch:
    """Collects text and passes it on every 20 ms; `text` is all of it.

    What passing on raises, a store that is full for one, is raised by the next `check` or `flush`: by then nobody is
    told anything any more.
    """

    def __init__(self, pass_on: Callable[[str], None]) -> None:
        self._all: list[str] = []
        self._held: list[str] = []
        self._pass_on = pass_on
        self._timer: asyncio.TimerHandle | None = None
        self._fault: Exception | None = None

    @property
    def text(self) -> str:
        return "".join(self._all)

    def add(self, text: str) -> None:
        if not text:
            return
        # Nobody can mean half a surrogate pair, and neither JSON nor a database takes one.
        clean = text.encode("utf-8", "replace").decode()
        self._all.append(clean)
        self._held.append(clean)
        if self._timer is None:
            self._timer = asyncio.get_running_loop().call_later(_BATCH, self._on_time)

    def check(self) -> None:
        """
        Raises:
            Exception: whatever passing on raised before.
        """
        if self._fault is not None:
            raise self._fault

    def flush(self) -> None:
        """Passes on what is held; raises as `check`."""
        self.check()
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if self._held:
            held, self._held = "".join(self._held), []
            for at in range(0, len(held), _PIECE):
                self._pass_on(held[at : at + _PIECE])

    def _on_time(self) -> None:
        try:
            self.flush()
        except Exception as fault:  # noqa: BLE001 - kept for whoever owns the batch; a timer has nobody to tell
            self._fault = fault
