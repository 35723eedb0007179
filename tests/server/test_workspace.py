"""Folders and projects that come, go and change while the server runs, told by the client or not."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from adal_ls.server import watch
from tests.server.client import Client
from tests.server.conftest import ADAL, BAD_NAME, GOOD, ScriptedHost, Workspace

Start = Callable[..., Client]

WATCHING: dict[str, Any] = {"workspace": {"didChangeWatchedFiles": {"dynamicRegistration": True}}}

NOISE = ("adal/tools/changed", "adal/status", "window/logMessage")


@pytest.fixture(autouse=True)
def _quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Has the server look at the disk more often than once a second."""
    monkeypatch.setattr(watch, "INTERVAL", 0.05)
    monkeypatch.setattr(watch, "SEARCH_INTERVAL", 0.1)
    monkeypatch.setattr(watch, "SEARCH_SHARE", 1)


def codes(diagnostics: list[dict[str, Any]]) -> list[str]:
    return [diagnostic["code"] for diagnostic in diagnostics]


def roots(client: Client) -> list[str]:
    return [project["root"] for project in client.request("adal/tools/list", {})["projects"]]


def folder(path: Path) -> dict[str, str]:
    return {"uri": path.as_uri(), "name": path.name}


def change_folders(client: Client, *, added: list[Path] | None = None, removed: list[Path] | None = None) -> None:
    event = {"added": [folder(path) for path in added or []], "removed": [folder(path) for path in removed or []]}
    client.notify("workspace/didChangeWorkspaceFolders", {"event": event})


def start_watching(client: Client, *folders: Path) -> None:
    client.on("client/registerCapability", lambda _: None)
    client.initialize(capabilities=WATCHING, workspaceFolders=[folder(path) for path in folders])


def tell_of(client: Client, path: Path, kind: int) -> None:
    client.notify("workspace/didChangeWatchedFiles", {"changes": [{"uri": path.as_uri(), "type": kind}]})


# https://github.com/sublimelsp/LSP/issues/471: only the first folder was served
def test_every_folder_is_served_until_it_is_removed(client: Client, workspace: Workspace) -> None:
    one, two = workspace.root / "one", workspace.root / "two"
    workspace.write(GOOD, "one")
    bad = workspace.write(GOOD.replace("[greet]", '[greet, {"function": greet, "name": "bad-name"}]'), "two")
    start_watching(client, one, two)
    assert codes(client.diagnostics(bad)) == ["ADAL101"], "an equal tool name in another folder is no duplicate"
    assert roots(client) == [str(one), str(two)]
    change_folders(client, removed=[two])
    assert client.diagnostics(bad) == []
    assert roots(client) == [str(one)]
    change_folders(client, added=[two])
    assert codes(client.diagnostics(bad)) == ["ADAL101"]
    assert roots(client) == [str(one), str(two)]


def test_a_folder_inside_another_goes_without_its_projects(client: Client, workspace: Workspace) -> None:
    workspace.write(GOOD, "inner")
    start_watching(client, workspace.root, workspace.root / "inner")
    assert roots(client) == [str(workspace.root / "inner")]
    change_folders(client, removed=[workspace.root / "inner"])
    assert roots(client) == [str(workspace.root / "inner")]
    change_folders(client, removed=[workspace.root])
    assert roots(client) == []


def test_a_document_open_outside_the_folders_outlasts_their_change(client: Client, workspace: Workspace) -> None:
    inside = workspace.root / "inside"
    inside.mkdir()
    outside = workspace.write(BAD_NAME, "outside")
    start_watching(client, inside)
    client.open(outside, BAD_NAME)
    assert codes(client.diagnostics(outside)) == ["ADAL101"]
    change_folders(client, removed=[inside])
    assert roots(client) == [str(workspace.root / "outside")]
    client.close_document(outside)
    assert client.diagnostics(outside) == []
    assert roots(client) == []


def test_the_host_learns_of_a_folder_that_is_added_and_loads_it(
    start: Start, workspace: Workspace, scripted_host: ScriptedHost
) -> None:
    one, two = workspace.root / "one", workspace.root / "two"
    workspace.write(GOOD, "one")
    workspace.write(GOOD, "two")
    client = start(scripted_host.command("approve"), tolerated=NOISE)
    client.initialize(one, ADAL, {"trusted": True})

    def loaded() -> list[str]:
        projects = client.request("adal/tools/list", {})["projects"]
        return [project["root"] for project in projects if project["state"] == "loaded"]

    def wait_loaded(*expected: Path) -> None:
        while loaded() != [str(path) for path in expected]:
            client.wait_for("adal/tools/changed")

    wait_loaded(one)
    change_folders(client, added=[two])
    wait_loaded(one, two)
    greetings = [message for message in scripted_host.told() if message.get("method") == "adal/host/initialize"]
    assert greetings[-1]["params"]["workspaceRoots"] == [str(one), str(two)]


def test_a_folder_is_added_to_the_host_once_the_run_has_ended(
    start: Start, workspace: Workspace, scripted_host: ScriptedHost
) -> None:
    one, two = workspace.root / "one", workspace.root / "two"
    workspace.write(GOOD, "one")
    two.mkdir()
    client = start(scripted_host.command("approve"), tolerated=[*NOISE, "adal/run/update"])
    client.initialize(one, ADAL, {"trusted": True})
    client.request("adal/run/start", {"prompt": "hi"})
    question = client.wait_message("adal/approval/request")
    change_folders(client, added=[two])
    assert client.request("adal/run/list", {})["asked"] == "adal/run/list"
    assert scripted_host.methods().count("adal/host/initialize") == 1, "the run is not disturbed"
    request = question["params"]
    given = {"approvalId": request["approvalId"], "argsDigest": "d1", "outcome": "selected", "optionId": "once"}
    client.respond(question["id"], given)
    client.wait_for("adal/run/update", lambda params: params["event"].get("answer") == "approved")
    client.wait_for("adal/tools/changed", lambda params: params["generation"] == 0)
    assert client.request("adal/run/list", {})["asked"] == "adal/run/list"
    assert scripted_host.methods().count("adal/host/initialize") == 2


def test_a_project_that_appears_in_one_go_is_found_by_the_name_of_its_top_folder(
    client: Client, workspace: Workspace
) -> None:
    start_watching(client, workspace.root)
    assert roots(client) == []
    uri = workspace.write(BAD_NAME, "new/deep/nested")
    tell_of(client, workspace.root / "new", 1)
    assert codes(client.diagnostics(uri)) == ["ADAL101"]
    assert roots(client) == [str(workspace.root / "new" / "deep" / "nested")]


def test_a_folder_that_is_still_being_filled_is_looked_into_again(client: Client, workspace: Workspace) -> None:
    start_watching(client, workspace.root)
    assert roots(client) == []
    (workspace.root / "new").mkdir()
    tell_of(client, workspace.root / "new", 1)
    assert roots(client) == []
    uri = workspace.write(BAD_NAME, "new/deep")
    assert codes(client.diagnostics(uri)) == ["ADAL101"]


def test_the_client_is_asked_to_tell_of_every_folder_that_appears(client: Client, workspace: Workspace) -> None:
    seen: list[Any] = []
    client.on("client/registerCapability", seen.append)
    client.initialize(workspace.root, WATCHING)
    client.request("adal/tools/list", {})
    watchers = seen[0]["registrations"][0]["registerOptions"]["watchers"]
    assert {"globPattern": "**/*", "kind": 1 | 4} in watchers


def test_thousands_of_new_files_that_concern_nobody_are_passed_over(client: Client, workspace: Workspace) -> None:
    for number in range(60):
        workspace.write(GOOD, f"p{number}")
    start_watching(client, workspace.root)
    assert len(roots(client)) == 60
    files = [workspace.root / f"file{number}.txt" for number in range(5000)]
    for file in files[:100]:
        file.touch()
    changes = [{"uri": file.as_uri(), "type": 1} for file in files[:100] * 50]
    begun = time.monotonic()
    client.notify("workspace/didChangeWatchedFiles", {"changes": changes})
    assert len(roots(client)) == 60
    assert time.monotonic() - begun < 2


@pytest.mark.parametrize("watching", [True, False])
def test_a_renamed_project_folder_goes_and_comes_back(start: Start, workspace: Workspace, *, watching: bool) -> None:
    uri = workspace.write(BAD_NAME, "sub")
    client = start()
    if watching:
        start_watching(client, workspace.root)
    else:
        client.initialize(workspace.root)
    assert codes(client.diagnostics(uri)) == ["ADAL101"]
    here, there = workspace.file("sub").parent, workspace.root / "sub" / ".adal2"
    here.rename(there)
    if watching:
        tell_of(client, here, 3)
    assert client.diagnostics(uri) == []
    assert roots(client) == []
    there.rename(here)
    if watching:
        tell_of(client, here, 1)
    assert codes(client.diagnostics(uri)) == ["ADAL101"]


def test_a_nested_project_is_found_for_a_client_that_cannot_watch(start: Start, workspace: Workspace) -> None:
    client = start()
    client.initialize(workspace.root)
    assert roots(client) == []
    uri = workspace.write(BAD_NAME, "new/deep")
    assert codes(client.diagnostics(uri)) == ["ADAL101"]


@pytest.mark.parametrize("kind", ["changed", "made", "deleted"])
def test_a_module_beside_the_tools_is_followed_for_a_client_that_cannot_watch(
    start: Start, workspace: Workspace, scripted_host: ScriptedHost, kind: str
) -> None:
    workspace.write(GOOD)
    module = workspace.file().with_name("helper.py")
    if kind != "made":
        module.write_text("x = 1\n")
    client = start(scripted_host.command("approve"), tolerated=NOISE)
    client.initialize(workspace.root, ADAL, {"trusted": True})
    client.wait_for("adal/tools/changed", lambda params: params["generation"] == 1)
    if kind == "deleted":
        module.unlink()
    else:
        module.write_text("x = 22\n")
    client.wait_for("adal/tools/changed", lambda params: params["generation"] == 2)


@pytest.mark.parametrize("watching", [True, False])
def test_a_linked_workspace_is_followed_under_its_own_name(
    start: Start, workspace: Workspace, tmp_path: Path, *, watching: bool
) -> None:
    workspace.write(GOOD)
    link = tmp_path / "link to it"
    link.symlink_to(workspace.root, target_is_directory=True)
    uri = (link / ".adal" / "tools.py").as_uri()
    client = start()
    if watching:
        start_watching(client, link)
    else:
        client.initialize(link)
    assert roots(client) == [str(link)]
    workspace.write(BAD_NAME)
    if watching:
        tell_of(client, link / ".adal" / "tools.py", 2)
    assert codes(client.diagnostics(uri)) == ["ADAL101"]


def test_a_reload_finds_projects_that_nobody_told_of_and_forgets_those_that_went(
    start: Start, workspace: Workspace, scripted_host: ScriptedHost
) -> None:
    workspace.write(GOOD, "old")
    client = start(scripted_host.command("approve"), tolerated=NOISE)
    client.on("client/registerCapability", lambda _: None)
    client.initialize(workspace.root, {**ADAL, **WATCHING}, {"trusted": True})
    client.wait_for("adal/tools/changed", lambda params: params["generation"] == 1)
    workspace.file("old").unlink()
    workspace.write(GOOD, "new")
    assert client.request("adal/tools/reload", {}) == {}
    new = str(workspace.root / "new")
    client.wait_for("adal/tools/changed", lambda params: params == {"projectRoot": new, "generation": 2})
    assert roots(client) == [new]
