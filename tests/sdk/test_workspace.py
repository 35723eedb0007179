"""Workspace providers in a run of a script: the host's own tools, under the provider's policy."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any

import pytest

from adal_ls.agent.builtin.catalog import BUILTINS, DESCRIBE
from adal_ls.agent.workspaces import workspace_policy
from adal_ls.sdk import (
    AgentToolResult,
    AgentWarning,
    InvalidConfigError,
    WorkspacePolicy,
    combine_tool_providers,
    create_runtime,
    create_workspace_tool_provider,
)
from adal_ls.sdk.hosted import WORKSPACE_TOOLS
from tests.sdk.agents import events_of, failure_of, said, script


@pytest.fixture
def project(tmp_path: Path) -> Path:
    for name in ("in", "out"):
        (tmp_path / name).mkdir()
    (tmp_path / "in" / "note.txt").write_text("hello\n")
    return tmp_path.resolve()


async def ran(project: Path, provider: Any, *calls: tuple[str, dict[str, Any]], **run: Any) -> list[AgentToolResult]:
    turns = [{"calls": [{"name": name, "arguments": arguments}]} for name, arguments in calls]
    runtime = create_runtime(model=script(project, *turns, said("ok")), project_root=project, permission_mode="yolo")
    handle = runtime.create_agent("coder", tools=provider).run("go", **run)
    await handle.result
    return [each for each in await events_of(handle) if isinstance(each, AgentToolResult) and not each.preliminary]


def test_the_tools_of_a_workspace_are_tools_of_the_host() -> None:
    assert set(WORKSPACE_TOOLS) <= {*BUILTINS, DESCRIBE.name}


def test_every_setting_of_a_policy_is_one_that_the_host_knows() -> None:
    keys = {field.name for field in dataclasses.fields(workspace_policy.WorkspacePolicy)}
    assert set(WorkspacePolicy.__annotations__) == keys


async def test_files_and_commands_keep_to_the_policy_of_the_provider(project: Path) -> None:
    provider = create_workspace_tool_provider(allow_write=["out"])
    write = {"content": "x"}
    good, bad, command = await ran(
        project,
        provider,
        ("write_file", {"path": "out/a.txt", **write}),
        ("write_file", {"path": "in/a.txt", **write}),
        ("bash", {"command": "cat in/note.txt out/a.txt; touch in/b.txt"}),
    )
    assert (good.status, bad.status) == ("success", "error")
    assert "hello" in command.observation
    assert sorted(path.name for path in project.glob("*/*.txt")) == ["a.txt", "note.txt"]


async def test_w1_w2_one_folder_for_files_and_commands_and_that_of_the_call_counts(project: Path) -> None:
    provider = combine_tool_providers({"files": create_workspace_tool_provider(cwd="out")})
    calls = (("read_file", {"path": "note.txt"}), ("bash", {"command": "cat note.txt"}))
    found = await ran(project, provider, *calls, tool_provider_context={"files": {"cwd": "in"}})
    assert ["hello" in each.observation for each in found] == [True, True]
    found = await ran(project, provider, *calls)
    assert found[0].status == "error"
    assert "No such file" in found[1].observation


async def test_w4_the_model_can_ask_where_it_is(project: Path) -> None:
    (told,) = await ran(project, create_workspace_tool_provider(cwd="in"), ("describe_workspace_env", {}))
    assert str(project / "in") in told.observation


async def test_a_policy_that_cannot_be_kept_fails_the_run_before_the_model_is_asked(project: Path) -> None:
    runtime = create_runtime(model=script(project), project_root=project)
    agent = runtime.create_agent("coder", tools=create_workspace_tool_provider(cwd="nowhere"))
    fault = await failure_of(agent.run("go"))
    assert isinstance(fault, InvalidConfigError)
    assert "nowhere" in str(fault)


async def test_only_the_persons_environment_lifts_the_sandbox_and_the_run_says_so(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ADAL_ALLOW_UNSANDBOXED_BASH", "1")
    handle = create_runtime(model="offline", project_root=project).create_agent("coder").run("hello")
    warnings = [event.text for event in await events_of(handle) if isinstance(event, AgentWarning)]
    assert len(warnings) == 1
    assert "WITHOUT a sandbox" in warnings[0]
