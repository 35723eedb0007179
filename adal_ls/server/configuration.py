"""The settings in force: from `initializationOptions`, then from the editor's configuration as it changes.

Those of lint can stand in a pyproject.toml too.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from adal_ls.server import settings
from adal_ls.server.log import Log
from adal_ls.server.settings import Settings
from adal_ls.server.transport.rpc import Answer, Connection, Json
from adal_ls.workspace import pyproject

if TYPE_CHECKING:
    from adal_ls.lint import Config

Changed = Callable[[Settings, Settings], None]
"""Called with the settings before and after a change."""


class Configuration:
    """Asks a client that can be asked (`workspace/configuration`), and takes what the others send."""

    def __init__(self, editor: Connection, log: Log, options: Json, *, asks: bool, changed: Changed) -> None:
        self._editor = editor
        self._log = log
        self._asks = asks
        self._changed = changed
        self._lint: dict[str, Config] = {}
        self._told: set[str] = set()
        self._misread: set[str] = set()
        self.settings = Settings()
        self._take(options)

    def ask(self) -> None:
        """Asks for the section `adal`, if the client can be asked."""

        def answered(answer: Answer) -> None:
            values = answer.result
            if answer.error is None and isinstance(values, list) and values:
                self._apply(values[0])

        if self._asks:
            self._editor.request("workspace/configuration", {"items": [{"section": "adal"}]}, answered)

    def did_change(self, params: Json) -> None:
        """`workspace/didChangeConfiguration`."""
        given = params.get("settings") if isinstance(params, dict) else None
        if self._asks:
            self.ask()
        elif isinstance(given, dict):
            self._apply(given.get("adal"))

    def lint(self, root: str) -> Config:
        """What lint is configured to in the project at `root`: by the settings, then by its pyproject.toml.

        What cannot be read of either is told in the log, once, and left out.
        """
        if root not in self._lint:
            self._lint[root] = self._read_lint(root)
        return self._lint[root]

    def forget_files(self) -> None:
        """A pyproject.toml changed: they are read again when they are next asked for."""
        self._lint.clear()

    def _read_lint(self, root: str) -> Config:
        from adal_ls import lint  # after `initialize` is answered
        from adal_ls.lint.settings.pyproject import merge

        found = pyproject.find(root)
        for complaint in found.complaints:
            self._complain(complaint)
        try:
            return lint.Config.parse(merge(found.settings.values, self.settings.lint))
        except ValueError as fault:
            self._complain(f"setting lint: {fault}")
            return lint.Config.parse(found.settings.values)

    def _complain(self, complaint: str) -> None:
        if complaint not in self._told:
            self._told.add(complaint)
            self._log.write("warning", complaint)

    def _apply(self, given: Json) -> None:
        before = self.settings
        self._take(given)
        if self.settings != before:
            self._lint.clear()
            self._told.clear()
            self._changed(before, self.settings)

    def _take(self, given: Json) -> None:
        self.settings, complaints = settings.read(given, self.settings)
        for complaint in complaints:
            if complaint not in self._misread:  # editors send all settings again with each change
                self._misread.add(complaint)
                self._log.write("warning", complaint)
        if isinstance(given, dict):
            self._log.set_level(given.get("logLevel"))
