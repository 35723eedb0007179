"""One run of an agent from its first event to its result: the order of things that providers rely on."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence

from adal_ls.sdk.errors import AdalError, RunCancelledError
from adal_ls.sdk.events import AgentFailed, AgentFinished, AgentStarted
from adal_ls.sdk.provider import Source
from adal_ls.sdk.resolve import end_run, resolve_tools
from adal_ls.sdk.runner import Emit, Runner, RunRequest, RunResult


async def run_episode(
    request: RunRequest, sources: Sequence[Source], runner: Runner, emit: Emit, is_cancelled: Callable[[], bool]
) -> RunResult:
    """Started, messages, model, tools, the turn, finished or failed; then the providers' `on_run_end`; then the result.

    `is_cancelled` tells of a cancel that came before this began.

    Raises:
        Exception: the turn's error, RunCancelledError after a cancel; after a good turn that of `on_run_end`.
    """
    ctx = request.ctx
    emit(AgentStarted(ctx.agent_id, ctx.agent_call_id, ctx.memory_scope))
    failure: BaseException | None = None
    result: RunResult | None = None
    try:
        result = await _turn(request, sources, runner, emit, is_cancelled)
        emit(AgentFinished(result.text, result.stop_reason, result.usage))
    except (asyncio.CancelledError, RunCancelledError):
        failure = RunCancelledError("the run was cancelled")
        emit(AgentFailed(RunCancelledError.code, str(failure)))
    except Exception as fault:  # noqa: BLE001 - raised again below, after the providers have heard of the end
        failure = fault
        emit(AgentFailed(*_told(fault)))
    hooks = asyncio.ensure_future(end_run(sources, ctx))
    while not hooks.done():
        try:
            await asyncio.wait({hooks})
        except asyncio.CancelledError:  # noqa: PERF203
            continue  # the end of a run is not cut short; a loop that closes cancels the hooks themselves
    hook_failure = RunCancelledError("the run was cancelled") if hooks.cancelled() else hooks.exception()
    if (error := failure or hook_failure) is not None:
        raise error
    assert result is not None  # noqa: S101 - there was no failure
    return result


async def _turn(
    request: RunRequest, sources: Sequence[Source], runner: Runner, emit: Emit, is_cancelled: Callable[[], bool]
) -> RunResult:
    if is_cancelled():
        raise RunCancelledError("the run was cancelled")
    turn = runner.prepare(request)
    try:
        tools = await resolve_tools(sources, request.ctx)
        return await turn.run(tools, emit)
    finally:
        turn.close()


def _told(fault: Exception) -> tuple[str, str]:
    if isinstance(fault, AdalError):
        return fault.code, fault.message
    return AdalError.code, f"{type(fault).__name__}: {fault}"
