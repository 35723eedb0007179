"""The live agents of a project and what their providers are asked. In the worker, on its loop.

Everything here runs code of the project: whatever it raises is an outcome that the host reads, never the end of the
worker.
"""

from __future__ import annotations

import asyncio
import contextvars
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from adal_ls.worker import frames
from adal_ls.worker.agent_data import MOST_LISTED, LoadedAgent
from adal_ls.worker.listing import ListedTool
from adal_ls.worker.sources import Sources

if TYPE_CHECKING:
    from adal_ls.sdk.agent import Agent
    from adal_ls.sdk.provider import Source
    from adal_ls.sdk.toolset import ToolEntry

Json = Any


class Agents:
    """The agents by id, and the tools that their providers gave for episodes that go on."""

    def __init__(self, agents: Mapping[str, Agent[Any]], sources: Sources) -> None:
        self._agents = dict(agents)
        self._sources = sources
        self._provided: dict[str, dict[str, ListedTool]] = {}

    def tool(self, episode: str, name: str) -> ListedTool:
        """
        Raises:
            KeyError: it was not given for that episode.
        """
        return self._provided[episode][name]

    async def resolve(self, params: Json) -> Json:
        """The tools of one episode; see `sdk.resolve`."""
        from adal_ls.sdk.context import ToolContext
        from adal_ls.sdk.resolve import resolve_tools

        ctx = ToolContext.from_wire(params["context"])

        async def ask() -> Json:
            entries = await resolve_tools(self._sources_of(params["agent"]), ctx)
            tools, told, notes = _listed(entries)
            self._provided[ctx.agent_call_id] = tools
            return {"tools": told, "notes": notes}

        return await self._outcome(ask)

    async def end(self, params: Json) -> Json:
        """Tells the providers that an episode is over, whether or not they were asked for its tools."""
        from adal_ls.sdk.context import ToolContext
        from adal_ls.sdk.resolve import end_run

        ctx = ToolContext.from_wire(params["context"])
        self._provided.pop(ctx.agent_call_id, None)
        return await self._outcome(lambda: end_run(self._sources_of(params["agent"]), ctx))

    async def dispose(self, _: Json) -> Json:
        """Disposes the providers of all agents, once each."""
        from adal_ls.sdk.resolve import dispose

        return await self._outcome(lambda: dispose([agent.tools for agent in self._agents.values()]))

    async def describe(self, _: Json) -> Json:
        """What can be said of each agent's tools without a run. Nobody is asked for tools."""
        return {name: _described(agent) for name, agent in self._agents.items()}

    def _sources_of(self, agent: str) -> list[Source]:
        return [self._agents[agent].runtime.tools, self._agents[agent].tools]

    async def _outcome(self, ask: Callable[[], Awaitable[Json]]) -> Json:
        """In a context of its own, so that what a hook sets is not seen by the next one."""
        try:
            # Not as a task: SystemExit out of a task ends the loop, and with it the worker.
            return {"result": await ask()}
        except asyncio.CancelledError:
            raise
        except BaseException as fault:  # noqa: BLE001 - code of the project; SystemExit, too, is only its error
            return {"failure": _failure(fault, self._sources)}


def described(agent: Agent[Any]) -> LoadedAgent:
    """What is told of an agent when its file has been loaded."""
    from adal_ls.sdk.provider import as_provider

    sources = (agent.runtime.tools, agent.tools)
    options = agent.runtime.options
    return LoadedAgent(
        id=agent.id,
        description=agent.description,
        model=agent.model or options.model,
        system_prompt=agent.system_prompt,
        stop_when=agent.stop_when,
        takes_context=agent.takes_context,
        has_providers=any(as_provider(source) is not None for source in sources),
        has_tools=any(source is not None for source in sources),
        enabled=options.enabled_default_tools,
        disabled=options.disabled_default_tools,
    )


def load_agents(namespace: Mapping[str, Any], file: str) -> dict[str, Agent[Any]]:
    """See `sdk.agents_file.read_agents`."""
    from adal_ls.sdk.agents_file import read_agents

    return read_agents(namespace, Path(file))


def bound(root: str, run: Callable[[], Any]) -> Any:
    """Calls `run` with the project bound: agents that are made meanwhile belong to it, by the host's rules."""
    from adal_ls.sdk.binding import BINDING, ProjectBinding
    from adal_ls.sdk.runner import RuntimeOptions

    def call() -> Any:
        BINDING.set(ProjectBinding(Path(root), _HostRunner(), RuntimeOptions(project_root=Path(root))))
        return run()

    return contextvars.copy_context().run(call)


class _HostRunner:
    """Implements `sdk.runner.Runner`: agents of a project are run by the agent host, never in its worker."""

    def prepare(self, request: Any) -> Any:
        from adal_ls.sdk.errors import InvalidConfigError

        raise InvalidConfigError(
            f"agent '{request.ctx.agent_id}' cannot be run by code of its own project here: run it in the editor, by "
            "adal-ls agent run, or in a script of yours with load_project"
        )

    async def close(self) -> None:
        """There is nothing to close."""


def _listed(entries: tuple[ToolEntry, ...]) -> tuple[dict[str, ListedTool], list[Json], list[str]]:
    """The tools that can be called here, all tools as they are told to the host, and notes about them."""
    from adal_ls.sdk.hosted import hosted_to_wire
    from adal_ls.worker.data import fields
    from adal_ls.worker.provided import listed
    from adal_ls.worker.results import to_json

    tools: dict[str, ListedTool] = {}
    told: list[Json] = []
    notes: list[str] = []
    for entry in entries:
        if entry.hosted is not None:
            told.append({"hosted": to_json(hosted_to_wire(entry.hosted))})
            continue
        tool, about = listed(entry)
        tools[tool.loaded.name] = tool
        told.append({"tool": fields(tool.loaded)})
        notes += about
    return tools, told, notes


def _described(agent: Agent[Any]) -> Json:
    from adal_ls.sdk.context_form import describe
    from adal_ls.sdk.listing import list_agent_tools
    from adal_ls.worker.results import to_json

    problems: list[str] = []
    listing = _tried(lambda: list_agent_tools(agent.runtime.tools, agent.tools), "its tools cannot be listed", problems)
    form = _tried(lambda: describe(agent.runtime.tools, agent.tools), "its form cannot be made", problems)
    # Without a form there is a box for JSON, which takes every context.
    fields = [to_json(field.wire()) for field in form.fields] if form is not None else []
    tools = [] if listing is None else listing.tools[:MOST_LISTED]
    return {
        "tools": [[to_json(tool.name), to_json(tool.description)] for tool in tools],
        "complete": listing is not None and listing.complete and len(tools) == len(listing.tools),
        "form": {"declared": form is None or form.declared, "fields": fields},
        "problems": problems,
    }


def _tried(look: Callable[[], Any], what: str, problems: list[str]) -> Any:
    try:
        return look()
    except BaseException as fault:  # noqa: BLE001 - list_tools and schemas are code of the project
        problems.append(f"{what}: {_told(fault)}")
        return None


def _failure(fault: BaseException, sources: Sources) -> Json:
    code, text = _code(fault), _told(fault)
    return {"code": code, "message": text, "trace": frames.user_trace(fault, sources)}


def _code(fault: BaseException) -> str:
    from adal_ls.sdk.errors import AdalError

    code = getattr(fault, "code", None) if isinstance(fault, AdalError) else None
    return code if isinstance(code, str) else AdalError.code


def _told(fault: BaseException) -> str:
    """The words of an error of the SDK as they are; of another one with its type."""
    from adal_ls.sdk.errors import AdalError

    if isinstance(fault, SystemExit):
        return f"SystemExit: a provider ends the program ({frames.exit_words(fault)})"
    if isinstance(fault, AdalError):
        text = getattr(fault, "message", None)
        return text if isinstance(text, str) else frames.message(fault)
    return frames.message(fault)
