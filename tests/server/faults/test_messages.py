"""Faults 6, 7, 8, 14, 16 to 21, 28: messages that are refused, lost or changed, and popups."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from adal_ls.protocol.methods import COMMANDS
from tests.e2e.conftest import Editor
from tests.server.client import Client, ResponseError
from tests.server.conftest import ADAL, GOOD, ScriptedHost, Workspace
from tests.server.faults.conftest import URI, call, script

Open = Callable[..., tuple[Editor, Path]]

ODD: dict[str, Any] = {
    "a": 1,
    "class": 2,
    "b-c": 3,
    "type_name": "Foo",
    "_x": 4,
    "ok": False,
    "n": 0,
    "nested": {"jsonrpc": "2.0", "method": "zz", "id": 4},
}
"""Keys that pygls takes for its own, or for what cannot be an attribute."""

ECHO = '''\
import json


def echo(data: dict[str, object]) -> str:
    """Say what came."""
    return json.dumps(data)


CUSTOM_TOOLS = [echo]
'''


def test_arguments_with_any_keys_arrive_unchanged_at_the_person_and_at_the_tool(editor: Open) -> None:
    """Faults 6 and 7: a nested key `jsonrpc` makes a request vanish; untyped objects become namedtuples."""
    client, workspace = editor(ECHO)
    model = script(workspace.parent, {"calls": [call("echo", {"data": ODD})]}, {"text": "done"})
    run_id = client.start_run("go", model=model)
    key, request = client.asked()
    assert request["arguments"] == {"data": ODD}
    client.decide(key, request, "allow_once")
    client.finished(run_id)
    (result,) = [event for event in client.events(run_id) if event["type"] == "toolResult"]
    assert json.loads(result["observation"]) == ODD


def test_a_typed_request_with_a_nested_key_jsonrpc_is_answered(client: Client) -> None:
    """Fault 6, where pygls answers."""
    client.initialize()
    place = {"textDocument": {"uri": URI}, "position": {"line": 0, "character": 0}, "workDoneToken": "t"}
    assert client.request("textDocument/hover", {**place, **ODD}) is None


def test_a_message_without_params_is_handled(client: Client) -> None:
    """Fault 8: it shows "Error in server: Internal Error"."""
    client.initialize()
    client.send({"jsonrpc": "2.0", "method": "$/setTrace"})
    client.send({"jsonrpc": "2.0", "method": "workspace/didChangeConfiguration"})
    client.send({"jsonrpc": "2.0", "id": "list", "method": "adal/tools/list"})
    assert client.answer("list") == {"projects": []}


def test_an_answer_that_comes_too_late_has_no_effect(
    start: Callable[..., Client], scripted_host: ScriptedHost, workspace: Workspace
) -> None:
    """Fault 14: InvalidStateError, and a popup "CANCELLED: <Future...>" (pygls 621)."""
    workspace.write(GOOD)
    tolerated = ["adal/tools/changed", "adal/status", "adal/run/update", "adal/approval/resolved", "window/logMessage"]
    client = start(scripted_host.command("withdraw"), tolerated=tolerated)
    client.initialize(workspace.root, ADAL, {"trusted": True})
    client.request("adal/run/start", {"prompt": "hi"})
    question = client.wait_message("adal/approval/request")
    client.wait_for("$/cancelRequest", lambda params: params["id"] == question["id"])
    for _ in range(2):
        client.respond(question["id"], {"approvalId": question["params"]["approvalId"], "outcome": "selected"})
    client.respond_error(question["id"], -32800, "cancelled")
    assert len(client.request("adal/tools/list", {})["projects"]) == 1
    client.shut_down()
    assert all("fault" not in message["params"].get("message", "") for message in client.unread)


BROKEN_LINT = """
from adal_ls.server.diagnostics import diagnostics

def broken(*_):
    raise LookupError("SECRET of /home/somebody")

diagnostics.analyse = broken
"""


def test_a_fault_of_lint_shows_no_popup_for_each_key(start_patched: Callable[..., Client], tmp_path: Path) -> None:
    """Faults 16 and 17: five edits, five popups; the answer carries the traceback."""
    with (tmp_path / "stderr").open("wb") as stderr:
        client = start_patched(BROKEN_LINT, stderr=stderr, tolerated=["window/logMessage"])
        client.initialize()
        client.open(URI, GOOD)
        for version in range(2, 7):
            client.change(URI, version, {"text": f"# {version}\n"})
            with pytest.raises(ResponseError) as caught:
                client.request("textDocument/diagnostic", {"textDocument": {"uri": URI}})
            assert caught.value.data is None
            assert "Traceback" not in str(caught.value)
        client.shut_down()
    assert "SECRET" not in str(client.unread) + (tmp_path / "stderr").read_text()


def test_no_log_holds_the_text_of_a_message(
    start_process: Callable[..., Client], workspace: Workspace, tmp_path: Path
) -> None:
    """Fault 18: at level INFO the library writes every body to its log."""
    canary = "sk-canary-4711"
    log = tmp_path / "log"
    with (tmp_path / "stderr").open("wb") as stderr:
        command = (sys.executable, "-m", "adal_ls", "--log-file", str(log), "--log-level", "debug")
        client = start_process(
            command, stderr=stderr, tolerated=["window/logMessage", "textDocument/publishDiagnostics"]
        )
        client.initialize(workspace.root, options={"model": canary, "logLevel": "debug"})
        client.open(workspace.uri, f'KEY = "{canary}"\n{GOOD}')
        place = {"textDocument": {"uri": workspace.uri}, "position": {"line": 0, "character": 0}}
        client.request("textDocument/hover", {**place, "x": canary})
        client.request("textDocument/codeAction", {**place, "range": {"start": place["position"],
                       "end": place["position"]}, "context": {"diagnostics": []}, "x": canary})  # fmt: skip
        for method in ("adal/run/start", "adal/none"):
            with pytest.raises(ResponseError):
                client.request(method, {"prompt": canary})
        client.send_bytes(b'Content-Length: 17\r\n\r\n"sk-canary-4711",')
        client.shut_down()
    written = (tmp_path / "stderr").read_text() + log.read_text()
    assert "initialize" in written, "the log is there"
    assert canary not in written
    assert canary not in str([message for message in client.unread if message["method"] == "window/logMessage"])


@pytest.mark.parametrize("params", [{"textDocument": {}}, {}, None, 7, [], {"textDocument": {"uri": URI}}])
def test_invalid_parameters_are_answered_without_a_popup(client: Client, params: Any) -> None:
    """Fault 19: 103 of 105 such requests went unanswered, each with a popup."""
    client.initialize()
    with pytest.raises(ResponseError) as caught:
        client.request("textDocument/hover", params)
    assert caught.value.code == -32602


def test_requests_out_of_their_time_get_the_codes_of_the_specification(client: Client) -> None:
    """Fault 20: -32603 before initialize, a second initialize accepted, silence after shutdown."""

    def code(method: str) -> int:
        with pytest.raises(ResponseError) as caught:
            client.request(method, {"capabilities": {}})
        return caught.value.code

    assert code("textDocument/hover") == -32002
    client.initialize()
    assert code("initialize") == -32600
    client.request("shutdown")
    assert code("textDocument/hover") == -32600
    client.notify("exit")
    assert client.wait_end(5) == 0


def test_a_header_in_lower_case_is_read(client: Client) -> None:
    """Fault 21: `content-length:` is skipped, and the next message is lost with it."""
    body = b'{"jsonrpc":"2.0","id":"one","method":"initialize","params":{"capabilities":{}}}'
    client.send_bytes(b"content-length: %d\r\n\r\n" % len(body) + body)
    client.answer("one")


def test_no_command_of_the_server_has_the_name_of_one_of_the_extension() -> None:
    """Fault 28: the client registers the server's commands under the same ids ("command already exists")."""
    manifest = json.loads((Path(__file__).parents[3] / "vscode-client" / "package.json").read_text(encoding="utf-8"))
    contributed = {command["command"] for command in manifest["contributes"]["commands"]}
    assert all(command.startswith("adal.server.") for command in COMMANDS)
    assert not contributed & set(COMMANDS)
    assert not any(command.startswith("adal.server.") for command in contributed)


@pytest.mark.parametrize(
    "noise", ["print('x')", "os.write(1, b'x')", "sys.__stdout__.write('x'); sys.__stdout__.flush()"]
)
def test_what_is_printed_does_not_end_the_session(start_patched: Callable[..., Client], noise: str) -> None:
    """Fault 9: one `print` and no later request is answered."""
    patch = f"""
import os, sys
from adal_ls.server.diagnostics import diagnostics
analyse = diagnostics.analyse

def noisy(*arguments, **named):
    {noise}
    return analyse(*arguments, **named)

diagnostics.analyse = noisy
"""
    client = start_patched(patch, stderr=subprocess.DEVNULL)
    client.initialize()
    client.open(URI, GOOD)
    assert client.diagnostics(URI) == []
    assert client.request("adal/tools/list", {})["projects"]


def test_a_child_that_reads_its_input_eats_nothing_of_the_protocol(start_patched: Callable[..., Client]) -> None:
    """Fault 10: after `head -c 40` in a child the next request is never answered."""
    patch = """
import subprocess, sys
from adal_ls.server.diagnostics import diagnostics
analyse = diagnostics.analyse

def noisy(*arguments, **named):
    subprocess.run([sys.executable, "-c", "import sys; sys.stdin.read(40)"])
    return analyse(*arguments, **named)

diagnostics.analyse = noisy
"""
    client = start_patched(patch)
    client.initialize()
    client.open(URI, GOOD)
    keys = [client.ask("adal/tools/list", {}) for _ in range(5)]
    assert all(client.answer(key)["projects"] for key in keys)
    client.tolerated.add("textDocument/publishDiagnostics")
