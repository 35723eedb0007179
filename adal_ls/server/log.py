"""Where the server speaks to the person who looks for a fault: the client's log, a file, and stderr for crashes.

No text of a document, argument or answer ever goes in here: logs get pasted into public reports. Of the settings
only what stands in place of a lint key, code or severity, and cannot be read, is quoted.
"""

from __future__ import annotations

import os
import sys
import time
from typing import IO, Literal

from adal_ls.server.transport.rpc import Connection, Json, Message

Level = Literal["error", "warning", "info", "debug"]

_TYPES: dict[str, int] = {"error": 1, "warning": 2, "info": 3, "debug": 4}  # LSP MessageType

_ABOUT_LOGS = frozenset(("window/logMessage", "$/logTrace"))


class Log:
    """Messages for the client's output channel (`window/logMessage`), which knows levels; stderr does not."""

    def __init__(self, editor: Connection, file: str | None = None, level: str | None = None) -> None:
        """`level` pins the level, whatever the settings say; without it the level is `info` until they say another."""
        self._editor = editor
        self._pinned = level is not None
        self._limit = _TYPES[level or "info"]
        self._traced = False
        self._shown: set[str] = set()
        self._file = self._opened(file) if file is not None else None

    def set_level(self, level: object) -> None:
        """Takes the setting `logLevel`; another value than the four levels changes nothing."""
        if isinstance(level, str) and not self._pinned:
            self._limit = _TYPES.get(level, self._limit)

    def set_trace(self, value: object) -> None:
        """Takes LSP's trace value; `messages` and `verbose` mean the same, since bodies are never shown."""
        self._traced = value in ("messages", "verbose")

    def write(self, level: Level, text: str) -> None:
        if _TYPES[level] <= self._limit:
            self._editor.notify("window/logMessage", {"type": min(_TYPES[level], 4), "message": text})
            self._to_file(level, text)

    def show_once(self, kind: str, text: str) -> None:
        """A message box for a fault the person must act on: once per kind in a session, however often it occurs."""
        if kind not in self._shown:
            self._shown.add(kind)
            self._editor.notify("window/showMessage", {"type": _TYPES["error"], "message": text})
            self._to_file("error", text)

    def fault(self, where: str, error: BaseException) -> None:
        """A fault of our own: its kind and its places in the code. Its text may quote a document, so it is left out."""
        import traceback  # costs some milliseconds, and no fault may ever come

        places = traceback.extract_tb(error.__traceback__)
        trail = " < ".join(f"{place.name}:{place.lineno}" for place in reversed(places[-6:]))
        text = f"internal fault in {where}: {type(error).__name__} at {trail}"
        sys.stderr.write(f"adal-ls: {text}\n")
        self.write("error", text)

    @property
    def tracing(self) -> bool:
        """Whether `trace` has any effect; asked first, because it is called for every message."""
        return self._traced or (self._file is not None and self._limit >= _TYPES["debug"])

    def trace(self, direction: Literal["received", "sent"], message: Message, size: int | None = None) -> None:
        """Notes a message: its kind, method and id, and how many bytes it had. To the file, and to a tracing client."""
        method = message.get("method")
        if method in _ABOUT_LOGS:
            return
        text = f"{direction} {_described(method, message)}"
        if size is not None:
            text += f", {size} bytes"
        if self._limit >= _TYPES["debug"]:
            self._to_file("debug", text)
        if self._traced:
            self._editor.notify("$/logTrace", {"message": text})

    def _opened(self, path: str) -> IO[str] | None:
        try:
            file = open(path, "a", encoding="utf-8", errors="backslashreplace", buffering=1)  # noqa: SIM115 - for good
        except OSError as fault:
            sys.stderr.write(f"adal-ls: the log file {path} cannot be written: {fault.strerror}\n")
            return None
        return file

    def _to_file(self, level: Level, text: str) -> None:
        if self._file is None:
            return
        now = time.time()
        stamp = time.strftime("%Y-%m-%dT%H:%M:%S", time.localtime(now))
        try:
            self._file.write(f"{stamp}.{int(now * 1000) % 1000:03d} {os.getpid()} {level} {text}\n")
        except OSError:  # a full disk must not end the session
            self._file = None


def _described(method: Json, message: Message) -> str:
    key = message.get("id")
    name = str(method)[:80] if method is not None else ""
    if method is None:
        return f"{'error' if 'error' in message else 'answer'} ({key})"
    return f"notification {name}" if "id" not in message else f"request {name} ({key})"
