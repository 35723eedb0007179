"""Work-done progress: one bar in a client that has them (LSP, "Work Done Progress")."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

from adal_ls.server.transport.rpc import Answer, Connection, Json, Message


class Progress:
    """One work-done progress. Says nothing before the client agreed to its token (LSP, "Work Done Progress")."""

    def __init__(
        self,
        editor: Connection,
        send_droppable: Callable[[Message], None],
        token: str,
        title: str,
        *,
        cancellable: bool,
    ) -> None:
        self._editor = editor
        self._send_droppable = send_droppable
        self.token = token
        self._title = title
        self._cancellable = cancellable
        self._state: Literal["asked", "begun", "ended"] = "asked"
        self._last = ""
        editor.request("window/workDoneProgress/create", {"token": token}, self._created)

    def report(self, text: str) -> None:
        self._last = text
        if self._state == "begun":
            value = {"kind": "report", "message": text}
            params = {"token": self.token, "value": value}
            self._send_droppable({"jsonrpc": "2.0", "method": "$/progress", "params": params})

    def end(self) -> None:
        if self._state == "begun":
            self._editor.notify("$/progress", {"token": self.token, "value": {"kind": "end"}})
        self._state = "ended"

    def _created(self, answer: Answer) -> None:
        if answer.error is not None or self._state == "ended":
            return
        self._state = "begun"
        value: dict[str, Json] = {"kind": "begin", "title": self._title, "cancellable": self._cancellable}
        if self._last:
            value["message"] = self._last
        self._editor.notify("$/progress", {"token": self.token, "value": value})
