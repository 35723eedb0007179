"""Text synchronisation: the four notifications about open documents, on the stage-1 path for good."""

from __future__ import annotations

from collections.abc import Callable

from adal_ls.server.diagnostics.diagnostics import Diagnostics
from adal_ls.server.documents.documents import Document, Documents, edit, opened
from adal_ls.server.documents.positions import Encoding
from adal_ls.server.transport.rpc import INVALID_PARAMS, Json, RpcError


class TextSync:
    """Keeps `documents` as the editor has them and tells `diagnostics`.

    A change or a close of a document that is not open has no effect: VS Code sends changes of files it never opened
    when it replaces text across files.
    """

    def __init__(
        self,
        documents: Documents,
        diagnostics: Diagnostics,
        encoding: Encoding,
        *,
        opened: Callable[[Document], None],
        saved: Callable[[Document], None],
        closed: Callable[[Document], None],
    ) -> None:
        self._documents = documents
        self._diagnostics = diagnostics
        self._encoding = encoding
        self._opened = opened
        self._saved = saved
        self._closed = closed

    def did_open(self, params: Json) -> None:
        item = field(params, "textDocument", dict)
        uri, text = field(item, "uri", str), field(item, "text", str)
        document = opened(uri, _version(item), text)
        before = self._documents.get(uri)
        self._documents.put(document)
        if before is not None:  # opened twice: the newer text is the one the editor shows
            self._diagnostics.changed(document)
        else:
            self._diagnostics.opened(document)
        self._opened(document)

    def did_change(self, params: Json) -> None:
        item = field(params, "textDocument", dict)
        document = self._documents.get(field(item, "uri", str))
        if document is None:
            return
        version = _version(item)
        for change in field(params, "contentChanges", list):
            document = edit(document, version, change, self._encoding)
        self._documents.put(document)
        self._diagnostics.changed(document)

    def did_save(self, params: Json) -> None:
        document = self._documents.get(field(field(params, "textDocument", dict), "uri", str))
        if document is not None:
            self._diagnostics.changed(document)
            self._saved(document)

    def did_close(self, params: Json) -> None:
        document = self._documents.drop(field(field(params, "textDocument", dict), "uri", str))
        if document is not None:
            self._closed(document)
            self._diagnostics.closed(document)


def field(params: Json, name: str, kind: type) -> Json:
    """`params[name]`, which must be a `kind`.

    Raises:
        RpcError: it is not there, or is something else.
    """
    value = params.get(name) if isinstance(params, dict) else None
    if not isinstance(value, kind):
        raise RpcError(INVALID_PARAMS, f"{name} must be a {kind.__name__}")
    return value


def _version(item: Json) -> int | None:
    version = item.get("version")
    return version if isinstance(version, int) else None
