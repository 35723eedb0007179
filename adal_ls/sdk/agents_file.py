"""What `.adal/agents.py` must define; where it is loaded is for others to say."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from adal_ls.sdk.agent import Agent
from adal_ls.sdk.errors import InvalidConfigError


def read_agents(namespace: Mapping[str, Any], file: Path) -> dict[str, Agent[Any]]:
    """The agents of `AGENTS` by id, from the names that the file defines.

    Raises:
        InvalidConfigError: AGENTS is missing, no list or tuple, or holds something else than agents with different ids.
    """
    listed = namespace.get("AGENTS")
    if not isinstance(listed, (list, tuple)):
        what = "has AGENTS that is no list" if "AGENTS" in namespace else "defines no AGENTS"
        raise InvalidConfigError(f"{file} {what}; write AGENTS = [runtime.create_agent(...), ...]")
    agents: dict[str, Agent[Any]] = {}
    for index, agent in enumerate(listed):
        if not isinstance(agent, Agent):
            raise InvalidConfigError(f"{file}: entry {index} of AGENTS is no agent but {type(agent).__name__}")
        if agent.id in agents:
            raise InvalidConfigError(f"{file}: two agents of AGENTS have the id '{agent.id}'")
        agents[agent.id] = agent
    return agents
