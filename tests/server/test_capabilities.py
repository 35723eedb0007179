from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from lsprotocol import types
from lsprotocol.converters import get_converter

from adal_ls.server import capabilities
from adal_ls.server.typed import TypedServer
from tests.server.client import Client
from tests.server.conftest import ADAL

VSCODE: dict[str, Any] = json.loads((Path(__file__).parent / "data" / "vscode_1_139.json").read_text())
"""What VS Code 1.139.1 sends."""

CLIENTS: dict[str, dict[str, Any]] = {
    "VS Code": VSCODE,
    "nothing": {},
    "UTF-8 first": {"general": {"positionEncodings": ["utf-8", "utf-16"]}},
    "UTF-32": {"general": {"positionEncodings": ["utf-32"]}},
    "unknown encoding": {"general": {"positionEncodings": ["utf-7"]}},
    "code actions": {
        "textDocument": {"codeAction": {"codeActionLiteralSupport": {"codeActionKind": {"valueSet": []}}}}
    },
}


def of_pygls(client: dict[str, Any]) -> dict[str, Any]:
    """What pygls computes for the features that are registered with it."""
    server = TypedServer.start(
        {"processId": None, "rootUri": None, "capabilities": client}, lambda *_: None, lambda *_: None
    )
    computed: dict[str, Any] = get_converter().unstructure(server.server_capabilities)
    return computed


@pytest.mark.parametrize("name", CLIENTS)
def test_the_offer_equals_what_pygls_computes_for_its_methods(name: str) -> None:
    client = capabilities.read(CLIENTS[name])
    offered, computed = capabilities.offer(client), of_pygls(CLIENTS[name])
    assert offered["positionEncoding"] == computed["positionEncoding"]
    for provider in [key for key in offered if key.endswith("Provider")]:
        if provider not in ("executeCommandProvider", "diagnosticProvider"):
            assert offered[provider] == computed[provider], provider
    ours = {
        "positionEncoding",
        "textDocumentSync",
        "executeCommandProvider",
        "workspace",
        "experimental",
        "diagnosticProvider",
    }
    # pygls offers workspace folders and commands on its own account; everything else must be equal.
    assert set(computed) - ours - {"codeActionProvider"} == set(offered) - ours - {"codeActionProvider"}


def test_the_typed_methods_are_those_registered_with_pygls() -> None:
    server = TypedServer.start({"processId": None, "capabilities": {}}, lambda *_: None, lambda *_: None)
    assert set(server.protocol.fm.features) == set(capabilities.TYPED_METHODS)


def test_the_offer_is_valid_for_every_client() -> None:
    for client in CLIENTS.values():
        offered = {"capabilities": capabilities.offer(capabilities.read(client))}
        structured = get_converter().structure(offered, types.InitializeResult)
        assert structured.capabilities.text_document_sync is not None


def test_code_actions_are_offered_only_where_edits_can_be_taken() -> None:
    assert "codeActionProvider" not in capabilities.offer(capabilities.read({}))
    assert "codeActionProvider" in capabilities.offer(capabilities.read(VSCODE))


@pytest.mark.parametrize("broken", [None, 3, [], {"textDocument": 3}, {"general": {"positionEncodings": 3}}])
def test_malformed_capabilities_count_as_none(broken: Any) -> None:
    assert capabilities.read(broken) == capabilities.read({})


def test_the_adal_capability_is_read_from_experimental() -> None:
    client = capabilities.read(ADAL)
    assert client.adal_approval
    assert client.adal_run_updates
    assert not capabilities.read({"experimental": {"adal": True}}).adal_approval


def test_a_session_with_vs_codes_capabilities(client: Client, tmp_path: Path) -> None:
    client.on("client/registerCapability", lambda _: None)
    client.on("workspace/configuration", lambda params: [None for _ in params["items"]])
    client.on("workspace/diagnostic/refresh", lambda _: None)
    result = client.initialize(tmp_path, VSCODE, clientInfo={"name": "Visual Studio Code", "version": "1.139.1"})
    assert result["capabilities"]["positionEncoding"] == "utf-16"
    uri = (tmp_path / ".adal" / "tools.py").as_uri()
    client.open(uri, "CUSTOM_TOOLS = [missing]\n")
    report = client.request("textDocument/diagnostic", {"textDocument": {"uri": uri}, "identifier": "adal-ls"})
    assert report["items"] != []
    place = {"line": 0, "character": 18}
    params = {"textDocument": {"uri": uri}, "position": place}
    assert client.request("textDocument/hover", params)["contents"]["kind"] == "markdown"
    context = {"diagnostics": report["items"], "triggerKind": 1}
    params = {"textDocument": {"uri": uri}, "range": {"start": place, "end": place}, "context": context}
    assert isinstance(client.request("textDocument/codeAction", params), list)
