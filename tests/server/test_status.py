from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from adal_ls.server import files, status
from adal_ls.server.diagnostics import analysis, diagnostics
from adal_ls.server.documents.documents import Document
from adal_ls.workspace.projects import Project, discover
from tests.server.client import Client
from tests.server.conftest import ADAL, GOOD, ScriptedHost, Workspace

Start = Callable[..., Client]

PROGRESS: dict[str, Any] = {"window": {"workDoneProgress": True}}


@pytest.fixture
def slow_search(monkeypatch: pytest.MonkeyPatch) -> None:
    """A search for projects that takes longer than what is shown as progress."""

    def slow(folder: str) -> Iterator[Project]:
        time.sleep(0.2)
        return discover(folder)

    monkeypatch.setattr(files, "discover", slow)
    monkeypatch.setattr(status, "SHOWN_AFTER", 0.02)


def test_the_status_tells_of_background_work_and_its_end(
    start: Start, workspace: Workspace, scripted_host: ScriptedHost
) -> None:
    workspace.write(GOOD)
    client = start(scripted_host.command("approve"), tolerated=["adal/tools/changed"])
    client.initialize(workspace.root, ADAL, {"trusted": True})
    first = client.wait_for("adal/status")
    assert (first["health"], first["quiescent"]) == ("ok", False)
    last = client.wait_for("adal/status", lambda status: status["quiescent"] and status["python"] == "3.99.0")
    assert "message" not in last
    client.tolerated.add("adal/status")


def test_a_host_that_does_not_fit_is_an_error_of_the_status(
    start: Start, workspace: Workspace, scripted_host: ScriptedHost
) -> None:
    workspace.write(GOOD)
    noise = ["adal/tools/changed", "adal/status", "window/showMessage", "window/logMessage"]
    client = start(scripted_host.command("other protocol"), tolerated=noise)
    client.initialize(workspace.root, ADAL, {"trusted": True})
    status = client.wait_for("adal/status", lambda status: status["health"] == "error")
    assert "install the same version" in status["message"]


def test_a_search_that_takes_long_shows_as_progress(start: Start, workspace: Workspace, slow_search: None) -> None:
    workspace.write(GOOD)
    client = start()
    client.on("window/workDoneProgress/create", lambda _: None)
    client.initialize(workspace.root, PROGRESS)
    begin = client.wait_for("$/progress")
    assert begin["value"] == {"kind": "begin", "title": "AdaL: finding projects", "cancellable": False}
    end = client.wait_for("$/progress")
    assert (end["token"], end["value"]) == (begin["token"], {"kind": "end"})


def test_lint_of_a_large_workspace_shows_as_progress_that_tells_how_far_it_is(
    start: Start, workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    analyse = analysis.analyse

    def slow(document: Document, *more: Any, **named: Any) -> analysis.Analysis:
        time.sleep(0.03)
        return analyse(document, *more, **named)

    monkeypatch.setattr(diagnostics, "analyse", slow)
    monkeypatch.setattr(status, "SHOWN_AFTER", 0.02)
    for number in range(20):
        workspace.write(GOOD, f"p{number}")
    client = start(tolerated=["adal/tools/changed", "adal/status"])
    client.on("window/workDoneProgress/create", lambda _: None)
    client.initialize(workspace.root, {**PROGRESS, **ADAL})
    begin = client.wait_for("$/progress", lambda params: "checking" in params["value"].get("title", ""))
    ours = {"token": begin["token"]}
    report = client.wait_for("$/progress", lambda params: ours.items() <= params.items())["value"]
    assert report["kind"] == "report"
    assert 0 < int(report["message"].removesuffix(" to go")) < 20
    assert client.wait_for("adal/status", lambda status: not status["quiescent"])
    client.wait_for("$/progress", lambda params: params == {**ours, "value": {"kind": "end"}})
    assert len(client.request("adal/tools/list", {})["projects"]) == 20
    client.tolerated.add("$/progress")


def test_a_search_that_is_over_soon_shows_nothing(client: Client, workspace: Workspace) -> None:
    workspace.write(GOOD)
    client.initialize(workspace.root, PROGRESS)
    assert len(client.request("adal/tools/list", {})["projects"]) == 1


def test_a_client_without_progress_is_shown_none(start: Start, workspace: Workspace, slow_search: None) -> None:
    workspace.write(GOOD)
    client = start()
    client.initialize(workspace.root)
    assert len(client.request("adal/tools/list", {})["projects"]) == 1
