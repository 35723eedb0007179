from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from adal_ls.server import service, typed, typed_requests
from tests.server.client import Client, ResponseError
from tests.server.conftest import GOOD

URI = "file:///p/.adal/tools.py"
HOVER = {"textDocument": {"uri": URI}, "position": {"line": 0, "character": 5}}


@pytest.fixture
def loading(monkeypatch: pytest.MonkeyPatch) -> Iterator[threading.Event]:
    """The second stage loads until this is set; it is at the end of the test."""
    loaded, start = threading.Event(), typed.TypedServer.start

    def wait(*arguments: Any) -> typed.TypedServer:
        assert loaded.wait(15)
        return start(*arguments)

    monkeypatch.setattr(typed.TypedServer, "start", wait)
    yield loaded
    loaded.set()


def test_requests_wait_for_the_second_stage_and_keep_their_order_and_their_text(
    start: Callable[..., Client], loading: threading.Event
) -> None:
    client = start(tolerated=["textDocument/publishDiagnostics"])
    client.initialize()
    client.open(URI, GOOD)
    keys = []
    for version in range(2, 6):
        client.change(URI, version, {"text": GOOD.replace("Greet somebody", f"Version {version}")})
        keys.append(client.ask("textDocument/hover", HOVER))
    loading.set()
    for version, key in zip(range(2, 6), keys, strict=True):
        assert f"Version {version}" in client.answer(key)["contents"]["value"]
    assert list(client.answers) == [1, *keys]


def test_edits_are_answered_while_the_second_stage_loads(
    start: Callable[..., Client], loading: threading.Event
) -> None:
    client = start()
    client.initialize()
    client.open(URI, GOOD)
    client.diagnostics(URI)
    key = client.ask("textDocument/hover", HOVER)
    client.change(URI, 2, {"text": GOOD})
    client.diagnostics(URI)
    assert key not in client.answers
    loading.set()
    client.answer(key)


def test_diagnostics_make_room_for_a_request_that_is_being_answered_and_follow_it_at_once(
    start: Callable[..., Client], loading: threading.Event, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in (service, typed_requests):
        monkeypatch.setattr(module, "BRIEFLY", 30)
    client = start()
    client.initialize()
    client.open(URI, GOOD)
    client.diagnostics(URI)
    key = client.ask("textDocument/hover", HOVER)
    client.change(URI, 2, {"text": GOOD})
    with pytest.raises(ResponseError, match="not trusted"):
        client.request("adal/run/list", {})  # by now the edit was taken in
    assert client.unread == []
    loading.set()
    client.answer(key)
    client.diagnostics(URI, lambda told: told["version"] == 2)


def test_a_queued_request_can_be_cancelled(start: Callable[..., Client], loading: threading.Event) -> None:
    client = start(tolerated=["textDocument/publishDiagnostics"])
    client.initialize()
    client.open(URI, GOOD)
    cancelled, kept = client.ask("textDocument/hover", HOVER), client.ask("textDocument/hover", HOVER)
    client.notify("$/cancelRequest", {"id": cancelled})
    with pytest.raises(ResponseError) as caught:
        client.answer(cancelled)
    assert caught.value.code == -32800
    loading.set()
    assert client.answer(kept) is not None
    client.notify("$/cancelRequest", {"id": kept})  # too late: nothing comes of it


def test_a_fault_in_a_feature_is_one_error_answer_that_gives_nothing_away(
    start: Callable[..., Client], monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    def broken(*_: object) -> None:
        raise LookupError("SECRET in the text")

    monkeypatch.setitem(typed._FEATURES, "textDocument/hover", (broken, None))
    client = start()
    client.initialize()
    client.open(URI, GOOD)
    client.diagnostics(URI)
    with pytest.raises(ResponseError) as caught:
        client.request("textDocument/hover", HOVER)
    logged = client.wait_for("window/logMessage")
    client.shut_down()
    assert (caught.value.code, caught.value.data) == (-32603, None)
    assert "LookupError" in logged["message"]
    assert "SECRET" not in caught.value.message + logged["message"] + capfd.readouterr().err


def test_a_nested_key_jsonrpc_is_no_message(client: Client) -> None:
    client.initialize()
    client.open(URI, GOOD)
    client.diagnostics(URI)
    nested = {"jsonrpc": "2.0", "method": "zz", "id": 4}
    assert client.request("textDocument/hover", {**HOVER, "workDoneToken": "t", "other": nested}) is not None


def test_many_hovers_with_cancels_are_each_answered_once(client: Client) -> None:
    client.initialize()
    client.open(URI, GOOD)
    client.diagnostics(URI)
    keys = [client.ask("textDocument/hover", HOVER) for _ in range(70)]
    for key in keys:
        client.notify("$/cancelRequest", {"id": key})
    assert client.request("textDocument/hover", HOVER) is not None


def test_bodies_of_messages_reach_no_log(start: Callable[..., Client], capfd: pytest.CaptureFixture[str]) -> None:
    client = start(tolerated=["window/logMessage", "textDocument/publishDiagnostics"])
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
    assert "CANARY" not in capfd.readouterr().err


def test_what_still_waits_for_the_second_stage_is_answered_before_shutdown_is(
    start: Callable[..., Client], loading: threading.Event
) -> None:
    client = start(tolerated=["textDocument/publishDiagnostics"])
    client.initialize()
    client.open(URI, GOOD)
    keys = [client.ask("textDocument/hover", HOVER) for _ in range(3)]
    client.shut_down()
    assert [client.answers[key]["error"]["code"] for key in keys] == [-32800] * 3
