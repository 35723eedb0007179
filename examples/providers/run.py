"""Runs the agent of this workspace in this process, with a model that is written down (turns.yaml).

python run.py [SHELF]: without a terminal nobody can be asked, so what must be asked about does not run.
"""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path
from typing import Any

from adal_ls import AdalError, AgentToolCall, AgentToolResult, PermissionContext, PermissionResult, load_project


async def can_use_tool(name: str, arguments: dict[str, Any], ctx: PermissionContext) -> PermissionResult:
    if not sys.stdin.isatty():
        return PermissionResult.deny("there is no terminal to ask at")
    answer = await asyncio.to_thread(input, f"{name}\n{ctx.display}\nRun this? [y/N] ")
    return PermissionResult.allow() if answer.strip().lower() == "y" else PermissionResult.deny("not now")


async def main(shelf: str) -> int:
    async with load_project(Path(__file__).parent, can_use_tool=can_use_tool, can_use_tool_timeout=None) as project:
        context = {"shelf": {"name": shelf}, "reader": {"name": "Ada"}}
        handle = project.agent("librarian").run("What is on the shelf?", tool_provider_context=context)
        async for event in handle:
            if isinstance(event, AgentToolCall):
                print(f"call    {event.tool} {event.arguments}")
            elif isinstance(event, AgentToolResult):
                print(f"result  {event.tool} {event.status}: {event.observation}")
        try:
            print(await handle.result)
        except AdalError as fault:
            print(f"{fault.code}: {fault}", file=sys.stderr)
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(asyncio.run(main(sys.argv[1] if len(sys.argv) > 1 else "recipes")))
