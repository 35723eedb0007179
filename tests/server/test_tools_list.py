from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.server.client import Client, ResponseError
from tests.server.conftest import ADAL, BAD_NAME, GOOD, ScriptedHost, Workspace

Start = Callable[..., Client]


def listed(client: Client, **params: Any) -> list[dict[str, Any]]:
    projects: list[dict[str, Any]] = client.request("adal/tools/list", params)["projects"]
    return projects


def test_an_untrusted_workspace_has_a_static_list_with_places_and_problems(
    client: Client, workspace: Workspace
) -> None:
    workspace.write(BAD_NAME)
    client.tolerated.add("textDocument/publishDiagnostics")
    client.initialize(workspace.root)
    (project,) = listed(client)
    assert (project["state"], project["generation"]) == ("static", 0)
    assert (project["root"], project["file"]) == (str(workspace.root), str(workspace.file()))
    (tool,) = project["tools"]
    assert tool["name"] == "bad-name"
    assert tool["problems"] == ["ADAL101"]
    assert tool["requireApproval"] is True
    assert tool["kind"] == "custom"
    assert tool["parameters"]["required"] == ["x"]
    assert tool["location"]["uri"] == workspace.uri
    assert tool["location"]["range"]["start"]["line"] == BAD_NAME.splitlines().index(BAD_NAME.splitlines()[-1])


def test_the_list_follows_the_open_text(client: Client, workspace: Workspace) -> None:
    workspace.write(BAD_NAME)
    client.tolerated.add("textDocument/publishDiagnostics")
    client.initialize(workspace.root)
    client.open(workspace.uri, GOOD)
    assert [tool["name"] for tool in listed(client)[0]["tools"]] == ["greet"]


def test_the_list_can_be_narrowed_to_one_project(client: Client, workspace: Workspace) -> None:
    workspace.write(GOOD, "a")
    workspace.write(GOOD, "b")
    client.initialize(workspace.root)
    assert [project["root"] for project in listed(client)] == [str(workspace.root / name) for name in "ab"]
    assert [p["root"] for p in listed(client, projectRoot=str(workspace.root / "b"))] == [str(workspace.root / "b")]
    assert listed(client, projectRoot="/nowhere") == []


def test_a_trusted_project_is_loaded_and_merged_with_what_lint_knows(
    start: Start, scripted_host: ScriptedHost, workspace: Workspace
) -> None:
    workspace.write(GOOD.replace("[greet]", "[greet, {'function': greet, 'name': 'bad-name'}]"))
    client = start(scripted_host.command("approve"), tolerated=["adal/status", "textDocument/publishDiagnostics"])
    client.initialize(workspace.root, ADAL, {"trusted": True, "model": "m", "permissionMode": "default"})
    client.wait_for("adal/tools/changed", lambda params: params["generation"] == 1)
    (project,) = listed(client)
    assert (project["state"], project["generation"]) == ("loaded", 1)
    greet, bash, left_out = project["tools"]
    assert greet["description"] == "As loaded."
    assert greet["location"]["range"]["start"] == {"line": 0, "character": 4}
    assert (bash["name"], bash["kind"], bash["group"]) == ("bash", "builtin", "Bash")
    assert (left_out["name"], left_out["problems"], left_out["pending"]) == ("bad-name", ["ADAL101"], True)
    assert "pending" not in greet
    first, load = scripted_host.told()[:2]
    assert first["method"] == "adal/host/initialize"
    assert first["params"]["protocolVersion"] == 1
    assert first["params"]["trusted"] is True
    assert first["params"]["workspaceRoots"] == [str(workspace.root)]
    assert first["params"]["settings"] == {"model": "m", "permissionMode": "default"}
    # That a folder is open is no wish of a person: what an agent wrote in it would not be imported.
    assert load["method"] == "adal/host/load"
    assert load["params"] == {"projectRoot": str(workspace.root), "unsaved": True}
    client.tolerated.add("adal/tools/changed")


def test_a_tool_renamed_in_an_unsaved_text_is_listed_once_and_pending(
    start: Start, scripted_host: ScriptedHost, workspace: Workspace
) -> None:
    workspace.write(GOOD)
    tolerated = ["adal/status", "adal/tools/changed", "textDocument/publishDiagnostics"]
    client = start(scripted_host.command("approve"), tolerated=tolerated)
    client.initialize(workspace.root, ADAL, {"trusted": True})
    client.wait_for("adal/tools/changed", lambda params: params["generation"] == 1)
    client.open(workspace.uri, GOOD.replace("greet", "welcome"))
    assert [(tool["name"], tool.get("pending")) for tool in listed(client)[0]["tools"]] == [
        ("bash", None),
        ("welcome", True),
    ]
    # Where the text does not name every tool, one that it does not name may still be there.
    for version, unclear in enumerate(
        ("CUSTOM_TOOLS = find_tools()\n", "def greet(:\n", "CUSTOM_TOOLS = [*others]\n"), 2
    ):
        client.change(workspace.uri, version, {"text": unclear})
        assert [tool["name"] for tool in listed(client)[0]["tools"]] == ["greet", "bash"]


def test_a_save_loads_again(start: Start, scripted_host: ScriptedHost, workspace: Workspace) -> None:
    workspace.write(GOOD)
    client = start(
        scripted_host.command("approve"),
        tolerated=["adal/status", "adal/tools/changed", "textDocument/publishDiagnostics"],
    )
    client.on("client/registerCapability", lambda _: None)
    watching = {"workspace": {"didChangeWatchedFiles": {"dynamicRegistration": True}}}
    client.initialize(workspace.root, {**ADAL, **watching}, {"trusted": True})
    client.wait_for("adal/tools/changed", lambda params: params["generation"] == 1)
    client.open(workspace.uri, GOOD)
    client.save(workspace.uri)
    client.wait_for("adal/tools/changed", lambda params: params["generation"] == 2)
    # The watcher tells of the same save: nothing new to load. A module beside the tools file is new.
    event = {"changes": [{"uri": workspace.uri, "type": 2}]}
    client.notify("workspace/didChangeWatchedFiles", event)
    assert listed(client)[0]["generation"] == 2  # the answer comes after the event: no file is half written during it
    assert scripted_host.methods().count("adal/host/load") == 2
    module = workspace.file().parent / "lib.py"
    module.write_text("x = 1\n")
    client.notify("workspace/didChangeWatchedFiles", {"changes": [{"uri": module.as_uri(), "type": 1}]})
    client.wait_for("adal/tools/changed", lambda params: params["generation"] == 3)
    assert listed(client)[0]["generation"] == 3
    assert scripted_host.methods().count("adal/host/load") == 3


def test_a_person_can_have_the_tools_imported_anew_though_no_file_changed(
    start: Start, scripted_host: ScriptedHost, workspace: Workspace
) -> None:
    workspace.write(GOOD)
    tolerated = ["adal/status", "adal/tools/changed", "textDocument/publishDiagnostics"]
    client = start(scripted_host.command("approve"), tolerated=tolerated)
    client.initialize(workspace.root, ADAL, {"trusted": True})
    client.wait_for("adal/tools/changed", lambda params: params["generation"] == 1)
    assert client.request("adal/tools/reload", {}) == {}
    client.wait_for("adal/tools/changed", lambda params: params["generation"] == 2)


def test_nothing_is_imported_anew_before_the_workspace_is_trusted(
    start: Start, scripted_host: ScriptedHost, workspace: Workspace
) -> None:
    workspace.write(GOOD)
    tolerated = ["adal/status", "adal/tools/changed", "textDocument/publishDiagnostics"]
    client = start(scripted_host.command("approve"), tolerated=tolerated)
    client.initialize(workspace.root, ADAL, {"trusted": False})
    with pytest.raises(ResponseError, match="trust"):
        client.request("adal/tools/reload", {})
    assert scripted_host.told() == []


def test_an_untrusted_folder_starts_no_host_and_trust_loads_it_without_a_restart(
    start: Start, scripted_host: ScriptedHost, workspace: Workspace
) -> None:
    # https://github.com/facebook/pyrefly/pull/3087: opening a folder must not run its code
    owned = workspace.root / "owned.txt"
    workspace.write(f"open({str(owned)!r}, 'w').write('x')\n\n\n{GOOD}")
    client = start(
        scripted_host.command("approve"),
        tolerated=["adal/status", "adal/tools/changed", "textDocument/publishDiagnostics", "window/logMessage"],
    )
    configuration = {"trusted": True, "interpreter": "./evil.sh"}  # a workspace file can supply configuration
    client.on("workspace/configuration", lambda params: [configuration for _ in params["items"]])
    client.initialize(workspace.root, {**ADAL, "workspace": {"configuration": True}})
    client.open(workspace.uri, workspace.file().read_text())
    client.save(workspace.uri)
    assert listed(client)[0]["state"] == "static"
    assert not scripted_host.record.exists()
    client.notify("adal/trust/changed", {"trusted": True})
    client.wait_for("adal/tools/changed", lambda params: params["generation"] == 1)
    assert listed(client)[0]["state"] == "loaded"
    client.notify("adal/trust/changed", {"trusted": False})
    client.wait_for("adal/tools/changed", lambda params: params["generation"] == 0)
    assert listed(client)[0]["state"] == "static"
    assert not owned.exists()


def test_a_file_outside_the_workspace_is_linted_but_never_loaded(
    start: Start, scripted_host: ScriptedHost, workspace: Workspace, tmp_path: Path
) -> None:
    """Trust is for the workspace; a tools file from elsewhere was only opened to be read."""
    other = Workspace(tmp_path / "elsewhere")
    other.write(BAD_NAME)
    client = start(scripted_host.command("approve"), tolerated=["adal/status", "adal/tools/changed"])
    client.initialize(workspace.root, ADAL, {"trusted": True})
    client.open(other.uri, BAD_NAME)
    assert client.diagnostics(other.uri) != []
    client.save(other.uri)
    client.diagnostics(other.uri)
    assert [project["state"] for project in listed(client)] == ["static"]
    with pytest.raises(ResponseError, match="projectRoot"):
        client.request("adal/run/start", {"prompt": "hi", "projectRoot": str(other.root)})
    assert scripted_host.told() == []
    client.close_document(other.uri)
    assert client.diagnostics(other.uri) == []
    assert listed(client) == []


def test_the_status_tells_of_loading_and_of_the_interpreter(
    start: Start, scripted_host: ScriptedHost, workspace: Workspace
) -> None:
    workspace.write(GOOD)
    client = start(scripted_host.command("approve"), tolerated=["adal/tools/changed", "adal/status"])
    client.initialize(workspace.root, ADAL, {"trusted": True})
    assert client.wait_for("adal/status")["quiescent"] is False
    settled = client.wait_for("adal/status", lambda status: status["quiescent"] and status["python"] == "3.99.0")
    assert settled["health"] == "ok"


def test_a_client_that_knows_no_adal_messages_is_sent_none(
    start: Start, scripted_host: ScriptedHost, workspace: Workspace
) -> None:
    workspace.write(GOOD)
    client = start(scripted_host.command("approve"))
    client.initialize(workspace.root, options={"trusted": True})
    client.open(workspace.uri, GOOD)
    client.diagnostics(workspace.uri)
    client.save(workspace.uri)
    client.diagnostics(workspace.uri)
    assert len(listed(client)) == 1
