"""Syntax as the Python judges that runs the tools; before the workspace is trusted no Python of it is started."""

from __future__ import annotations

import queue
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from adal_ls.server.diagnostics import syntax
from tests import pythons
from tests.server.client import Client
from tests.server.conftest import GOOD, Workspace

Start = Callable[..., Client]

NEXT = (3, 99)
NEWER = f'{GOOD}\n\ntype Name = str\n\n\ndef other(data: dict[str, str]) -> Name:\n    return f"{{data["a"]}}"\n'
UNKNOWN = f"{GOOD}\nlazy import json\n"
"""Code for a Python that is not there yet."""

QUIET = ["window/logMessage", "adal/status", "adal/tools/changed", "window/showMessage"]


@pytest.fixture(autouse=True)
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(syntax, "QUIET", 0.01)


def program(place: Path, version: tuple[int, int], *, takes: str) -> Path:
    """A Python of some version that takes texts with `takes` in them, and notes that it was started."""
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text(
        f"#!{sys.executable}\nimport json, pathlib, sys\npathlib.Path({str(place) + '.started'!r}).touch()\n"
        f"refused = lambda text: None if {takes!r} in text else ['not this', len(text.splitlines()), 1]\n"
        f"print(json.dumps([{list(version)}, [refused(text) for text in json.load(sys.stdin)]]))\n"
    )
    place.chmod(0o755)
    return place


def was_started(place: Path) -> bool:
    return Path(f"{place}.started").exists()


def begin(start: Start, workspace: Workspace, text: str, **options: Any) -> Client:
    client = start(tolerated=[*QUIET, "textDocument/publishDiagnostics"])
    client.initialize(workspace.root, options={"hostPython": None, **options})
    client.open(workspace.write(text), text)
    return client


def codes(client: Client, uri: str, *wanted: str) -> list[dict[str, Any]]:
    """Waits for diagnostics with these codes of syntax, and no others of it."""
    return client.diagnostics(
        uri,
        lambda params: [one["code"] for one in params["diagnostics"] if one["code"].startswith("ADAL00")] == [*wanted],
    )


@pytest.mark.parametrize("version", sorted(pythons.found()))
def test_each_python_of_this_machine_judges_newer_syntax(
    start: Start, workspace: Workspace, version: pythons.Version
) -> None:
    client = begin(start, workspace, NEWER, trusted=True, interpreter=pythons.found()[version])
    if version >= (3, 12):
        codes(client, workspace.uri)
    else:
        (error,) = [one for one in codes(client, workspace.uri, "ADAL001") if one["code"] == "ADAL001"]
        assert error["severity"] == 1
        assert error["range"]["start"]["line"] == 12
        assert ".".join(map(str, version)) in error["message"]


def test_in_a_workspace_that_is_not_trusted_nothing_of_it_is_started(start: Start, workspace: Workspace) -> None:
    place = program(workspace.root / ".venv" / "bin" / "python", NEXT, takes="greet")
    client = begin(start, workspace, UNKNOWN)
    codes(client, workspace.uri, "ADAL001")
    client.change(workspace.uri, 2, {"text": NEWER})
    codes(client, workspace.uri, *(["ADAL004"] if pythons.OWN < (3, 12) else []))
    client.notify("adal/trust/changed", {"trusted": False})
    client.change(workspace.uri, 3, {"text": UNKNOWN})
    codes(client, workspace.uri, "ADAL001")
    assert not was_started(place)


def test_trust_lets_the_projects_own_python_judge_and_its_end_is_the_end_of_that(
    start: Start, workspace: Workspace
) -> None:
    place = program(workspace.root / ".venv" / "bin" / "python", NEXT, takes="greet")
    client = begin(start, workspace, UNKNOWN)
    codes(client, workspace.uri, "ADAL001")
    client.notify("adal/trust/changed", {"trusted": True})
    (told,) = [one for one in codes(client, workspace.uri, "ADAL004") if one["code"] == "ADAL004"]
    assert "Python 3.99 reads this" in told["message"]
    assert (told["severity"], was_started(place)) == (3, True)
    client.notify("adal/trust/changed", {"trusted": False})
    codes(client, workspace.uri, "ADAL001")


def test_what_an_older_python_refuses_is_an_error_that_stays_while_one_types_elsewhere(
    start: Start, workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = program(workspace.root / "python", (3, 9), takes="never")
    client = begin(start, workspace, GOOD, trusted=True, interpreter=str(place))
    (error,) = [one for one in codes(client, workspace.uri, "ADAL001") if one["code"] == "ADAL001"]
    assert error["message"] == "Syntax error: not this (says Python 3.9, which runs the tools)"
    assert error["range"]["start"]["line"] == len(GOOD.splitlines()) - 1
    monkeypatch.setattr(syntax, "QUIET", 60)  # no other answer comes
    client.change(workspace.uri, 2, {"text": GOOD.replace("Hello", "Hallo")})
    assert "ADAL001" in [one["code"] for one in client.diagnostics(workspace.uri, lambda told: told["version"] == 2)]
    client.change(workspace.uri, 3, {"text": GOOD.replace("[greet]", "[greet, ]")})
    told = client.diagnostics(workspace.uri, lambda told: told["version"] == 3)
    assert "ADAL001" not in [one["code"] for one in told]


def test_a_slip_is_one_for_both_and_shown_where_our_own_python_finds_it(start: Start, workspace: Workspace) -> None:
    place = program(workspace.root / "python", NEXT, takes="never")
    client = begin(start, workspace, f"{GOOD}\ndef f(x: str -> str: ...\n", trusted=True, interpreter=str(place))
    (error,) = [one for one in codes(client, workspace.uri, "ADAL001") if one["code"] == "ADAL001"]
    assert "not this" not in error["message"]


def test_a_python_that_cannot_be_asked_is_told_in_the_log_and_changes_nothing(
    start: Start, workspace: Workspace
) -> None:
    client = begin(start, workspace, UNKNOWN, trusted=True, interpreter=str(workspace.root / "gone"))
    codes(client, workspace.uri, "ADAL001")
    said = client.wait_for("window/logMessage", lambda told: "gone" in told["message"])
    assert "cannot be started" in said["message"]


def test_a_file_that_is_not_open_and_a_client_that_pulls_are_served_too(start: Start, workspace: Workspace) -> None:
    place = program(workspace.root / "python", NEXT, takes="greet")
    workspace.write(UNKNOWN)
    client = start(tolerated=[*QUIET, "textDocument/publishDiagnostics"])
    client.initialize(workspace.root, options={"hostPython": None, "trusted": True, "interpreter": str(place)})
    codes(client, workspace.uri, "ADAL004")
    pulling = start(tolerated=QUIET)
    refreshed: queue.Queue[None] = queue.Queue()
    pulling.on("workspace/diagnostic/refresh", lambda _: refreshed.put(None))
    pulling.initialize(
        workspace.root,
        {"textDocument": {"diagnostic": {}}, "workspace": {"diagnostics": {"refreshSupport": True}}},
        options={"hostPython": None, "trusted": True, "interpreter": str(place)},
    )
    pulling.open(workspace.uri, UNKNOWN)
    asked = {"textDocument": {"uri": workspace.uri}}
    first = pulled = pulling.request("textDocument/diagnostic", asked)
    while "ADAL004" not in [one["code"] for one in pulled["items"]]:
        refreshed.get(timeout=15)
        pulled = pulling.request("textDocument/diagnostic", asked)
    assert pulled["resultId"] != first["resultId"]


def test_the_bytes_of_a_file_are_no_matter_of_its_syntax(start: Start, workspace: Workspace) -> None:
    place = program(workspace.root / "python", NEXT, takes="greet")
    workspace.write_bytes(GOOD.encode() + b"# \xff\n")
    client = start(tolerated=[*QUIET, "textDocument/publishDiagnostics"])
    client.initialize(workspace.root, options={"hostPython": None, "trusted": True, "interpreter": str(place)})
    (error,) = [one for one in codes(client, workspace.uri, "ADAL001") if one["code"] == "ADAL001"]
    assert "UTF-8" in error["message"]
