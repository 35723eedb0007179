"""`textDocument/prepareRename` and `textDocument/rename`."""

from __future__ import annotations

from lsprotocol import types

from adal_ls.lint import read
from adal_ls.lint.authoring import rename as renaming
from adal_ls.server.diagnostics.siblings import modules
from adal_ls.server.documents.snapshot import Snapshot
from adal_ls.server.features.edits import workspace_edit
from adal_ls.server.features.places import position, types_range
from adal_ls.server.features.refusal import Refusal


def prepare_rename(snapshot: Snapshot, params: types.PrepareRenameParams) -> types.PrepareRenamePlaceholder | None:
    """The name at the position; None where nothing can be renamed."""
    analysis = snapshot.analysis
    if analysis is None:
        return None
    encoding = snapshot.client.encoding
    found = renaming.prepare(analysis.file, position(analysis.document, params.position, encoding))
    if found is None:
        return None
    return types.PrepareRenamePlaceholder(types_range(analysis.document, found[0], encoding), found[1])


def rename(snapshot: Snapshot, params: types.RenameParams) -> types.WorkspaceEdit | None:
    """The edits in this file and the modules beside it.

    Raises:
        Refusal: the new name breaks a rule; the text is the rule's.
    """
    analysis = snapshot.analysis
    if analysis is None:
        return None
    texts = modules(analysis.document, snapshot.open)
    files = {name: analysis.file if text is analysis.document else read(text.text) for name, text in texts.items()}
    place = position(analysis.document, params.position, snapshot.client.encoding)
    try:
        edits = renaming.rename(files, "tools", place, params.new_name)
    except renaming.RenameError as fault:
        raise Refusal(str(fault)) from fault
    return workspace_edit(snapshot.client, ((texts[name], its) for name, its in edits.items()))
