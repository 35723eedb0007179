"""What a run waits for, told at the terminal when it takes longer than a moment."""

from __future__ import annotations

import asyncio

from adal_ls.agent.models import model
from adal_ls.cli.screen import Screen
from adal_ls.protocol.runs import Event, TextEvent, ToolCallEvent, ToolResultEvent

_MOMENT = 1.0  # seconds of silence that nobody wonders about
_STEP = 0.2


class Progress:
    """Follows the events of one run. `tools_loaded` is for the caller to set."""

    def __init__(self, screen: Screen, *, tools_loaded: bool) -> None:
        self._screen = screen
        self._running: dict[str, str] = {}
        self.tools_loaded = tools_loaded

    def event(self, event: Event) -> None:
        if isinstance(event, ToolCallEvent | TextEvent):
            self.tools_loaded = True
        if isinstance(event, ToolCallEvent):
            self._running[event.call_id] = event.tool
        elif isinstance(event, ToolResultEvent):
            self._running.pop(event.call_id, None)

    async def show(self) -> None:
        """Until cancelled."""
        while self._screen.watched:
            self._screen.status(self._words(), after=_MOMENT)
            await asyncio.sleep(_STEP)

    def _words(self) -> str:
        if not self.tools_loaded:
            return "Loading the tools …"
        if self._running:
            return f"Running {', '.join(dict.fromkeys(self._running.values()))} …"
        return "Loading the model layer …" if model.is_loading() else "Waiting for the model …"
