from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.server.stdio import StdioClient

ADAL = {"experimental": {"adal": {"approval": 1, "runUpdates": 1}}}

TOLERATED = (
    "adal/run/update",
    "adal/approval/resolved",
    "adal/tools/changed",
    "adal/status",
    "textDocument/publishDiagnostics",
    "window/logMessage",
)


class Editor(StdioClient):
    """An editor that declares the `adal` capability, with a trusted folder open."""

    def start_run(self, prompt: str, **params: Any) -> str:
        run_id: str = self.request("adal/run/start", {"prompt": prompt, **params})["runId"]
        return run_id

    def asked(self) -> tuple[int | str, dict[str, Any]]:
        """The next approval request: its id and its params."""
        message = self.wait_message("adal/approval/request", timeout=30)
        return message["id"], message["params"]

    def decide(self, key: int | str, request: dict[str, Any], option: str, **more: Any) -> None:
        self.respond(
            key,
            {
                "approvalId": request["approvalId"],
                "argsDigest": request["argsDigest"],
                "outcome": "selected",
                "optionId": option,
                **more,
            },
        )

    def project(self, state: str) -> dict[str, Any]:
        """The workspace's one project, once it has come to `state`; every change before is announced."""
        while True:
            (project,) = self.request("adal/tools/list", {})["projects"]
            if project["state"] == state:
                return dict(project)
            self.wait_for("adal/tools/changed", timeout=30)

    def finished(self, run_id: str) -> dict[str, Any]:
        """The run's last event, and before it a check that its updates came in order without a gap."""
        update = self.wait_for(
            "adal/run/update", lambda p: p["runId"] == run_id and p["event"]["type"] == "finished", timeout=30
        )
        event: dict[str, Any] = update["event"]
        return event

    def events(self, run_id: str) -> list[dict[str, Any]]:
        """All events of a run, as the store replays them."""
        result = self.request("adal/run/get", {"runId": run_id})
        assert [update["seq"] for update in result["events"]] == list(range(1, len(result["events"]) + 1))
        return [update["event"] for update in result["events"]]


@pytest.fixture
def editor(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., tuple[Editor, Path]]]:
    """Opens a trusted workspace with the given tools file; the session must end cleanly."""
    monkeypatch.setenv("ADAL_DATA_DIR", str(tmp_path / "data"))
    editors: list[Editor] = []

    def open_workspace(tools: str, *, trusted: bool = True) -> tuple[Editor, Path]:
        workspace = tmp_path / "workspace"
        (workspace / ".adal").mkdir(parents=True)
        (workspace / ".adal" / "tools.py").write_text(tools, encoding="utf-8")
        opened = Editor(tolerated=TOLERATED)
        editors.append(opened)
        opened.initialize(workspace, ADAL, {"trusted": trusted})
        return opened, workspace

    yield open_workspace
    for opened in editors:
        try:
            opened.shut_down()
        finally:
            opened.kill()
