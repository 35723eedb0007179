"""Runs one decided call: a built-in tool here, others where their caller is. Only the gate may import this."""

from __future__ import annotations

import logging
import time
import traceback
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from adal_ls.agent import builtin
from adal_ls.agent.builtin.context import BuiltinContext
from adal_ls.agent.projects.custom import CustomTools, ToolCaller
from adal_ls.agent.projects.lease import ToolsGoneError
from adal_ls.agent.runs.registry import RegisteredTool
from adal_ls.protocol.runs import ToolStatus
from adal_ls.worker.client import ToolResult, WorkerDiedError, WorkerError

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Execution:
    """What runs, where. `on_print` gets what the tool prints while it runs; `pythons` are what bash may use.

    `builtins`: what the run's built-in tools have; all of `root` and nothing else where it is left out. `base`: what
    the gate saw of the file that an edit starts from.
    """

    tool: RegisteredTool
    arguments: dict[str, Any]
    root: Path
    custom: CustomTools | None
    on_print: Callable[[str], None]
    pythons: Sequence[Path] = ()
    builtins: BuiltinContext | None = None
    base: str | None = None


@dataclass(frozen=True, slots=True)
class Outcome:
    status: ToolStatus
    observation: str
    display: str | None = None
    printed: str | None = None
    duration_ms: float = 0.0
    trace: str | None = None
    output: Any = None


async def run(execution: Execution) -> Outcome:
    """Runs the call to its end. Whatever goes wrong in or around the tool is an outcome, not an exception."""
    began = time.monotonic()
    try:
        result = await _execute(execution)
    except (ToolsGoneError, WorkerError) as fault:
        return Outcome("error", str(fault), duration_ms=_since(began))
    except Exception as fault:  # noqa: BLE001 - a fault of ours in one call must not end the calls beside it
        _log.exception("%s failed inside adal-ls", execution.tool.name)
        text = f"{execution.tool.name} failed inside adal-ls: {type(fault).__name__}: {fault}"
        return Outcome("error", text, duration_ms=_since(began), trace=traceback.format_exc())
    return Outcome(
        result.status,
        result.observation,
        result.display,
        result.printed or None,
        result.duration_ms or _since(began),
        result.trace,
        result.output,
    )


async def _execute(execution: Execution) -> ToolResult:
    tool = execution.tool
    if tool.kind == "builtin":
        context = execution.builtins or BuiltinContext(execution.root)
        context = replace(
            context, pythons=execution.pythons, executor=tool.executor or context.executor, base=execution.base
        )
        return await builtin.execute(tool.name, execution.arguments, context, execution.on_print)
    if tool.caller is not None:
        return await _call(tool.caller, execution)
    if execution.custom is None:
        raise ToolsGoneError("the project's tools are not loaded")
    try:
        return await _call(await execution.custom.worker(), execution)
    except WorkerDiedError:
        # It was gone before the call, so nothing has run yet; `worker` starts another one.
        return await _call(await execution.custom.worker(), execution)


async def _call(worker: ToolCaller, execution: Execution) -> ToolResult:
    return await worker.call(
        execution.tool.name, execution.arguments, on_print=execution.on_print, on_progress=execution.on_print
    )


def _since(began: float) -> float:
    return round((time.monotonic() - began) * 1000, 3)
