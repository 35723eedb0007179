"""`textDocument/inlayHint`: the name of a tool behind a function that is called otherwise."""

from __future__ import annotations

from lsprotocol import types

from adal_ls.lint import Range
from adal_ls.lint.authoring.symbols import renamed
from adal_ls.server.documents.snapshot import Snapshot
from adal_ls.server.features.places import position, types_position


def inlay_hint(snapshot: Snapshot, params: types.InlayHintParams) -> list[types.InlayHint]:
    """One hint for each definition and each entry in the range whose "name" differs."""
    analysis = snapshot.analysis
    if analysis is None:
        return []
    document, encoding = analysis.document, snapshot.client.encoding
    visible = Range(position(document, params.range.start, encoding), position(document, params.range.end, encoding))
    return [
        types.InlayHint(
            position=types_position(document, place.end, encoding),
            label=f"→ {name}",
            tooltip=f"Models and people see this function as the tool '{name}'",
            padding_left=True,
        )
        for place, name in renamed(analysis.file)
        if visible.contains(Range(place.end, place.end))
    ]
