"""What the host asks the providers of a project, in its worker. Each question has a time limit; see `sdk.provider`."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Any

from adal_ls.sdk.context import ToolContext
from adal_ls.sdk.errors import ProviderHooksError
from adal_ls.wire.peer import ProtocolViolationError
from adal_ls.worker.agent_data import AgentListing, read_listings
from adal_ls.worker.client import WorkerClient, WorkerDiedError
from adal_ls.worker.provided_data import ProvidedTools, ProviderError, read_outcome, read_provided

RESOLVE_LIMIT = 30.0
"""Seconds that all `get_tools` of an episode have."""

END_LIMIT = 10.0
"""Seconds that all `on_run_end` of an episode have."""

END_LIMIT_CANCELLED = 1.0
"""The same after a cancel: who cancels waits for the end."""

DISPOSE_LIMIT = 5.0
DISPOSE_LIMIT_CLOSING = 0.5
"""Seconds for all `dispose`, and when the host ends."""

DESCRIBE_LIMIT = 3.0
"""Seconds for all `list_tools` and schemas of a project."""

_log = logging.getLogger(__name__)


async def describe(worker: WorkerClient, agents: list[str]) -> dict[str, AgentListing]:
    """What can be said of each agent's tools without a run. Why something is missing is in it.

    A worker that cannot answer is ended.
    """
    try:
        found = read_listings(await worker.ask("describe", {}, limit=DESCRIBE_LIMIT))
    except (WorkerDiedError, ProtocolViolationError) as fault:
        await worker.close()
        found, problem = {}, f"its tools cannot be listed: while list_tools or a context_schema was looked at, {fault}"
    else:
        problem = "its tools cannot be listed: its project did not tell of it"
    return {agent: found.get(agent) or AgentListing(problems=(problem,)) for agent in agents}


async def resolve(
    worker: WorkerClient, agent: str, ctx: ToolContext[Any], on_print: Callable[[str], None]
) -> ProvidedTools:
    """The tools of one episode.

    Raises:
        ProviderError: a provider raised; or it took too long, or ended its process.
        InvalidConfigError: a tool that the host cannot serve.
    """
    params = {"agent": agent, "context": ctx.wire()}
    found: ProvidedTools = await _asked(
        worker, "resolve", params, RESOLVE_LIMIT, f"the tools of agent '{agent}' (get_tools)", read_provided, on_print
    )
    return found


async def end_run(
    worker: WorkerClient, agent: str, ctx: ToolContext[Any], limit: float, on_print: Callable[[str], None]
) -> None:
    """Tells the providers that an episode is over.

    Raises:
        ProviderError: as for `resolve`.
    """
    params = {"agent": agent, "context": ctx.wire()}
    await _asked(worker, "endRun", params, limit, f"the end of the run (on_run_end of '{agent}')", _nothing, on_print)


async def dispose(worker: WorkerClient, limit: float = DISPOSE_LIMIT) -> None:
    """Disposes the providers of the project in this worker. What goes wrong is logged: nobody waits for it."""
    try:
        await _asked(worker, "dispose", {}, limit, "dispose", _nothing, lambda _: None)
    except ProviderError as fault:
        _log.warning("a tool provider was not disposed: %s: %s\n%s", fault.code, fault, fault.trace or "")


async def _asked(
    worker: WorkerClient,
    method: str,
    params: dict[str, Any],
    limit: float,
    what: str,
    read: Callable[[object], Any],
    on_print: Callable[[str], None],
) -> Any:
    try:
        return read(read_outcome(await worker.ask(method, params, limit=limit, on_print=on_print)))
    except ProtocolViolationError as fault:
        await worker.close()
        raise ProviderError(f"{what}: the project's process sent nonsense ({fault})", code=_CODE) from fault
    except WorkerDiedError as fault:
        raise ProviderError(f"{what}: {fault}", code=_CODE) from fault


_CODE = ProviderHooksError.code


def _nothing(value: object) -> None:
    """The hook gives nothing that anybody reads."""
