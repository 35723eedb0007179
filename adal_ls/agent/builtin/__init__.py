"""The built-in tools. `catalog` says what there is, `execute` runs one; only the executor behind the gate calls it."""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from adal_ls.agent.builtin.bash import bash
from adal_ls.agent.builtin.context import BuiltinContext, BuiltinError
from adal_ls.agent.builtin.describe import describe_workspace_env
from adal_ls.agent.builtin.edit_file import edit_file
from adal_ls.agent.builtin.fetch_url import fetch_url
from adal_ls.agent.builtin.glob import glob
from adal_ls.agent.builtin.grep import grep
from adal_ls.agent.builtin.list_files import list_files
from adal_ls.agent.builtin.read_file import read_file
from adal_ls.agent.builtin.todo_tools import read_todos, write_todos
from adal_ls.agent.builtin.web_search import web_search
from adal_ls.agent.builtin.write_file import write_file
from adal_ls.worker.data import ToolResult

__all__ = ["BuiltinContext", "execute"]

_TOOLS: Mapping[str, Callable[[Mapping[str, Any], BuiltinContext], Awaitable[str]]] = {
    "read_file": read_file,
    "list_files": list_files,
    "glob": glob,
    "grep": grep,
    "edit_file": edit_file,
    "write_file": write_file,
    "fetch_url": fetch_url,
    "web_search": web_search,
    "write_todos": write_todos,
    "read_todos": read_todos,
    "describe_workspace_env": describe_workspace_env,
}


async def execute(
    name: str, arguments: Mapping[str, Any], context: BuiltinContext, on_print: Callable[[str], None]
) -> ToolResult:
    """Runs the built-in tool `name` to its end; what it cannot do is a result of status error that says why.

    A caller that is cancelled stops the tool, a command with all its processes.

    Raises:
        LookupError: no such tool; callers know the catalogue.
    """
    started = time.monotonic()
    try:
        if name == "bash":
            text = await bash(arguments, context, on_print)
        elif name in _TOOLS:
            text = await _TOOLS[name](arguments, context)
        else:
            raise LookupError(f"no built-in tool {name}")
    except BuiltinError as fault:
        return ToolResult("error", None, str(fault), duration_ms=_since(started))
    return ToolResult("success", text, text, duration_ms=_since(started))


def _since(started: float) -> float:
    return round((time.monotonic() - started) * 1000, 3)
