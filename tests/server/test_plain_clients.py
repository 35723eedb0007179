from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

import pytest

from adal_ls.server.hosting.fallback import PlainFace, option_titles, question_text
from tests.server.client import Client, ResponseError
from tests.server.conftest import GOOD, ScriptedHost, Workspace

Start = Callable[..., Client]
Begin = Callable[..., Client]

PROGRESS = {"window": {"workDoneProgress": True}}


@pytest.fixture
def begin(start: Start, scripted_host: ScriptedHost, workspace: Workspace) -> Begin:
    """A session of a client that knows LSP alone."""

    def make(behaviour: str, capabilities: dict[str, Any] | None = None) -> Client:
        workspace.write(GOOD)
        client = start(scripted_host.command(behaviour), tolerated=["window/logMessage"])
        client.initialize(workspace.root, capabilities, {"trusted": True})
        return client

    return make


def run(client: Client, argument: Any = "hi") -> str:
    params = {"command": "adal.server.runAgent", "arguments": [argument]}
    run_id: str = client.request("workspace/executeCommand", params)["runId"]
    return run_id


def shown(client: Client) -> str:
    text: str = client.wait_for("window/showMessage")["message"]
    return text


def test_an_approval_is_a_message_box_with_everything_in_it(begin: Begin) -> None:
    client = begin("approve")
    assert run(client, {"prompt": "hi", "model": "m"})
    question = client.wait_message("window/showMessageRequest")
    text = question["params"]["message"]
    assert "greet" in text
    assert '"name": "Ada\\u{202e}"' in text
    assert '"b-c": 2' in text
    assert "echo hi" in text
    assert "/somewhere" in text
    assert "runs a shell command" in text
    assert "Always allow means: greet with these arguments" in text
    assert "\u202e" not in text
    assert [action["title"] for action in question["params"]["actions"]] == ["Allow once", "Always allow", "Deny"]
    client.respond(question["id"], {"title": "Allow once"})
    assert shown(client) == "approved"


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        ({"title": "Deny"}, "denied: denied by the user"),
        (None, "denied: denied by the user"),
        ({"title": "Something else"}, "denied: denied by the user"),
        ({"title": 3}, "denied: denied by the user"),
        ("Allow once", "denied: denied by the user"),
        ({"title": "Always allow"}, "approved"),
    ],
)
def test_only_an_offered_button_allows(begin: Begin, answer: Any, said: str) -> None:
    client = begin("approve")
    run(client)
    client.respond(client.wait_message("window/showMessageRequest")["id"], answer)
    assert shown(client) == said


def test_a_client_that_cannot_ask_denies_with_the_reason(begin: Begin) -> None:
    client = begin("approve")
    run(client)
    client.respond_error(client.wait_message("window/showMessageRequest")["id"], -32601, "no boxes here")
    assert "no boxes here" in shown(client)


def test_large_arguments_are_fetched_and_shown_whole(begin: Begin) -> None:
    client = begin("large")
    run(client)
    question = client.wait_message("window/showMessageRequest")
    assert '"b-c": 2' in question["params"]["message"]
    client.respond(question["id"], {"title": "Allow once"})
    assert shown(client) == "approved"


def test_a_withdrawn_question_is_taken_back(begin: Begin) -> None:
    client = begin("withdraw")
    run(client)
    question = client.wait_message("window/showMessageRequest")
    assert client.wait_for("$/cancelRequest") == {"id": question["id"]}
    assert "cancelled" in shown(client)
    client.respond(question["id"], {"title": "Allow once"})


def test_a_run_has_a_progress_that_begins_reports_and_ends(begin: Begin) -> None:
    client = begin("approve", PROGRESS)
    created: list[Any] = []
    client.on("window/workDoneProgress/create", created.append)
    run(client)
    question = client.wait_message("window/showMessageRequest")
    begun = client.wait_for("$/progress", lambda p: p["token"].startswith("adal-run"))
    assert begun["value"]["kind"] == "begin"
    assert begun["value"]["cancellable"] is True
    assert created == [{"token": begun["token"]}]
    client.respond(question["id"], {"title": "Allow once"})
    assert (
        client.wait_for("$/progress", lambda p: p["value"]["kind"] == "end" and p["token"].startswith("adal-run"))[
            "token"
        ]
        == begun["token"]
    )
    assert shown(client) == "approved"
    client.tolerated.add("$/progress")


def test_the_button_of_the_progress_cancels_the_run(begin: Begin) -> None:
    client = begin("wait", PROGRESS)
    client.on("window/workDoneProgress/create", lambda _: None)
    client.tolerated.add("$/progress")  # "running" is in the beginning, or comes after it
    run(client)
    token = client.wait_for("$/progress", lambda p: p["token"].startswith("adal-run"))["token"]
    client.notify("window/workDoneProgress/cancel", {"token": "another"})
    client.notify("window/workDoneProgress/cancel", {"token": token})
    assert client.wait_for("$/progress", lambda p: p["value"]["kind"] == "end" and p["token"].startswith("adal-run"))
    assert "cancelled" in shown(client)


def test_a_client_that_refuses_the_progress_is_sent_none(begin: Begin) -> None:
    client = begin("no approval", PROGRESS)

    def refuse(_: Any) -> None:
        raise ResponseError(-32603, "no")

    client.on("window/workDoneProgress/create", refuse)
    run(client)
    assert shown(client) == "done"


def test_a_run_can_be_cancelled_by_command(begin: Begin) -> None:
    client = begin("wait")
    run_id = run(client)
    params = {"command": "adal.server.cancelRun", "arguments": [{"runId": run_id}]}
    assert client.request("workspace/executeCommand", params) == {}
    assert "cancelled" in shown(client)


def test_a_host_that_dies_is_told_in_a_message(begin: Begin) -> None:
    client = begin("die in run")
    run(client)
    assert "exit code 3" in shown(client)


def test_buttons_of_equal_labels_can_be_told_apart() -> None:
    options = [
        {"optionId": "1", "kind": "allow_always", "label": "Always"},
        {"optionId": "2", "kind": "allow_always", "label": "Always"},
        {"optionId": "3", "kind": "reject_once", "label": "No"},
        {"optionId": "4", "kind": "allow_once", "label": "Deny"},
    ]
    titles = option_titles(options)
    assert titles["Deny"]["optionId"] == "3"
    assert {option["optionId"] for option in titles.values()} >= {"1", "2", "3"}


def test_a_label_cannot_pose_as_the_rejection() -> None:
    """Whatever is called "Deny" denies."""
    options = [
        {"optionId": "1", "kind": "allow_once", "label": "Deny"},
        {"optionId": "2", "kind": "reject_once", "label": "x"},
    ]
    assert option_titles(options)["Deny"]["optionId"] == "2"


def test_a_tools_name_cannot_add_lines_to_the_question() -> None:
    request = {"tool": "x\nArguments: {}", "options": []}
    assert question_text(request, {"a": 1}).splitlines()[0] == r"Allow the tool x\u{a}Arguments: {} to run?"


def test_a_question_says_where_the_tool_is_defined_and_in_which_folder_it_runs() -> None:
    place = {"start": {"line": 25, "character": 4}, "end": {"line": 25, "character": 9}}
    request = {
        "tool": "greet",
        "options": [],
        "source": {"uri": "file:///home/ada/my%20shop/.adal/tools.py", "range": place},
        "preview": {"text": "{}", "cwd": "/home/ada/my shop"},
    }
    lines = question_text(request, {}).splitlines()
    assert "Defined at: /home/ada/my shop/.adal/tools.py:26" in lines
    assert "Folder: /home/ada/my shop" in lines


def test_what_a_model_said_before_an_error_is_not_lost() -> None:
    told: list[str] = []

    class Editor:
        def notify(self, method: str, params: dict[str, Any]) -> None:
            told.append(params["message"])

    face = PlainFace(cast("Any", Editor()), cast("Any", None), lambda _: None)
    face.update({"runId": "r", "event": {"type": "error", "code": "x", "message": "it broke"}})
    face.update({"runId": "r", "event": {"type": "finished", "stopReason": "error", "answer": "Half an ans"}})
    assert told == ["The run failed: it broke\n\nHalf an ans"]
