from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import pytest

from tests.server.client import Client, ResponseError
from tests.server.conftest import ADAL, GOOD, ScriptedHost, Workspace

Start = Callable[..., Client]

NOISE = ["adal/status", "adal/tools/changed", "window/logMessage"]


@pytest.fixture
def begin(start: Start, scripted_host: ScriptedHost, workspace: Workspace) -> Callable[[str], Client]:
    def make(behaviour: str) -> Client:
        workspace.write(GOOD)
        client = start(scripted_host.command(behaviour), tolerated=NOISE)
        client.initialize(workspace.root, ADAL, {"trusted": True})
        return client

    return make


Begin = Callable[[str], Client]


def take_updates(client: Client, run_id: str, count: int) -> list[dict[str, Any]]:
    return [client.wait_for("adal/run/update", lambda p: p["runId"] == run_id) for _ in range(count)]


def test_a_host_that_dies_ends_its_runs_with_the_reason_and_the_next_request_starts_another(
    begin: Begin, scripted_host: ScriptedHost
) -> None:
    client = begin("die in run")
    for attempt in (1, 2):
        run_id = client.request("adal/run/start", {"prompt": "hi"})["runId"]
        events = take_updates(client, run_id, 4)
        assert [update["seq"] for update in events] == [1, 2, 3, 4]
        assert [update["event"]["type"] for update in events] == ["prompt", "state", "error", "finished"]
        assert "exit code 3" in events[2]["event"]["message"]
        assert events[3]["event"] == {"type": "finished", "stopReason": "error"}
        assert scripted_host.methods().count("adal/host/initialize") == attempt


def test_a_host_that_dies_takes_its_approvals_back(begin: Begin) -> None:
    client = begin("die while asking")
    run_id = client.request("adal/run/start", {"prompt": "hi"})["runId"]
    question = client.wait_message("adal/approval/request")
    assert client.wait_for("$/cancelRequest") == {"id": question["id"]}
    assert client.wait_for("adal/approval/resolved") == {
        "approvalId": question["params"]["approvalId"],
        "reason": "withdrawn",
    }
    assert take_updates(client, run_id, 4)[-1]["event"]["stopReason"] == "error"
    # The next host uses the same ids: the old answer must not be taken for the new question.
    second = client.request("adal/run/start", {"prompt": "hi"})["runId"]
    request = question["params"]
    given = {"approvalId": request["approvalId"], "argsDigest": "d1", "outcome": "selected", "optionId": "once"}
    client.respond(question["id"], given)
    assert take_updates(client, second, 4)[-1]["event"]["stopReason"] == "error"
    client.tolerated |= {"adal/approval/request", "$/cancelRequest", "adal/approval/resolved"}


def test_a_host_that_dies_at_once_is_told_as_an_error(begin: Begin) -> None:
    client = begin("die at start")
    for _ in range(2):
        with pytest.raises(ResponseError, match="exit code 7"):
            client.request("adal/run/start", {"prompt": "hi"})


def test_a_host_of_another_version_is_named_once_and_not_used(begin: Begin, scripted_host: ScriptedHost) -> None:
    client = begin("other protocol")
    assert "0.0.9" in client.wait_for("window/showMessage")["message"]
    for _ in range(2):
        with pytest.raises(ResponseError, match="same version"):
            client.request("adal/run/start", {"prompt": "hi"})
    status = client.wait_for("adal/status", lambda status: status["health"] == "error")
    assert "same version" in status["message"]
    assert scripted_host.methods() == ["adal/host/initialize"]


@pytest.mark.parametrize(
    "script",
    [
        "import sys; sys.stdout.write('hello\\r\\n\\r\\n'); sys.stdout.flush(); sys.stdin.read()",
        "import sys; sys.stdout.write('Content-Length: 2\\r\\n\\r\\n[]'); sys.stdout.flush(); sys.stdin.read()",
    ],
)
def test_a_host_that_sends_no_messages_is_ended(start: Start, workspace: Workspace, script: str) -> None:
    client = start([sys.executable, "-c", script], tolerated=NOISE)
    client.initialize(workspace.root, ADAL, {"trusted": True})
    with pytest.raises(ResponseError, match="no message"):
        client.request("adal/run/start", {"prompt": "hi"})


def test_a_host_that_cannot_be_started_is_told_as_an_error(start: Start, workspace: Workspace) -> None:
    client = start(["/nowhere/python"], tolerated=NOISE)
    client.initialize(workspace.root, ADAL, {"trusted": True})
    with pytest.raises(ResponseError, match="cannot be started"):
        client.request("adal/run/start", {"prompt": "hi"})


def test_a_client_without_a_runtime_is_told_so(start: Start, workspace: Workspace) -> None:
    workspace.write(GOOD)
    client = start(tolerated=NOISE)
    client.initialize(workspace.root, ADAL, {"trusted": True, "hostPython": None})
    with pytest.raises(ResponseError, match="not set up"):
        client.request("adal/run/start", {"prompt": "hi"})
    assert client.request("adal/tools/list", {})["projects"][0]["state"] == "static"


def test_new_settings_reach_the_host_of_the_next_request(begin: Begin, scripted_host: ScriptedHost) -> None:
    client = begin("echo")
    client.request("adal/run/list", {})
    client.notify("workspace/didChangeConfiguration", {"settings": {"adal": {"model": "other", "toolSeconds": 600}}})
    client.request("adal/run/list", {})
    greetings = [m["params"]["settings"] for m in scripted_host.told() if m.get("method") == "adal/host/initialize"]
    assert greetings == [{}, {"model": "other", "toolSeconds": 600}]


@pytest.mark.parametrize(("given", "told"), [(True, True), ("true", False), (None, False)])
def test_only_the_start_of_the_editor_lets_bash_run_without_a_sandbox(
    start: Start, scripted_host: ScriptedHost, workspace: Workspace, given: object, told: bool
) -> None:
    client = start(scripted_host.command("echo"), tolerated=NOISE)
    client.initialize(workspace.root, ADAL, {"trusted": True, "allowUnsandboxedBash": given})
    # A file of the workspace may be behind the configuration.
    client.notify("workspace/didChangeConfiguration", {"settings": {"adal": {"allowUnsandboxedBash": True}}})
    client.request("adal/run/list", {})
    (greeting,) = [m["params"]["settings"] for m in scripted_host.told() if m.get("method") == "adal/host/initialize"]
    assert greeting.get("allowUnsandboxedBash", False) is told


def test_looking_at_runs_starts_a_host_that_makes_itself_ready(begin: Begin, scripted_host: ScriptedHost) -> None:
    client = begin("wait")
    client.notify("adal/run/warm", {"model": "openai/gpt-4o"})
    client.request("adal/run/list", {})
    warm = [message["params"] for message in scripted_host.told() if message.get("method") == "adal/run/warm"]
    assert warm == [{"model": "openai/gpt-4o"}]


def test_what_the_host_warns_of_at_its_greeting_is_shown(begin: Begin) -> None:
    client = begin("warns")
    client.request("adal/run/list", {})
    assert client.wait_for("window/showMessage")["message"] == "the run store was moved"
