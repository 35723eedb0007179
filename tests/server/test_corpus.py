"""More than a thousand valid and broken messages: each request gets one answer, nothing pops up, the server lives."""

from __future__ import annotations

from io import BytesIO
from typing import Any

import pytest

from adal_ls.protocol import methods
from adal_ls.server.log import Log
from adal_ls.server.service import Service
from adal_ls.server.transport.inbox import Inbox
from adal_ls.server.transport.rpc import Connection
from adal_ls.server.transport.writer import Writer
from tests.server.client import Client
from tests.server.conftest import GOOD
from tests.server.corpus import Corpus, Sample
from tests.server.test_capabilities import VSCODE

CLIENTS: dict[str, dict[str, Any]] = {"plain": {}, "VS Code": VSCODE}

INTERNAL, INVALID, UNKNOWN, CANCELLED = -32603, -32602, -32601, -32800

SILENT = frozenset(("window/logMessage", "textDocument/publishDiagnostics", "$/logTrace"))
"""What the server may say on its own account. No `window/showMessage` among it."""


def registered() -> set[str]:
    """Every method this server handles, from its own tables."""
    editor = Connection(lambda _: None)
    service = Service(editor, Writer(BytesIO(), "nobody"), Inbox(), Log(editor), {}, None)
    return {*service.requests, *service.notifications}


def send(client: Client, sample: Sample) -> int | None:
    params = sample.params
    if sample.method == methods.TRUST_CHANGED and isinstance(params, dict) and params.get("trusted") is True:
        params = {"trusted": False}  # a trusted workspace is another test's subject: it starts processes
    if sample.request:
        return client.ask(sample.method, params)
    client.notify(sample.method, params)
    return None


@pytest.mark.parametrize("kind", CLIENTS)
def test_every_request_is_answered_once_whatever_it_holds(client: Client, kind: str) -> None:
    known = registered()
    samples = list(Corpus(seed=20).samples(known, each=20))
    assert len(samples) > 1000
    assert known <= {sample.method for sample in samples} | {"initialized", methods.TRUST_CHANGED}
    for method in ("client/registerCapability", "workspace/diagnostic/refresh"):
        client.on(method, lambda _: None)
    client.on("workspace/configuration", lambda params: [None for _ in params["items"]])
    client.tolerated |= SILENT
    client.initialize(capabilities=CLIENTS[kind])
    asked: dict[int, Sample] = {}
    for sample in samples:
        key = send(client, sample)
        if key is not None:
            asked[key] = sample
    uri = "file:///after/.adal/tools.py"
    client.open(uri, GOOD)
    place = {"textDocument": {"uri": uri}, "position": {"line": 0, "character": 5}}
    assert "greet" in client.request("textDocument/hover", place, timeout=30)["contents"]["value"]
    for key, sample in asked.items():
        client._wait(lambda key=key: client.answers.get(key), f"answer to {sample}", 10)  # type: ignore[misc]
    client.shut_down()  # fails if a request is answered twice, or if anything else came
    for key, sample in asked.items():
        code = client.answers[key].get("error", {}).get("code")
        assert code != INTERNAL, (sample, client.answers[key])
        if code == CANCELLED:  # by a `$/cancelRequest` of the corpus
            continue
        assert (code == UNKNOWN) == (sample.method not in known), (sample, client.answers[key])
        if sample.valid and sample.method != "workspace/executeCommand":  # a made-up command is refused
            assert code != INVALID, (sample, client.answers[key])
    faults = [m["params"]["message"] for m in client.unread if "fault" in m["params"].get("message", "")]
    assert faults == []
