from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from adal_ls.server.diagnostics import diagnostics
from tests.server.client import Client, ResponseError
from tests.server.conftest import GOOD, Workspace

Start = Callable[..., Client]


def test_a_session_by_the_book_ends_with_code_0(client: Client, tmp_path: Path) -> None:
    result = client.initialize(tmp_path)
    assert result["serverInfo"]["name"] == "adal-ls"


def test_exit_without_shutdown_ends_with_code_1(client: Client) -> None:
    client.initialize()
    client.notify("exit")
    assert client.wait_end(5) == 1


def test_exit_before_initialize_ends_with_code_1(client: Client) -> None:
    client.notify("exit")
    assert client.wait_end(5) == 1


def code_of(client: Client, method: str, params: object = None) -> int:
    with pytest.raises(ResponseError) as caught:
        client.request(method, params)
    assert caught.value.data is None
    return caught.value.code


def test_requests_out_of_their_time_are_refused(client: Client) -> None:
    assert code_of(client, "textDocument/hover", {}) == -32002
    client.notify("textDocument/didOpen", {})  # dropped, not answered
    client.initialize()
    assert code_of(client, "initialize", {"capabilities": {}}) == -32600
    assert client.request("shutdown") is None
    assert code_of(client, "textDocument/hover", {}) == -32600
    assert code_of(client, "shutdown") == -32600
    client.notify("exit")
    assert client.wait_end(5) == 0


def test_unknown_methods_are_named(client: Client) -> None:
    client.initialize()
    for method in ("textDocument/nothing", "$/nothing", "adal/nothing"):
        assert code_of(client, method, {}) == -32601
    client.notify("$/nothing", {})
    client.notify("textDocument/nothing", {})


@pytest.mark.parametrize(
    ("body", "code"),
    [
        (b"{", -32700),
        (b"\xff\xfe\xff", -32700),
        (b"[" * 200_000, -32700),
        (b"[]", -32600),
        (b"3", -32600),
        (b'{"jsonrpc":"2.0"}', -32600),
        (b'{"jsonrpc":"2.0","id":{},"method":"shutdown"}', -32600),
        (b'{"jsonrpc":"2.0","id":1,"method":7}', -32600),
    ],
)
def test_what_is_no_message_is_refused_and_the_session_goes_on(client: Client, body: bytes, code: int) -> None:
    client.initialize()
    client.send_bytes(b"Content-Length: %d\r\n\r\n" % len(body) + body)
    answer = client._wait(lambda: client.answers.get(None), "the refusal", 10)  # type: ignore[call-overload]
    assert answer["error"]["code"] == code


def test_answers_nobody_asked_for_are_ignored(client: Client) -> None:
    client.initialize()
    client.send({"jsonrpc": "2.0", "id": 77, "result": None})
    client.send({"jsonrpc": "2.0", "id": "x", "error": {"code": 1, "message": "m"}})
    client.send({"jsonrpc": "2.0", "id": [1], "result": None})


def test_header_names_match_in_any_case(client: Client) -> None:
    body = b'{"jsonrpc":"2.0","id":"first","method":"initialize","params":{"capabilities":{}}}'
    client.send_bytes(b"content-type: x\r\ncontent-LENGTH: %d\r\n\r\n" % len(body) + body)
    assert "capabilities" in client.answer("first")


@pytest.mark.parametrize("params", [None, [], 3])
def test_initialize_without_parameters_is_refused_and_can_be_tried_again(client: Client, params: object) -> None:
    assert code_of(client, "initialize", params) == -32602
    client.initialize()


@pytest.mark.parametrize("params", [{}, {"capabilities": 3, "workspaceFolders": "x", "rootUri": 7, "processId": "x"}])
def test_odd_parameters_of_initialize_count_as_missing(client: Client, params: object) -> None:
    assert "capabilities" in client.request("initialize", params)
    client.notify("initialized", {})


@pytest.mark.parametrize(
    ("method", "params"),
    [
        ("textDocument/hover", {"textDocument": {}}),
        ("textDocument/hover", None),
        ("textDocument/hover", {"textDocument": {"uri": "file:///p"}, "position": {"line": "x", "character": 0}}),
        ("textDocument/codeAction", {"textDocument": {"uri": "file:///p"}}),
        ("textDocument/diagnostic", {}),
        ("textDocument/diagnostic", 3),
        ("workspace/diagnostic", {}),
        ("workspace/executeCommand", {}),
        ("workspace/executeCommand", {"command": "adal.server.unknown"}),
        ("workspace/executeCommand", {"command": "adal.server.cancelRun", "arguments": [{}]}),
        ("adal/run/start", {}),
        ("adal/run/start", None),
    ],
)
def test_parameters_that_do_not_fit_are_refused_without_a_message_box(
    client: Client, method: str, params: object
) -> None:
    client.initialize()
    assert code_of(client, method, params) == -32602


@pytest.mark.parametrize(
    "method",
    [
        "textDocument/didOpen",
        "textDocument/didChange",
        "textDocument/didSave",
        "textDocument/didClose",
        "workspace/didChangeWatchedFiles",
        "workspace/didChangeWorkspaceFolders",
        "workspace/didChangeConfiguration",
        "window/workDoneProgress/cancel",
        "adal/trust/changed",
        "$/cancelRequest",
        "$/setTrace",
    ],
)
def test_notifications_that_do_not_fit_are_ignored(start: Start, method: str) -> None:
    client = start(tolerated=["window/logMessage"])
    client.initialize()
    misfits: list[Any] = [None, [], {}, {"textDocument": 3}, {"event": 3}, {"changes": [3]}]
    for params in misfits:
        client.notify(method, params)
    client.send({"jsonrpc": "2.0", "method": method})
    client.shut_down()
    boxes = [message for message in client.unread if message["method"] != "window/logMessage"]
    assert boxes == []
    faults = [m for m in client.unread if "internal fault" in m["params"]["message"]]
    assert faults == []


def test_a_fault_of_lint_leaves_no_request_unanswered(
    start: Start, workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object) -> None:
        raise LookupError("SECRET")

    workspace.write(GOOD)
    monkeypatch.setattr(diagnostics, "analyse", broken)
    client = start(tolerated=["window/logMessage"])
    client.initialize(workspace.root)
    client.open(workspace.uri, GOOD)
    for method in ("adal/tools/list", "textDocument/diagnostic", "textDocument/hover"):
        document = {"textDocument": {"uri": workspace.uri}, "position": {"line": 0, "character": 0}}
        assert code_of(client, method, document) == -32603
    client.shut_down()
    assert "SECRET" not in str(client.unread)
