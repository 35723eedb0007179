"""Each feature that helps to write tools, over the wire, with CRLF, tabs and characters outside the BMP before it."""

from __future__ import annotations

from typing import Any

import pytest

from tests.server.client import Client, ResponseError
from tests.server.conftest import ADAL, Workspace

QUIET = ["textDocument/publishDiagnostics", "adal/tools/changed", "adal/status"]

# Before each name on its line there is a character of two UTF-16 units, four UTF-8 bytes.
TEXT = (
    "def create(title: str) -> str:\r\n"
    '\t"""Create a ticket.\r\n'
    "\r\n"
    "\tArgs:\r\n"
    "\t\ttitle: A title.\r\n"
    '\t"""\r\n'
    '\t"🎫"; return create(title)\r\n'
    "\r\n"
    "\r\n"
    "CUSTOM_TOOLS = [\r\n"
    '\t{"description": "🎫", "function": create, "name": "ticket", "require_approval": False},\r\n'
    "]\r\n"
)
USE = '\t"🎫"; return '
ENTRY = '\t{"description": "🎫", "function": '
NAME = f'{ENTRY}create, "name": "'

WIDTHS = {"utf-8": lambda text: len(text.encode()), "utf-16": lambda text: len(text.encode("utf-16-le")) // 2}
ENCODINGS = pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])


class Session:
    """A server with `TEXT` open; places are told by what stands before them on their line."""

    def __init__(self, client: Client, folder: Workspace, encoding: str, **capabilities: Any) -> None:
        self.client = client
        client.tolerated |= set(QUIET)
        self.encoding = encoding
        self.uri = folder.write(TEXT)
        general = {"positionEncodings": [encoding, "utf-16"]}
        self.offered = client.initialize(folder.root, {"general": general, **capabilities})["capabilities"]
        client.open(self.uri, TEXT)

    def place(self, line: int, before: str) -> dict[str, int]:
        assert TEXT.split("\r\n")[line].startswith(before)
        return {"line": line, "character": WIDTHS[self.encoding](before)}

    def span(self, line: int, before: str, text: str) -> dict[str, Any]:
        return {"start": self.place(line, before), "end": self.place(line, before + text)}

    def ask(self, method: str, **params: Any) -> Any:
        return self.client.request(f"textDocument/{method}", {"textDocument": {"uri": self.uri}, **params})


def spots(session: Session) -> list[dict[str, Any]]:
    """Definition, use and entry of the function."""
    return [
        session.span(0, "def ", "create"),
        session.span(6, USE, "create"),
        session.span(10, ENTRY, "create"),
    ]


@ENCODINGS
def test_definition_references_and_highlights(client: Client, workspace: Workspace, encoding: str) -> None:
    session = Session(client, workspace, encoding)
    own, use, entry = spots(session)
    for place in (session.place(6, USE + "cr"), session.place(10, ENTRY), session.place(10, NAME + "tick")):
        assert session.ask("definition", position=place) == [{"uri": session.uri, "range": own}]
    assert session.ask("definition", position=session.place(0, "def c")) == [{"uri": session.uri, "range": entry}]
    asked = session.ask("references", position=own["start"], context={"includeDeclaration": False})
    assert [found["range"] for found in asked] == [use, entry]
    asked = session.ask("references", position=use["end"], context={"includeDeclaration": True})
    assert [found["range"] for found in asked] == [own, use, entry]
    lit = session.ask("documentHighlight", position=entry["start"])
    assert [(found["range"], found["kind"]) for found in lit] == [(own, 3), (use, 2), (entry, 2)]
    assert session.ask("definition", position=session.place(0, "def create(ti")) == []


def test_definitions_are_found_through_aliases_and_in_the_modules_beside(client: Client, workspace: Workspace) -> None:
    session = Session(client, workspace, "utf-16")
    (workspace.root / ".adal" / "helpers.py").write_text('"""🎫"""; PI = 3\ndef area(r): ...\n', newline="")
    text = (
        "from helpers import area as surface\ndef f(x): ...\ng = f\n"
        'CUSTOM_TOOLS = [g, surface, {"function": surface, "name": "size"}]\n'
    )
    client.change(session.uri, 2, {"text": text})
    found = session.ask("definition", position={"line": 3, "character": 16})
    assert found == [
        {"uri": session.uri, "range": {"start": {"line": 1, "character": 4}, "end": {"line": 1, "character": 5}}}
    ]
    beside = {"start": {"line": 1, "character": 4}, "end": {"line": 1, "character": 8}}
    for character in (20, text.split("\n")[3].index("size")):
        found = session.ask("definition", position={"line": 3, "character": character})
        assert found == [{"uri": session.uri.replace("tools.py", "helpers.py"), "range": beside}]


@ENCODINGS
def test_rename_changes_every_place_in_the_clients_units(client: Client, workspace: Workspace, encoding: str) -> None:
    versioned = {"workspaceEdit": {"documentChanges": True}}
    prepares = {"rename": {"prepareSupport": True}}
    session = Session(client, workspace, encoding, workspace=versioned, textDocument=prepares)
    assert session.offered["renameProvider"] == {"prepareProvider": True}
    (workspace.root / ".adal" / "other.py").write_text("from tools import create\n", newline="")
    prepared = session.ask("prepareRename", position=session.place(6, USE + "cr"))
    assert prepared == {"range": session.span(6, USE, "create"), "placeholder": "create"}
    edit = session.ask("rename", position=session.place(6, USE), newName="make")
    ours, other = edit["documentChanges"]
    assert ours["textDocument"] == {"uri": session.uri, "version": 1}
    assert [change["range"] for change in ours["edits"]] == spots(session)
    assert {change["newText"] for change in ours["edits"]} == {"make"}
    assert other["textDocument"] == {"uri": session.uri.replace("tools.py", "other.py"), "version": None}

    prepared = session.ask("prepareRename", position=session.place(10, NAME))
    assert prepared == {"range": session.span(10, NAME, "ticket"), "placeholder": "ticket"}
    edit = session.ask("rename", position=session.place(10, NAME + "t"), newName="issue")
    [changed] = edit["documentChanges"]
    assert changed["edits"] == [{"range": session.span(10, NAME, "ticket"), "newText": "issue"}]
    assert session.ask("prepareRename", position=session.place(0, "d")) is None


def test_a_refused_rename_answers_with_the_rule_and_logs_no_fault(client: Client, workspace: Workspace) -> None:
    session = Session(client, workspace, "utf-16")
    assert session.offered["renameProvider"] is True
    with pytest.raises(ResponseError, match="'bash' is reserved for a built-in tool") as caught:
        session.ask("rename", position=session.place(10, NAME), newName="bash")
    assert caught.value.code == -32803


def test_the_open_text_of_a_module_beside_counts(client: Client, workspace: Workspace) -> None:
    session = Session(client, workspace, "utf-16")
    other = session.uri.replace("tools.py", "other.py")
    (workspace.root / ".adal" / "other.py").write_text("", newline="")
    client.open(other, '"""🎫"""; from tools import create\n', version=7)
    edit = session.ask("rename", position=session.place(0, "def "), newName="make")
    assert edit["changes"][other] == [
        {"range": {"start": {"line": 0, "character": 28}, "end": {"line": 0, "character": 34}}, "newText": "make"}
    ]


def test_packages_below_the_folder_follow_a_rename_and_are_among_the_references(
    client: Client, workspace: Workspace
) -> None:
    session = Session(client, workspace, "utf-16")
    deep = workspace.root / ".adal" / "pack" / "deep.py"
    deep.parent.mkdir()
    (deep.parent / "__init__.py").write_text("from .deep import dig\n", newline="")
    deep.write_text("def dig(x: int): ...\n", newline="")
    client.change(session.uri, 2, {"text": "import pack\nCUSTOM_TOOLS = [pack.dig]\n"})
    place = {"line": 1, "character": 23}
    found = session.ask("references", position=place, context={"includeDeclaration": True})
    assert {(one["uri"].rpartition("/.adal/")[2], one["range"]["start"]["character"]) for one in found} == {
        ("tools.py", 21),
        ("pack/__init__.py", 18),
        ("pack/deep.py", 4),
    }
    edit = session.ask("rename", position=place, newName="seek")
    assert {uri.rpartition("/.adal/")[2] for uri in edit["changes"]} == {"tools.py", "pack/__init__.py", "pack/deep.py"}
    with pytest.raises(ResponseError, match="'bash' is reserved for a built-in tool"):
        session.ask("rename", position=place, newName="bash")


def test_the_signature_of_an_entry_shows_the_key_that_is_written(client: Client, workspace: Workspace) -> None:
    session = Session(client, workspace, "utf-16")
    assert "(" in session.offered["signatureHelpProvider"]["triggerCharacters"]
    found = session.ask("signatureHelp", position=session.place(10, ENTRY))
    assert found["signatures"][0]["label"].startswith('{"function": callable')
    assert found["activeParameter"] == 0


@ENCODINGS
def test_completion_replaces_in_the_clients_units(client: Client, workspace: Workspace, encoding: str) -> None:
    session = Session(client, workspace, encoding)
    client.change(session.uri, 2, {"text": TEXT.replace(', "name": "ticket", "require_approval": False}', ", na")})
    place = session.place(10, f"{ENTRY}create, ")
    place["character"] += 2
    found = session.ask("completion", position=place)
    first = found["items"][0]
    assert [item["label"] for item in found["items"]] == ["name", "require_approval"]
    assert first["textEdit"]["range"]["start"] == session.place(10, f"{ENTRY}create, ")
    assert first["textEdit"]["range"]["end"] == place
    assert (first["textEdit"]["newText"], first["insertTextFormat"]) == ('"name": ""', 1)


def test_snippets_are_for_clients_that_know_them(client: Client, workspace: Workspace) -> None:
    snippets = {"completion": {"completionItem": {"snippetSupport": True}}}
    session = Session(client, workspace, "utf-16", textDocument=snippets)
    items = session.ask("completion", position={"line": 12, "character": 0})["items"]
    assert items[0]["insertTextFormat"] == 2
    assert items[0]["textEdit"]["newText"].startswith("def ${1:tool_name}(")


@ENCODINGS
def test_hints_tell_the_effective_name(client: Client, workspace: Workspace, encoding: str) -> None:
    session = Session(client, workspace, encoding)
    whole = {"start": {"line": 0, "character": 0}, "end": {"line": 12, "character": 0}}
    hints = session.ask("inlayHint", range=whole)
    assert [(hint["position"], hint["label"]) for hint in hints] == [
        (session.place(0, "def create"), "→ ticket"),
        (session.place(10, ENTRY + "create"), "→ ticket"),
    ]
    assert len(session.ask("inlayHint", range={**whole, "start": {"line": 3, "character": 0}})) == 1


@pytest.mark.parametrize("nested", [True, False])
def test_document_symbols(client: Client, workspace: Workspace, nested: bool) -> None:
    support = {"documentSymbol": {"hierarchicalDocumentSymbolSupport": nested}}
    session = Session(client, workspace, "utf-16", textDocument=support)
    found = session.ask("documentSymbol")
    if nested:
        assert [symbol["name"] for symbol in found] == ["ticket", "CUSTOM_TOOLS"]
        assert found[0]["detail"] == "create · runs without asking"
        assert found[0]["selectionRange"] == session.span(0, "def ", "create")
        assert [child["name"] for child in found[1]["children"]] == ["ticket"]
    else:
        assert [(symbol["name"], symbol.get("containerName")) for symbol in found] == [
            ("ticket", None),
            ("CUSTOM_TOOLS", None),
            ("ticket", "CUSTOM_TOOLS"),
        ]


def test_workspace_symbols_are_the_tools_of_all_projects(client: Client, workspace: Workspace) -> None:
    other = workspace.write("def close(x): ...\r\nCUSTOM_TOOLS = [close]\r\n", "packages/b")
    session = Session(client, workspace, "utf-16")
    found = client.request("workspace/symbol", {"query": ""})
    assert [(symbol["name"], symbol["location"]["uri"]) for symbol in found] == [
        ("ticket", session.uri),
        ("close", other),
    ]
    found = client.request("workspace/symbol", {"query": "CS"})
    assert [(symbol["name"], symbol["containerName"]) for symbol in found] == [("close", "b")]


def test_folding(client: Client, workspace: Workspace) -> None:
    session = Session(client, workspace, "utf-16")
    found = [(one["startLine"], one["endLine"], one.get("kind")) for one in session.ask("foldingRange")]
    assert found == [(0, 6, None), (1, 5, "comment"), (9, 10, None)]


@pytest.mark.parametrize("own_command", [True, False])
def test_lenses_are_resolved_when_they_are_seen(client: Client, workspace: Workspace, own_command: bool) -> None:
    adal = {"adal": {**ADAL["experimental"]["adal"], "commands": ["adal.runAgent"]}} if own_command else {}
    session = Session(client, workspace, "utf-16", experimental=adal)
    run, approval, *more = session.ask("codeLens")
    assert run["range"] == session.span(0, "def ", "create")
    assert len(more) == 2
    assert "command" not in run
    command = client.request("codeLens/resolve", run)["command"]
    assert command["title"] == "Run agent with this tool"
    assert command["arguments"][0]["projectRoot"] == str(workspace.root.absolute())
    if own_command:
        assert (command["command"], command["arguments"][0]["draft"]) == ("adal.runAgent", 'ticket(title="")')
    else:
        assert command["command"] == "adal.server.runAgent"
        assert "ticket" in command["arguments"][0]["prompt"]
    assert client.request("codeLens/resolve", approval)["command"] == {"title": "runs without asking", "command": ""}
    client.change(session.uri, 2, {"text": TEXT.replace(', "require_approval": False', "")})
    assert client.request("codeLens/resolve", approval)["command"]["title"] == "asks for approval"
    client.change(session.uri, 3, {"text": "CUSTOM_TOOLS = []\n"})
    with pytest.raises(ResponseError) as caught:
        client.request("codeLens/resolve", approval)
    assert caught.value.code == -32801


def test_a_tool_that_no_run_will_have_is_offered_for_none(client: Client, workspace: Workspace) -> None:
    adal = {"adal": {**ADAL["experimental"]["adal"], "commands": ["adal.runAgent", "adal.tryTool"]}}
    session = Session(client, workspace, "utf-16", experimental=adal)
    before = session.ask("codeLens")
    assert {lens["data"]["shows"] for lens in before} == {"try", "run", "approval"}
    client.change(session.uri, 2, {"text": TEXT.replace('"ticket"', '"bash"')})
    lenses = [client.request("codeLens/resolve", lens)["command"] for lens in session.ask("codeLens")]
    assert lenses == [{"title": "left out: ADAL104", "command": ""}] * 2
    stale = [
        {**lens, "data": {**lens["data"], "tool": "bash"}} for lens in before if lens["data"]["shows"] != "approval"
    ]
    for lens in stale:
        with pytest.raises(ResponseError) as caught:
            client.request("codeLens/resolve", lens)
        assert caught.value.code == -32801
    client.shut_down()


def test_a_tool_can_be_tried_where_its_arguments_can_be_given(client: Client, workspace: Workspace) -> None:
    adal = {"adal": {**ADAL["experimental"]["adal"], "commands": ["adal.tryTool"]}}
    session = Session(client, workspace, "utf-16", experimental=adal)
    lens = session.ask("codeLens")[0]
    command = client.request("codeLens/resolve", lens)["command"]
    root = str(workspace.root.absolute())
    assert command == {
        "title": "Try",
        "command": "adal.tryTool",
        "arguments": [{"projectRoot": root, "tool": "ticket"}],
    }
    client.shut_down()


def test_without_a_form_only_a_tool_that_needs_no_arguments_can_be_tried(client: Client, workspace: Workspace) -> None:
    session = Session(client, workspace, "utf-16")
    assert not any(lens["data"]["shows"] == "try" for lens in session.ask("codeLens"))
    client.change(session.uri, 2, {"text": "def now() -> str:\n    ...\n\n\nCUSTOM_TOOLS = [now]\n"})
    lens = session.ask("codeLens")[0]
    assert client.request("codeLens/resolve", lens)["command"]["command"] == "adal.server.tryTool"
    client.shut_down()


def test_all_fixes_at_once_are_resolved_when_they_are_wanted(client: Client, workspace: Workspace) -> None:
    action = {
        "codeActionLiteralSupport": {"codeActionKind": {"valueSet": []}},
        "dataSupport": True,
        "resolveSupport": {"properties": ["edit"]},
    }
    session = Session(client, workspace, "utf-16", textDocument={"codeAction": action})
    client.change(session.uri, 2, {"text": TEXT.replace('"ticket"', '"my-ticket"')})
    here = {"start": {"line": 0, "character": 0}, "end": {"line": 0, "character": 0}}
    context = {"diagnostics": [], "only": ["source.fixAll"]}
    [offered] = session.ask("codeAction", range=here, context=context)
    assert "edit" not in offered
    edit = client.request("codeAction/resolve", offered)["edit"]
    [change] = edit["changes"][session.uri]
    assert change["range"] == {"start": {"line": 10, "character": 0}, "end": {"line": 11, "character": 0}}
    assert change["newText"] == TEXT.split("\r\n")[10].replace("ticket", "my_ticket") + "\r\n"
    client.change(session.uri, 3, {"text": TEXT})
    with pytest.raises(ResponseError) as caught:
        client.request("codeAction/resolve", offered)
    assert caught.value.code == -32801


@pytest.mark.parametrize(
    ("method", "empty"),
    [
        ("completion", None),
        ("signatureHelp", None),
        ("definition", []),
        ("references", []),
        ("documentHighlight", []),
        ("documentSymbol", []),
        ("foldingRange", []),
        ("inlayHint", []),
        ("codeLens", []),
        ("prepareRename", None),
        ("rename", None),
    ],
)
def test_other_documents_get_nothing(client: Client, workspace: Workspace, method: str, empty: Any) -> None:
    session = Session(client, workspace, "utf-16")
    uri = session.uri.replace("tools.py", "other.py")
    client.open(uri, TEXT)
    start = {"line": 0, "character": 5}
    params = {"position": start, "range": {"start": start, "end": start}, "newName": "x"}
    params["context"] = {"includeDeclaration": True, "triggerKind": 1, "isRetrigger": False}
    assert client.request(f"textDocument/{method}", {"textDocument": {"uri": uri}, **params}) == empty
