"""Checklist A, where it fits a script: `can_use_tool` decides, and whatever is no answer is a denial."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from adal_ls.sdk import (
    AgentToolResult,
    AgentWarning,
    PermissionContext,
    PermissionResult,
    create_runtime,
)
from tests.sdk.agents import calls, events_of, said, script


class Disk:
    """A tool with an effect that can be looked at."""

    def __init__(self) -> None:
        self.written: list[str] = []

    def write(self, text: str) -> str:
        """Write."""
        self.written.append(text)
        return f"wrote {text}"


async def one_call(
    folder: Path,
    can_use_tool: Any,
    *,
    disk: Disk | None = None,
    turns: list[dict[str, Any]] | None = None,
    **options: Any,
) -> tuple[Disk, list[AgentToolResult]]:
    """A run whose model makes one call of `write(text="a")`; the disk, and the results."""
    disk = disk or Disk()
    model = script(folder, *(turns or [calls("write", text="a")]), said("ok"))
    runtime = create_runtime(model=model, tools=[disk.write], can_use_tool=can_use_tool, **options)
    events = await events_of(runtime.create_agent("coder").run("go"))
    return disk, [event for event in events if isinstance(event, AgentToolResult)]


def answering(answer: object) -> Callable[..., Awaitable[Any]]:
    async def can_use_tool(name: str, arguments: dict[str, Any], ctx: PermissionContext) -> object:
        return answer

    return can_use_tool


async def test_a1_an_allowed_call_runs_with_its_input(tmp_path: Path) -> None:
    asked: list[tuple[str, dict[str, Any], PermissionContext]] = []

    async def can_use_tool(name: str, arguments: dict[str, Any], ctx: PermissionContext) -> PermissionResult:
        asked.append((name, dict(arguments), ctx))
        arguments["text"] = "changed behind"  # a copy: only `updated_input` changes a call
        return PermissionResult.allow()

    disk, (result,) = await one_call(tmp_path, can_use_tool)
    assert (disk.written, result.status) == (["a"], "success")
    ((name, arguments, ctx),) = asked
    assert (name, arguments) == ("write", {"text": "a"})
    assert ctx.tool_call_id == result.call_id
    assert ctx.display == '{\n  "text": "a"\n}'
    assert ctx.confirmation == {"type": "text", "text": ctx.display}
    assert ctx.reason == "prompt"


async def test_a2_a7_a_denied_call_has_no_effect_and_the_model_reads_why(tmp_path: Path) -> None:
    disk, (result,) = await one_call(tmp_path, answering(PermissionResult.deny("not on Fridays")))
    assert (disk.written, result.status) == ([], "cancelled")
    assert "Nothing was executed" in result.observation
    assert "not on Fridays" in result.observation


async def test_a3_updated_input_is_what_runs(tmp_path: Path) -> None:
    disk, (result,) = await one_call(tmp_path, answering(PermissionResult.allow({"text": "b"})))
    assert disk.written == ["b"]
    assert "edited the arguments" in result.observation


async def test_a5_each_call_is_asked_about_once_and_a_callback_may_remember_by_name(tmp_path: Path) -> None:
    asked: list[str] = []
    allowed: set[str] = set()

    async def sticky(name: str, arguments: dict[str, Any], ctx: PermissionContext) -> PermissionResult:
        if name not in allowed:
            asked.append(name)
            allowed.add(name)
        return PermissionResult.allow()

    disk, _ = await one_call(tmp_path, sticky, turns=[calls("write", text="a"), calls("write", text="b")])
    assert (disk.written, asked) == (["a", "b"], ["write"])


async def test_a6_what_is_asked_is_no_event_of_the_run(tmp_path: Path) -> None:
    runtime = create_runtime(
        model=script(tmp_path, calls("write", text="a"), said("ok")),
        tools=[Disk().write],
        can_use_tool=answering(PermissionResult.allow()),
    )
    events = await events_of(runtime.create_agent("coder").run("go"))
    assert [event.type for event in events] == [
        "agent_started",
        "agent_tool_call",
        "agent_tool_result",
        "agent_text_delta",
        "agent_finished",
    ]


async def test_a8_without_a_callback_nothing_that_must_be_asked_about_runs(tmp_path: Path) -> None:
    disk, (result,) = await one_call(tmp_path, None)
    assert (disk.written, result.status) == ([], "cancelled")
    assert "nobody could be asked" in result.observation


async def raising(name: str, arguments: dict[str, Any], ctx: PermissionContext) -> PermissionResult:
    raise RuntimeError("the phone is off")


def not_async(name: str, arguments: dict[str, Any], ctx: PermissionContext) -> PermissionResult:
    return PermissionResult.allow()


@pytest.mark.parametrize(
    ("can_use_tool", "told"),
    [
        (raising, "the phone is off"),
        (answering(True), "must return a PermissionResult, not bool"),
        (answering(None), "not NoneType"),
        (answering("allow"), "not str"),
        (answering(PermissionResult("maybe")), "must return a PermissionResult"),  # type: ignore[arg-type]
        (not_async, "must be an async function"),
    ],
)
async def test_a4_a9_whatever_is_no_answer_is_a_denial(tmp_path: Path, can_use_tool: Any, told: str) -> None:
    disk, (result,) = await one_call(tmp_path, can_use_tool)
    assert (disk.written, result.status) == ([], "cancelled")
    assert told in result.observation


async def test_a10_an_answer_that_comes_too_late_is_a_denial_and_the_callback_is_cancelled(tmp_path: Path) -> None:
    given_up = asyncio.Event()

    async def slow(name: str, arguments: dict[str, Any], ctx: PermissionContext) -> PermissionResult:
        try:
            await asyncio.sleep(60)
        finally:
            given_up.set()
        return PermissionResult.allow()

    disk, (result,) = await one_call(tmp_path, slow, can_use_tool_timeout=0.05)
    assert disk.written == []
    assert "in time" in result.observation
    assert given_up.is_set()


async def test_a10_there_are_thirty_seconds_by_default_and_none_waits(tmp_path: Path) -> None:
    assert create_runtime().options.can_use_tool_timeout == 30
    go_on = asyncio.Event()

    async def waits(name: str, arguments: dict[str, Any], ctx: PermissionContext) -> PermissionResult:
        asyncio.get_running_loop().call_later(0.1, go_on.set)
        await go_on.wait()
        return PermissionResult.allow()

    disk, _ = await one_call(tmp_path, waits, can_use_tool_timeout=None)
    assert disk.written == ["a"]


async def test_a12_parallel_calls_are_answered_each_for_itself_in_any_order(tmp_path: Path) -> None:
    waiting: dict[str, asyncio.Future[PermissionResult]] = {}

    async def can_use_tool(name: str, arguments: dict[str, Any], ctx: PermissionContext) -> PermissionResult:
        waiting[arguments["text"]] = asyncio.get_running_loop().create_future()
        if len(waiting) == 3:
            for text in ("c", "a", "b"):
                waiting[text].set_result(PermissionResult.deny() if text == "b" else PermissionResult.allow())
        return await waiting[arguments["text"]]

    three = {"calls": [{"name": "write", "arguments": {"text": text}} for text in "abc"]}
    disk, found = await one_call(tmp_path, can_use_tool, turns=[three])
    assert sorted(disk.written) == ["a", "c"]
    assert sorted(result.status for result in found) == ["cancelled", "success", "success"]


async def test_a13_what_one_run_was_allowed_the_next_one_asks_again(tmp_path: Path) -> None:
    asked: list[str] = []

    async def can_use_tool(name: str, arguments: dict[str, Any], ctx: PermissionContext) -> PermissionResult:
        asked.append(ctx.agent_call_id)
        return PermissionResult.allow()

    disk = Disk()
    for _ in range(2):
        await one_call(tmp_path, can_use_tool, disk=disk)
    assert len(set(asked)) == 2


async def test_yolo_asks_nobody_and_the_run_says_so(tmp_path: Path) -> None:
    disk = Disk()
    model = script(tmp_path, calls("write", text="a"), said("ok"))
    runtime = create_runtime(model=model, tools=[disk.write], can_use_tool=raising, permission_mode="yolo")
    events = await events_of(runtime.create_agent("coder").run("go"))
    assert disk.written == ["a"]
    assert AgentWarning("Permission mode yolo: tools run without asking.") in events


async def test_a_command_is_shown_as_a_command(tmp_path: Path) -> None:
    shown: list[PermissionContext] = []

    async def can_use_tool(name: str, arguments: dict[str, Any], ctx: PermissionContext) -> PermissionResult:
        shown.append(ctx)
        return PermissionResult.deny()

    await one_call(tmp_path, can_use_tool, turns=[calls("bash", command="rm \x1b[2K -rf")], project_root=tmp_path)
    (ctx,) = shown
    assert ctx.confirmation["type"] == "command"
    assert ctx.confirmation["text"] == r"rm \u{1b}[2K -rf"
    assert ctx.confirmation["cwd"] == str(tmp_path.resolve())
    assert "runs a shell command" in ctx.risk
