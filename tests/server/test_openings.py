"""Long texts are read a little at a time: what is told meanwhile, and who waits."""

from __future__ import annotations

import time
from typing import Any

import pytest

from adal_ls.lint import Config, Finding
from adal_ls.lint.reading.stopping import look_up
from adal_ls.server.diagnostics.analysis import analyse, is_known
from adal_ls.server.diagnostics.openings import Openings
from adal_ls.server.documents.documents import Document, edit, opened
from adal_ls.server.transport.inbox import Inbox
from adal_ls.server.transport.rpc import Connection
from adal_ls.server.typed_requests import TypedRequests
from benchmarks.lint.files import tools_file
from tests.server.client import Client
from tests.server.conftest import GOOD

URI = "file:///p/.adal/tools.py"
LONG = tools_file(600) + "print(input())\n"


@pytest.fixture
def _in_small_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("adal_ls.server.diagnostics.openings.SLICE", 0.0)


def codes(findings: tuple[Finding, ...]) -> list[str]:
    return [finding.code for finding in findings]


def read(openings: Openings) -> int:
    """Reads to the end. Returns in how many slices."""
    for slices in range(1, 10_000):
        found = openings.go_on()
        if found is None or found[1]:
            return slices
    raise AssertionError("it never ends")


@pytest.mark.usefixtures("_in_small_steps")
def test_who_asks_waits_until_the_text_is_read_and_an_edit_meanwhile_is_followed() -> None:
    openings, config, told = Openings(), Config(), list[str]()
    first = opened(URI, 1, LONG)
    assert openings.begin(first, config, None)
    openings.when_read(URI, lambda: told.append("waited"))
    openings.go_on()
    assert (told, is_known(first, config), openings.are_left()) == ([], False, True)
    second = edit(first, 2, {"range": _line(first, "print(input())"), "text": "x = 1"}, "utf-16")
    assert openings.begin(second, config, None)
    assert read(openings) > 600
    assert is_known(second, config)
    openings.go_on()
    assert (told, openings.are_left()) == (["waited"], False)
    assert codes(analyse(second, config).findings) == codes(analyse(opened(URI, 2, second.text), config).findings)


@pytest.mark.usefixtures("_in_small_steps")
def test_another_text_and_another_configuration_begin_anew_and_leave_nobody_waiting() -> None:
    openings, told = Openings(), list[str]()
    first = opened(URI, 1, LONG)
    for document, config in ((first, Config()), (first, Config(ignore=("ADAL6",))), (opened(URI, 2, LONG), Config())):
        assert openings.begin(document, config, None)
        openings.when_read(URI, lambda: told.append("waited"))
        openings.go_on()
    assert told == ["waited"] * 2
    openings.drop(URI)
    assert openings.go_on() is None
    assert (told, openings.are_left()) == (["waited"] * 3, False)


@pytest.mark.usefixtures("_in_small_steps")
def test_whoever_cannot_wait_has_the_rest_read_at_once() -> None:
    openings, config, told = Openings(), Config(), list[str]()
    document = opened(URI, 1, LONG)
    openings.begin(document, config, None)
    openings.when_read(URI, lambda: told.append("waited"))
    openings.go_on()
    openings.finish(document)
    assert is_known(document, config)
    openings.go_on()
    assert told == ["waited"]


def test_a_slice_is_short() -> None:
    openings = Openings()
    openings.begin(opened(URI, 1, LONG), Config(), None)
    openings.go_on()  # imports what it needs
    begun, slices = time.process_time(), read(openings)
    assert slices > 3
    assert (time.process_time() - begun) / slices < 0.05


@pytest.mark.usefixtures("_in_small_steps")
def test_a_fault_ends_the_reading_and_leaves_nobody_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    openings, told = Openings(), list[str]()
    openings.begin(opened(URI, 1, LONG), Config(), None)
    openings.when_read(URI, lambda: told.append("waited"))
    openings.go_on()

    def broken() -> None:
        raise RuntimeError("broken")

    monkeypatch.setattr("adal_ls.lint.reading.chunks.look_up", broken)
    assert look_up is not broken
    with pytest.raises(RuntimeError):
        openings.go_on()
    assert openings.go_on() is None
    assert (told, openings.are_left()) == (["waited"], False)


def test_the_names_of_a_long_file_are_told_first_and_the_rest_of_the_same_version_follows(client: Client) -> None:
    client.initialize()
    client.open(URI, LONG, version=3)
    seen = []
    for _ in range(2):
        params = client.wait_for("textDocument/publishDiagnostics")
        assert params["version"] == 3
        seen.append([item["code"] for item in params["diagnostics"]])
    assert seen == [["ADAL103", "ADAL102", "ADAL104"], ["ADAL103", "ADAL102", "ADAL104", "ADAL604"]]


def test_a_request_behind_the_opening_of_a_long_file_gets_all_of_it(client: Client) -> None:
    client.initialize(capabilities={"textDocument": {"diagnostic": {}}})
    client.open(URI, LONG)
    report = client.request("textDocument/diagnostic", {"textDocument": {"uri": URI}})
    assert [item["code"] for item in report["items"]] == ["ADAL103", "ADAL102", "ADAL104", "ADAL604"]
    again = {"textDocument": {"uri": URI}, "previousResultId": report["resultId"]}
    assert client.request("textDocument/diagnostic", again)["kind"] == "unchanged"


def test_a_long_file_that_is_replaced_while_it_is_read_is_told_as_it_is_now(client: Client) -> None:
    client.initialize()
    client.open(URI, LONG, version=1)
    client.change(URI, 2, {"text": GOOD})
    params = client.wait_for("textDocument/publishDiagnostics", lambda params: params["version"] == 2)
    assert params["diagnostics"] == []


def _line(document: Document, text: str) -> dict[str, dict[str, int]]:
    number = next(n for n in range(len(document.lines)) if document.line(n) == text)
    return {"start": {"line": number, "character": 0}, "end": {"line": number, "character": len(text)}}


def test_the_second_stage_is_loaded_once_no_text_is_being_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("adal_ls.server.typed_requests.LOADED_AFTER", 0.001)
    reading, loaded, inbox = [True], list[bool](), Inbox()
    nothing: Any = None
    typed = TypedRequests(Connection(lambda _: None), nothing, inbox, nothing, {}, nothing, lambda: reading[0])
    monkeypatch.setattr(typed._dispatcher, "load", lambda: loaded.append(True))
    typed.load_soon()
    for still in (True, False):
        reading[0] = still
        call = inbox.get(5)
        assert callable(call)
        call()
        assert bool(loaded) is not still
