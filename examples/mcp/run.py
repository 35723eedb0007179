"""Runs the agent of this workspace in this process, with a model that is written down (turns.yaml).

python run.py: looking is allowed, everything else is asked about; without a terminal it does not run.
"""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path
from typing import Any

from adal_ls import AgentToolCall, AgentToolResult, PermissionContext, PermissionResult, load_project


async def can_use_tool(name: str, arguments: dict[str, Any], ctx: PermissionContext) -> PermissionResult:
    if name == "library_find":
        return PermissionResult.allow()
    if not sys.stdin.isatty():
        return PermissionResult.deny("there is no terminal to ask at")
    answer = await asyncio.to_thread(input, f"{name} ({'; '.join(ctx.risk)})\n{ctx.display}\nRun this? [y/N] ")
    return PermissionResult.allow() if answer.strip().lower() == "y" else PermissionResult.deny("not now")


async def main() -> None:
    async with load_project(Path(__file__).parent, can_use_tool=can_use_tool, can_use_tool_timeout=None) as project:
        handle = project.agent("reader").run("Where is the whale?")
        async for event in handle:
            if isinstance(event, AgentToolCall):
                print(f"call    {event.tool} {event.arguments}")
            elif isinstance(event, AgentToolResult):
                print(f"result  {event.tool} {event.status}: {event.observation}")
        print(await handle.result)


if __name__ == "__main__":
    asyncio.run(main())
