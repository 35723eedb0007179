"""`textDocument/codeAction` and `codeAction/resolve`: quick fixes at a place, and all fixes that need no choice."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from lsprotocol import types

from adal_ls.lint import Finding, Fix, Range
from adal_ls.lint.fixes.fixing import automatic, fix_all
from adal_ls.lint.fixes.hunks import hunks
from adal_ls.server.capabilities import FIX_ALL
from adal_ls.server.diagnostics.analysis import Analysis
from adal_ls.server.diagnostics.diagnostic_items import SOURCE
from adal_ls.server.documents.snapshot import Snapshot
from adal_ls.server.features.edits import workspace_edit
from adal_ls.server.features.places import position, types_range
from adal_ls.server.features.refusal import Outdated

_FIX_ALL_TITLE = "Fix all that adal-ls can fix without asking"


def code_action(snapshot: Snapshot, params: types.CodeActionParams) -> list[types.CodeAction]:
    """The fixes of every finding that the range touches; and all fixes at once, where their kind is asked for.

    A client that can resolve edits gets the actions without.
    """
    analysis = snapshot.analysis
    if analysis is None or not snapshot.client.code_action_literals:
        return []
    encoding = snapshot.client.encoding
    only = params.context.only
    actions: list[types.CodeAction] = []
    if _wanted(only, "quickfix"):
        wanted = Range(
            position(analysis.document, params.range.start, encoding),
            position(analysis.document, params.range.end, encoding),
        )
        actions += _quick_fixes(snapshot, analysis, wanted, params.context.diagnostics)
    if _wanted(only, FIX_ALL):
        actions += _all_fixes(snapshot, analysis)
    return actions


def code_action_resolve(snapshot: Snapshot, action: types.CodeAction) -> types.CodeAction:
    """The edit of an action.

    Raises:
        Outdated: the text has changed since the action was made.
    """
    analysis, data = snapshot.analysis, action.data
    if analysis is None or not isinstance(data, dict) or data.get("serial") != analysis.serial:
        raise Outdated
    number, option = data.get("finding"), data.get("fix")
    if number is None:
        action.edit = _edit_of_all(snapshot, analysis)
    elif isinstance(number, int) and isinstance(option, int):
        action.edit = _edit(snapshot, analysis, analysis.findings[number].fixes[option])
    return action


def _wanted(only: Sequence[types.CodeActionKind | str] | None, kind: str) -> bool:
    """Kinds are a tree: who asks for "" or "source" gets "source.fixAll.adal", who asks for "source.other" does not.

    Who asks for none in particular means the place (LSP, "CodeActionContext"), where an action on the file is noise.
    """
    if only is None:
        return kind == "quickfix"
    asked = [str(getattr(one, "value", one)) for one in only]
    return any(one in ("", kind) or kind.startswith(f"{one}.") for one in asked)


def _quick_fixes(
    snapshot: Snapshot, analysis: Analysis, wanted: Range, shown: Sequence[types.Diagnostic]
) -> Iterator[types.CodeAction]:
    for number, finding in enumerate(analysis.findings):
        if not _touches(finding.range, wanted):
            continue
        linked = _linked(snapshot, analysis, finding, shown)
        for option, fix in enumerate(finding.fixes):
            lazy = snapshot.client.code_action_resolves_edit
            yield types.CodeAction(
                title=fix.title,
                kind=types.CodeActionKind.QuickFix,
                diagnostics=linked or None,
                is_preferred=True if fix.preferred and snapshot.client.code_action_preferred else None,
                edit=None if lazy else _edit(snapshot, analysis, fix),
                data=_data(analysis, finding=number, fix=option) if lazy else None,
            )


def _all_fixes(snapshot: Snapshot, analysis: Analysis) -> Iterator[types.CodeAction]:
    if next(automatic(analysis.findings), None) is None:
        return
    lazy = snapshot.client.code_action_resolves_edit
    yield types.CodeAction(
        title=_FIX_ALL_TITLE,
        kind=FIX_ALL,
        edit=None if lazy else _edit_of_all(snapshot, analysis),
        data=_data(analysis) if lazy else None,
    )


def _data(analysis: Analysis, **which: int) -> dict[str, Any]:
    return {"uri": analysis.document.uri, "serial": analysis.serial, **which}


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
    return workspace_edit(snapshot.client, [(analysis.document, fix.edits)])


def _edit_of_all(snapshot: Snapshot, analysis: Analysis) -> types.WorkspaceEdit:
    around = analysis.file.bindings.around.modules
    mended, _ = fix_all(analysis.file.text, analysis.config, around.resolve if around is not None else None)
    return workspace_edit(snapshot.client, [(analysis.document, hunks(analysis.file.text, mended))])
