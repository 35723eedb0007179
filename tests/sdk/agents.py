"""Runtimes on scripted models, and providers that note what happens to them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any
from uuid import uuid4

from adal_ls.sdk import AgentEvent, RunHandle, ToolContext, ToolSet
from adal_ls.sdk.errors import AdalError


def script(folder: Path, *turns: dict[str, Any]) -> str:
    """The model id of a script of these turns (JSON is YAML)."""
    file = folder / f"{uuid4().hex}.yaml"
    file.write_text(json.dumps(list(turns)), encoding="utf-8")
    return f"script:{file}"


def calls(*names: str, **arguments: Any) -> dict[str, Any]:
    """A turn that calls the tools of these names, all with the same arguments."""
    return {"calls": [{"name": name, "arguments": arguments} for name in names]}


def said(text: str) -> dict[str, Any]:
    return {"text": text}


async def events_of(handle: RunHandle) -> list[AgentEvent]:
    return [event async for event in handle]


async def failure_of(handle: RunHandle) -> BaseException:
    """The error that the run's result raises."""
    try:
        result = await handle.result
    except Exception as fault:  # noqa: BLE001 - it is what the tests look at
        return fault
    raise AssertionError(f"the run was good: {result}")


class Recorder:
    """A provider of one tool `where`, which tells the context it was built from; notes every call."""

    def __init__(self, tools: ToolSet | None = None, *, fails: str = "", error: Exception | None = None) -> None:
        self.seen: list[ToolContext[Any]] = []
        self.ended: list[ToolContext[Any]] = []
        self.disposed = 0
        self._tools = tools
        self._fails = fails
        self._error = error or AdalError(f"{fails} failed", code="MINE")

    async def get_tools(self, ctx: ToolContext[Any], /) -> ToolSet:
        self.seen.append(ctx)
        if self._fails == "get_tools":
            raise self._error
        if self._tools is not None:
            return self._tools

        def where() -> str:
            """Tell the context."""
            return str(ctx.tool_provider_context)

        return {"where": {"function": where, "require_approval": False}}

    async def on_run_end(self, ctx: ToolContext[Any], /) -> None:
        self.ended.append(ctx)
        if self._fails == "on_run_end":
            raise self._error

    async def dispose(self) -> None:
        self.disposed += 1
        if self._fails == "dispose":
            raise self._error
