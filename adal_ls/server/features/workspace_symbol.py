"""`workspace/symbol`: the tools of all projects."""

from __future__ import annotations

import os

from lsprotocol import types

from adal_ls.lint.authoring.symbols import matches, tool_symbols
from adal_ls.server.documents.documents import Document
from adal_ls.server.documents.snapshot import Snapshot
from adal_ls.server.features.document_symbol import information
from adal_ls.workspace import uris


def workspace_symbol(snapshot: Snapshot, params: types.WorkspaceSymbolParams) -> list[types.SymbolInformation]:
    """The tools in whose name the letters of the query stand in their order."""
    found: list[types.SymbolInformation] = []
    for analysis in snapshot.projects:
        snapshot.cancellation.check()
        found += (
            information(analysis.document, symbol, snapshot.client.encoding, _project(analysis.document))
            for symbol in tool_symbols(analysis.file)
            if matches(params.query, symbol.name)
        )
    return found


def _project(document: Document) -> str | None:
    path = uris.to_path(document.uri)
    return os.path.basename(os.path.dirname(os.path.dirname(path))) or None if path is not None else None
