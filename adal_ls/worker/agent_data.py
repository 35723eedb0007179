"""What crosses the pipe between host and worker about agents, as typed values.

The host reads these from a process that runs the workspace's code, so reading checks every shape.
"""

from __future__ import annotations

import dataclasses
import json
from dataclasses import dataclass, field
from typing import Any

from adal_ls.wire.peer import ProtocolViolationError
from adal_ls.worker.shapes import DEPTH, OPTIONAL_TEXT, Shape, is_deeper, record, texts, typed

MOST_AGENTS = 1000
MOST_LISTED = 1000
"""Tools that are listed of one agent."""

_MOST_STEPS = 1_000_000


@dataclass(frozen=True, slots=True)
class LoadedAgent:
    """An agent of AGENTS; of what its runtime says for all of them, too. What is None was not given.

    Attributes:
        takes_context: its own tools come from a provider.
        has_providers: there is somebody to ask for tools, and to tell about the end of a run.
        has_tools: it has tools beside those that every agent has.
        enabled, disabled: built-in tools, by name or group.
    """

    id: str
    description: str | None
    model: str | None
    system_prompt: str | None
    stop_when: int
    takes_context: bool
    has_providers: bool
    has_tools: bool
    enabled: tuple[str, ...] | None = None
    disabled: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True)
class AgentListing:
    """What can be said of an agent's tools without a run: see `sdk.listing` and `sdk.context_form`.

    Attributes:
        tools: names and descriptions.
        form: as messages carry it, `{"declared", "fields"}`.
        problems: why parts of it are missing.
    """

    tools: tuple[tuple[str, str], ...] = ()
    complete: bool = False
    form: dict[str, Any] = field(default_factory=lambda: {"declared": True, "fields": []})
    problems: tuple[str, ...] = ()


def read_agents(value: object) -> tuple[LoadedAgent, ...] | None:
    """None where the project has no agents.py. Raises: ProtocolViolationError."""
    if value is None:
        return None
    listed = typed(value, list, "agents")
    if len(listed) > MOST_AGENTS:
        raise ProtocolViolationError(f"{len(listed)} agents")
    agents = tuple(_agent(item) for item in listed)
    if len({agent.id for agent in agents}) != len(agents):
        raise ProtocolViolationError("two agents of one id")
    return agents


def read_listings(value: object) -> dict[str, AgentListing]:
    """By agent. Raises: ProtocolViolationError."""
    return {typed(key, str, "agent"): _listing(item) for key, item in typed(value, dict, "listings").items()}


_AGENT: Shape = {
    "id": str,
    "description": OPTIONAL_TEXT,
    "model": OPTIONAL_TEXT,
    "system_prompt": OPTIONAL_TEXT,
    "stop_when": int,
    "takes_context": bool,
    "has_providers": bool,
    "has_tools": bool,
}


def _agent(value: object) -> LoadedAgent:
    agent = record(LoadedAgent, value, _AGENT)
    if not 0 < agent.stop_when <= _MOST_STEPS:
        raise ProtocolViolationError(f"stop_when {str(agent.stop_when)[:40]}")
    data = typed(value, dict, "agent")
    lists = [None if data.get(key) is None else texts(data[key], key) for key in ("enabled", "disabled")]
    if None not in lists:
        raise ProtocolViolationError("enabled and disabled built-in tools at once")
    return dataclasses.replace(agent, enabled=lists[0], disabled=lists[1])


def _listing(value: object) -> AgentListing:
    data = typed(value, dict, "listing")
    tools: list[tuple[str, str]] = []
    for item in typed(data.get("tools"), list, "tools")[:MOST_LISTED]:
        parts = texts(item, "tool")
        if len(parts) != 2:
            raise ProtocolViolationError(f"a tool of {len(parts)} parts")
        tools.append((parts[0], parts[1]))
    form = typed(data.get("form"), dict, "form")
    if is_deeper(form, DEPTH):
        raise ProtocolViolationError(f"a form nested more than {DEPTH} levels deep")
    try:
        text = json.dumps(form, ensure_ascii=False, allow_nan=False)
    except (ValueError, RecursionError) as fault:
        raise ProtocolViolationError(f"a form that is not JSON: {fault}") from fault
    return AgentListing(
        tuple(tools),
        complete=typed(data.get("complete"), bool, "complete"),
        form=json.loads(text.encode("utf-8", "replace")),
        problems=texts(data.get("problems"), "problems"),
    )
