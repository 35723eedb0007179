from __future__ import annotations

import sys
from pathlib import Path

import pytest

from adal_ls import AdalAgentOptions, InvalidConfigError, InvalidInputError, MissingModelError, query
from tests.sdk.agents import events_of, failure_of, said, script
from tests.sdk.test_project import TOOLS
from tests.sdk.test_runs import results


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    (tmp_path / ".adal").mkdir()
    (tmp_path / ".adal" / "tools.py").write_text(TOOLS)
    (tmp_path / ".adal" / "words.py").write_text("GREETING = 'hello '\n")
    (tmp_path / ".adal" / "agents.py").write_text("raise RuntimeError('nobody asked for agents')\n")
    return tmp_path


async def test_a_query_runs_with_the_tools_of_the_workspace_and_unloads_them(workspace: Path) -> None:
    finders = list(sys.meta_path)
    handle = query("greet(name='Ada')", AdalAgentOptions(workspace=workspace, model="offline"))
    assert results([event async for event in handle]) == ["hello Ada"]
    assert "hello Ada" in (await handle.result).text
    assert sys.meta_path == finders


async def test_single_settings_do_as_well_and_both_are_refused(workspace: Path) -> None:
    assert (await query("hello", workspace=workspace, model="offline").result).text
    with pytest.raises(InvalidInputError, match="not both") as caught:
        query("hello", AdalAgentOptions(), model="offline")
    assert isinstance(caught.value, ValueError)
    with pytest.raises(InvalidConfigError, match="unexpected keyword argument 'modle'"):
        query("hello", modle="offline")


async def test_a_session_is_continued_by_its_id(workspace: Path) -> None:
    options = AdalAgentOptions(workspace=workspace, model="offline", session_id="talk")
    handles = [query("hello", options)]
    await handles[0].result
    handles.append(query("again", options))
    await handles[1].result
    assert [handle.memory_scope for handle in handles] == ["talk", "talk"]


async def test_without_a_model_there_is_no_run(workspace: Path) -> None:
    fault = await failure_of(query("hello", workspace=workspace))
    assert isinstance(fault, MissingModelError)
    assert "create_agent, create_runtime or load_project" in fault.message


async def test_disabled_groups_are_neither_seen_nor_run(workspace: Path) -> None:
    model = script(workspace, {"calls": [{"name": "bash", "arguments": {"command": "touch canary"}}]}, said("ok"))
    handle = query("go", workspace=workspace, model=model, disabled_default_tools=["Bash"], permission_mode="yolo")
    assert "There is no tool 'bash'" in results(await events_of(handle))[0]
    assert not (workspace / "canary").exists()


async def test_what_cannot_work_is_said_at_once(workspace: Path) -> None:
    with pytest.raises(InvalidInputError, match="no workspace folder"):
        query("hello", workspace=workspace / "nowhere", model="offline")
    with pytest.raises(InvalidInputError, match="prompt file"):
        query("hello", workspace=workspace, model="offline", prompt_file=workspace / "nothing.md")
    with pytest.raises(InvalidConfigError, match="permission_mode"):
        query("hello", workspace=workspace, model="offline", permission_mode="all")
    with pytest.raises(InvalidInputError, match="prompt"):
        query("", workspace=workspace, model="offline")
