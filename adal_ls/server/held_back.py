"""Requests that wait until the server knows enough to answer them, each still answered exactly once."""

from __future__ import annotations

from collections.abc import Callable

from adal_ls.server.files import Files
from adal_ls.server.log import Log
from adal_ls.server.rpc import INTERNAL_ERROR, Connection, Id, Json, RpcError
from adal_ls.server.workspace_lint import WorkspaceLint

Request = Callable[[Id, Json], None]


class HeldBack:
    """Wraps what answers a request. One that is taken back while it waits is never begun."""

    def __init__(self, editor: Connection, files: Files, lint: WorkspaceLint, log: Log) -> None:
        self._editor = editor
        self._files = files
        self._lint = lint
        self._log = log

    def until_found(self, request: Request) -> Request:
        """`request`, held back until it is known which projects there are (some milliseconds after the start)."""

        def run(key: Id, params: Json) -> None:
            self._files.when_ready(self._guarded(lambda: request(key, params), key))

        return run

    def until_linted(self, request: Request) -> Request:
        """`request`, held back until lint has been through all projects."""
        return self.until_found(
            lambda key, params: self._lint.when_done(key, self._guarded(lambda: request(key, params), key))
        )

    def _guarded(self, answer: Callable[[], None], key: Id) -> Callable[[], None]:
        """`answer`, which comes later than the request: whatever goes wrong in it, request `key` is answered."""

        def run() -> None:
            if not self._editor.owes(key):
                return
            try:
                answer()
            except RpcError as error:
                self._editor.refuse(key, error)
            except Exception as fault:  # noqa: BLE001 - the boundary that owns it: exactly one answer
                self._log.fault("a request that waited for the projects", fault)
                self._editor.refuse(key, RpcError(INTERNAL_ERROR, "internal error; the log says where"))

        return run
