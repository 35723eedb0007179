"""Changes from outside the editor, for a client that cannot watch: seen by the host's watch, or by looking."""

from __future__ import annotations

import os
import shutil
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from adal_ls.server import watch
from tests.server.client import Client
from tests.server.conftest import ADAL, BAD_NAME, GOOD, Workspace

Start = Callable[..., Client]

NOISE = ("adal/status", "window/logMessage", "adal/tools/changed")


@pytest.fixture(params=["host", "poll"])
def follow(
    request: pytest.FixtureRequest, start: Start, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> Callable[[Path], Client]:
    """Opens a folder in a client that cannot watch: trusted and with the watch of the host alone, or with the poll."""
    by_host = request.param == "host"
    monkeypatch.setattr(watch, "INTERVAL", 600.0 if by_host else 0.1)
    monkeypatch.setattr(watch, "SEARCH_INTERVAL", 0.1)
    monkeypatch.setenv("ADAL_DATA_DIR", str(tmp_path / "data"))

    def open_folder(folder: Path) -> Client:
        client = start(tolerated=NOISE)
        client.initialize(folder, ADAL, {"trusted": by_host})
        if by_host:
            wait_loaded(client)
        else:
            time.sleep(0.3)  # a first look, which the next ones are compared with
        return client

    return open_folder


def wait_loaded(client: Client) -> None:
    while any(project["state"] == "static" for project in listed(client)):
        client.wait_for("adal/tools/changed")


def listed(client: Client) -> list[dict[str, Any]]:
    projects: list[dict[str, Any]] = client.request("adal/tools/list", {})["projects"]
    return projects


def codes(client: Client, uri: str, *, after: Callable[[], object]) -> list[str]:
    """What is shown for a file after something happened, which must be seen within two seconds."""
    after()
    params = client.wait_for("textDocument/publishDiagnostics", lambda params: params["uri"] == uri, timeout=2 * 4)
    return [found["code"] for found in params["diagnostics"]]


def git(folder: Path, *arguments: str) -> None:
    identity = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull}
    for role in ("AUTHOR", "COMMITTER"):
        identity |= {f"GIT_{role}_NAME": "A", f"GIT_{role}_EMAIL": "a@example.org"}
    subprocess.run(
        ["git", *arguments], cwd=folder, check=True, env={**os.environ, **identity}, stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL, stdin=subprocess.DEVNULL,
    )  # fmt: skip


def names(client: Client) -> list[str]:
    return [tool["name"] for project in listed(client) for tool in project["tools"] if tool["kind"] == "custom"]


@pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")
def test_a_checkout_is_followed_there_and_back(follow: Callable[[Path], Client], workspace: Workspace) -> None:
    """Though `.adal` is in `.gitignore`; the file was added all the same."""
    uri = workspace.write(GOOD)
    (workspace.root / ".gitignore").write_text(".adal\n")
    git(workspace.root, "init", "-q", "-b", "good")
    git(workspace.root, "add", "-f", ".")
    git(workspace.root, "commit", "-qm", "good")
    git(workspace.root, "checkout", "-qb", "bad")
    workspace.write(BAD_NAME)
    git(workspace.root, "commit", "-qam", "bad")
    git(workspace.root, "checkout", "-q", "good")
    client = follow(workspace.root)
    assert names(client) == ["greet"]
    assert codes(client, uri, after=lambda: git(workspace.root, "checkout", "-q", "bad")) == ["ADAL101"]
    assert "greet" not in names(client)
    shown = codes(client, uri, after=lambda: git(workspace.root, "checkout", "-q", "good"))
    while shown:  # what the host says of the other branch may come first
        shown = codes(client, uri, after=lambda: None)
    while names(client) != ["greet"]:  # the host has loaded it by then
        client.wait_for("adal/tools/changed")


def test_a_save_by_renaming_is_followed_each_time(follow: Callable[[Path], Client], workspace: Workspace) -> None:
    uri = workspace.write(GOOD)
    client = follow(workspace.root)
    for number, (text, expected) in enumerate([(BAD_NAME, ["ADAL101"]), (GOOD, []), (BAD_NAME + "\n", ["ADAL101"])]):

        def save(text: str = text, number: int = number) -> None:
            new = workspace.file().with_name(f".tools.py.{number}.tmp")
            new.write_text(text)
            new.replace(workspace.file())

        assert codes(client, uri, after=save) == expected


def test_a_linked_workspace_is_followed(follow: Callable[[Path], Client], workspace: Workspace, tmp_path: Path) -> None:
    workspace.write(GOOD)
    link = tmp_path / "ein Verweis é"
    link.symlink_to(workspace.root, target_is_directory=True)
    client = follow(link)
    uri = (link / ".adal" / "tools.py").as_uri()
    assert codes(client, uri, after=lambda: workspace.write(BAD_NAME)) == ["ADAL101"]


def test_a_folder_that_is_replaced_is_loaded_and_watched_again(
    start: Start, workspace: Workspace, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """The host's watch is lost with the folder; the look at the disk sees the new one."""
    monkeypatch.setattr(watch, "INTERVAL", 0.1)
    monkeypatch.setenv("ADAL_DATA_DIR", str(tmp_path / "data"))
    uri = workspace.write(GOOD)
    client = start(tolerated=NOISE)
    client.initialize(workspace.root, ADAL, {"trusted": True})
    wait_loaded(client)
    folder, away = workspace.file().parent, workspace.root / ".adal2"
    folder.rename(away)
    while listed(client):
        client.wait_for("adal/tools/changed")
    away.rename(folder)
    while not listed(client):
        client.wait_for("adal/tools/changed")
    wait_loaded(client)
    assert names(client) == ["greet"]
    assert codes(client, uri, after=lambda: workspace.write(BAD_NAME)) == ["ADAL101"]
