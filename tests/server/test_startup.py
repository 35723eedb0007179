from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

from tests.server.client import Client
from tests.server.conftest import GOOD, Workspace

HEAVY = {"asyncio", "pygls", "lsprotocol", "attrs", "cattrs", "pydantic", "litellm", "click", "rich", "watchfiles"}

REPORTING = """
import os, sys
from adal_ls.server import serve

leave = os._exit

def report(code):
    sys.stderr.write("modules: " + " ".join(sorted({name.partition(".")[0] for name in sys.modules})) + "\\n")
    sys.stderr.flush()
    leave(code)

os._exit = report
serve()
"""


def modules(stderr: Path) -> set[str]:
    return set(stderr.read_text().partition("modules: ")[2].split())


def test_the_first_stage_imports_nothing_heavy(start_process: Callable[..., Client], tmp_path: Path) -> None:
    """Lint, tools list and pull diagnostics included; no tools file in the workspace, so no second stage is due."""
    with (tmp_path / "stderr").open("wb") as stderr:
        client = start_process((sys.executable, "-c", REPORTING), stderr=stderr)
        client.initialize(tmp_path)
        client.open("file:///p/other.py", "x = 1")
        assert client.request("adal/tools/list", {}) == {"projects": []}
        assert client.request("textDocument/diagnostic", {"textDocument": {"uri": "file:///p/other.py"}}) == {
            "kind": "full",
            "items": [],
        }
        client.shut_down()
    loaded = modules(tmp_path / "stderr")
    assert "json" in loaded
    assert loaded & HEAVY == set()


def test_linting_alone_imports_nothing_heavy() -> None:
    code = """
import sys
from adal_ls.server import session
from adal_ls.server.diagnostics import diagnostics
from adal_ls.server.documents import documents
from adal_ls import lint
lint.check(lint.read("CUSTOM_TOOLS = [f]"))
print(" ".join({name.partition(".")[0] for name in sys.modules}))
"""
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert set(found.stdout.split()) & HEAVY == set()


def test_the_second_stage_never_imports_the_agent(
    start_process: Callable[..., Client], tmp_path: Path, workspace: Workspace
) -> None:
    workspace.write(GOOD)
    with (tmp_path / "stderr").open("wb") as stderr:
        client = start_process((sys.executable, "-c", REPORTING), stderr=stderr)
        client.initialize(workspace.root)
        client.open(workspace.uri, GOOD)
        assert client.diagnostics(workspace.uri) == []
        params = {"textDocument": {"uri": workspace.uri}, "position": {"line": 0, "character": 5}}
        assert client.request("textDocument/hover", params) is not None
        client.shut_down()
    loaded = modules(tmp_path / "stderr")
    assert {"pygls", "lsprotocol"} <= loaded
    assert loaded & {"pydantic", "litellm", "click", "rich"} == set()


def test_an_installation_without_pygls_still_lints(
    start_process: Callable[..., Client], tmp_path: Path, workspace: Workspace
) -> None:
    (tmp_path / "broken").mkdir()
    (tmp_path / "broken" / "lsprotocol.py").write_text("raise ImportError('broken')")
    code = f"import sys; sys.path.insert(0, {str(tmp_path / 'broken')!r}); from adal_ls.server import serve; serve()"
    client = start_process((sys.executable, "-c", code), stderr=subprocess.DEVNULL, tolerated=["window/logMessage"])
    client.initialize(workspace.root)
    client.open(workspace.uri, "CUSTOM_TOOLS = [missing]\n")
    assert client.diagnostics(workspace.uri) != []
    params = {"textDocument": {"uri": workspace.uri}, "position": {"line": 0, "character": 5}}
    for _ in range(2):
        key = client.ask("textDocument/hover", params)
        client._wait(lambda key=key: client.answers.get(key), "the refusal", 10)  # type: ignore[misc]
        assert "reinstall" in client.answers[key]["error"]["message"]
