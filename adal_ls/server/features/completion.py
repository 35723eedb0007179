"""`textDocument/completion`: keys and values of entries, functions to list, ToolOutput fields, a new tool."""

from __future__ import annotations

from lsprotocol import types

from adal_ls.lint.authoring.completion import Suggestion, SuggestionKind, complete
from adal_ls.server.diagnostics.analysis import Analysis
from adal_ls.server.documents.snapshot import Snapshot
from adal_ls.server.features.places import position, types_range

_KINDS = {
    SuggestionKind.KEY: types.CompletionItemKind.Property,
    SuggestionKind.FUNCTION: types.CompletionItemKind.Function,
    SuggestionKind.FIELD: types.CompletionItemKind.Field,
    SuggestionKind.VALUE: types.CompletionItemKind.Value,
    SuggestionKind.SNIPPET: types.CompletionItemKind.Snippet,
}


def completion(snapshot: Snapshot, params: types.CompletionParams) -> types.CompletionList | None:
    """The suggestions for the position, in their order."""
    analysis = snapshot.analysis
    if analysis is None:
        return None
    place = position(analysis.document, params.position, snapshot.client.encoding)
    suggestions = complete(analysis.file, place)
    items = [_item(snapshot, analysis, suggestion, order) for order, suggestion in enumerate(suggestions)]
    return types.CompletionList(is_incomplete=False, items=items)


def _item(snapshot: Snapshot, analysis: Analysis, suggestion: Suggestion, order: int) -> types.CompletionItem:
    snippets = snapshot.client.completion_snippets
    text = suggestion.snippet if snippets else suggestion.text
    filled = snippets and suggestion.snippet != suggestion.text
    return types.CompletionItem(
        label=suggestion.label,
        kind=_KINDS[suggestion.kind],
        detail=suggestion.detail or None,
        sort_text=f"{order:04}",
        filter_text=suggestion.filter,
        insert_text_format=types.InsertTextFormat.Snippet if filled else types.InsertTextFormat.PlainText,
        text_edit=types.TextEdit(types_range(analysis.document, suggestion.range, snapshot.client.encoding), text),
    )
