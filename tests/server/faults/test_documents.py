"""Faults 11, 12, 13, 23, 24, 26, 30: texts, positions, and results of an older text."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import pytest

from adal_ls.server.diagnostics import analysis, diagnostics
from adal_ls.server.documents.documents import Document
from tests.server.client import Client
from tests.server.conftest import BAD_NAME, GOOD, Workspace
from tests.server.faults.conftest import URI
from tests.server.test_capabilities import VSCODE

LITERALS: dict[str, Any] = {
    "textDocument": {"codeAction": {"codeActionLiteralSupport": {"codeActionKind": {"valueSet": []}}}}
}


def codes(diagnostics: list[dict[str, Any]]) -> list[str]:
    return [diagnostic["code"] for diagnostic in diagnostics]


@pytest.mark.parametrize("character", ["\x0b", "\x0c", "\x1c", "\x1d", "\x1e", "\x85", "\u2028", "\u2029"])
def test_an_edit_behind_a_character_that_is_no_line_end_lands_where_it_was_made(client: Client, character: str) -> None:
    """Fault 11: `str.splitlines` takes these for line ends; half of all random edits went wrong."""
    client.initialize()
    text = f"# one{character}two\n{BAD_NAME}"
    client.open(URI, text)
    line = text.split("\n").index('CUSTOM_TOOLS = [{"function": f, "name": "bad-name"}]')
    (found,) = client.diagnostics(URI)
    assert found["range"]["start"]["line"] == line
    start = found["range"]["start"]["character"] + 4
    span = {"start": {"line": line, "character": start}, "end": {"line": line, "character": start + 1}}
    client.change(URI, 2, {"range": span, "text": "_"})
    assert client.diagnostics(URI) == []


def test_a_diagnostic_below_a_form_feed_is_on_its_line(client: Client) -> None:
    """Fault 12: the def is on line 3 for Python and on line 4 for `splitlines`."""
    client.initialize()
    client.open(URI, 'x = 1\n\x0c\ndef bash() -> str:\n    """Do it."""\n    return ""\n\n\nCUSTOM_TOOLS = [bash]\n')
    (clash,) = [found for found in client.diagnostics(URI) if found["code"] == "ADAL104"]
    assert clash["range"]["start"] == {"line": 2, "character": 4}


def test_a_slow_analysis_of_an_older_text_does_not_overwrite_a_newer_one(
    start: Callable[..., Client], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Fault 13: VS Code says `versionSupport: false`, so it shows whatever comes last."""
    assert VSCODE["textDocument"]["publishDiagnostics"]["versionSupport"] is False
    capabilities = {**VSCODE, "textDocument": {**VSCODE["textDocument"]}}
    capabilities["textDocument"].pop("diagnostic", None)
    analyse = analysis.analyse

    def slow(document: Document, *more: Any, **named: Any) -> analysis.Analysis:
        if "bad-name" in document.text:
            time.sleep(0.1)
        return analyse(document, *more, **named)

    monkeypatch.setattr(diagnostics, "analyse", slow)
    client = start(tolerated=["textDocument/publishDiagnostics", "window/logMessage"])
    for method in ("client/registerCapability", "workspace/configuration"):
        client.on(method, lambda params: [None] if params and "items" in params else None)
    client.initialize(capabilities=capabilities)
    client.open(URI, GOOD)
    client.change(URI, 2, {"text": BAD_NAME})
    client.change(URI, 3, {"text": GOOD})
    client.shut_down()
    shown = [message["params"] for message in client.unread if message["method"] == "textDocument/publishDiagnostics"]
    assert [params["version"] for params in shown] == sorted(params["version"] for params in shown)
    assert shown[-1]["diagnostics"] == []


def test_each_result_carries_the_version_of_the_text_it_is_about(client: Client) -> None:
    """Fault 26: an async handler sees the document of a later change."""
    client.initialize()
    client.open(URI, GOOD, version=1)
    for version in range(2, 30):
        client.change(URI, version, {"text": BAD_NAME if version % 2 else GOOD})
    seen = 0
    while seen != 29:
        params = client.wait_for("textDocument/publishDiagnostics")
        seen = params["version"]
        assert codes(params["diagnostics"]) == (["ADAL101"] if seen % 2 and seen > 1 else [])


def test_a_file_that_is_not_open_keeps_its_line_ends_in_ranges_and_fixes(client: Client, workspace: Workspace) -> None:
    """Fault 23: it is read again with newline translation on every access, so offsets differ."""
    text = BAD_NAME.replace("\n", "\r\n")
    uri = workspace.write_bytes(text.encode())
    client.initialize(workspace.root, LITERALS)
    (found,) = client.diagnostics(uri)
    lines = text.split("\r\n")
    start, end = found["range"]["start"], found["range"]["end"]
    assert lines[start["line"]][start["character"] : end["character"]] == '"bad-name"'
    params = {"textDocument": {"uri": uri}, "range": found["range"], "context": {"diagnostics": [found]}}
    actions = client.request("textDocument/codeAction", params)
    assert actions
    for action in actions:
        for edits in (action.get("edit") or {}).get("changes", {}).values():
            assert all("\n" not in edit["newText"].replace("\r\n", "") for edit in edits)


def test_a_file_that_is_no_text_is_a_finding_and_no_fault(client: Client, workspace: Workspace) -> None:
    """Fault 23: UnicodeDecodeError and FileNotFoundError become internal errors."""
    uri = workspace.write_bytes(b"x = '\xff'\n")
    client.initialize(workspace.root)
    assert codes(client.diagnostics(uri))[:1] == ["ADAL001"]
    missing = {"textDocument": {"uri": "file:///nowhere/.adal/tools.py"}, "position": {"line": 0, "character": 0}}
    assert client.request("textDocument/hover", missing) is None


@pytest.mark.parametrize(
    "asked", ["file:///c:/p/.adal/tools.py", "file:///C:/p/.adal/tools.py", "file:///c%3a/p/.adal/tools.py"]
)
def test_two_spellings_of_a_drive_are_one_document(client: Client, asked: str) -> None:
    """Fault 24: `C:` and `c:` are two documents."""
    client.initialize()
    client.open("file:///C%3A/p/.adal/tools.py", GOOD)
    assert client.diagnostics("file:///C%3A/p/.adal/tools.py") == []
    place = {"textDocument": {"uri": asked}, "position": {"line": 0, "character": 5}}
    assert "greet" in client.request("textDocument/hover", place)["contents"]["value"]


def test_a_change_of_a_document_never_opened_is_passed_over(client: Client) -> None:
    """Fault 30: VS Code sends it when it replaces across files."""
    client.initialize()
    client.change("file:///q/.adal/tools.py", 2, {"text": BAD_NAME})
    span = {"start": {"line": 3, "character": 0}, "end": {"line": 9, "character": 9}}
    client.change("file:///q/.adal/tools.py", 3, {"range": span, "text": BAD_NAME})
    assert client.request("adal/tools/list", {}) == {"projects": []}
