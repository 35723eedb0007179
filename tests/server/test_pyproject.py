"""`[tool.adal-ls]` of a pyproject.toml, as the editor's diagnostics follow it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tests.server.client import Client
from tests.server.conftest import Workspace

Start = Callable[..., Client]

TOOLS = "def f(x):\n    return x\n\n\nCUSTOM_TOOLS = [f]\n"
WATCHING = {"workspace": {"didChangeWatchedFiles": {"dynamicRegistration": True}}}


def configure(workspace: Workspace, table: str) -> str:
    """Writes the file. Returns its URI."""
    file = workspace.root / "pyproject.toml"
    file.write_text(f"[tool.adal-ls]\n{table}\n", encoding="utf-8")
    return file.absolute().as_uri()


def published(client: Client, *codes: str) -> dict[str, Any]:
    """Waits for diagnostics with exactly these codes."""

    def matches(params: Any) -> bool:
        return [diagnostic["code"] for diagnostic in params["diagnostics"]] == list(codes)

    params: dict[str, Any] = client.wait_for("textDocument/publishDiagnostics", matches)
    return params


def changed(client: Client, uri: str) -> None:
    client.notify("workspace/didChangeWatchedFiles", {"changes": [{"uri": uri, "type": 2}]})


def test_open_and_closed_files_follow_the_file_as_it_changes(start: Start, workspace: Workspace) -> None:
    client = start()
    workspace.write(TOOLS)
    other = workspace.write(TOOLS, "nested")
    (workspace.root / ".git").mkdir()
    uri = configure(workspace, 'ignore = ["ADAL401"]\nseverity.ADAL303 = "error"')
    client.on("client/registerCapability", lambda _: None)
    client.initialize(workspace.root, WATCHING)
    for _ in range(2):
        assert published(client, "ADAL303")["diagnostics"][0]["severity"] == 1
    client.open(other, TOOLS)
    published(client, "ADAL303")
    configure(workspace, 'ignore = ["ADAL303"]')
    changed(client, uri)
    assert {published(client, "ADAL401")["uri"] for _ in range(2)} == {other, workspace.uri}


def test_a_client_that_cannot_watch_is_served_by_looking(start: Start, workspace: Workspace) -> None:
    client = start()
    workspace.write(TOOLS)
    client.initialize(workspace.root)
    published(client, "ADAL401", "ADAL303")
    configure(workspace, 'ignore = ["ADAL4"]')
    published(client, "ADAL303")


def test_settings_of_the_editor_come_before_the_file(start: Start, workspace: Workspace) -> None:
    client = start()
    workspace.write(TOOLS)
    configure(workspace, 'ignore = ["ADAL303"]\nseverity.ADAL401 = "hint"')
    client.initialize(workspace.root, options={"lint": {"ignore": ["ADAL302"], "severity": {"ADAL303": "information"}}})
    first, second = published(client, "ADAL401", "ADAL303")["diagnostics"]
    assert (first["severity"], second["severity"]) == (4, 3)


def test_what_is_wrong_in_the_file_is_told_once_at_its_line(start: Start, workspace: Workspace) -> None:
    client = start()
    workspace.write(TOOLS)
    uri = configure(workspace, 'ignore = ["ADAL401"]\nseverity.ADAL3O3 = "hint"')
    client.on("client/registerCapability", lambda _: None)
    client.initialize(workspace.root, WATCHING)
    published(client, "ADAL303")
    message = client.wait_for("window/logMessage")
    assert message["type"] == 2
    assert (
        "pyproject.toml:3: [tool.adal-ls] severity: there is no rule ADAL3O3; did you mean ADAL303?"
        in (message["message"])
    )
    changed(client, uri)
    published(client, "ADAL303")
