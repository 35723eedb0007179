from __future__ import annotations

import asyncio
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from adal_ls.agent.builtin import BuiltinContext, execute
from adal_ls.agent.builtin.bash import bash
from adal_ls.agent.builtin.context import BuiltinError
from adal_ls.agent.workspaces.workspace_executor import WorkspaceExecutor
from adal_ls.agent.workspaces.workspace_policy import WorkspacePolicy
from adal_ls.worker.data import ToolResult


@pytest.fixture
def workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("ADAL_DATA_DIR", str(tmp_path / "data"))
    folder = tmp_path / "ws"
    folder.mkdir()
    return folder


async def run(workspace: Path, command: Any) -> ToolResult:
    return await execute("bash", {"command": command}, BuiltinContext(workspace), lambda _: None)


async def test_output_and_exit_code_are_what_the_model_sees(workspace: Path) -> None:
    result = await run(workspace, "echo out; echo err >&2")
    assert (result.status, result.observation) == ("success", "out\nerr\n[exit code 0]")


async def test_a_command_that_fails_is_no_failed_tool(workspace: Path) -> None:
    result = await run(workspace, "printf 'no newline'; exit 3")
    assert (result.status, result.observation) == ("success", "no newline\n[exit code 3]")


async def test_the_environment_that_tools_run_in_can_be_used(workspace: Path) -> None:
    result = await run(workspace, f"{sys.executable} -c 'import pydantic; print(pydantic.__name__)'")
    assert result.observation == "pydantic\n[exit code 0]"


async def test_output_comes_while_the_command_runs(workspace: Path) -> None:
    heard: list[str] = []
    first = asyncio.Event()

    def hear(text: str) -> None:
        heard.append(text)
        first.set()

    command = "echo één; while ! test -e go; do sleep 0.01; done; echo two"
    running = asyncio.ensure_future(bash({"command": command}, BuiltinContext(workspace), hear))
    await asyncio.wait_for(first.wait(), 10)
    assert heard == ["één\n"]
    (workspace / "go").touch()
    assert (await running).startswith("één\ntwo\n")
    assert "".join(heard) == "één\ntwo\n"


async def test_a_command_over_the_time_limit_is_an_error_with_its_output(workspace: Path) -> None:
    policy = replace(WorkspacePolicy.of(workspace), bash_timeout_ms=300)
    context = BuiltinContext(workspace, executor=WorkspaceExecutor(workspace, policy))
    with pytest.raises(BuiltinError, match=r"(?s)started\n\[killed with all its processes after 0.3 seconds\]"):
        await bash({"command": "echo started; sleep 60"}, context, lambda _: None)


async def test_dropped_output_is_told(workspace: Path) -> None:
    said = await bash({"command": "yes | head -c 1000017"}, BuiltinContext(workspace), lambda _: None)
    assert said.endswith("y\n[17 more bytes of output were dropped]\n[exit code 0]")


async def test_output_that_is_no_text_is_still_readable(workspace: Path) -> None:
    assert (await run(workspace, r"printf 'a\xffb'")).observation == "a\ufffdb\n[exit code 0]"


async def test_protected_files_that_appear_are_named(workspace: Path) -> None:
    assert "protected files appeared" in (await run(workspace, "echo X=1 > .env.test")).observation


@pytest.mark.parametrize("command", [None, "", "  ", 5, ["ls"]])
async def test_a_command_must_be_text(workspace: Path, command: Any) -> None:
    result = await run(workspace, command)
    assert result.status == "error"
    assert "needs a command" in result.observation


async def test_a_nul_character_is_refused(workspace: Path) -> None:
    assert "NUL" in (await run(workspace, "echo \0")).observation


async def test_without_a_sandbox_the_command_is_refused_and_not_run(
    workspace: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    result = await run(workspace, "touch ran")
    assert result.status == "error"
    assert "was not run" in result.observation
    assert "apt install bubblewrap" in result.observation
    assert not (workspace / "ran").exists()
