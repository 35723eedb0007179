"""`textDocument/documentSymbol`: the outline of a tools file."""

from __future__ import annotations

from collections.abc import Sequence

from lsprotocol import types

from adal_ls.lint.authoring.symbols import Kind, Symbol, outline
from adal_ls.server.documents.documents import Document
from adal_ls.server.documents.positions import Encoding
from adal_ls.server.documents.snapshot import Snapshot
from adal_ls.server.features.places import types_range

KINDS = {
    Kind.TOOL: types.SymbolKind.Function,
    Kind.FUNCTION: types.SymbolKind.Function,
    Kind.CLASS: types.SymbolKind.Class,
    Kind.LIST: types.SymbolKind.Array,
    Kind.ENTRY: types.SymbolKind.Field,
}


def document_symbol(
    snapshot: Snapshot,
    params: types.DocumentSymbolParams,  # noqa: ARG001 - the snapshot is of that document
) -> Sequence[types.DocumentSymbol] | Sequence[types.SymbolInformation]:
    """Tools by their effective names, other functions, classes, and CUSTOM_TOOLS with its entries."""
    analysis = snapshot.analysis
    if analysis is None:
        return []
    document, encoding = analysis.document, snapshot.client.encoding
    symbols = outline(analysis.file)
    if snapshot.client.nested_symbols:
        return [_nested(document, symbol, encoding) for symbol in symbols]
    return [
        information(document, symbol, encoding, container)
        for top in symbols
        for symbol, container in ((top, None), *((child, top.name) for child in top.children))
    ]


def information(
    document: Document, symbol: Symbol, encoding: Encoding, container: str | None
) -> types.SymbolInformation:
    """The flat form of a symbol, placed at its name."""
    return types.SymbolInformation(
        location=types.Location(document.uri, types_range(document, symbol.name_range, encoding)),
        name=symbol.name or "?",
        kind=KINDS[symbol.kind],
        container_name=container,
    )


def _nested(document: Document, symbol: Symbol, encoding: Encoding) -> types.DocumentSymbol:
    return types.DocumentSymbol(
        name=symbol.name or "?",  # an empty name is an error in some clients
        detail=symbol.detail or None,
        kind=KINDS[symbol.kind],
        range=types_range(document, symbol.range, encoding),
        selection_range=types_range(document, symbol.name_range, encoding),
        children=[_nested(document, child, encoding) for child in symbol.children] or None,
    )
