"""Requests that wait until the server knows enough to answer them, each still answered exactly once."""

from __future__ import annotations

from collections.abc import Callable

from adal_ls.server.diagnostics.diagnostics import Diagnostics
from adal_ls.server.diagnostics.workspace_lint import WorkspaceLint
from adal_ls.server.files import Files
from adal_ls.server.log import Log
from adal_ls.server.transport.rpc import INTERNAL_ERROR, Connection, Id, Json, RpcError

Request = Callable[[Id, Json], None]


def uri_of(method: str, params: Json) -> str | None:
    """The document that a request is about. What is to be resolved has none of its own: its data names it."""
    document = (
        params.get("data" if method.endswith("/resolve") else "textDocument") if isinstance(params, dict) else None
    )
    uri = document.get("uri") if isinstance(document, dict) else None
    return uri if isinstance(uri, str) else None


class HeldBack:
    """Wraps what answers a request. One that is taken back while it waits is never begun."""

    def __init__(
        self, editor: Connection, files: Files, lint: WorkspaceLint, diagnostics: Diagnostics, log: Log
    ) -> None:
        self._editor = editor
        self._files = files
        self._lint = lint
        self._diagnostics = diagnostics
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

    def until_read(self, method: str, request: Request) -> Request:
        """`request` of a method, held back until the document is read that it is about."""

        def run(key: Id, params: Json) -> None:
            uri = uri_of(method, params)
            if uri is not None and self._diagnostics.is_being_read(uri):
                self._diagnostics.when_read(uri, self._guarded(lambda: request(key, params), key))
            else:
                request(key, params)

        return run

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
                self._log.fault("a request that waited", fault)
                self._editor.refuse(key, RpcError(INTERNAL_ERROR, "internal error; the log says where"))

        return run
