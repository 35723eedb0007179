"""`textDocument/codeAction`: quick fixes for the findings at a place."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from lsprotocol import types

from adal_ls.lint import Finding, Fix, Range
from adal_ls.server.diagnostics import SOURCE, Analysis
from adal_ls.server.features.places import position, types_range
from adal_ls.server.snapshot import Snapshot


def code_action(snapshot: Snapshot, params: types.CodeActionParams) -> list[types.CodeAction]:
    """The fixes of every finding that the range touches, unless only other kinds are wanted."""
    analysis = snapshot.analysis
    if analysis is None or not snapshot.client.code_action_literals or not _wanted(params.context.only):
        return []
    encoding = snapshot.client.encoding
    wanted = Range(
        position(analysis.document, params.range.start, encoding),
        position(analysis.document, params.range.end, encoding),
    )
    return list(_actions(snapshot, analysis, wanted, params.context.diagnostics))


def _wanted(only: Sequence[types.CodeActionKind | str] | None) -> bool:
    """Kinds are a tree: who asks for "" or "quickfix" gets quick fixes, who asks for "quickfix.other" does not."""
    return only is None or any(str(getattr(kind, "value", kind)) in ("", "quickfix") for kind in only)


def _actions(
    snapshot: Snapshot, analysis: Analysis, wanted: Range, shown: Sequence[types.Diagnostic]
) -> Iterator[types.CodeAction]:
    for finding in analysis.findings:
        if not _touches(finding.range, wanted):
            continue
        linked = _linked(snapshot, analysis, finding, shown)
        for fix in finding.fixes:
            yield types.CodeAction(
                title=fix.title,
                kind=types.CodeActionKind.QuickFix,
                diagnostics=linked or None,
                is_preferred=True if fix.preferred and snapshot.client.code_action_preferred else None,
                edit=_edit(snapshot, analysis, fix),
            )


def _touches(one: Range, other: Range) -> bool:
    return one.start <= other.end and other.start <= one.end


def _linked(
    snapshot: Snapshot, analysis: Analysis, finding: Finding, shown: Sequence[types.Diagnostic]
) -> list[types.Diagnostic]:
    """The diagnostics the client shows for the finding, as it sent them."""
    place = types_range(analysis.document, finding.range, snapshot.client.encoding)
    return [
        diagnostic
        for diagnostic in shown
        if diagnostic.code == finding.code and diagnostic.source == SOURCE and diagnostic.range == place
    ]


def _edit(snapshot: Snapshot, analysis: Analysis, fix: Fix) -> types.WorkspaceEdit:
    document, encoding = analysis.document, snapshot.client.encoding
    edits = [types.TextEdit(types_range(document, edit.range, encoding), edit.new_text) for edit in fix.edits]
    if not snapshot.client.versioned_edits:
        return types.WorkspaceEdit(changes={document.uri: edits})
    identifier = types.OptionalVersionedTextDocumentIdentifier(uri=document.uri, version=document.version)
    return types.WorkspaceEdit(document_changes=[types.TextDocumentEdit(identifier, list(edits))])
