from __future__ import annotations

import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.server.client import Client, ResponseError
from tests.server.conftest import GOOD

URI = "file:///p/.adal/tools.py"
HOVER = {"textDocument": {"uri": URI}, "position": {"line": 0, "character": 5}}

BROKEN_HOVER = """
import adal_ls.server.features.hover as module
from adal_ls.server import serve

def hover(snapshot, params):
    raise LookupError("SECRET in the text")

module.hover = hover
serve()
"""

SLOW_START = """
import importlib.abc, sys, time

class Slow(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        if name == "lsprotocol":
            time.sleep(0.5)

sys.meta_path.insert(0, Slow())
from adal_ls.server import serve
serve()
"""


def test_requests_wait_for_the_second_stage_and_keep_their_order_and_their_text(start: Callable[..., Client]) -> None:
    client = start((sys.executable, "-c", SLOW_START), tolerated=["textDocument/publishDiagnostics"])
    client.initialize()
    client.open(URI, GOOD)
    keys = []
    for version in range(2, 6):
        client.change(URI, version, {"text": GOOD.replace("Greet somebody", f"Version {version}")})
        keys.append(client.ask("textDocument/hover", HOVER))
    for version, key in zip(range(2, 6), keys, strict=True):
        assert f"Version {version}" in client.answer(key)["contents"]["value"]
    assert list(client.answers) == [1, *keys]
    client.shut_down()


def test_edits_are_answered_while_the_second_stage_loads(start: Callable[..., Client]) -> None:
    client = start((sys.executable, "-c", SLOW_START))
    client.initialize()
    client.open(URI, GOOD)
    client.diagnostics(URI)
    begun = time.monotonic()
    key = client.ask("textDocument/hover", HOVER)
    client.change(URI, 2, {"text": GOOD})
    client.diagnostics(URI)
    assert key not in client.answers
    assert time.monotonic() - begun < 0.4
    client.answer(key)
    client.shut_down()


def test_a_queued_request_can_be_cancelled(start: Callable[..., Client]) -> None:
    client = start((sys.executable, "-c", SLOW_START), tolerated=["textDocument/publishDiagnostics"])
    client.initialize()
    client.open(URI, GOOD)
    cancelled, kept = client.ask("textDocument/hover", HOVER), client.ask("textDocument/hover", HOVER)
    client.notify("$/cancelRequest", {"id": cancelled})
    with pytest.raises(ResponseError) as caught:
        client.answer(cancelled)
    assert caught.value.code == -32800
    assert client.answer(kept) is not None
    client.notify("$/cancelRequest", {"id": kept})  # too late: nothing comes of it
    client.shut_down()


def test_a_fault_in_a_feature_is_one_error_answer_that_gives_nothing_away(
    start: Callable[..., Client], tmp_path: Path
) -> None:
    with (tmp_path / "stderr").open("wb") as stderr:
        client = start((sys.executable, "-c", BROKEN_HOVER), stderr=stderr)
        client.initialize()
        client.open(URI, GOOD)
        client.diagnostics(URI)
        with pytest.raises(ResponseError) as caught:
            client.request("textDocument/hover", HOVER)
        logged = client.wait_for("window/logMessage")
        client.shut_down()
    assert (caught.value.code, caught.value.data) == (-32603, None)
    said = caught.value.message + logged["message"] + (tmp_path / "stderr").read_text()
    assert "LookupError" in logged["message"]
    assert "SECRET" not in said


def test_a_nested_key_jsonrpc_is_no_message(client: Client) -> None:
    client.initialize()
    client.open(URI, GOOD)
    client.diagnostics(URI)
    nested = {"jsonrpc": "2.0", "method": "zz", "id": 4}
    assert client.request("textDocument/hover", {**HOVER, "workDoneToken": "t", "other": nested}) is not None
    client.shut_down()


def test_many_hovers_with_cancels_are_each_answered_once(client: Client) -> None:
    client.initialize()
    client.open(URI, GOOD)
    client.diagnostics(URI)
    keys = [client.ask("textDocument/hover", HOVER) for _ in range(70)]
    for key in keys:
        client.notify("$/cancelRequest", {"id": key})
    assert client.request("textDocument/hover", HOVER) is not None
    client.shut_down()  # its strict end looks at the answers


def test_bodies_of_messages_reach_no_log(start: Callable[..., Client], tmp_path: Path) -> None:
    with (tmp_path / "stderr").open("wb") as stderr:
        client = start(stderr=stderr, tolerated=["window/logMessage", "textDocument/publishDiagnostics"])
        options: dict[str, Any] = {"logLevel": "debug", "model": "CANARY-model", "lint": {"select": ["CANARY"]}}
        client.initialize(options=options)
        client.open(URI, GOOD.replace("Greet", "CANARY"))
        client.request("textDocument/hover", HOVER)
        with pytest.raises(ResponseError):
            client.request("adal/run/start", {"prompt": "CANARY"})
        with pytest.raises(ResponseError):
            client.request("textDocument/hover", {"textDocument": "CANARY"})
        client.shut_down()
    logs = [str(message) for message in client.unread if message["method"] == "window/logMessage"]
    assert not [line for line in logs if "CANARY-model" in line or "Greet" in line or "CANARY somebody" in line]
    assert "CANARY" not in (tmp_path / "stderr").read_text()


def test_what_still_waits_for_the_second_stage_is_answered_before_shutdown_is(start: Callable[..., Client]) -> None:
    client = start((sys.executable, "-c", SLOW_START), tolerated=["textDocument/publishDiagnostics"])
    client.initialize()
    client.open(URI, GOOD)
    keys = [client.ask("textDocument/hover", HOVER) for _ in range(3)]
    client.shut_down()
    assert [client.answers[key]["error"]["code"] for key in keys] == [-32800] * 3
