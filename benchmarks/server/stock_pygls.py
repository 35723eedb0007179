"""A server as pygls' documentation has one, for comparison: syntax errors, a full parse at each change."""

from __future__ import annotations

import ast

from lsprotocol import types
from pygls.lsp.server import LanguageServer

server = LanguageServer("stock-pygls", "1")


def publish(uri: str) -> None:
    document = server.workspace.get_text_document(uri)
    found = []
    try:
        ast.parse(document.source)
    except SyntaxError as fault:
        place = types.Position((fault.lineno or 1) - 1, 0)
        found = [types.Diagnostic(types.Range(place, place), str(fault), types.DiagnosticSeverity.Error)]
    params = types.PublishDiagnosticsParams(uri, found, document.version)
    server.text_document_publish_diagnostics(params)


@server.feature(types.TEXT_DOCUMENT_DID_OPEN)
def opened(params: types.DidOpenTextDocumentParams) -> None:
    publish(params.text_document.uri)


@server.feature(types.TEXT_DOCUMENT_DID_CHANGE)
def changed(params: types.DidChangeTextDocumentParams) -> None:
    publish(params.text_document.uri)


@server.feature(types.TEXT_DOCUMENT_HOVER)
def hover(_: types.HoverParams) -> types.Hover:
    return types.Hover("hover")


server.start_io()
