"""The pygls server behind `Dispatcher`. Importing this module costs what importing lsprotocol costs."""

from __future__ import annotations

import asyncio
import contextlib
import inspect
import json
import logging
import sys
from collections.abc import Callable, Iterator
from contextvars import ContextVar
from typing import Any

from lsprotocol import types
from pygls.exceptions import JsonRpcException, JsonRpcRequestCancelled
from pygls.lsp.server import LanguageServer
from pygls.protocol import LanguageServerProtocol

from adal_ls.lint.reading.stopping import stoppable
from adal_ls.server.capabilities import (
    CODE_ACTION_KINDS,
    COMPLETION_TRIGGERS,
    SIGNATURE_RETRIGGERS,
    SIGNATURE_TRIGGERS,
)
from adal_ls.server.documents.snapshot import Snapshot
from adal_ls.server.features.code_action import code_action, code_action_resolve
from adal_ls.server.features.code_lens import code_lens, code_lens_resolve
from adal_ls.server.features.completion import completion
from adal_ls.server.features.definition import definition
from adal_ls.server.features.document_highlight import document_highlight
from adal_ls.server.features.document_symbol import document_symbol
from adal_ls.server.features.folding_range import folding_range
from adal_ls.server.features.hover import hover
from adal_ls.server.features.inlay_hint import inlay_hint
from adal_ls.server.features.references import references
from adal_ls.server.features.refusal import Outdated, Refusal
from adal_ls.server.features.rename import prepare_rename, rename
from adal_ls.server.features.signature_help import signature_help
from adal_ls.server.features.workspace_symbol import workspace_symbol
from adal_ls.server.transport.cancellation import Cancelled
from adal_ls.server.transport.inbox import Release
from adal_ls.server.transport.rpc import INTERNAL_ERROR, INVALID_PARAMS, Id, Json, Message, RpcError
from adal_ls.version import __version__

_snapshot: ContextVar[Snapshot] = ContextVar("snapshot")

Feature = Callable[[Snapshot, Any], Any]

_FEATURES: dict[str, tuple[Feature, Any]] = {
    types.TEXT_DOCUMENT_HOVER: (hover, None),
    types.TEXT_DOCUMENT_COMPLETION: (
        completion,
        types.CompletionOptions(trigger_characters=list(COMPLETION_TRIGGERS)),
    ),
    types.TEXT_DOCUMENT_SIGNATURE_HELP: (
        signature_help,
        types.SignatureHelpOptions(list(SIGNATURE_TRIGGERS), list(SIGNATURE_RETRIGGERS)),
    ),
    types.TEXT_DOCUMENT_DEFINITION: (definition, None),
    types.TEXT_DOCUMENT_REFERENCES: (references, None),
    types.TEXT_DOCUMENT_DOCUMENT_HIGHLIGHT: (document_highlight, None),
    types.TEXT_DOCUMENT_DOCUMENT_SYMBOL: (document_symbol, None),
    types.TEXT_DOCUMENT_FOLDING_RANGE: (folding_range, None),
    types.TEXT_DOCUMENT_INLAY_HINT: (inlay_hint, None),
    types.TEXT_DOCUMENT_CODE_LENS: (code_lens, None),
    types.CODE_LENS_RESOLVE: (code_lens_resolve, None),
    types.TEXT_DOCUMENT_CODE_ACTION: (
        code_action,
        types.CodeActionOptions(code_action_kinds=list(CODE_ACTION_KINDS), resolve_provider=True),
    ),
    types.CODE_ACTION_RESOLVE: (code_action_resolve, None),
    types.TEXT_DOCUMENT_PREPARE_RENAME: (prepare_rename, None),
    types.TEXT_DOCUMENT_RENAME: (rename, None),
    types.WORKSPACE_SYMBOL: (workspace_symbol, None),
}
"""Method → what answers it, and what is registered with it. `capabilities.TYPED_METHODS` are the same."""


class _Protocol(LanguageServerProtocol):
    """pygls' protocol with its answers handed to us, without the traceback it puts into errors."""

    deliver: Callable[[Id, bytes], None] | None = None

    def task(self, key: Id) -> asyncio.Future[Any] | None:
        """What answers request `key`, if that takes turns with other work."""
        task = self._request_futures.get(key)
        return task if isinstance(task, asyncio.Future) else None

    def _send_data(self, data: Any) -> None:
        if self.deliver is not None:
            self.deliver(data.id, json.dumps(data, default=self._serialize_message).encode())

    def _send_response(self, msg_id: Id, result: Any | None = None, error: types.ResponseError | None = None) -> None:
        if error is not None:
            # Both can quote the document, and the trace holds paths.
            error.data = None
            if error.code == INTERNAL_ERROR:
                error.message = "internal error; the log says where"
        super()._send_response(msg_id, result, error)


class TypedServer(LanguageServer):
    """Typed requests in, encoded answers out. Lives on the dispatcher's thread."""

    protocol: _Protocol

    @classmethod
    def start(
        cls, initialize: Json, deliver: Callable[[Id, bytes], None], fault: Callable[[str, BaseException], None]
    ) -> TypedServer:
        """A server that has been through `initialize`, with all features registered."""
        # pygls writes bodies of messages to its log.
        logging.getLogger("pygls").setLevel(logging.CRITICAL + 1)
        server = cls("adal-ls", __version__, protocol_cls=_Protocol)
        server._fault = fault
        server._register()
        if server.handle_untyped("initialize", initialize) is not None:
            # A client with a malformed field in its capabilities; ours were read without pygls.
            server.handle_untyped("initialize", {"processId": None, "rootUri": None, "capabilities": {}})
        server.protocol.deliver = deliver
        return server

    _fault: Callable[[str, BaseException], None]

    def handle(self, message: Message, snapshot: Snapshot, done: Release) -> RpcError | None:
        """Has `message` answered, now or later, and calls `done` after; or returns the error to answer with."""
        try:
            # The top object alone: as an object hook, as pygls uses it, any nested key "jsonrpc" makes it a message.
            structured = self.protocol.structure_message({"params": None, **message})
        except JsonRpcException:
            return RpcError(INVALID_PARAMS, f"invalid params for {message['method']}")
        token = _snapshot.set(snapshot)
        try:
            self.protocol.handle_message(structured)
        finally:
            _snapshot.reset(token)
        task = self.protocol.task(message["id"])
        if task is None:
            done()
        else:
            task.add_done_callback(lambda _: done())
        return None

    def stop(self, key: Id) -> None:
        """Cancels the task of an asynchronous feature that answers request `key`, if one does."""
        task = self.protocol.task(key)
        if task is not None:
            task.cancel()

    def close(self, loop: asyncio.AbstractEventLoop) -> None:
        """Ends the loop that this server ran on, with the tasks that are left on it."""
        tasks = asyncio.all_tasks(loop)
        for task in tasks:
            task.cancel()
        if tasks:
            loop.run_until_complete(asyncio.gather(*tasks, return_exceptions=True))
        loop.close()

    def handle_untyped(self, method: str, params: Json) -> JsonRpcException | None:
        """Handles a request whose answer nobody waits for."""
        try:
            message = {"jsonrpc": "2.0", "id": 0, "method": method, "params": params}
            self.protocol.handle_message(self.protocol.structure_message(message))
        except JsonRpcException as fault:
            return fault
        return None

    def report_server_error(self, error: Exception, source: Any) -> None:  # noqa: ARG002 - pygls' signature
        """Logs where a feature failed. pygls would put a message box on the screen, one per keystroke."""
        if not isinstance(error, Refusal | Outdated | JsonRpcRequestCancelled):
            self._fault("a typed request", sys.exc_info()[1] or error)

    def _register(self) -> None:
        for method, (answer, options) in _FEATURES.items():
            self.feature(method, options)(_on_snapshot(answer))


def _on_snapshot(answer: Feature) -> Callable[[Any], Any]:
    if inspect.iscoroutinefunction(answer):

        async def wait(params: Any) -> Any:
            with _stoppable(_snapshot.get()) as snapshot:
                return await answer(snapshot, params)

        return wait

    def handle(params: Any) -> Any:
        with _stoppable(_snapshot.get()) as snapshot:
            return answer(snapshot, params)

    return handle


@contextlib.contextmanager
def _stoppable(snapshot: Snapshot) -> Iterator[Snapshot]:
    """Ends the work inside this context soon after the request was taken back, or before it is begun."""
    try:
        snapshot.cancellation.check()
        with stoppable(snapshot.cancellation.check):
            yield snapshot
        snapshot.cancellation.check()  # an answer that nobody wants need not be encoded
    except Cancelled:
        raise JsonRpcRequestCancelled from None
