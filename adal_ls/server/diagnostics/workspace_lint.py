"""Lint of the tools files that are not open: some at a time, so that the editor is answered in between."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable

from adal_ls.server.status import StatusReport
from adal_ls.server.transport.rpc import REQUEST_CANCELLED, Connection, Id, RpcError

SLICE = 0.02
"""Seconds of lint after which messages of the editor have their turn."""

_TASK = "checking the tools files of the workspace"


class WorkspaceLint:
    """The files whose state on disk is yet to be linted, and the requests that wait until all are.

    For a client that is told of diagnostics all are linted as soon as they are found. For one that asks, nothing is
    linted before a request wants it, and nothing more once that was taken back.
    """

    def __init__(
        self,
        editor: Connection,
        post: Callable[[Callable[[], None]], None],
        lint: Callable[[str], None],
        status: StatusReport,
        *,
        eager: bool,
    ) -> None:
        """`lint` does one file, by its identity. `eager` is what the class says of a client that is told."""
        self._editor = editor
        self._post = post
        self._lint = lint
        self._status = status
        self._eager = eager
        self._due: dict[str, None] = {}  # identities, in the order in which they were found
        self._waiting: dict[Id, Callable[[], None]] = {}
        self._at_work = False

    def add(self, identities: Iterable[str]) -> None:
        """These files were found, or are to be linted anew."""
        self._due.update(dict.fromkeys(identities))
        self._go_on()

    def settled(self, identity: str) -> None:
        """The file was linted by other means, or is gone."""
        self._due.pop(identity, None)

    def need(self, identity: str) -> None:
        """Lints one file now if it was not: somebody asks for it."""
        if identity in self._due:
            del self._due[identity]
            self._lint(identity)

    def when_done(self, key: Id, action: Callable[[], None]) -> None:
        """Runs `action`, which answers request `key`, once all files are linted. A cancelled request drops out."""
        if not self._due:
            action()
            return

        def take_back() -> None:
            self._waiting.pop(key, None)
            self._editor.refuse(key, RpcError(REQUEST_CANCELLED, "cancelled"))

        self._waiting[key] = action
        self._editor.when_cancelled(key, take_back)
        self._go_on()

    def stop(self) -> None:
        """The session is over."""
        self._due.clear()
        self._waiting.clear()

    def _go_on(self) -> None:
        wanted = bool(self._due) and (self._eager or bool(self._waiting))
        if wanted and not self._at_work:
            self._at_work = True
            self._status.busy(_TASK, on=True)
            self._post(self._slice)

    def _slice(self) -> None:
        until = time.monotonic() + SLICE
        try:
            while self._due and (self._eager or self._waiting):
                identity = next(iter(self._due))
                del self._due[identity]  # first: a fault in one file must not come again and again
                self._lint(identity)
                if time.monotonic() > until:
                    break
        finally:
            self._after_slice()

    def _after_slice(self) -> None:
        if self._due and (self._eager or self._waiting):
            self._status.report(_TASK, f"{len(self._due)} to go")
            self._post(self._slice)
            return
        self._at_work = False
        self._status.busy(_TASK, on=False)
        if not self._due:
            waiting, self._waiting = self._waiting, {}
            for action in waiting.values():
                self._post(action)  # each on its own: a fault in one must not leave the others unanswered
