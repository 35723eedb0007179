"""Health of the server, and whether something still loads: by `adal/status`, and by progress where work is long."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable
from typing import Literal

from adal_ls.protocol import methods
from adal_ls.server.progress import Progress
from adal_ls.server.transport.rpc import Connection, Json
from adal_ls.version import __version__

Health = Literal["ok", "warning", "error"]

SHOWN_AFTER = 1.0
"""Seconds after which background work is shown as progress; most of it is over by then."""


class StatusReport:
    """Tells clients that know `adal/*` when the status becomes another one; others see progress at most."""

    def __init__(
        self,
        editor: Connection,
        post: Callable[[Callable[[], None]], None],
        *,
        wanted: bool,
        progress: Callable[[str], Progress] | None,
    ) -> None:
        """`progress` makes a progress of a title; None where the client has none."""
        self._editor = editor
        self._post = post
        self._wanted = wanted
        self._new_progress = progress
        self._progress: dict[str, Progress] = {}
        self._sent: dict[str, Json] = {}
        self._busy: set[str] = set()
        self._trouble: dict[str, tuple[Health, str]] = {}
        self._python = sys.executable

    def busy(self, task: str, *, on: bool) -> None:
        """Background work named `task` began or ended."""
        if on and task not in self._busy:
            self._busy.add(task)
            if self._new_progress is not None:
                timer = threading.Timer(SHOWN_AFTER, lambda: self._post(lambda: self._show(task)))
                timer.daemon = True
                timer.start()
        elif not on:
            self._busy.discard(task)
            if task in self._progress:
                self._progress.pop(task).end()
        self.send()

    def report(self, task: str, text: str) -> None:
        """How far `task` is, for where it is shown."""
        if task in self._progress:
            self._progress[task].report(text)

    def _show(self, task: str) -> None:
        if task in self._busy and task not in self._progress and self._new_progress is not None:
            self._progress[task] = self._new_progress(f"AdaL: {task}")

    def trouble(self, part: str, health: Health, message: str) -> None:
        """`part` does not work as it should; `clear` ends it."""
        self._trouble[part] = (health, message)
        self.send()

    def clear(self, part: str) -> None:
        if self._trouble.pop(part, None) is not None:
            self.send()

    def python(self, version: str) -> None:
        """The interpreter that runs the tools, once the host told."""
        self._python = version
        self.send()

    def send(self) -> None:
        """Sends the status if it differs from what the client has."""
        status: dict[str, Json] = {
            "health": "ok",
            "quiescent": not self._busy,
            "version": __version__,
            "python": self._python,
        }
        if self._trouble:
            worst = sorted(self._trouble.values(), key=lambda entry: entry[0] != "error")[0]
            status["health"], status["message"] = worst
        if self._wanted and status != self._sent:
            self._sent = status
            self._editor.notify(methods.STATUS, status)
