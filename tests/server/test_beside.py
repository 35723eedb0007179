"""Modules beside a tools file: their texts count as they are in the editor, and their findings stand in them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tests.server.client import Client

TOOLS = "from helpers import find\n\nCUSTOM_TOOLS = [find]\n"
GOOD = 'def find(q: str) -> str:\n    """Find it."""\n    return q\n'
UNTYPED = GOOD.replace("q: str", "q")
RENAMED = GOOD.replace("find", "seek")


def project(root: Path, helpers: str = GOOD) -> tuple[str, str]:
    folder = root / ".adal"
    folder.mkdir()
    (folder / "tools.py").write_text(TOOLS)
    (folder / "helpers.py").write_text(helpers)
    return (folder / "tools.py").as_uri(), (folder / "helpers.py").as_uri()


def codes(diagnostics: list[dict[str, Any]]) -> list[str]:
    return [diagnostic["code"] for diagnostic in diagnostics]


def whole(text: str) -> dict[str, Any]:
    return {"text": text}


def pushed(client: Client, uri: str) -> list[str]:
    return codes(client.wait_for("textDocument/publishDiagnostics", lambda params: params["uri"] == uri)["diagnostics"])


def test_an_edit_of_a_module_shows_in_it_and_in_the_tools_file(client: Client, tmp_path: Path) -> None:
    tools, helpers = project(tmp_path)
    client.initialize(tmp_path)
    client.open(tools, TOOLS)
    assert pushed(client, tools) == []
    client.open(helpers, GOOD)
    client.change(helpers, 2, whole(UNTYPED))
    assert pushed(client, helpers) == ["ADAL303"]
    client.change(helpers, 3, whole(RENAMED))
    shown = client.wait_for("textDocument/publishDiagnostics", lambda p: p["uri"] == tools and p["diagnostics"])
    assert codes(shown["diagnostics"]) == ["ADAL217"]
    assert pushed(client, helpers) == []
    client.change(helpers, 4, whole(GOOD))
    client.wait_for("textDocument/publishDiagnostics", lambda p: p["uri"] == tools and not p["diagnostics"])


def test_a_module_on_disk_is_read_and_followed(client: Client, tmp_path: Path) -> None:
    tools, helpers = project(tmp_path, UNTYPED)
    client.initialize(tmp_path, {"workspace": {"didChangeWatchedFiles": {"dynamicRegistration": False}}})
    client.open(tools, TOOLS)
    assert pushed(client, tools) == []
    assert pushed(client, helpers) == ["ADAL303"]
    (tmp_path / ".adal" / "helpers.py").write_text(RENAMED)
    client.notify("workspace/didChangeWatchedFiles", {"changes": [{"uri": helpers, "type": 2}]})
    shown = client.wait_for("textDocument/publishDiagnostics", lambda p: p["uri"] == tools and p["diagnostics"])
    assert codes(shown["diagnostics"]) == ["ADAL217"]
    assert pushed(client, helpers) == []


def test_a_module_of_tools_that_are_not_open_is_judged_as_well(client: Client, tmp_path: Path) -> None:
    _, helpers = project(tmp_path, UNTYPED)
    client.initialize(tmp_path)
    assert pushed(client, helpers) == ["ADAL303"]


def test_a_client_that_pulls_gets_what_is_said_of_a_module(client: Client, tmp_path: Path) -> None:
    tools, helpers = project(tmp_path)
    client.initialize(tmp_path, {"textDocument": {"diagnostic": {}}})
    client.open(tools, TOOLS)
    client.open(helpers, UNTYPED)
    report = client.request("textDocument/diagnostic", {"textDocument": {"uri": helpers}})
    assert codes(report["items"]) == ["ADAL303"]
    client.change(helpers, 2, whole(GOOD))
    report = client.request("textDocument/diagnostic", {"textDocument": {"uri": helpers}})
    assert report["items"] == []


def test_hover_and_definition_of_an_entry_come_from_the_module(client: Client, tmp_path: Path) -> None:
    tools, helpers = project(tmp_path)
    client.initialize(tmp_path)
    client.open(tools, TOOLS)
    assert pushed(client, tools) == []
    at = {"textDocument": {"uri": tools}, "position": {"line": 2, "character": 18}}
    assert "Find it." in client.request("textDocument/hover", at)["contents"]["value"]
    found = client.request("textDocument/definition", at)
    assert [(one["uri"], one["range"]["start"]) for one in found] == [(helpers, {"line": 0, "character": 4})]
    lenses = client.request("textDocument/codeLens", {"textDocument": {"uri": tools}})
    assert {lens["range"]["start"]["line"] for lens in lenses} == {2}


def test_the_definition_of_a_function_in_a_package_is_found(client: Client, tmp_path: Path) -> None:
    text = "import pack.deep\n\nCUSTOM_TOOLS = [pack.deep.find]\n"
    folder = tmp_path / ".adal" / "pack"
    folder.mkdir(parents=True)
    (folder / "deep.py").write_text(GOOD)
    tools = folder.parent / "tools.py"
    tools.write_text(text)
    client.initialize(tmp_path)
    client.open(tools.as_uri(), text)
    assert pushed(client, tools.as_uri()) == []
    at = {"textDocument": {"uri": tools.as_uri()}, "position": {"line": 2, "character": 27}}
    [found] = client.request("textDocument/definition", at)
    assert (found["uri"], found["range"]["start"]["line"]) == ((folder / "deep.py").as_uri(), 0)
