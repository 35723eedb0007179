"""`textDocument/foldingRange`: functions, docstrings, CUSTOM_TOOLS, imports and whatever else spans lines."""

from __future__ import annotations

from lsprotocol import types

from adal_ls.lint.authoring.symbols import foldable
from adal_ls.server.documents.snapshot import Snapshot

_KINDS = {"imports": types.FoldingRangeKind.Imports, "comment": types.FoldingRangeKind.Comment}


def folding_range(
    snapshot: Snapshot,
    params: types.FoldingRangeParams,  # noqa: ARG001 - the snapshot is of that document
) -> list[types.FoldingRange]:
    """Ranges of whole lines, which every client can fold."""
    if snapshot.analysis is None:
        return []
    return [
        types.FoldingRange(start_line=first, end_line=last, kind=_KINDS.get(kind or ""))
        for first, last, kind in foldable(snapshot.analysis.file)
    ]
