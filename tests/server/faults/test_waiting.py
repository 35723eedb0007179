"""Faults 1, 2, 4, 15, 25, 29: what waits, and what must not wait for it."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from adal_ls.server import typed
from adal_ls.server.diagnostics import analysis, diagnostics
from tests.e2e.conftest import Editor
from tests.server.client import Client, ResponseError
from tests.server.conftest import ADAL, GOOD, ScriptedHost, Workspace
from tests.server.faults.conftest import URI, call, script

Open = Callable[..., tuple[Editor, Path]]

SLOW = '''\
import time
from pathlib import Path


def slow(seconds: float) -> str:
    """Take a while."""
    Path("begun").touch()
    time.sleep(seconds)
    Path("ended").touch()
    return "done"


CUSTOM_TOOLS = [{"function": slow, "require_approval": False}]
'''

HOVER = {"position": {"line": 4, "character": 5}}


def wait_for_file(path: Path) -> None:
    deadline = time.monotonic() + 15
    while not path.exists():
        assert time.monotonic() < deadline
        time.sleep(0.02)


def test_a_run_that_is_cancelled_does_not_run_to_its_end(editor: Open) -> None:
    """Fault 1: a cancelled `workspace/executeCommand` is answered as cancelled and goes on."""
    client, workspace = editor(SLOW)
    client.project("loaded")
    model = script(workspace.parent, {"calls": [call("slow", {"seconds": 1.0})]}, {"text": "end"})
    command = {"command": "adal.server.runAgent", "arguments": [{"prompt": "go", "model": model}]}
    run_id = client.request("workspace/executeCommand", command)["runId"]
    wait_for_file(workspace / "begun")
    client.request("workspace/executeCommand", {"command": "adal.server.cancelRun", "arguments": [run_id]})
    assert client.finished(run_id)["stopReason"] == "cancelled"
    time.sleep(1.1)
    assert not (workspace / "ended").exists()


def test_a_cancelled_request_is_cancelled_where_it_is_worked_on(
    start: Callable[..., Client], scripted_host: ScriptedHost, workspace: Workspace
) -> None:
    """Fault 1, for a request that another process answers."""
    workspace.write(GOOD)
    client = start(scripted_host.command("slow"), tolerated=["adal/tools/changed", "adal/status", "window/logMessage"])
    client.initialize(workspace.root, ADAL, {"trusted": True})
    key = client.ask("adal/run/list", {})
    client.notify("$/cancelRequest", {"id": key})
    with pytest.raises(ResponseError) as caught:
        client.answer(key)
    assert caught.value.code == -32800


def test_thirty_two_approvals_that_wait_block_nothing_and_all_finish(editor: Open) -> None:
    """Fault 2: stdin is read through the pool in which handlers wait; six of them stop the server for good."""
    client, workspace = editor(SLOW.replace("False", "True"))
    client.open((workspace / ".adal" / "tools.py").as_uri(), SLOW)
    place = {"textDocument": {"uri": (workspace / ".adal" / "tools.py").as_uri()}, **HOVER}
    client.request("textDocument/hover", place)
    turn = {"calls": [call("slow", {"seconds": number / 1000}) for number in range(32)]}
    run_id = client.start_run("go", model=script(workspace.parent, turn, {"text": "done"}))
    questions = [client.asked() for _ in range(32)]
    begun = time.monotonic()
    assert client.request("textDocument/hover", place) is not None
    assert time.monotonic() - begun < 0.5
    for key, request in questions:
        client.decide(key, request, "allow_once")
    assert client.finished(run_id)["answer"] == "done"
    results = [event for event in client.events(run_id) if event["type"] == "toolResult"]
    assert [result["status"] for result in results] == ["success"] * 32


def test_a_tool_that_runs_delays_neither_hover_nor_shutdown(editor: Open) -> None:
    """Faults 4 and 25: a sync handler blocks every other one; a shutdown meanwhile fails and takes seconds."""
    client, workspace = editor(SLOW)
    uri = (workspace / ".adal" / "tools.py").as_uri()
    client.open(uri, SLOW)
    client.request("textDocument/hover", {"textDocument": {"uri": uri}, **HOVER})
    client.project("loaded")
    model = script(workspace.parent, {"calls": [call("slow", {"seconds": 60})]}, {"text": "end"})
    client.start_run("go", model=model)
    wait_for_file(workspace / "begun")
    begun = time.monotonic()
    assert client.request("textDocument/hover", {"textDocument": {"uri": uri}, **HOVER}) is not None
    assert time.monotonic() - begun < 0.5
    begun = time.monotonic()
    assert client.request("shutdown") is None
    assert time.monotonic() - begun < 0.5
    client.notify("exit")
    assert client.wait_end(2) == 0
    assert not (workspace / "ended").exists()


def test_requests_cancelled_while_they_wait_are_never_begun(
    start: Callable[..., Client], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Fault 15: what was cancelled in the queue is handled all the same (pygls 517)."""
    sent = threading.Event()
    analyse, hovers = analysis.analyse, []

    def slow(*arguments: Any, **named: Any) -> Any:
        assert sent.wait(15)
        return analyse(*arguments, **named)

    monkeypatch.setattr(diagnostics, "analyse", slow)
    monkeypatch.setitem(typed._FEATURES, "textDocument/hover", (lambda *asked: hovers.append(asked), None))
    client = start(tolerated=["textDocument/publishDiagnostics"])
    client.initialize()
    client.open(URI, GOOD)
    keys = [client.ask("textDocument/hover", {"textDocument": {"uri": URI}, **HOVER}) for _ in range(70)]
    for key in keys:
        client.cancel(key)
    sent.set()
    client.shut_down()
    codes = [client.answers[key].get("error", {}).get("code") for key in keys]
    assert codes.count(-32800) >= 69
    assert len(hovers) <= 1


def test_an_id_is_free_again_after_its_cancellation(client: Client) -> None:
    client.initialize()
    client.notify("$/cancelRequest", {"id": "again"})
    client.send({"jsonrpc": "2.0", "id": "again", "method": "adal/tools/list", "params": {}})
    assert client.answer("again") == {"projects": []}


def test_a_cancellation_before_initialize_cancels_nothing_later(client: Client) -> None:
    client.notify("$/cancelRequest", {"id": 2})
    client.initialize()
    assert client.request("adal/tools/list", {}) == {"projects": []}


def test_open_requests_are_answered_before_shutdown_is(
    start: Callable[..., Client], scripted_host: ScriptedHost, workspace: Workspace
) -> None:
    """Fault 29: what a shutdown had to wait for was not waited for (pygls 433, 587)."""
    workspace.write(GOOD)
    tolerated = ["adal/tools/changed", "adal/status", "window/logMessage"]
    client = start(scripted_host.command("slow"), tolerated=tolerated)
    client.initialize(workspace.root, ADAL, {"trusted": True})
    key = client.ask("adal/run/list", {})
    last = client.ask("shutdown")
    client.answer(last)
    order: list[Any] = list(client.answers)
    assert order.index(key) < order.index(last)
    client.notify("exit")
    assert client.wait_end(5) == 0
