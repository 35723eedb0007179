"""`$/cancelRequest` for requests that are being worked on: answered at once, and the work stops."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from typing import Any

import pytest

from adal_ls.lint import read
from adal_ls.lint.fixes import fixing
from adal_ls.lint.reading import stopping
from adal_ls.server import typed
from adal_ls.server.diagnostics import analysis, diagnostics
from tests.server.client import Client, ResponseError
from tests.server.conftest import BAD_NAME, GOOD, Workspace

Start = Callable[..., Client]

URI = "file:///p/.adal/tools.py"
HOVER = {"textDocument": {"uri": URI}, "position": {"line": 0, "character": 5}}
PULLING: dict[str, Any] = {
    "textDocument": {"diagnostic": {}},
    "workspace": {"didChangeWatchedFiles": {"dynamicRegistration": True}},
}


def cancelled(client: Client, key: int) -> bool:
    client.cancel(key)
    with pytest.raises(ResponseError) as caught:
        client.answer(key)
    return caught.value.code == -32800


def replaced(monkeypatch: pytest.MonkeyPatch, feature: Callable[[Any, Any], Any]) -> None:
    monkeypatch.setitem(typed._FEATURES, "textDocument/hover", (feature, None))


def test_lint_for_a_feature_stops_between_two_statements(start: Start, monkeypatch: pytest.MonkeyPatch) -> None:
    begun, stopped = threading.Event(), threading.Event()

    def endless(*_: object) -> None:
        begun.set()
        try:
            while True:
                stopping.look_up()
        finally:
            stopped.set()

    replaced(monkeypatch, endless)
    client = start(tolerated=["textDocument/publishDiagnostics"])
    client.initialize()
    client.open(URI, GOOD)
    key = client.ask("textDocument/hover", HOVER)
    assert begun.wait(15)
    assert cancelled(client, key)
    assert stopped.wait(5)
    params = {"textDocument": {"uri": URI}}
    assert client.request("textDocument/documentSymbol", params), "the features go on, and no fault is logged"


def test_all_fixes_of_a_large_file_stop_where_they_are(start: Start, monkeypatch: pytest.MonkeyPatch) -> None:
    begun = threading.Event()
    rounds: list[str] = []

    def counted(text: str, *resolve: Any) -> Any:
        begun.set()
        file = read(text, *resolve)
        rounds.append(text)  # not reached by a read that is stopped
        return file

    monkeypatch.setattr(fixing, "read", counted)
    functions = [BAD_NAME.partition("\n\nCUSTOM")[0].replace("def f(", f"def f{n}(") for n in range(2000)]
    entries = "".join(f'    {{"function": f{n}, "name": "bad-{n}"}},\n' for n in range(2000))
    literals: dict[str, Any] = {
        "textDocument": {"codeAction": {"codeActionLiteralSupport": {"codeActionKind": {"valueSet": []}}}}
    }
    client = start(tolerated=["textDocument/publishDiagnostics"])
    client.initialize(capabilities=literals)
    client.open(URI, "\n\n".join(functions) + f"\n\nCUSTOM_TOOLS = [\n{entries}]\n")
    start_of_file = {"line": 0, "character": 0}
    span = {"start": start_of_file, "end": start_of_file}
    only: dict[str, Any] = {"diagnostics": [], "only": ["source.fixAll.adal"]}
    params = {"textDocument": {"uri": URI}, "range": span, "context": only}
    key = client.ask("textDocument/codeAction", params)
    assert begun.wait(30)
    assert cancelled(client, key)
    assert client.request("textDocument/hover", HOVER) is not None
    assert rounds == []


def test_a_feature_that_waits_is_cancelled_where_it_waits(start: Start, monkeypatch: pytest.MonkeyPatch) -> None:
    begun, ended = threading.Event(), threading.Event()

    async def waiting(*_: object) -> None:
        begun.set()
        try:
            await asyncio.sleep(60)
        finally:
            ended.set()

    replaced(monkeypatch, waiting)
    client = start(tolerated=["textDocument/publishDiagnostics"])
    client.initialize()
    client.open(URI, GOOD)
    key = client.ask("textDocument/hover", HOVER)
    assert begun.wait(15)
    assert client.request("textDocument/documentSymbol", {"textDocument": {"uri": URI}}), (
        "others are answered meanwhile"
    )
    assert cancelled(client, key)
    assert ended.wait(5)


def test_a_feature_that_waits_ends_with_the_session(start: Start, monkeypatch: pytest.MonkeyPatch) -> None:
    begun, ended = threading.Event(), threading.Event()

    async def waiting(*_: object) -> None:
        begun.set()
        try:
            await asyncio.sleep(60)
        finally:
            ended.set()

    replaced(monkeypatch, waiting)
    client = start(tolerated=["textDocument/publishDiagnostics"])
    client.initialize()
    client.open(URI, GOOD)
    key = client.ask("textDocument/hover", HOVER)
    assert begun.wait(15)
    client.shut_down()
    assert ended.is_set()
    assert client.answers[key]["error"]["code"] == -32800


@pytest.fixture
def linted(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The URIs of what was linted, each in 30 ms."""
    seen: list[str] = []
    analyse = analysis.analyse

    def noted(document: Any, *more: Any, **named: Any) -> Any:
        seen.append(document.uri)
        threading.Event().wait(0.03)
        return analyse(document, *more, **named)

    monkeypatch.setattr(diagnostics, "analyse", noted)
    return seen


def many(workspace: Workspace, count: int = 30) -> list[str]:
    return [workspace.write(BAD_NAME, f"p{number:02}") for number in range(count)]


@pytest.mark.parametrize("method", ["workspace/diagnostic", "adal/tools/list", "workspace/symbol"])
def test_lint_of_the_workspace_stops_when_nobody_waits_for_it_any_more(
    client: Client, workspace: Workspace, linted: list[str], method: str
) -> None:
    uris = many(workspace)
    client.on("client/registerCapability", lambda _: None)
    client.initialize(workspace.root, PULLING)
    client.open(URI, GOOD)
    key = client.ask(method, {"previousResultIds": [], "query": ""})
    while not linted:
        client.request("textDocument/diagnostic", {"textDocument": {"uri": "file:///p/other.py"}})
    assert cancelled(client, key)
    reached = len(linted)
    assert reached < len(uris), "others are answered while it goes on"
    client.request("textDocument/diagnostic", {"textDocument": {"uri": URI}})
    assert [uri for uri in linted[reached:] if uri != URI] == []
    report = client.request("workspace/diagnostic", {"previousResultIds": []})
    assert len(report["items"]) == len(uris), "who asks again gets all of it"
    assert len(linted) == len(uris) + 1, "and nothing is linted twice"


def test_one_request_that_is_taken_back_does_not_stop_the_lint_that_another_waits_for(
    client: Client, workspace: Workspace, linted: list[str]
) -> None:
    uris = many(workspace)
    client.on("client/registerCapability", lambda _: None)
    client.initialize(workspace.root, PULLING)
    first, second = (client.ask("workspace/diagnostic", {"previousResultIds": []}) for _ in range(2))
    assert cancelled(client, first)
    assert len(client.answer(second)["items"]) == len(uris)


def test_edits_and_hovers_are_answered_while_the_workspace_is_linted(
    client: Client, workspace: Workspace, linted: list[str]
) -> None:
    uris = many(workspace)
    client.initialize(workspace.root)
    client.open(URI, GOOD)
    assert client.diagnostics(URI) == []
    assert client.request("textDocument/hover", HOVER) is not None
    assert len(linted) < len(uris)
    for uri in uris:
        assert [found["code"] for found in client.diagnostics(uri)] == ["ADAL101"]


def test_a_file_that_was_not_linted_yet_is_when_somebody_asks_for_it(
    client: Client, workspace: Workspace, linted: list[str]
) -> None:
    uris = many(workspace)
    client.on("client/registerCapability", lambda _: None)
    client.initialize(workspace.root, PULLING)
    while not (items := client.request("textDocument/diagnostic", {"textDocument": {"uri": uris[-1]}})["items"]):
        pass  # the projects are not found yet
    assert [item["code"] for item in items] == ["ADAL101"]
    assert linted == [uris[-1]]
