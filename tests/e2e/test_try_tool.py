"""Trying a tool through server, host and worker, from an editor with a form and from one without."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.e2e.conftest import TOLERATED, Editor
from tests.server.client import ResponseError

Open = Callable[..., tuple[Editor, Path]]

TOOLS = '''\
import time


def count(to: int):
    """Count."""
    for number in range(1, to + 1):
        yield number


def hello() -> str:
    """Greet."""
    print("on the way")
    return "hello"


def sleepy() -> str:
    """Sleep."""
    print("asleep", flush=True)
    time.sleep(60)
    return "late"


CUSTOM_TOOLS = [count, hello, sleepy]
'''


def test_a_try_answers_with_all_parts_and_tells_what_is_printed_meanwhile(editor: Open) -> None:
    client, _ = editor(TOOLS)
    tried = client.request("adal/tools/try", {"tool": "count", "arguments": {"to": 3}, "tryId": "one"})
    assert (tried["status"], tried["output"], tried["observation"]) == ("success", 3, "3")
    told = client.wait_for("adal/tools/tryProgress", timeout=10)
    assert told["tryId"] == "one"
    assert "1" in told["text"]


def test_a_try_that_is_taken_back_is_answered_as_cancelled_and_the_server_goes_on(editor: Open) -> None:
    client, _ = editor(TOOLS)
    key = client.ask("adal/tools/try", {"tool": "sleepy", "tryId": "two"})
    assert client.wait_for("adal/tools/tryProgress", timeout=30)["text"].startswith("asleep")
    client.notify("$/cancelRequest", {"id": key})
    with pytest.raises(ResponseError) as refused:
        client.answer(key)
    assert refused.value.code == -32800
    assert client.request("adal/tools/try", {"tool": "hello"})["observation"] == "hello"


def test_nothing_is_tried_in_an_untrusted_workspace(editor: Open) -> None:
    client, _ = editor(TOOLS, trusted=False)
    with pytest.raises(ResponseError, match="trust"):
        client.request("adal/tools/try", {"tool": "hello"})


def test_the_list_has_the_built_in_tools_once_a_host_runs(editor: Open) -> None:
    client, _ = editor(TOOLS)
    project = client.project("loaded")
    kinds = [(tool["name"], tool["kind"]) for tool in project["tools"]]
    assert kinds[:3] == [("count", "custom"), ("hello", "custom"), ("sleepy", "custom")]
    assert ("read_file", "builtin") in kinds


def test_a_client_that_knows_lsp_alone_sees_the_result_as_a_message(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ADAL_DATA_DIR", str(tmp_path / "data"))
    workspace = tmp_path / "workspace"
    (workspace / ".adal").mkdir(parents=True)
    (workspace / ".adal" / "tools.py").write_text(TOOLS)
    client = Editor(tolerated=TOLERATED)
    try:
        client.initialize(workspace, {}, {"trusted": True})
        command = {"command": "adal.server.tryTool", "arguments": [{"tool": "hello"}]}
        assert client.request("workspace/executeCommand", command) == {}
        assert client.wait_for("window/showMessage", timeout=30) == {"type": 3, "message": "hello: hello"}
        command = {"command": "adal.server.tryTool", "arguments": [{"tool": "nothing"}]}
        client.request("workspace/executeCommand", command)
        refused = client.wait_for("window/showMessage", timeout=30)
        assert refused["type"] == 1
        assert "there is no tool 'nothing'" in refused["message"]
        client.shut_down()
    finally:
        client.kill()
