from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.server.client import Client, ResponseError
from tests.server.conftest import ADAL, GOOD, ScriptedHost, Workspace

Start = Callable[..., Client]

NOISE = ["adal/status", "adal/tools/changed", "window/logMessage"]

HOSTILE = {"name": "Ada\u202e", "nested": {"jsonrpc": "2.0", "method": "zz", "id": 4}, "class": 1, "b-c": 2}


@pytest.fixture
def begin(start: Start, scripted_host: ScriptedHost, workspace: Workspace) -> Callable[..., Client]:
    """A trusted session with one project, whose host behaves as told."""

    def make(behaviour: str, capabilities: dict[str, Any] = ADAL, *, trusted: bool = True) -> Client:
        workspace.write(GOOD)
        client = start(scripted_host.command(behaviour), tolerated=NOISE)
        client.initialize(workspace.root, capabilities, {"trusted": trusted})
        return client

    return make


Begin = Callable[..., Client]


def finished(client: Client, run_id: str) -> dict[str, Any]:
    params = client.wait_for("adal/run/update", lambda p: p["runId"] == run_id and p["event"]["type"] == "finished")
    event: dict[str, Any] = params["event"]
    return event


def updates(client: Client, run_id: str) -> list[tuple[int, str]]:
    """The events up to the last one, in the order they came."""
    seen: list[tuple[int, str]] = []
    while not seen or seen[-1][1] != "finished":
        params = client.wait_for("adal/run/update", lambda p: p["runId"] == run_id)
        seen.append((params["seq"], params["event"]["type"]))
    return seen


def answer_approval(client: Client, **answer: Any) -> dict[str, Any]:
    message = client.wait_message("adal/approval/request")
    request: dict[str, Any] = message["params"]
    given = {"approvalId": request["approvalId"], "argsDigest": request["argsDigest"], **answer}
    client.respond(message["id"], given)
    return request


def test_a_run_starts_asks_and_finishes_with_its_events_in_order(begin: Begin, scripted_host: ScriptedHost) -> None:
    client = begin("approve")
    run_id = client.request("adal/run/start", {"prompt": "hi"})["runId"]
    request = answer_approval(client, outcome="selected", optionId="once")
    assert request["arguments"] == HOSTILE
    assert updates(client, run_id) == [(1, "prompt"), (2, "state"), (3, "finished")]
    answers = [message["result"] for message in scripted_host.told() if "method" not in message]
    assert answers == [
        {"approvalId": request["approvalId"], "argsDigest": "d1", "outcome": "selected", "optionId": "once"}
    ]


def test_a_denial_carries_its_feedback_to_the_host(begin: Begin) -> None:
    client = begin("approve")
    run_id = client.request("adal/run/start", {"prompt": "hi"})["runId"]
    answer_approval(client, outcome="selected", optionId="no", feedback="too dangerous")
    assert finished(client, run_id)["answer"] == "denied: too dangerous"
    client.tolerated.add("adal/run/update")


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        (None, "not an object"),
        ([], "not an object"),
        ({}, "approvalId"),
        ({"argsDigest": "other", "outcome": "selected", "optionId": "once"}, "argsDigest"),
        ({"outcome": "selected", "optionId": "unknown"}, "none of the options"),
        ({"outcome": "selected"}, "none of the options"),
        ({"outcome": "approved", "optionId": "once"}, "none of the options"),
    ],
)
def test_a_malformed_answer_approves_nothing(begin: Begin, answer: Any, reason: str) -> None:
    client = begin("approve")
    run_id = client.request("adal/run/start", {"prompt": "hi"})["runId"]
    message = client.wait_message("adal/approval/request")
    if isinstance(answer, dict) and "outcome" in answer:
        request = message["params"]
        answer = {"approvalId": request["approvalId"], "argsDigest": request["argsDigest"], **answer}
    client.respond(message["id"], answer)
    text = finished(client, run_id)["answer"]
    assert text.startswith("denied:")
    assert reason in text
    client.tolerated.add("adal/run/update")


def test_an_error_answer_approves_nothing_and_says_why(begin: Begin) -> None:
    client = begin("approve")
    run_id = client.request("adal/run/start", {"prompt": "hi"})["runId"]
    message = client.wait_message("adal/approval/request")
    client.respond_error(message["id"], -32601, "no such view")
    assert "no such view" in finished(client, run_id)["answer"]
    client.tolerated.add("adal/run/update")


def test_an_approval_the_host_takes_back_is_taken_back_in_the_editor(begin: Begin, scripted_host: ScriptedHost) -> None:
    client = begin("withdraw")
    run_id = client.request("adal/run/start", {"prompt": "hi"})["runId"]
    message = client.wait_message("adal/approval/request")
    assert client.wait_for("$/cancelRequest") == {"id": message["id"]}
    assert client.wait_for("adal/approval/resolved")["reason"] == "cancelled"
    assert finished(client, run_id)["stopReason"] == "cancelled"
    request = message["params"]
    late = {"approvalId": request["approvalId"], "argsDigest": request["argsDigest"], "outcome": "selected"}
    client.respond(message["id"], {**late, "optionId": "once"})  # a click that came too late
    client.request("adal/run/list", {})
    answers = [message for message in scripted_host.told() if "method" not in message]
    assert [answer["error"]["code"] for answer in answers] == [-32800]
    client.tolerated.add("adal/run/update")


def test_a_run_can_be_cancelled(begin: Begin) -> None:
    client = begin("wait")
    run_id = client.request("adal/run/start", {"prompt": "hi"})["runId"]
    assert client.request("adal/run/cancel", {"runId": run_id}) == {}
    assert finished(client, run_id)["stopReason"] == "cancelled"
    client.tolerated.add("adal/run/update")


@pytest.mark.parametrize(
    "method",
    [
        "adal/run/list",
        "adal/run/get",
        "adal/run/setMode",
        "adal/approval/pending",
        "adal/approval/arguments",
        "adal/grants/list",
        "adal/grants/revoke",
        "adal/decisions/list",
    ],
)
def test_requests_for_the_host_are_passed_on_as_they_stand(begin: Begin, method: str) -> None:
    client = begin("echo")
    client.request("adal/run/list", {})  # a host runs from here on
    params = {"runId": "r", "approvalId": "a", "odd": HOSTILE}
    result = client.request(method, params)
    if method == "adal/approval/arguments":
        assert result == {"arguments": HOSTILE}
    else:
        assert result == {"asked": method, "params": params}


def test_nothing_is_pending_where_no_host_runs(client: Client, tmp_path: Path) -> None:
    client.initialize(tmp_path, ADAL, {"trusted": True})
    assert client.request("adal/approval/pending", {}) == {"approvals": []}
    client.tolerated.update(NOISE)


def test_a_request_that_is_taken_back_is_taken_back_from_the_host(begin: Begin, scripted_host: ScriptedHost) -> None:
    client = begin("slow")
    key = client.ask("adal/run/list", {})
    while "adal/run/list" not in scripted_host.methods():
        time.sleep(0.01)
    client.notify("$/cancelRequest", {"id": key})
    with pytest.raises(ResponseError) as caught:
        client.answer(key)
    assert caught.value.code == -32800


@pytest.mark.parametrize(
    ("method", "params"),
    [
        ("adal/run/start", {"prompt": "hi"}),
        ("adal/run/cancel", {"runId": "r"}),
        ("adal/run/list", {}),
        ("adal/run/get", {"runId": "r"}),
        ("adal/approval/pending", {}),
        ("adal/approval/arguments", {"approvalId": "a"}),
        ("adal/run/setMode", {"runId": "r", "mode": "yolo"}),
        ("adal/grants/list", {}),
        ("adal/grants/revoke", {"grantId": "g"}),
        ("adal/decisions/list", {}),
        ("workspace/executeCommand", {"command": "adal.server.runAgent", "arguments": ["hi"]}),
        ("workspace/executeCommand", {"command": "adal.server.cancelRun", "arguments": [{"runId": "r"}]}),
    ],
)
def test_an_untrusted_workspace_is_refused_with_the_reason_and_starts_nothing(
    begin: Begin, scripted_host: ScriptedHost, method: str, params: Any
) -> None:
    client = begin("approve", trusted=False)
    with pytest.raises(ResponseError, match="trust"):
        client.request(method, params)
    assert not scripted_host.record.exists()


def test_several_projects_need_a_project_root(begin: Begin, workspace: Workspace, scripted_host: ScriptedHost) -> None:
    workspace.write(GOOD, "sub")
    client = begin("no approval")
    with pytest.raises(ResponseError, match="projectRoot") as caught:
        client.request("adal/run/start", {"prompt": "hi"})
    assert str(workspace.root / "sub") in caught.value.message
    root = str(workspace.root / "sub")
    run_id = client.request("adal/run/start", {"prompt": "hi", "projectRoot": root})["runId"]
    finished(client, run_id)
    (started,) = [message for message in scripted_host.told() if message.get("method") == "adal/run/start"]
    assert started["params"] == {"prompt": "hi", "projectRoot": root}
    client.tolerated.add("adal/run/update")


@pytest.mark.parametrize("root", ["/", "relative", "", 3])
def test_a_project_root_outside_the_workspace_is_refused(begin: Begin, scripted_host: ScriptedHost, root: Any) -> None:
    client = begin("no approval")
    with pytest.raises(ResponseError, match="projectRoot"):
        client.request("adal/run/start", {"prompt": "hi", "projectRoot": root})
    assert "adal/run/start" not in scripted_host.methods()


def test_without_a_project_the_workspace_folder_is_meant(
    start: Start, scripted_host: ScriptedHost, tmp_path: Path
) -> None:
    folder = tmp_path / "plain"
    folder.mkdir()
    client = start(scripted_host.command("no approval"), tolerated=[*NOISE, "adal/run/update"])
    client.initialize(folder, ADAL, {"trusted": True})
    run_id = client.request("adal/run/start", {"prompt": "hi"})["runId"]
    finished(client, run_id)
    (started,) = [message for message in scripted_host.told() if message.get("method") == "adal/run/start"]
    assert started["params"]["projectRoot"] == str(folder)


def test_without_a_folder_a_run_is_refused(client: Client) -> None:
    client.initialize(options={"trusted": True})
    with pytest.raises(ResponseError, match="no folder is open"):
        client.request("adal/run/start", {"prompt": "hi"})


def test_thirty_two_open_approvals_slow_nothing(begin: Begin, workspace: Workspace) -> None:
    client = begin("approve")
    runs = [client.request("adal/run/start", {"prompt": "hi"})["runId"] for _ in range(32)]
    questions = [client.wait_message("adal/approval/request") for _ in runs]
    client.open(workspace.uri, GOOD)
    client.diagnostics(workspace.uri)
    place = {"textDocument": {"uri": workspace.uri}, "position": {"line": 0, "character": 5}}
    client.request("textDocument/hover", place)
    begun = time.monotonic()
    for _ in range(20):
        assert client.request("textDocument/hover", place) is not None
    assert time.monotonic() - begun < 2
    for question in questions:
        request = question["params"]
        given = {"approvalId": request["approvalId"], "argsDigest": "d1", "outcome": "selected", "optionId": "once"}
        client.respond(question["id"], given)
    assert {finished(client, run_id)["answer"] for run_id in runs} == {"approved"}
    client.tolerated.add("adal/run/update")
