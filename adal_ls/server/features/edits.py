"""Edits of lint as edits of the workspace."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from lsprotocol import types

from adal_ls.lint import TextEdit
from adal_ls.server.capabilities import Client
from adal_ls.server.documents.documents import Document
from adal_ls.server.features.places import types_range


def workspace_edit(client: Client, changed: Iterable[tuple[Document, Iterable[TextEdit]]]) -> types.WorkspaceEdit:
    """The edits of each document; with the version they are meant for where the client checks it."""
    edits: Mapping[str, tuple[Document, list[types.TextEdit]]] = {
        document.uri: (
            document,
            [types.TextEdit(types_range(document, edit.range, client.encoding), edit.new_text) for edit in its],
        )
        for document, its in changed
    }
    if not client.versioned_edits:
        return types.WorkspaceEdit(changes={uri: its for uri, (_, its) in edits.items()})
    return types.WorkspaceEdit(
        document_changes=[
            types.TextDocumentEdit(
                types.OptionalVersionedTextDocumentIdentifier(uri=uri, version=document.version), list(its)
            )
            for uri, (document, its) in edits.items()
        ]
    )
