"""What people reported of other servers, with the real host: each in the shape in which it was reported."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import psutil
import pytest

from tests.server.client import Client
from tests.server.conftest import ADAL, GOOD, Workspace
from tests.server.stdio import StdioClient

Start = Callable[..., Client]

URI = "file:///p/.adal/tools.py"
NOISE = ("adal/status", "adal/tools/changed", "adal/run/update", "window/logMessage", "textDocument/publishDiagnostics")


@pytest.fixture(autouse=True)
def _data(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("ADAL_DATA_DIR", str(tmp_path / "data"))


def project(client: Client, state: str, root: Path | None = None) -> dict[str, Any]:
    """The project at `root` (or the only one) once it has come to `state`."""
    while True:
        found = client.request("adal/tools/list", {})["projects"]
        one: dict[str, Any] = next(one for one in found if root is None or one["root"] == str(root))
        if one["state"] == state:
            return one
        client.wait_for("adal/tools/changed")


def custom(project: dict[str, Any]) -> list[str]:
    return [tool["name"] for tool in project["tools"] if tool["kind"] == "custom"]


def ask(client: Client, prompt: str, **params: Any) -> tuple[str, int | str, dict[str, Any]]:
    """Starts a run that asks for an approval. Returns its id, and the id and params of the question."""
    run_id = client.request("adal/run/start", {"prompt": prompt, **params})["runId"]
    question = client.wait_message("adal/approval/request")
    return run_id, question["id"], question["params"]


def allow(client: Client, key: int | str, request: dict[str, Any]) -> None:
    option = next(option["optionId"] for option in request["options"] if option["kind"] == "allow_once")
    answer = {"approvalId": request["approvalId"], "argsDigest": request["argsDigest"], "outcome": "selected"}
    client.respond(key, {**answer, "optionId": option})


def result(client: Client, run_id: str) -> str:
    """What the one call of a run gave."""
    update = client.wait_for("adal/run/update", lambda p: p["runId"] == run_id and p["event"]["type"] == "toolResult")
    client.wait_for("adal/run/update", lambda p: p["runId"] == run_id and p["event"]["type"] == "finished")
    client.wait_for("adal/approval/resolved")
    observation: str = update["event"]["observation"]
    return observation


WHERE = '''\
import os


def where(x: str) -> str:
    """Say where this is."""
    return f"NAME in {os.path.basename(os.getcwd())}: {x}"


CUSTOM_TOOLS = [where]
'''


def test_a_run_in_a_second_folder_has_the_tools_and_the_place_of_that_folder(
    start: Start, workspace: Workspace
) -> None:
    # https://github.com/sublimelsp/LSP/issues/471: only the first folder of several was served
    for name in ("one", "two"):
        workspace.write(WHERE.replace("NAME", name), name)
    client = start(tolerated=NOISE)
    folders = [{"uri": (workspace.root / name).as_uri(), "name": name} for name in ("one", "two")]
    client.initialize(capabilities=ADAL, options={"trusted": True}, workspaceFolders=folders)
    project(client, "loaded", workspace.root / "two")
    run_id, key, request = ask(client, 'where(x="here")', projectRoot=str(workspace.root / "two"))
    allow(client, key, request)
    assert result(client, run_id) == "two in two: here"


def test_two_windows_at_once_have_nothing_of_each_other(
    start_process: Callable[..., StdioClient], workspace: Workspace
) -> None:
    # https://github.com/PowerShell/vscode-powershell/pull/723: windows shared ports and session files
    windows: dict[str, StdioClient] = {}
    for name in ("one", "two"):
        workspace.write(WHERE.replace("NAME", name), name)
        windows[name] = start_process(tolerated=NOISE)
        windows[name].initialize(workspace.root / name, ADAL, {"trusted": True})
    asked = {name: ask(client, f'where(x="from {name}")') for name, client in windows.items()}
    for name, client in windows.items():
        run_id, key, request = asked[name]
        assert request["runId"] == run_id
        pending = client.request("adal/approval/pending", {})["approvals"]
        assert [approval["arguments"] for approval in pending] == [{"x": f"from {name}"}]
        allow(client, key, request)
        assert result(client, run_id) == f"{name} in {name}: from {name}"
        assert [run["runId"] for run in client.request("adal/run/list", {})["runs"]] == [run_id]


def test_a_folder_that_is_only_opened_runs_none_of_its_code(start: Start, workspace: Workspace) -> None:
    # https://github.com/facebook/pyrefly/pull/3087: opening a folder was enough
    evil = workspace.root / "evil.sh"
    evil.write_text(f"#!/bin/sh\ntouch '{workspace.root}/owned by settings'\n")
    evil.chmod(0o755)
    (workspace.root / ".vscode").mkdir()
    (workspace.root / ".vscode" / "settings.json").write_text(f'{{"adal.interpreter": "{evil}"}}')
    uri = workspace.write('open("owned.txt", "w").write("x")\n' + GOOD)
    client = start(tolerated=NOISE)
    client.initialize(workspace.root, ADAL)
    client.open(uri, GOOD)
    client.notify(
        "workspace/didChangeConfiguration", {"settings": {"adal": {"interpreter": str(evil), "trusted": True}}}
    )
    assert custom(project(client, "static")) == ["greet"]
    for method, params in (
        ("adal/run/start", {"prompt": "hi"}),
        ("adal/tools/try", {"tool": "greet", "arguments": {"name": "x"}}),
        ("adal/tools/reload", {}),
    ):
        key = client.ask(method, params)
        error = client._wait(lambda key=key: client.answers.get(key), "an answer", 15)["error"]  # type: ignore[misc]
        assert "trust" in error["message"], "the reason says what to do"
    assert not list(workspace.root.rglob("owned*"))
    assert [process for process in psutil.Process().children() if "adal_ls.agent" in " ".join(process.cmdline())] == []


CRASH = f"import ctypes\n\nctypes.string_at(0)\n\n\n{GOOD}"


def test_tools_that_crash_at_each_of_six_saves_neither_end_nor_stop_the_server(
    start: Start, workspace: Workspace
) -> None:
    # https://github.com/microsoft/vscode-python/issues/16075: it crashed again and again, and was then given up
    uri = workspace.write(CRASH)
    client = start(tolerated=NOISE)
    client.initialize(workspace.root, ADAL, {"trusted": True})
    client.open(uri, CRASH)
    project(client, "error")
    for version in range(2, 8):
        text = "\n" * version + CRASH
        workspace.write(text)
        client.change(uri, version, {"text": text})
        client.save(uri)
        while f"tools.py:{version + 3}" not in (error := project(client, "error")["error"]):
            client.wait_for("adal/tools/changed")
        assert "SIGSEGV" in error or sys.platform == "win32"
    workspace.write(GOOD)
    client.change(uri, 9, {"text": GOOD})
    client.save(uri)
    assert custom(project(client, "loaded")) == ["greet"]


def test_an_import_without_an_end_delays_nothing_and_leaves_nothing_at_work(start: Start, workspace: Workspace) -> None:
    # https://github.com/bugy/script-server/issues/260: a script that hung at load hung the whole server
    workspace.write(f"while True:\n    pass\n\n\n{GOOD}")
    client = start(tolerated=NOISE)
    client.initialize(workspace.root, ADAL, {"trusted": True, "loadSeconds": 1})
    client.open(URI, GOOD)
    hover = {"textDocument": {"uri": URI}, "position": {"line": 0, "character": 5}}
    client.request("textDocument/hover", hover)
    worst = 0.0
    while True:
        begun = time.monotonic()
        assert client.request("textDocument/hover", hover) is not None
        projects = client.request("adal/tools/list", {})["projects"]
        (found,) = (one for one in projects if one["root"] == str(workspace.root))
        worst = max(worst, time.monotonic() - begun)
        if found["state"] == "error":
            break
    assert worst < 1.0
    assert "1 s" in found["error"]
    busy = [process.cpu_times().user for process in _workers()]
    time.sleep(0.3)
    assert [process.cpu_times().user for process in _workers()] == pytest.approx(busy, abs=0.1)


def _workers() -> list[psutil.Process]:
    return [one for one in psutil.Process().children(recursive=True) if "worker" in " ".join(one.cmdline())]


@pytest.mark.parametrize("name", ["random", "json", "typing", "asyncio", "pygls", "adal_ls", "site", "sitecustomize"])
def test_a_file_of_the_workspace_is_no_module_of_the_server(
    start_process: Callable[..., StdioClient], workspace: Workspace, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    # https://github.com/spyder-ide/spyder/pull/12845: a file named like a standard module broke the server
    monkeypatch.chdir(workspace.root)
    (workspace.root / f"{name}.py").write_text(f'raise SystemExit("{name} of the workspace was imported")\n')
    uri = workspace.write(GOOD)
    client = start_process((str(Path(sys.executable).with_name("adal-ls")),), tolerated=NOISE)
    client.initialize(workspace.root, ADAL, {"trusted": True})
    client.open(uri, GOOD)
    hover = {"textDocument": {"uri": uri}, "position": {"line": 0, "character": 5}}
    assert client.request("textDocument/hover", hover) is not None
    assert custom(project(client, "loaded")) == ["greet"]
