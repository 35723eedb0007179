from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.server.client import SERVER, Client
from tests.server.conftest import GOOD

URI = "file:///p/.adal/tools.py"
PLACE = {"textDocument": {"uri": URI}, "position": {"line": 0, "character": 5}}

Start = Callable[..., Client]


def session(client: Client, **initialize: Any) -> None:
    client.initialize(**initialize)
    client.open(URI, GOOD)
    client.diagnostics(URI)
    client.request("textDocument/hover", PLACE)
    client.shut_down()


def test_the_log_file_tells_at_level_debug_of_each_message_and_of_no_body(start_process: Start, tmp_path: Path) -> None:
    log = tmp_path / "a folder ü" / "server.log"
    log.parent.mkdir()
    session(start_process((*SERVER, "--stdio", "--log-file", str(log), "--log-level=debug")))
    lines = log.read_text(encoding="utf-8").splitlines()
    assert all(re.match(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3} \d+ debug ", line) for line in lines)
    text = "\n".join(lines)
    for expected in (
        r"received request initialize \(1\), \d+ bytes",
        r"sent answer \(1\)",
        r"received notification textDocument/didOpen, \d+ bytes",
        r"sent notification textDocument/publishDiagnostics",
        r"received request textDocument/hover \(2\), \d+ bytes",
        r"sent answer \(2\), \d+ bytes",
        r"received request shutdown",
    ):
        assert re.search(expected, text), expected
    assert "greet" not in text


def test_the_log_file_is_quiet_at_the_usual_level_and_grows_at_its_end(start_process: Start, tmp_path: Path) -> None:
    log = tmp_path / "server.log"
    log.write_text("before\n")
    session(start_process((*SERVER, "--log-file", str(log))))
    assert log.read_text() == "before\n"


def test_warnings_reach_the_log_file(start_process: Start, tmp_path: Path) -> None:
    log = tmp_path / "server.log"
    client = start_process((*SERVER, "--log-file", str(log)), tolerated=["window/logMessage"])
    session(client, options={"permissionMode": "never"})
    assert " warning setting permissionMode must be one of" in log.read_text()


def test_the_level_of_the_command_line_outweighs_the_setting(start_process: Start) -> None:
    client = start_process((*SERVER, "--log-level", "error"))
    session(client, options={"permissionMode": "never", "logLevel": "debug"})
    assert client.unread == []


def test_a_log_file_that_cannot_be_written_is_named_and_serving_goes_on(start_process: Start, tmp_path: Path) -> None:
    with (tmp_path / "stderr").open("wb") as stderr:
        session(start_process((*SERVER, "--log-file", str(tmp_path / "none" / "log")), stderr=stderr))
    assert "none/log cannot be written" in (tmp_path / "stderr").read_text()


@pytest.mark.parametrize("value", ["messages", "verbose"])
def test_a_client_that_traces_is_told_of_messages_without_their_bodies(client: Client, value: str) -> None:
    client.tolerated.add("$/logTrace")
    session(client, trace=value)
    told = [message["params"]["message"] for message in client.unread]
    assert any("textDocument/publishDiagnostics" in line for line in told)
    assert not any("greet" in line or "logTrace" in line for line in told)


def test_tracing_begins_and_ends_as_the_client_says(client: Client) -> None:
    client.initialize()
    client.notify("$/setTrace", {"value": "messages"})
    client.request("adal/tools/list", {})
    client.notify("$/setTrace", {"value": "off"})
    client.request("adal/tools/list", {})
    client.tolerated.add("$/logTrace")
    client.shut_down()
    told = [message["params"]["message"].split(",")[0] for message in client.unread]
    assert told == [
        "received request adal/tools/list (2)",
        "sent answer (2)",
        "received notification $/setTrace",
    ]


def test_stderr_stays_empty(start_process: Start, tmp_path: Path) -> None:
    with (tmp_path / "stderr").open("wb") as stderr:
        session(start_process(stderr=stderr))
    assert (tmp_path / "stderr").read_bytes() == b""
