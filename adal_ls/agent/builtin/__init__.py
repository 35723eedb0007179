"""The built-in tools. `catalog` says what there is, `execute` runs one; only the executor behind the gate calls it."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from typing import Any

from adal_ls.agent.builtin.bash import bash
from adal_ls.agent.builtin.context import BuiltinContext, BuiltinError
from adal_ls.agent.builtin.read_file import read_file
from adal_ls.worker.data import ToolResult

__all__ = ["BuiltinContext", "execute"]


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
        if name == "read_file":
            text = await read_file(arguments, context)
        elif name == "bash":
            text = await bash(arguments, context, on_print)
        else:
            raise LookupError(f"no built-in tool {name}")
    except BuiltinError as fault:
        return ToolResult("error", None, str(fault), duration_ms=_since(started))
    return ToolResult("success", text, text, duration_ms=_since(started))


def _since(started: float) -> float:
    return round((time.monotonic() - started) * 1000, 3)
