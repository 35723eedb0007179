"""`adal/status`: health of the server, and whether something still loads."""

from __future__ import annotations

import sys
from typing import Literal

from adal_ls.protocol import methods
from adal_ls.server.rpc import Connection, Json
from adal_ls.version import __version__

Health = Literal["ok", "warning", "error"]


class StatusReport:
    """Tells clients that know `adal/*` when the status becomes another one. Silent towards all others."""

    def __init__(self, editor: Connection, *, wanted: bool) -> None:
        self._editor = editor
        self._wanted = wanted
        self._sent: dict[str, Json] = {}
        self._busy: set[str] = set()
        self._trouble: dict[str, tuple[Health, str]] = {}
        self._python = sys.executable

    def busy(self, task: str, *, on: bool) -> None:
        """Background work named `task` began or ended."""
        if on:
            self._busy.add(task)
        else:
            self._busy.discard(task)
        self.send()

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
