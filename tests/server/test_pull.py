from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.server.client import Client
from tests.server.conftest import BAD_NAME, GOOD, Workspace

PULL = {"textDocument": {"diagnostic": {"dynamicRegistration": True}}}
PULL_REFRESH: dict[str, Any] = {**PULL, "workspace": {"diagnostics": {"refreshSupport": True}}}
"""Nothing is pushed to a client that pulls: its strict end fails on an unread message."""


def pull(client: Client, uri: str, previous: str | None = None) -> Any:
    params: dict[str, Any] = {"textDocument": {"uri": uri}}
    if previous is not None:
        params["previousResultId"] = previous
    return client.request("textDocument/diagnostic", params)


def test_a_client_that_pulls_gets_nothing_pushed(client: Client, workspace: Workspace) -> None:
    uri = workspace.write(BAD_NAME)
    result = client.initialize(workspace.root, PULL)
    assert result["capabilities"]["diagnosticProvider"]["workspaceDiagnostics"] is True
    client.open(uri, BAD_NAME)
    report = pull(client, uri)
    assert report["kind"] == "full"
    assert [item["code"] for item in report["items"]] == ["ADAL101"]
    assert pull(client, uri, report["resultId"]) == {"kind": "unchanged", "resultId": report["resultId"]}
    client.change(uri, 2, {"text": GOOD})
    newer = pull(client, uri, report["resultId"])
    assert (newer["kind"], newer["items"]) == ("full", [])
    client.close_document(uri)


@pytest.mark.parametrize("refreshes", [True, False])
def test_who_cannot_be_told_of_a_module_beside_is_asked_to_look_again(
    client: Client, workspace: Workspace, *, refreshes: bool
) -> None:
    uri = workspace.write("from helpers import find\n\n\nCUSTOM_TOOLS = [find]\n")
    helpers = uri.replace("tools.py", "helpers.py")
    text = 'def find(q: str) -> str:\n    """Find."""\n    return q\n'
    client.on("workspace/diagnostic/refresh", lambda _: None)
    offered = client.initialize(workspace.root, {**PULL, "workspace": {"diagnostics": {"refreshSupport": refreshes}}})
    assert offered["capabilities"]["diagnosticProvider"]["interFileDependencies"] is not refreshes
    client.open(uri, workspace.file().read_text())
    client.open(helpers, text)
    before = pull(client, uri)
    assert before["items"] == []
    client.change(helpers, 2, {"text": text.replace("def find", "def seek")})
    after = pull(client, uri, before["resultId"])
    assert [item["code"] for item in after["items"]] == ["ADAL217"]


def test_a_client_that_gets_pushes_is_offered_no_pull(client: Client, tmp_path: Path) -> None:
    assert "diagnosticProvider" not in client.initialize(tmp_path)["capabilities"]


def test_files_that_are_not_open_are_in_the_workspace_report(client: Client, workspace: Workspace) -> None:
    open_uri, closed_uri = workspace.write(BAD_NAME), workspace.write(BAD_NAME, "sub")
    client.initialize(workspace.root, PULL)
    client.open(open_uri, BAD_NAME)
    (report,) = client.request("workspace/diagnostic", {"previousResultIds": []})["items"]
    assert (report["uri"], report["version"]) == (closed_uri, None)
    assert [item["code"] for item in report["items"]] == ["ADAL101"]
    known = [{"uri": closed_uri, "value": report["resultId"]}]
    (again,) = client.request("workspace/diagnostic", {"previousResultIds": known})["items"]
    assert again["kind"] == "unchanged"


def test_a_deleted_file_gets_an_empty_report_and_the_client_is_asked_to_pull(
    client: Client, workspace: Workspace
) -> None:
    uri = workspace.write(BAD_NAME)
    asked: list[Any] = []
    client.on("workspace/diagnostic/refresh", asked.append)
    client.initialize(workspace.root, PULL_REFRESH)
    (report,) = client.request("workspace/diagnostic", {"previousResultIds": []})["items"]
    workspace.file().unlink()
    before = len(asked)
    client.notify("workspace/didChangeWatchedFiles", {"changes": [{"uri": uri, "type": 3}]})
    known = [{"uri": uri, "value": report["resultId"]}]
    (gone,) = client.request("workspace/diagnostic", {"previousResultIds": known})["items"]
    assert (gone["uri"], gone["items"]) == (uri, [])
    assert len(asked) == before + 1
