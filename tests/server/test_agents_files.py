"""`.adal/agents.py` in the editor: linted as it is typed, and marked where a load of it failed."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.server.client import Client
from tests.server.conftest import ADAL, GOOD, Workspace

Start = Callable[..., Client]

NOISE = ("adal/status", "adal/tools/changed", "window/logMessage")
PULL: dict[str, Any] = {"textDocument": {"diagnostic": {}}, "workspace": {"diagnostics": {"refreshSupport": True}}}
HEAD = "from adal_ls import create_runtime\n\nruntime = create_runtime()\n"
GOOD_AGENTS = f'{HEAD}AGENTS = [runtime.create_agent("librarian")]\n'
TYPO = GOOD_AGENTS.replace('"librarian"', '"librarian", modle="x"')


@pytest.fixture(autouse=True)
def _data(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("ADAL_DATA_DIR", str(tmp_path / "data"))


@pytest.fixture
def agents(workspace: Workspace) -> Path:
    file = workspace.file().with_name("agents.py")
    file.parent.mkdir()
    return file


def brief(items: list[dict[str, Any]]) -> list[tuple[str, int]]:
    return [(item["code"], item["range"]["start"]["line"]) for item in items]


def test_an_agents_file_is_linted_on_disk_while_it_is_typed_and_when_it_is_closed(
    client: Client, workspace: Workspace, agents: Path
) -> None:
    agents.write_text(TYPO)
    client.initialize(workspace.root)
    uri = agents.as_uri()
    assert brief(client.diagnostics(uri)) == [("ADAL705", 3)]
    client.open(uri, TYPO)
    assert brief(client.diagnostics(uri)) == [("ADAL705", 3)]
    client.change(uri, 2, {"text": GOOD_AGENTS})
    assert client.diagnostics(uri) == []
    client.change(uri, 3, {"text": HEAD})
    assert brief(client.diagnostics(uri)) == [("ADAL701", 2)]
    client.close_document(uri)
    assert brief(client.diagnostics(uri)) == [("ADAL705", 3)]
    agents.unlink()
    client.notify("workspace/didChangeWatchedFiles", {"changes": [{"uri": uri, "type": 3}]})
    assert client.diagnostics(uri) == []


def test_a_client_that_pulls_gets_them_when_it_pulls_and_for_closed_files_in_the_report_of_the_workspace(
    client: Client, workspace: Workspace, agents: Path
) -> None:
    agents.write_text(TYPO)
    uri = agents.as_uri()
    client.on("workspace/diagnostic/refresh", lambda _: None)
    client.initialize(workspace.root, PULL)
    (report,) = client.request("workspace/diagnostic", {"previousResultIds": []})["items"]
    assert (report["uri"], brief(report["items"])) == (uri, [("ADAL705", 3)])
    known = [{"uri": uri, "value": report["resultId"]}]
    (again,) = client.request("workspace/diagnostic", {"previousResultIds": known})["items"]
    assert again["kind"] == "unchanged"
    client.open(uri, GOOD_AGENTS)
    pulled = client.request("textDocument/diagnostic", {"textDocument": {"uri": uri}})
    assert pulled["items"] == []
    client.change(uri, 2, {"text": TYPO})
    params = {"textDocument": {"uri": uri}, "previousResultId": pulled["resultId"]}
    newer = client.request("textDocument/diagnostic", params)
    assert brief(newer["items"]) == [("ADAL705", 3)]
    params["previousResultId"] = newer["resultId"]
    assert client.request("textDocument/diagnostic", params)["kind"] == "unchanged"


@pytest.mark.parametrize("with_tools", [True, False])
def test_a_load_that_fails_in_it_is_marked_there_until_a_load_is_good_again(
    start: Start, workspace: Workspace, agents: Path, with_tools: bool
) -> None:
    if with_tools:
        workspace.write(GOOD)
    agents.write_text(GOOD_AGENTS)
    uri = agents.as_uri()
    client = start(tolerated=[*NOISE, "textDocument/publishDiagnostics"])
    client.initialize(workspace.root, ADAL, {"trusted": True})
    client.open(uri, GOOD_AGENTS)
    client.wait_for("adal/tools/changed", lambda told: told["generation"] == 1)
    broken = f"{GOOD_AGENTS}\nraise RuntimeError('not today')\n"
    for version, text, expected in ((2, broken, [("ADAL901", 5)]), (3, GOOD_AGENTS, [])):
        client.change(uri, version, {"text": text})
        agents.write_text(text)
        client.save(uri)
        while brief(client.diagnostics(uri)) != expected:
            pass


def test_what_lint_says_of_it_is_not_said_again_by_the_load(start: Start, workspace: Workspace, agents: Path) -> None:
    agents.write_text(TYPO)
    client = start(tolerated=[*NOISE, "textDocument/publishDiagnostics"])
    client.on("workspace/diagnostic/refresh", lambda _: None)
    client.initialize(workspace.root, {**ADAL, **PULL}, {"trusted": True})
    client.open(agents.as_uri(), TYPO)
    while client.request("adal/tools/list", {})["projects"][0]["state"] != "error":
        client.wait_for("adal/tools/changed")
    pulled = client.request("textDocument/diagnostic", {"textDocument": {"uri": agents.as_uri()}})
    assert brief(pulled["items"]) == [("ADAL705", 3)]


def test_what_only_tools_have_is_answered_with_nothing(client: Client, workspace: Workspace, agents: Path) -> None:
    agents.write_text(TYPO)
    client.on("workspace/diagnostic/refresh", lambda _: None)
    client.initialize(workspace.root, PULL)
    document = {"textDocument": {"uri": agents.as_uri()}}
    client.open(agents.as_uri(), TYPO)
    place = {**document, "position": {"line": 3, "character": 12}}
    span = {"start": place["position"], "end": place["position"]}
    for method, params in (
        ("textDocument/hover", place),
        ("textDocument/completion", place),
        ("textDocument/definition", place),
        ("textDocument/codeLens", document),
        ("textDocument/documentSymbol", document),
        ("textDocument/foldingRange", document),
        ("textDocument/codeAction", {**document, "range": span, "context": {"diagnostics": []}}),
        ("textDocument/inlayHint", {**document, "range": span}),
    ):
        assert not client.request(method, params), method
