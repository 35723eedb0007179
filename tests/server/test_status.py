from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

from tests.server.client import Client
from tests.server.conftest import ADAL, GOOD, ScriptedHost, Workspace

Start = Callable[..., Client]

SLOW_SEARCH = """
import time
from adal_ls.server import files, serve, status
status.SHOWN_AFTER = 0.05
discover = files.discover

def slow(folder):
    time.sleep(0.5)
    return discover(folder)

files.discover = slow
serve()
"""

PROGRESS: dict[str, Any] = {"window": {"workDoneProgress": True}}


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
    client.shut_down()


def test_a_host_that_does_not_fit_is_an_error_of_the_status(
    start: Start, workspace: Workspace, scripted_host: ScriptedHost
) -> None:
    workspace.write(GOOD)
    noise = ["adal/tools/changed", "adal/status", "window/showMessage", "window/logMessage"]
    client = start(scripted_host.command("other protocol"), tolerated=noise)
    client.initialize(workspace.root, ADAL, {"trusted": True})
    status = client.wait_for("adal/status", lambda status: status["health"] == "error")
    assert "install the same version" in status["message"]
    client.shut_down()


def test_a_search_that_takes_long_shows_as_progress(start: Start, workspace: Workspace) -> None:
    workspace.write(GOOD)
    client = start((sys.executable, "-c", SLOW_SEARCH))
    client.on("window/workDoneProgress/create", lambda _: None)
    client.initialize(workspace.root, PROGRESS)
    begin = client.wait_for("$/progress")
    assert begin["value"] == {"kind": "begin", "title": "AdaL: finding projects", "cancellable": False}
    end = client.wait_for("$/progress")
    assert (end["token"], end["value"]) == (begin["token"], {"kind": "end"})
    client.shut_down()


def test_a_search_that_is_over_soon_shows_nothing(client: Client, workspace: Workspace) -> None:
    workspace.write(GOOD)
    client.initialize(workspace.root, PROGRESS)
    assert len(client.request("adal/tools/list", {})["projects"]) == 1
    client.shut_down()


def test_a_client_without_progress_is_shown_none(start: Start, workspace: Workspace) -> None:
    workspace.write(GOOD)
    client = start((sys.executable, "-c", SLOW_SEARCH))
    client.initialize(workspace.root)
    assert len(client.request("adal/tools/list", {})["projects"]) == 1
    client.shut_down()
