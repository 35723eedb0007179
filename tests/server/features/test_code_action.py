from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
from lsprotocol import types
from lsprotocol.converters import get_converter

from adal_ls.server.diagnostics.diagnostic_items import to_lsp
from adal_ls.server.documents.documents import edit, opened
from adal_ls.server.features.code_action import code_action, code_action_resolve
from adal_ls.server.features.refusal import Outdated
from tests.server.features.conftest import CLIENT

BAD = '''def f(x: str) -> str:
    """Do f.

    Args:
        x: A text.
    """
    return x


CUSTOM_TOOLS = [{"function": f, "name": "create-tic$0ket"}]
'''


def actions(place: Any, only: Sequence[types.CodeActionKind | str] | None = None, **context: Any) -> list[Any]:
    given = types.CodeActionContext(diagnostics=context.get("diagnostics", []), only=only)
    span = types.Range(place.position, place.position)
    params = types.CodeActionParams(types.TextDocumentIdentifier(place.uri), span, given)
    return code_action(place.snapshot, params)


def applied(place: Any, action: types.CodeAction) -> str:
    """The text after the action's edit, applied from the end to the start as LSP has it."""
    assert action.edit is not None
    assert action.edit.document_changes is not None
    (change,) = action.edit.document_changes
    assert isinstance(change, types.TextDocumentEdit)
    assert change.text_document.version == 3
    document = opened(place.uri, 1, place.text)
    converter = get_converter()
    raw = [converter.unstructure(one) for one in change.edits]
    for one in sorted(raw, key=lambda e: (e["range"]["start"]["line"], e["range"]["start"]["character"]), reverse=True):
        change_of = {"range": one["range"], "text": one["newText"]}
        document = edit(document, 2, change_of, place.snapshot.client.encoding)
    return document.text


def test_a_bad_name_is_renamed_and_nothing_else(marked: Any) -> None:
    # https://github.com/anthropics/claude-code/issues/985
    place = marked(BAD)
    (action,) = actions(place)
    assert action.kind == types.CodeActionKind.QuickFix
    assert action.is_preferred is True
    assert applied(place, action) == place.text.replace("create-ticket", "create_ticket")


def test_crlf_tabs_and_a_missing_last_line_end_stay(marked: Any) -> None:
    # https://github.com/KrushnaD0/crewai-for-soc-automation
    text = 'def f(x: str) -> str:\r\n\t"""Do f."""\r\n\treturn x\r\n\r\n\r\n'
    text += 'CUSTOM_TOOLS = [{"function": f, "name": "bad$0-name"}]'
    place = marked(text)
    fixed = applied(place, actions(place)[0])
    assert fixed == place.text.replace("bad-name", "bad_name")


def test_a_missing_list_is_added_in_the_line_ends_of_the_file(marked: Any) -> None:
    place = marked('def f(x: str) -> str:\r\n\t"""Do f."""\r\n\tret$0urn x\r\n')
    found = [action for action in actions(place) if "CUSTOM_TOOLS" in action.title]
    fixed = applied(place, found[0])
    assert fixed.startswith(place.text)
    assert "CUSTOM_TOOLS = [f]" in fixed
    assert fixed.replace("\r\n", "").find("\n") == -1


def test_edits_count_in_the_clients_units(marked: Any) -> None:
    text = BAD.replace('"name"', '"description": "🎫 é", "name"')
    for encoding in ("utf-8", "utf-16", "utf-32"):
        place = marked(text, client={**CLIENT, "general": {"positionEncodings": [encoding]}})
        assert applied(place, actions(place)[0]) == place.text.replace("create-ticket", "create_ticket")


def test_the_shown_diagnostic_is_linked(marked: Any) -> None:
    place = marked(BAD)
    analysis = place.snapshot.analysis
    (raw,) = [to_lsp(analysis.document, finding, place.snapshot.client) for finding in analysis.findings]
    shown = get_converter().structure(raw, types.Diagnostic)
    foreign = types.Diagnostic(shown.range, "other", code="ADAL101", source="other")
    (action,) = actions(place, diagnostics=[foreign, shown])
    assert action.diagnostics == [shown]


@pytest.mark.parametrize(
    ("only", "count"),
    [
        (None, 1),
        ([types.CodeActionKind.QuickFix], 1),
        (["quickfix"], 1),
        ([""], 2),
        (["source"], 1),
        (["source.fixAll"], 1),
        (["source.fixAll.adal"], 1),
        (["source.fixAll.other"], 0),
        (["source.organizeImports"], 0),
        (["quickfix.other"], 0),
        (["refactor", "quickfix"], 1),
        ([], 0),
    ],
)
def test_only_the_wanted_kinds_are_given(marked: Any, only: Any, count: int) -> None:
    assert len(actions(marked(BAD), only)) == count


def test_places_without_a_finding_have_no_action(marked: Any) -> None:
    assert actions(marked(BAD.replace("$0", "").replace("return x", "retu$0rn x"))) == []


def test_a_client_without_document_changes_gets_plain_changes(marked: Any) -> None:
    client = {"textDocument": CLIENT["textDocument"]}
    place = marked(BAD, client=client)
    (action,) = actions(place)
    assert list(action.edit.changes) == [place.uri]
    assert action.edit.document_changes is None


def test_a_client_that_takes_no_edits_gets_no_action(marked: Any) -> None:
    assert actions(marked(BAD, client={})) == []


def test_preference_is_told_only_to_clients_that_know_it(marked: Any) -> None:
    literal: dict[str, Any] = {"codeActionLiteralSupport": {"codeActionKind": {"valueSet": []}}}
    (action,) = actions(marked(BAD, client={"textDocument": {"codeAction": literal}}))
    assert action.is_preferred is None


LAZY: dict[str, Any] = {
    **CLIENT,
    "textDocument": {
        "codeAction": {
            **CLIENT["textDocument"]["codeAction"],
            "dataSupport": True,
            "resolveSupport": {"properties": ["edit"]},
        }
    },
}


@pytest.mark.parametrize("only", [["quickfix"], ["source.fixAll"]])
def test_a_client_that_resolves_gets_the_edit_when_it_asks_for_it(marked: Any, only: Any) -> None:
    place = marked(BAD, client=LAZY)
    (action,) = actions(place, only)
    assert action.edit is None
    resolved = code_action_resolve(place.snapshot, action)
    assert applied(place, resolved) == place.text.replace("create-ticket", "create_ticket")


def test_an_action_on_a_text_that_has_changed_since_is_refused(marked: Any) -> None:
    (action,) = actions(marked(BAD, client=LAZY))
    with pytest.raises(Outdated):
        code_action_resolve(marked(BAD.replace("x: str", "xx: str"), client=LAZY).snapshot, action)


TWO_BAD = BAD.replace(
    "}]", '}, {"function": f, "name": "a b"},\n    {"function": f, "name": "c", "require_approval": 0}]'
)


def test_fix_all_mends_what_needs_no_choice_and_leaves_approval_alone(marked: Any) -> None:
    place = marked(TWO_BAD.replace("\n", "\r\n"))
    (action,) = actions(place, ["source.fixAll.adal"])
    mended = applied(place, action)
    assert mended == place.text.replace("create-ticket", "create_ticket").replace("a b", "a_b")
    assert '"require_approval": 0' in mended
    again = mended.replace("create_ticket", "create_tic$0ket")
    assert actions(marked(again), ["source.fixAll.adal"]) == []
