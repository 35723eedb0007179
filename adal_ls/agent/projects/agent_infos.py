"""The agents of a project as people are told of them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from pydantic import ValidationError

from adal_ls.protocol.agents import AgentInfo, AgentTool, ContextForm
from adal_ls.protocol.tools import Tool
from adal_ls.sdk.errors import InvalidConfigError, UnknownAgentError
from adal_ls.worker.agent_data import AgentListing, LoadedAgent

if TYPE_CHECKING:
    from adal_ls.agent.projects.lease import Snapshot, ToolsLease

DEFAULT = "default"
"""The agent of runs that name none: the project's own of this id, else one with the tools that every agent has."""

_MOST_TEXT = 2_000
"""Characters of a description: a worker may say anything."""


def infos(snapshot: Snapshot | None, root: str) -> list[AgentInfo]:
    """The agents there are. Without an agents.py it is `default` alone."""
    if snapshot is None or snapshot.agents is None:
        text = "The built-in tools, and those of .adal/tools.py."
        return [AgentInfo(id=DEFAULT, description=text, tool_context=False, project_root=root, tools=[])]
    return [_info(agent, snapshot.listings.get(agent.id), root) for agent in snapshot.agents.values()]


def listed_tools(snapshot: Snapshot) -> list[Tool]:
    """What the providers of the agents list, as tools of the project. Their parameters are known in a run."""
    agents = snapshot.agents or {}
    return [
        Tool(
            name=name,
            description=_cut(description),
            parameters={"type": "object"},
            kind="provider",
            agent=agent,
        )
        for agent, listing in snapshot.listings.items()
        if agent in agents
        for name, description in listing.tools
    ]


def form(snapshot: Snapshot | None, agent_id: str) -> ContextForm:
    """
    Raises:
        UnknownAgentError: there is none of that id.
        InvalidConfigError: its process told of something that is no form.
    """
    agent = find(agents_of(snapshot), agent_id)
    listing = snapshot.listings.get(agent.id) if snapshot is not None and agent is not None else None
    if listing is None:
        return ContextForm(declared=False, fields=[])
    try:
        return ContextForm.model_validate(listing.form)
    except ValidationError as fault:
        raise InvalidConfigError(
            f"the form of agent '{agent_id}' cannot be shown: {fault.error_count()} faults"
        ) from fault


def agents_of(held: Snapshot | ToolsLease | None) -> Mapping[str, LoadedAgent] | None:
    return None if held is None else held.agents


def find(agents: Mapping[str, LoadedAgent] | None, agent_id: str | None) -> LoadedAgent | None:
    """The agent of that id; None for `default` where the project has none of its own.

    Raises:
        UnknownAgentError: there is none of that id; the text names those there are.
    """
    wanted = (agent_id or "").strip() or DEFAULT
    found = (agents or {}).get(wanted)
    if found is None and wanted != DEFAULT:
        there = ", ".join(agents if agents is not None else [DEFAULT]) or "none"
        raise UnknownAgentError(f"there is no agent '{wanted}'; the agents there are: {there}")
    return found


def _info(agent: LoadedAgent, listing: AgentListing | None, root: str) -> AgentInfo:
    known = listing or AgentListing()
    return AgentInfo(
        id=agent.id,
        description=None if agent.description is None else _cut(agent.description),
        model=agent.model,
        tool_context=agent.takes_context,
        project_root=root,
        tools=[AgentTool(name=name, description=_cut(description)) for name, description in known.tools],
        complete=known.complete,
        problems=[_cut(problem) for problem in known.problems],
    )


def _cut(text: str) -> str:
    return text if len(text) <= _MOST_TEXT else f"{text[:_MOST_TEXT]}…"
