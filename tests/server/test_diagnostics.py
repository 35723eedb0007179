from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from adal_ls.lint.rules import DOCUMENT
from tests.server.client import Client
from tests.server.conftest import BAD_NAME, GOOD, Workspace

Start = Callable[..., Client]

WATCHING = {"workspace": {"didChangeWatchedFiles": {"dynamicRegistration": True}}}

BAD_LINE = BAD_NAME.splitlines().index('CUSTOM_TOOLS = [{"function": f, "name": "bad-name"}]')


def codes(diagnostics: list[dict[str, Any]]) -> list[str]:
    return [diagnostic["code"] for diagnostic in diagnostics]


def watched(client: Client, *events: tuple[str, int]) -> None:
    """Tells of created (1), changed (2) and deleted (3) files."""
    changes = [{"uri": uri, "type": kind} for uri, kind in events]
    client.notify("workspace/didChangeWatchedFiles", {"changes": changes})


def start_watching(client: Client, folder: Path) -> None:
    client.on("client/registerCapability", lambda _: None)
    client.initialize(folder, WATCHING)


def test_a_bad_name_is_shown_where_it_stands_and_goes_with_its_cause(client: Client) -> None:
    client.initialize()
    uri = "file:///p/.adal/tools.py"
    client.open(uri, BAD_NAME, version=7)
    params = client.wait_for("textDocument/publishDiagnostics")
    assert (params["uri"], params["version"]) == (uri, 7)
    (diagnostic,) = params["diagnostics"]
    assert diagnostic["code"] == "ADAL101"
    assert diagnostic["severity"] == 1
    assert diagnostic["source"] == "adal-ls"
    start = BAD_NAME.splitlines()[BAD_LINE].index('"bad-name"')
    assert diagnostic["range"] == {
        "start": {"line": BAD_LINE, "character": start},
        "end": {"line": BAD_LINE, "character": start + len('"bad-name"')},
    }
    place = {"line": BAD_LINE, "character": start + 4}
    span = {"start": place, "end": {"line": BAD_LINE, "character": start + 5}}
    client.change(uri, 8, {"range": span, "text": "_"})
    params = client.wait_for("textDocument/publishDiagnostics")
    assert (params["version"], params["diagnostics"]) == (8, [])


@pytest.mark.parametrize(("encoding", "column"), [("utf-16", 63), ("utf-8", 66), ("utf-32", 62)])
def test_columns_behind_an_emoji_are_those_of_the_encoding(client: Client, encoding: str, column: int) -> None:
    # https://github.com/astral-sh/ruff-lsp/issues/358
    client.initialize(capabilities={"general": {"positionEncodings": [encoding]}})
    text = 'def f(x: str) -> str:\n    """Do f."""\n    return x\n\n\n'
    text += 'CUSTOM_TOOLS = [{"function": f, "description": "🎫 é", "name": "bad-name"}]\n'
    client.open("file:///p/.adal/tools.py", text)
    found = [item for item in client.diagnostics("file:///p/.adal/tools.py") if item["code"] == "ADAL101"]
    assert [(item["range"]["start"]["character"], item["range"]["end"]["character"]) for item in found] == [
        (column, column + 10)
    ]


@pytest.mark.parametrize(
    "uri",
    [
        "untitled:/p/.adal/tools.py",
        "git:/p/.adal/tools.py",
        "file:///p/tools.py",
        "file:///p/.adal/tools.pyi",
        "file:///p/x.adal/tools.py",
        "file:///p/.adal/sub/tools.py",
    ],
)
def test_only_tools_files_are_checked(client: Client, uri: str) -> None:
    client.initialize()
    client.open(uri, BAD_NAME)
    client.change(uri, 2, {"text": BAD_NAME})
    client.save(uri)
    client.close_document(uri)


def test_each_version_gets_the_diagnostics_of_its_own_text(client: Client) -> None:
    client.initialize()
    uri = "file:///p/.adal/tools.py"
    client.open(uri, GOOD, version=0)
    for version in range(1, 40):
        client.change(uri, version, {"text": BAD_NAME if version % 2 else GOOD})
    seen = [-1]
    while seen[-1] != 39:
        params = client.wait_for("textDocument/publishDiagnostics")
        assert params["version"] > seen[-1]
        assert codes(params["diagnostics"]) == (["ADAL101"] if params["version"] % 2 else [])
        seen.append(params["version"])


def test_a_burst_of_edits_is_linted_once_or_a_few_times(client: Client) -> None:
    client.initialize()
    uri = "file:///p/.adal/tools.py"
    functions = "".join(GOOD.partition("\n\nCUSTOM")[0].replace("greet", f"greet{n}") + "\n\n" for n in range(100))
    client.open(uri, functions + "CUSTOM_TOOLS = [greet0]\n", version=0)
    for version in range(1, 300):
        span = {"start": {"line": 0, "character": 0}, "end": {"line": 0, "character": 0}}
        client.change(uri, version, {"range": span, "text": "#\n"})
    client.wait_for("textDocument/publishDiagnostics", lambda params: params["version"] == 299)
    client.tolerated.add("textDocument/publishDiagnostics")
    client.shut_down()
    assert len(client.unread) < 100


def test_the_first_of_two_equal_names_is_related_to_the_second(client: Client) -> None:
    client.initialize(capabilities={"textDocument": {"publishDiagnostics": {"relatedInformation": True}}})
    client.open("file:///p/.adal/tools.py", GOOD.replace("[greet]", "[greet, {'function': greet, 'name': 'greet'}]"))
    found = [item for item in client.diagnostics("file:///p/.adal/tools.py") if item["code"] == "ADAL103"]
    assert found[0]["relatedInformation"][0]["location"]["uri"] == "file:///p/.adal/tools.py"


@pytest.mark.parametrize("knows", [True, False])
def test_a_code_leads_to_the_page_of_its_rule_where_the_client_can_show_that(client: Client, *, knows: bool) -> None:
    client.initialize(capabilities={"textDocument": {"publishDiagnostics": {"codeDescriptionSupport": knows}}})
    client.open("file:///p/.adal/tools.py", BAD_NAME)
    [found] = client.diagnostics("file:///p/.adal/tools.py")
    expected = {"href": f"{DOCUMENT}#adal101-invalid-identifier"}
    assert found.get("codeDescription") == (expected if knows else None)


def test_files_that_are_not_open_are_checked_nested_ones_too(client: Client, workspace: Workspace) -> None:
    uris = [workspace.write(BAD_NAME, folder) for folder in (".", "sub/deep")]
    workspace.write(BAD_NAME, "node_modules/other")
    workspace.write(BAD_NAME, ".venv/lib")
    client.initialize(workspace.root)
    for uri in uris:
        assert codes(client.diagnostics(uri)) == ["ADAL101"]


def test_closing_a_document_lets_the_file_on_disk_count(client: Client, workspace: Workspace) -> None:
    uri = workspace.write(BAD_NAME)
    client.initialize(workspace.root)
    assert codes(client.diagnostics(uri)) == ["ADAL101"]
    client.open(uri, GOOD)
    assert client.diagnostics(uri) == []
    client.close_document(uri)
    assert codes(client.diagnostics(uri)) == ["ADAL101"]


def test_the_diagnostics_of_a_deleted_file_go(client: Client, workspace: Workspace) -> None:
    # https://github.com/swyddfa/esbonio/issues/291
    uri = workspace.write(BAD_NAME)
    start_watching(client, workspace.root)
    assert codes(client.diagnostics(uri)) == ["ADAL101"]
    client.open(uri, BAD_NAME)
    assert codes(client.diagnostics(uri)) == ["ADAL101"]
    client.close_document(uri)
    assert codes(client.diagnostics(uri)) == ["ADAL101"]
    workspace.file().unlink()
    watched(client, (uri, 3))
    assert client.diagnostics(uri) == []
    assert client.request("adal/tools/list", {}) == {"projects": []}


def test_a_deleted_folder_takes_the_diagnostics_of_its_files_with_it(client: Client, workspace: Workspace) -> None:
    uri = workspace.write(BAD_NAME, "sub")
    start_watching(client, workspace.root)
    assert codes(client.diagnostics(uri)) == ["ADAL101"]
    workspace.file("sub").parent.rename(workspace.root / "sub" / ".adal2")
    watched(client, ((workspace.root / "sub" / ".adal").as_uri(), 3))
    assert client.diagnostics(uri) == []


def test_a_file_made_outside_the_editor_is_found(client: Client, workspace: Workspace) -> None:
    start_watching(client, workspace.root)
    assert client.request("adal/tools/list", {}) == {"projects": []}
    uri = workspace.write(BAD_NAME, "new")
    watched(client, ((workspace.root / "new").as_uri(), 1))  # some clients tell of the folder alone
    assert codes(client.diagnostics(uri)) == ["ADAL101"]


@pytest.mark.parametrize("watching", [True, False])
def test_a_change_outside_the_editor_is_followed(client: Client, workspace: Workspace, *, watching: bool) -> None:
    # https://github.com/nextflow-io/language-server/issues/27
    uri = workspace.write(GOOD)
    client.on("client/registerCapability", lambda _: None)
    client.initialize(workspace.root, WATCHING if watching else {})
    assert len(client.request("adal/tools/list", {})["projects"]) == 1
    workspace.write(BAD_NAME)
    if watching:
        watched(client, (uri, 2))
    assert codes(client.diagnostics(uri)) == ["ADAL101"]
    workspace.write(GOOD)
    if watching:
        watched(client, (uri, 2))
    assert client.diagnostics(uri) == []


def test_a_project_that_appears_is_found_without_watching(client: Client, workspace: Workspace) -> None:
    client.initialize(workspace.root)
    assert client.request("adal/tools/list", {}) == {"projects": []}
    uri = workspace.write(BAD_NAME)
    assert codes(client.diagnostics(uri)) == ["ADAL101"]


def test_watchers_cover_the_hidden_folder(client: Client, workspace: Workspace) -> None:
    seen: list[Any] = []
    client.on("client/registerCapability", seen.append)
    client.initialize(workspace.root, WATCHING)
    client.request("adal/tools/list", {})
    (registration,) = seen[0]["registrations"]
    assert registration["method"] == "workspace/didChangeWatchedFiles"
    assert {"globPattern": "**/.adal/**"} in registration["registerOptions"]["watchers"]


def test_a_watched_event_in_another_spelling_means_the_open_document(client: Client) -> None:
    # https://github.com/microsoft/language-server-protocol/pull/1786
    client.on("client/registerCapability", lambda _: None)
    client.initialize(capabilities=WATCHING)
    client.open("file:///c%3A/p/.adal/tools.py", BAD_NAME)
    assert codes(client.diagnostics("file:///c%3A/p/.adal/tools.py")) == ["ADAL101"]
    watched(client, ("file:///C:/p/.adal/tools.py", 2))
    client.change("file:///C:/p/.adal/tools.py", 2, {"text": GOOD})
    assert client.diagnostics("file:///c%3A/p/.adal/tools.py", lambda params: params.get("version") == 2) == []
    client.tolerated.add("textDocument/publishDiagnostics")
    client.shut_down()
    assert {message["params"]["uri"] for message in client.unread} <= {"file:///c%3A/p/.adal/tools.py"}


def test_a_linked_workspace_is_published_under_the_uri_the_client_opened(
    client: Client, tmp_path: Path, workspace: Workspace
) -> None:
    workspace.write(BAD_NAME)
    link = tmp_path / "link"
    link.symlink_to(workspace.root, target_is_directory=True)
    client.initialize(link)
    first = (link / ".adal" / "tools.py").as_uri()
    assert codes(client.diagnostics(first)) == ["ADAL101"]
    client.open(workspace.uri, BAD_NAME)
    assert client.diagnostics(first) == []
    assert codes(client.diagnostics(workspace.uri)) == ["ADAL101"]
    assert len(client.request("adal/tools/list", {})["projects"]) == 1


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (b"", []),
        (b"x = '\xff'\n", ["ADAL001"]),
        (b"\x00\x01\x02\xff" * 1000, ["ADAL001"]),
        (b"# -*- coding: nonsense -*-\n", ["ADAL001"]),
        (b"\xef\xbb\xbf" + GOOD.encode(), []),
        (GOOD.replace("\n", "\r\n").encode(), []),
        (GOOD.replace("\n", "\r").encode(), []),
    ],
)
def test_odd_bytes_on_disk_give_a_located_finding_or_none(
    start: Start, workspace: Workspace, data: bytes, expected: list[str]
) -> None:
    client = start(tolerated=["textDocument/publishDiagnostics"])
    workspace.write_bytes(data)
    client.initialize(workspace.root)
    assert len(client.request("adal/tools/list", {})["projects"]) == 1
    client.shut_down()
    published = [message["params"]["diagnostics"] for message in client.unread]
    errors = [item["code"] for items in published for item in items if item["severity"] == 1]
    assert errors[:1] == expected


def test_a_folder_in_the_place_of_the_file_is_named(client: Client, workspace: Workspace) -> None:
    workspace.file().mkdir(parents=True)
    client.initialize(workspace.root)
    (diagnostic,) = client.diagnostics(workspace.uri)
    assert "folder" in diagnostic["message"]


def test_a_pipe_in_the_place_of_the_file_is_not_opened(client: Client, workspace: Workspace) -> None:
    workspace.file().parent.mkdir(parents=True)
    os.mkfifo(workspace.file())
    client.initialize(workspace.root)
    (diagnostic,) = client.diagnostics(workspace.uri)
    assert "regular" in diagnostic["message"]


def test_a_file_of_five_megabytes_is_checked_or_named(client: Client, workspace: Workspace) -> None:
    workspace.write("# " + "x" * (5 * 1024 * 1024) + "\nCUSTOM_TOOLS = [missing]\n")
    workspace.write("x" * (9 * 1024 * 1024), "huge")
    client.initialize(workspace.root)
    assert client.diagnostics(workspace.uri)[0]["range"]["start"]["line"] == 1
    (diagnostic,) = client.diagnostics(workspace.file("huge").as_uri())
    assert "larger" in diagnostic["message"]


def test_a_change_or_close_of_a_document_that_is_not_open_has_no_effect(client: Client) -> None:
    client.initialize()
    client.change("file:///p/.adal/tools.py", 3, {"text": BAD_NAME})
    client.close_document("file:///p/.adal/tools.py")
    client.save("file:///p/.adal/tools.py")


def test_a_second_open_replaces_the_text(client: Client) -> None:
    client.initialize()
    client.open("file:///p/.adal/tools.py", BAD_NAME)
    assert codes(client.diagnostics("file:///p/.adal/tools.py")) == ["ADAL101"]
    client.open("file:///p/.adal/tools.py", GOOD, version=2)
    assert client.diagnostics("file:///p/.adal/tools.py") == []


def test_settings_choose_the_rules(start: Start) -> None:
    client = start()
    client.initialize(options={"lint": {"ignore": ["ADAL4"]}})
    uri = "file:///p/.adal/tools.py"
    client.open(uri, "CUSTOM_TOOLS = [missing]\n")
    assert codes(client.diagnostics(uri)) != []
    settings = {"adal": {"lint": {"ignore": ["ADAL2"]}}}
    client.notify("workspace/didChangeConfiguration", {"settings": settings})
    assert codes(client.diagnostics(uri)) == []


def test_configuration_is_asked_for_where_the_client_offers_it(client: Client) -> None:
    asked: list[Any] = []

    def answer(params: Any) -> list[Any]:
        asked.append(params)
        return [{"lint": {"ignore": ["ADAL2"]}, "trusted": True}]

    client.on("workspace/configuration", answer)
    client.initialize(capabilities={"workspace": {"configuration": True}})
    client.open("file:///p/.adal/tools.py", "CUSTOM_TOOLS = [missing]\n")
    client.diagnostics("file:///p/.adal/tools.py", lambda params: params["diagnostics"] == [])
    assert asked == [{"items": [{"section": "adal"}]}]
    client.tolerated.add("textDocument/publishDiagnostics")


def test_removing_a_workspace_folder_clears_its_diagnostics(client: Client, workspace: Workspace) -> None:
    workspace.write(BAD_NAME)
    client.initialize(workspace.root)
    assert codes(client.diagnostics(workspace.uri)) == ["ADAL101"]
    folder = {"uri": workspace.root.as_uri(), "name": "p"}
    client.notify("workspace/didChangeWorkspaceFolders", {"event": {"added": [], "removed": [folder]}})
    assert client.diagnostics(workspace.uri) == []
    client.notify("workspace/didChangeWorkspaceFolders", {"event": {"added": [folder], "removed": []}})
    assert codes(client.diagnostics(workspace.uri)) == ["ADAL101"]
