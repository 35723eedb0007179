"""What pygls does on its own. A test that fails here tells of an upgrade that mends a fault: see what we can drop.

Four of the faults are not the library's alone, and are shown in our own tests only: what VS Code does with versions and
with commands of equal names (13, 28), what was mended before 2.1 (29), and what could not be reproduced (31).
"""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from lsprotocol import types
from pygls.workspace import PositionCodec, TextDocument, Workspace

from tests.server.client import Client, ResponseError
from tests.server.faults.test_messages import ODD
from tests.server.stdio import StdioClient

PLAIN = (sys.executable, str(Path(__file__).with_name("plain_server.py")))
PLACE = {"textDocument": {"uri": "file:///p/a.py"}, "position": {"line": 0, "character": 0}}

SILENCE = 0.4
"""Seconds without an answer that count as none; the server answers within a millisecond what it does answer."""


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Client]:
    """One server for the faults that it outlives."""
    with (tmp_path_factory.mktemp("plain") / "stderr").open("wb") as stderr:
        client = StdioClient(PLAIN, stderr=stderr)
        client.initialize()
        yield client
        client.kill()


@pytest.fixture
def plain(tmp_path: Path) -> Iterator[Client]:
    """Ended without the checks that it is here to fail."""
    with (tmp_path / "stderr").open("wb") as stderr:
        client = StdioClient(PLAIN, stderr=stderr)
        yield client
        client.kill()


def unanswered(client: Client, method: str, params: Any) -> bool:
    key = client.ask(method, params)
    time.sleep(SILENCE)
    return key not in client.answers


def popups(client: Client) -> int:
    found = [message for message in client.unread if message["method"] == "window/showMessage"]
    client.unread.clear()
    return len(found)


def test_it_leaves_with_code_0_without_shutdown(plain: Client) -> None:
    """Fault 5."""
    plain.initialize()
    plain.notify("exit")
    assert plain.wait_end(10) == 0


def test_it_loses_a_request_with_a_nested_key_jsonrpc(shared: Client) -> None:
    """Fault 6."""
    assert unanswered(shared, "plain/echo", {"nested": ODD["nested"]})


def test_it_renames_keys_of_untyped_objects(shared: Client) -> None:
    """Fault 7."""
    flat = {key: value for key, value in ODD.items() if key != "nested"}
    answer = shared.request("plain/echo", flat)
    assert "_1=2" in answer
    assert "class" not in answer


def test_it_shows_a_popup_for_a_notification_without_params(shared: Client) -> None:
    """Fault 8."""
    popups(shared)
    shared.send({"jsonrpc": "2.0", "method": "$/setTrace"})
    shared.request("textDocument/hover", PLACE)
    assert popups(shared) == 1


def test_it_shows_a_popup_for_each_edit_that_a_handler_fails_on(shared: Client) -> None:
    """Fault 16."""
    shared.open("file:///p/a.py", "x")
    for version in range(2, 7):
        shared.change("file:///p/a.py", version, {"text": "y"})
    shared.request("textDocument/hover", PLACE)
    assert popups(shared) == 5


def test_it_sends_tracebacks(shared: Client) -> None:
    """Fault 17."""
    with pytest.raises(ResponseError) as caught:
        shared.request("plain/fault", {})
    assert "plain_server.py" in str(caught.value.data)


def test_it_leaves_invalid_params_without_an_answer_and_shows_a_popup(shared: Client) -> None:
    """Fault 19."""
    popups(shared)
    assert unanswered(shared, "textDocument/hover", {"textDocument": {}})
    assert popups(shared) == 1


def test_it_accepts_a_second_initialize_and_says_nothing_after_shutdown(plain: Client) -> None:
    """Fault 20."""
    key = plain.ask("textDocument/hover", PLACE)
    assert plain._wait(lambda: plain.answers.get(key), "an answer", 15).get("error", {}).get("code") != -32002
    plain.initialize()
    assert "capabilities" in plain.request("initialize", {"processId": None, "rootUri": None, "capabilities": {}})
    plain.request("shutdown")
    assert unanswered(plain, "textDocument/hover", PLACE)


def test_it_skips_a_header_in_lower_case(plain: Client) -> None:
    """Fault 21."""
    plain.initialize()
    body = b'{"jsonrpc":"2.0","id":"low","method":"textDocument/hover","params":null}'
    plain.send_bytes(b"content-length: %d\r\n\r\n" % len(body) + body)
    time.sleep(SILENCE)
    assert "low" not in plain.answers


def test_what_is_printed_breaks_its_stream(plain: Client) -> None:
    """Fault 9."""
    plain.initialize()
    plain.ask("plain/print", {})
    plain._reader.join(10)
    assert plain.faults, "the client's reader gave up"


def test_a_child_eats_its_input(plain: Client) -> None:
    """Fault 10."""
    plain.initialize()
    plain.request("textDocument/hover", PLACE)
    keys = [plain.ask("plain/child", {}), *(plain.ask("textDocument/hover", PLACE) for _ in range(3))]
    time.sleep(SILENCE)
    keys += [plain.ask("textDocument/hover", PLACE) for _ in range(3)]
    time.sleep(SILENCE)
    assert not set(keys) <= set(plain.answers)


def test_handlers_that_wait_stop_its_reader(plain: Client) -> None:
    """Fault 2: the reader waits for a place in the pool that the handlers fill."""
    plain.initialize()
    plain.request("textDocument/hover", PLACE)
    for _ in range(min(32, (os.cpu_count() or 1) + 4) + 1):
        plain.ask("plain/wait", {})
    begun = time.monotonic()
    plain.request("textDocument/hover", PLACE)
    assert time.monotonic() - begun > 0.25


def test_a_handler_that_exits_ends_it(plain: Client) -> None:
    """Fault 27."""
    plain.initialize()
    plain.ask("plain/leave", {})
    plain.wait_end(10)


def test_a_cancelled_command_runs_to_its_end(plain: Client) -> None:
    """Fault 1."""
    plain.initialize()
    key = plain.ask("workspace/executeCommand", {"command": "plain.run", "arguments": []})
    plain.cancel(key)
    with pytest.raises(ResponseError) as caught:
        plain.answer(key)
    assert caught.value.code == -32800
    assert plain.wait_for("plain/ended") == {}


def test_a_thread_that_waits_keeps_it_alive_after_the_end_of_input(plain: Client) -> None:
    """Fault 3."""
    plain.initialize()
    plain.ask("plain/long", {})
    plain.request("textDocument/hover", PLACE)
    plain.hang_up()
    time.sleep(1.0)
    assert not plain.is_over()


def test_a_thread_that_works_delays_its_end_after_shutdown(plain: Client) -> None:
    """Fault 4."""
    plain.initialize()
    plain.ask("plain/long", {})
    plain.request("textDocument/hover", PLACE)
    plain.ask("shutdown")
    plain.notify("exit")
    time.sleep(1.0)
    assert not plain.is_over()


def test_an_answer_that_comes_too_late_shows_a_popup(plain: Client) -> None:
    """Fault 14."""
    plain.initialize()
    assert plain.request("plain/ask", {}) == "too late"
    plain.respond(plain.wait_message("plain/question")["id"], {})
    plain.request("textDocument/hover", PLACE)
    assert popups(plain) == 1


def test_requests_cancelled_while_they_wait_are_handled_all_the_same(plain: Client) -> None:
    """Fault 15."""
    plain.initialize()
    plain.ask("plain/slow", {})
    for key in [plain.ask("textDocument/hover", PLACE) for _ in range(20)]:
        plain.cancel(key)
    assert plain.request("textDocument/hover", PLACE)["contents"] == "hover 21"


def test_its_log_holds_the_text_of_messages(tmp_path: Path) -> None:
    """Fault 18."""
    with (tmp_path / "stderr").open("wb") as stderr:
        client = StdioClient((*PLAIN, "--log"), stderr=stderr)
        client.initialize()
        assert "sk-canary" in client.request("plain/echo", {"key": "sk-canary"})
        client.kill()
    assert "sk-canary" in (tmp_path / "stderr").read_text()


def test_a_client_that_does_not_read_stops_it() -> None:
    """Fault 22: its writes block the loop, so that it reads no more either."""
    process = subprocess.Popen(PLAIN, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    assert process.stdin is not None
    assert process.stdout is not None
    stdin = process.stdin
    done = threading.Event()

    def write() -> None:
        messages = [{"id": 0, "method": "initialize", "params": {"capabilities": {}}}]
        messages += [{"id": key, "method": "plain/large", "params": {}} for key in range(1, 2001)]
        with contextlib.suppress(OSError):
            for message in messages:
                body = json.dumps({"jsonrpc": "2.0", **message}).encode()
                stdin.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
            stdin.flush()
            done.set()

    writing = threading.Thread(target=write)
    writing.start()
    assert not done.wait(2.0)
    process.kill()
    process.wait()
    process.stdout.close()
    writing.join(10)
    with contextlib.suppress(OSError):
        stdin.close()


def test_a_handler_that_works_delays_all_others(plain: Client) -> None:
    """Fault 25."""
    plain.initialize()
    plain.request("textDocument/hover", PLACE)
    plain.ask("plain/slow", {})
    begun = time.monotonic()
    plain.request("textDocument/hover", PLACE)
    assert time.monotonic() - begun > 0.3


def test_a_handler_that_waits_sees_the_text_of_a_later_change(plain: Client) -> None:
    """Fault 26."""
    plain.initialize()
    plain.open("file:///p/a.py", "x")
    plain.save("file:///p/a.py")
    plain.change("file:///p/a.py", 2, {"text": "y"})
    assert plain.wait_for("plain/saw") == {"version": 2}


@pytest.mark.parametrize("character", ["\x0c", "\x1c", "\x85", "\u2028"])
def test_it_takes_other_characters_for_line_ends(character: str) -> None:
    """Faults 11 and 12."""
    document = TextDocument("file:///p", f"a{character}b\nc\n", position_codec=PositionCodec())
    assert len(document.lines) == 3


def test_it_reads_a_file_anew_for_each_look_and_translates_its_line_ends(tmp_path: Path) -> None:
    """Fault 23."""
    file = tmp_path / "a.py"
    file.write_bytes(b"a\r\nb\r\n")
    document = Workspace(tmp_path.as_uri()).get_text_document(file.as_uri())
    assert "\r" not in document.source
    file.write_bytes(b"other")
    assert document.source == "other"


def test_it_takes_two_spellings_of_a_drive_for_two_documents() -> None:
    """Fault 24."""
    workspace = Workspace(None)
    workspace.put_text_document(types.TextDocumentItem("file:///C%3A/p/a.py", "python", 1, "text"))
    assert "file:///c:/p/a.py" not in workspace.text_documents
    assert "file:///C:/p/a.py" not in {key for key in workspace.text_documents if key.startswith("file:///c")}


def test_it_fails_on_a_change_of_a_document_never_opened() -> None:
    """Fault 30."""
    changed = types.VersionedTextDocumentIdentifier(version=2, uri="file:///p/a.py")
    with pytest.raises(KeyError):
        Workspace(None).update_text_document(changed, types.TextDocumentContentChangeWholeDocument("x"))
