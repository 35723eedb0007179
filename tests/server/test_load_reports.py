"""What a load told, in the editor: at its line, once, and as the person wants to hear it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.server.client import Client
from tests.server.conftest import ADAL, GOOD, Workspace

Start = Callable[..., Client]

NOISE = ("adal/status", "adal/tools/changed", "window/logMessage")
MISSING = "import surely_not_installed\n"


@pytest.fixture(autouse=True)
def _data(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("ADAL_DATA_DIR", str(tmp_path / "data"))


def loaded(start: Start, workspace: Workspace, state: str, **options: Any) -> Client:
    """A client of a trusted workspace whose project has come to `state`."""
    client = start(tolerated=[*NOISE, "textDocument/publishDiagnostics"])
    client.initialize(workspace.root, {**ADAL, "textDocument": {"diagnostic": {}}}, {"trusted": True, **options})
    while client.request("adal/tools/list", {})["projects"][0]["state"] != state:
        client.wait_for("adal/tools/changed")
    return client


def pulled(client: Client, uri: str, text: str) -> list[tuple[str, int, int]]:
    client.open(uri, text)
    items = client.request("textDocument/diagnostic", {"textDocument": {"uri": uri}})["items"]
    return [(one["code"], one["range"]["start"]["line"], one["severity"]) for one in items]


@pytest.mark.parametrize(
    ("head", "lint", "told"),
    [
        (MISSING, {}, [("ADAL902", 0, 1)]),
        (MISSING, {"ignore": ["ADAL9"]}, []),
        (MISSING, {"severity": {"ADAL902": "hint"}}, [("ADAL902", 0, 4)]),
        (f"{MISSING.rstrip()}  # adal: ignore[ADAL902]\n", {}, []),
    ],
)
def test_a_failed_load_is_configured_as_other_findings_are(
    start: Start, workspace: Workspace, head: str, lint: dict[str, Any], told: list[tuple[str, int, int]]
) -> None:
    text = head + GOOD
    workspace.write(text)
    client = loaded(start, workspace, "error", lint=lint)
    assert pulled(client, workspace.uri, text) == told


def test_a_syntax_error_in_a_module_is_told_there_once(start: Start, workspace: Workspace) -> None:
    broken = 'def find(q: str) -> str:\n    """Find."""\n    return (q\n'
    text = "from helpers import find\n\nCUSTOM_TOOLS = [find]\n"
    workspace.write(text)
    helpers = workspace.file().with_name("helpers.py")
    helpers.write_text(broken)
    client = loaded(start, workspace, "error")
    assert [found[0] for found in pulled(client, helpers.as_uri(), broken)] == ["ADAL001"]


@pytest.mark.parametrize("comment", ["", "  # adal: ignore[runtime-difference]"])
def test_a_difference_is_told_unless_a_comment_silences_it(start: Start, workspace: Workspace, comment: str) -> None:
    text = GOOD.replace("-> str:\n", f"-> str:{comment}\n") + "globals()['CUSTOM_TOOLS'].clear()\n"
    workspace.write(text)
    client = loaded(start, workspace, "loaded")
    assert [found[0] for found in pulled(client, workspace.uri, text)] == ([] if comment else ["ADAL905"])
