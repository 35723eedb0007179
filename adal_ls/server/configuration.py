"""The settings in force: from `initializationOptions`, then from the editor's configuration as it changes."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from adal_ls.server import settings
from adal_ls.server.log import Log
from adal_ls.server.rpc import Answer, Connection, Json
from adal_ls.server.settings import Settings

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
        self._lint: Config | None = None
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

    def lint(self) -> Config:
        """What lint is configured to; the default where the setting cannot be read, with a complaint in the log."""
        from adal_ls import lint  # after `initialize` is answered

        if self._lint is None:
            try:
                self._lint = lint.Config.parse(self.settings.lint)
            except ValueError as fault:
                self._log.write("warning", f"setting lint: {fault}")
                self._lint = lint.Config()
        return self._lint

    def _apply(self, given: Json) -> None:
        before = self.settings
        self._take(given)
        if self.settings != before:
            self._lint = None
            self._changed(before, self.settings)

    def _take(self, given: Json) -> None:
        self.settings, complaints = settings.read(given, self.settings)
        for complaint in complaints:
            self._log.write("warning", complaint)
        if isinstance(given, dict):
            self._log.set_level(given.get("logLevel"))
