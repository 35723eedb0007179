"""MCP servers in runs of a script (checklist M1 to M5; M1 also where providers are made, M2 also in tests/agent)."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from adal_ls.sdk import (
    AgentToolResult,
    AgentWarning,
    InvalidConfigError,
    InvalidContextError,
    McpServerError,
    PermissionContext,
    PermissionResult,
    combine_tool_providers,
    create_runtime,
    load_project,
    mcp_tool_provider,
)
from adal_ls.sdk.agent import AgentRuntime
from tests.agent.mcp_bench import RAW, alive, pids, until
from tests.sdk.agents import calls, events_of, failure_of, said, script


def raw(*modes: str, **settings: Any) -> Any:
    return mcp_tool_provider(**{"name": "raw", "command": [sys.executable, str(RAW), *modes], **settings})


def runtime(folder: Path, *turns: dict[str, Any], **options: Any) -> AgentRuntime:
    return create_runtime(model=script(folder, *turns, said("ok")), project_root=folder, **options)


def agent_of(owner: AgentRuntime, tools: Any) -> Any:
    return owner.create_agent(f"agent{len(owner.agents)}", tools=tools)


async def results(agent: Any, **run: Any) -> list[AgentToolResult]:
    handle = agent.run("go", **run)
    await handle.result
    return [each for each in await events_of(handle) if isinstance(each, AgentToolResult) and not each.preliminary]


def served(folder: Path) -> list[Any]:
    """The calls that reached the server."""
    file = folder / "calls.txt"
    return [json.loads(line) for line in file.read_text().splitlines()] if file.exists() else []


def answering(answer: PermissionResult, asked: list[Any]) -> Any:
    async def can_use_tool(name: str, arguments: dict[str, Any], ctx: PermissionContext) -> PermissionResult:
        asked.append((name, arguments, ctx.risk))
        return answer

    return can_use_tool


async def test_m2_a_tool_of_a_server_runs_once_it_is_allowed_and_the_person_sees_whose_it_is(tmp_path: Path) -> None:
    asked: list[Any] = []
    owner = runtime(tmp_path, calls("echo", text="a"), can_use_tool=answering(PermissionResult.allow(), asked))
    (result,) = await results(agent_of(owner, raw()))
    await owner.dispose()
    assert (result.status, result.observation, result.output) == ("success", "echo a", "echo a")
    ((name, arguments, risk),) = asked
    assert (name, arguments) == ("echo", {"text": "a"})
    assert risk[0].startswith("runs on the MCP server 'raw': ")
    assert "mcp_raw.py" in risk[0]


async def test_m1_without_anybody_to_ask_no_call_reaches_the_server(tmp_path: Path) -> None:
    owner = runtime(tmp_path, calls("echo", text="a"))
    (result,) = await results(agent_of(owner, raw()))
    await owner.dispose()
    assert (result.status, served(tmp_path)) == ("cancelled", [])


async def test_m3_a_denied_call_never_reaches_the_server(tmp_path: Path) -> None:
    answer = answering(PermissionResult.deny("not that book"), [])
    owner = runtime(tmp_path, calls("echo", text="a"), can_use_tool=answer)
    (result,) = await results(agent_of(owner, raw()))
    await owner.dispose()
    assert (result.status, served(tmp_path)) == ("cancelled", [])
    assert "not that book" in result.observation
    assert "Nothing was executed" in result.observation


async def test_m4_arguments_that_the_person_rewrote_are_what_the_server_gets(tmp_path: Path) -> None:
    answer = answering(PermissionResult.allow({"text": "b"}), [])
    owner = runtime(tmp_path, calls("echo", text="a"), can_use_tool=answer)
    (result,) = await results(agent_of(owner, raw()))
    await owner.dispose()
    assert served(tmp_path) == [["echo", {"text": "b"}]]
    assert result.observation.startswith("echo b")
    assert "edited the arguments" in result.observation


async def test_m4_arguments_that_the_tools_schema_does_not_take_reach_nobody(tmp_path: Path) -> None:
    answer = answering(PermissionResult.allow({"text": 7}), [])
    owner = runtime(tmp_path, calls("echo", text="a"), can_use_tool=answer)
    (result,) = await results(agent_of(owner, raw()))
    await owner.dispose()
    assert (result.status, served(tmp_path)) == ("cancelled", [])


async def test_m5_disposing_closes_the_connection_ending_a_run_does_not_and_then_there_are_no_tools(
    tmp_path: Path,
) -> None:
    provider = raw()
    owner = runtime(tmp_path, permission_mode="yolo")
    agent = agent_of(owner, provider)
    for _ in range(2):
        await agent.run("go").result
    (pid,) = pids(tmp_path)
    assert alive(pid)
    await provider.dispose()
    await provider.dispose()
    assert not alive(pid)
    assert isinstance(await failure_of(agent.run("go")), InvalidContextError)
    await owner.dispose()


async def test_what_a_server_says_of_itself_changes_nothing_about_asking(tmp_path: Path) -> None:
    """`good` claims to be read-only."""
    asked: list[Any] = []
    owner = runtime(tmp_path, calls("good"), can_use_tool=answering(PermissionResult.allow(), asked))
    handle = agent_of(owner, raw("odd")).run("go")
    await handle.result
    await owner.dispose()
    assert [name for name, *_ in asked] == ["good"]
    warned = " ".join(event.text for event in await events_of(handle) if isinstance(event, AgentWarning))
    assert "Tools left out: MCP server 'raw': 'huge'" in warned or "'twice'" in warned
    assert "'bad name\\u{202e}': its name is not" in warned


async def test_only_a_server_that_the_projects_file_lets_run_unasked_does(tmp_path: Path) -> None:
    owner = runtime(tmp_path, calls("echo", text="a"))
    (result,) = await results(agent_of(owner, raw(require_approval=False)))
    await owner.dispose()
    assert result.status == "success"


async def test_a_server_and_another_source_with_one_name_fail_the_run_and_both_are_named(tmp_path: Path) -> None:
    def echo(text: str) -> str:
        """Echo."""
        return text

    owner = runtime(tmp_path)
    for tools, other in (
        (combine_tool_providers({"books": raw(), "plain": [echo]}), "the agent's own code (test_mcp_runs.py:"),
        (combine_tool_providers({"books": raw(), "more": raw("tool=x", name="more")}), "the MCP server 'raw'"),
        (raw("tool=bash"), "the built-in tools"),
    ):
        fault = await failure_of(agent_of(owner, tools).run("go"))
        assert isinstance(fault, InvalidConfigError), fault
        assert fault.code == "INVALID_CONFIG"
        assert "the MCP server" in str(fault)
        assert other in str(fault)
    await owner.dispose()
    assert not [pid for pid in pids(tmp_path) if alive(pid)]


async def test_a_prefix_lets_both_be(tmp_path: Path) -> None:
    tools = combine_tool_providers({"a": raw(), "b": raw("tool=bash", name="b", prefix="b_")})
    owner = runtime(tmp_path, calls("b_echo", "echo", "b_bash", text="x"), permission_mode="yolo")
    assert {each.tool: each.observation for each in await results(agent_of(owner, tools))} == {
        "b_echo": "echo x",
        "echo": "echo x",
        "b_bash": "echo x",
    }
    assert [name for name, _ in served(tmp_path)].count("bash") == 1  # the server's own name
    await owner.dispose()


async def test_structured_content_is_the_output_for_the_script(tmp_path: Path) -> None:
    owner = runtime(tmp_path, calls("regex"), permission_mode="yolo")
    (result,) = await results(agent_of(owner, raw("regex")))
    await owner.dispose()
    assert result.output == {"a": "a" * 40 + "!"}


async def test_a_server_that_cannot_be_used_fails_the_run_before_the_model_is_asked(tmp_path: Path) -> None:
    owner = runtime(tmp_path)
    fault = await failure_of(agent_of(owner, raw("fail")).run("go"))
    assert isinstance(fault, McpServerError)
    assert fault.code == "MCP_SERVER"
    assert "no library here" in str(fault)
    await owner.dispose()


async def test_a_cancelled_run_cancels_its_call_at_the_server_and_the_next_run_uses_it(tmp_path: Path) -> None:
    owner = runtime(tmp_path, calls("stall"), permission_mode="yolo")
    agent = agent_of(owner, raw("stall"))
    handle = agent.run("go")
    async for _ in handle:
        if served(tmp_path):
            handle.cancel()
            break
        if (tmp_path / "pids.txt").exists():
            await until(lambda: served(tmp_path))
    await failure_of(handle)
    await until((tmp_path / "cancelled.txt").exists)
    assert alive(pids(tmp_path)[0])
    await owner.dispose()


AGENTS = """
import sys
from adal_ls import create_runtime, mcp_tool_provider

books = mcp_tool_provider(name="raw", command=[sys.executable, {raw!r}])
AGENTS = [create_runtime(model={model!r}).create_agent("reader", tools=books)]
"""


async def test_a_reload_closes_the_connections_of_the_providers_that_went_and_dispose_the_last(tmp_path: Path) -> None:
    (tmp_path / ".adal").mkdir()
    text = AGENTS.format(raw=str(RAW), model=script(tmp_path, said("ok")))
    (tmp_path / ".adal" / "agents.py").write_text(text)
    async with load_project(tmp_path) as project:
        await project.agent("reader").run("go").result
        (first,) = pids(tmp_path)
        (tmp_path / ".adal" / "agents.py").write_text("nonsense(")
        assert not await project.reload()
        assert alive(first)  # a reload that failed disposes nothing
        (tmp_path / ".adal" / "agents.py").write_text(text)
        assert await project.reload()
        assert not alive(first)
        await project.agent("reader").run("go").result
        second = pids(tmp_path)[-1]
        assert alive(second)
    assert not alive(second)


async def test_a_name_that_models_do_not_take_is_called_by_its_alias(tmp_path: Path) -> None:
    owner = runtime(tmp_path, calls("with-dash/and.dot"), permission_mode="yolo")
    (result,) = await results(agent_of(owner, raw("odd")))
    await owner.dispose()
    assert (result.tool, result.status) == ("with-dash/and.dot", "success")
    assert served(tmp_path)[0][0] == "with-dash/and.dot"


@pytest.mark.parametrize("mode", ["default", "acceptEdits"])
async def test_no_mode_but_yolo_runs_a_servers_tool_unasked(tmp_path: Path, mode: Any) -> None:
    asked: list[Any] = []
    answer = answering(PermissionResult.deny(), asked)
    owner = runtime(tmp_path, calls("echo", text="a"), can_use_tool=answer, permission_mode=mode)
    await results(agent_of(owner, raw()))
    await owner.dispose()
    assert len(asked) == 1
    assert not served(tmp_path)
