"""Where the server speaks to the person who looks for a fault: the client's log, and stderr for crashes.

No text of a document, argument or answer ever goes in here: logs get pasted into public reports. Of the settings
only what stands in place of a lint key, code or severity, and cannot be read, is quoted.
"""

from __future__ import annotations

import sys
from typing import Literal

from adal_ls.server.rpc import Connection

Level = Literal["error", "warning", "info", "debug"]

_TYPES: dict[str, int] = {"error": 1, "warning": 2, "info": 3, "debug": 4}  # LSP MessageType


class Log:
    """Messages for the client's output channel (`window/logMessage`), which knows levels; stderr does not."""

    def __init__(self, editor: Connection, level: Level = "info") -> None:
        self._editor = editor
        self._limit = _TYPES[level]
        self._shown: set[str] = set()

    def set_level(self, level: object) -> None:
        """Takes the setting `logLevel`; another value than the four levels changes nothing."""
        if isinstance(level, str):
            self._limit = _TYPES.get(level, self._limit)

    def write(self, level: Level, text: str) -> None:
        if _TYPES[level] <= self._limit:
            self._editor.notify("window/logMessage", {"type": min(_TYPES[level], 4), "message": text})

    def show_once(self, kind: str, text: str) -> None:
        """A message box for a fault the person must act on: once per kind in a session, however often it occurs."""
        if kind not in self._shown:
            self._shown.add(kind)
            self._editor.notify("window/showMessage", {"type": _TYPES["error"], "message": text})

    def fault(self, where: str, error: BaseException) -> None:
        """A fault of our own: its kind and its places in the code. Its text may quote a document, so it is left out."""
        import traceback  # costs some milliseconds, and no fault may ever come

        places = traceback.extract_tb(error.__traceback__)
        trail = " < ".join(f"{place.name}:{place.lineno}" for place in reversed(places[-6:]))
        text = f"internal fault in {where}: {type(error).__name__} at {trail}"
        sys.stderr.write(f"adal-ls: {text}\n")
        self.write("error", text)
