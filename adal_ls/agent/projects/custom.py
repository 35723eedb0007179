"""The code of custom tools as the gate and the executor know it: in a worker, or in this process."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

from adal_ls.worker.data import ToolResult


class ToolCaller(Protocol):
    """Calls a tool by its name. Cancelling the call stops the tool, as far as that can be done."""

    async def call(
        self,
        name: str,
        arguments: dict[str, Any],
        *,
        on_print: Callable[[str], None] | None = None,
        on_progress: Callable[[str], None] | None = None,
    ) -> ToolResult: ...


class CustomTools(Protocol):
    """The tools of one run, as they were when it started."""

    async def worker(self) -> ToolCaller:
        """Who calls them, alive.

        Raises:
            ToolsGoneError: they cannot be called any more.
        """
        ...

    def changed_late(self) -> str:
        """What the files hold by now whose code runs only when a tool imports them in a call; empty where they are as
        they were when the tools were loaded. Blocking."""
        ...
