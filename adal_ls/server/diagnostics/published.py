"""What the client was told by `textDocument/publishDiagnostics`, and under which URIs."""

from __future__ import annotations

from collections.abc import Iterable

from adal_ls.server.diagnostics.analysis import Analysis
from adal_ls.server.diagnostics.reported import Reports
from adal_ls.server.documents.documents import Document
from adal_ls.server.transport.rpc import Connection, Json
from adal_ls.workspace import uris


class Published:
    """Pushes the diagnostics of files, and empties what does not hold any more."""

    def __init__(self, editor: Connection, reports: Reports) -> None:
        self._editor = editor
        self._reports = reports
        self._under: dict[str, dict[str, str]] = {}  # the file's identity -> URIs it has diagnostics under
        self._beside: dict[str, dict[str, str]] = {}  # the tools file's identity -> URIs of modules beside it

    def publish(self, analysis: Analysis) -> None:
        """Pushes what is said of a tools file and of the modules beside it."""
        document = analysis.document
        items = self._reports.of(analysis)
        under = self._under.setdefault(document.identity, {})
        before = under.get(uris.spelling(document.uri), document.uri)
        if before != document.uri:  # another spelling of the same URI, which some clients take for another document
            self._empty(before)
        self._push(document, items)
        if items:
            under[uris.spelling(document.uri)] = document.uri
        else:
            under.pop(uris.spelling(document.uri), None)
        self.publish_beside(document.identity, analysis)

    def publish_glance(self, document: Document) -> None:
        """Pushes what a glance at a long text tells, before it is read. What is shown of the file already stays: it is
        nearer to what is going to be told."""
        from adal_ls.lint.glance import glance  # after `initialize` is answered

        under = self._under.setdefault(document.identity, {})
        if not under and (found := glance(document.text)) is not None:
            self._push(document, self._reports.said(document, found))
            if found:
                under[uris.spelling(document.uri)] = document.uri

    def publish_beside(self, identity: str, analysis: Analysis | None) -> None:
        """Pushes what is said of tools in modules beside a tools file, and empties what was said before."""
        before = self._beside.pop(identity, {})
        shown = self._beside[identity] = dict[str, str]()
        for document, items in self._reports.beside(analysis) if analysis is not None else ():
            self._push(document, items)
            shown[uris.spelling(document.uri)] = document.uri
        for spelled, uri in before.items():
            if spelled not in shown:
                self._empty(uri)

    def publish_disk(self, identity: str, analysis: Analysis | None, still_open: Iterable[Document]) -> None:
        """Brings what the client shows for a file that is not open in line with the disk."""
        open_documents = [*still_open]
        self.clear_other(identity, [*open_documents, *([] if analysis is None else [analysis.document])])
        if analysis is not None:
            shown = uris.spelling(analysis.document.uri) in self._under.get(identity, {})
            if shown or self._reports.of(analysis):
                self.publish(analysis)
            else:
                self.publish_beside(identity, analysis)
        elif not open_documents:
            self.publish_beside(identity, None)

    def clear_other(self, identity: str, kept: Iterable[Document]) -> None:
        """Empties the lists of the file under every URI but those of `kept`."""
        spelled = {uris.spelling(document.uri) for document in kept}
        under = self._under.get(identity, {})
        for stale in [key for key in under if key not in spelled]:
            self._empty(under.pop(stale))

    def _push(self, document: Document, items: list[dict[str, Json]]) -> None:
        params: dict[str, Json] = {"uri": document.uri, "diagnostics": items}
        if document.version is not None:
            params["version"] = document.version
        self._editor.notify("textDocument/publishDiagnostics", params)

    def _empty(self, uri: str) -> None:
        self._editor.notify("textDocument/publishDiagnostics", {"uri": uri, "diagnostics": []})
