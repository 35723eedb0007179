"""`textDocument/documentHighlight`: the places of the function at the cursor."""

from __future__ import annotations

from lsprotocol import types

from adal_ls.lint.modules.occurrences import Role
from adal_ls.server.documents.snapshot import Snapshot
from adal_ls.server.features.places import types_range
from adal_ls.server.features.references import occurrences

_KINDS = {
    Role.DEFINITION: types.DocumentHighlightKind.Write,
    Role.TEXT: types.DocumentHighlightKind.Text,
}


def document_highlight(snapshot: Snapshot, params: types.DocumentHighlightParams) -> list[types.DocumentHighlight]:
    """The same places as `textDocument/references`, with what each does."""
    analysis = snapshot.analysis
    if analysis is None:
        return []
    return [
        types.DocumentHighlight(
            types_range(analysis.document, found.range, snapshot.client.encoding),
            _KINDS.get(found.role, types.DocumentHighlightKind.Read),
        )
        for found in occurrences(snapshot, analysis, params.position)
    ]
