"""What a run tells while it goes on."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

ToolStatus = Literal["success", "error", "cancelled"]
StopReason = Literal["end_turn", "limit"]


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens of a run; `cost` in US dollars, None where a price is not known."""

    input_tokens: int = 0
    output_tokens: int = 0
    cost: float | None = None


@dataclass(frozen=True, slots=True)
class AgentStarted:
    """The first event of a run."""

    agent_id: str
    agent_call_id: str
    memory_scope: str
    type: Literal["agent_started"] = field(default="agent_started", init=False)


@dataclass(frozen=True, slots=True)
class AgentTextDelta:
    delta: str
    type: Literal["agent_text_delta"] = field(default="agent_text_delta", init=False)


@dataclass(frozen=True, slots=True)
class AgentToolCall:
    """The model calls a tool; whether it runs is yet to be decided."""

    call_id: str
    tool: str
    arguments: dict[str, Any]
    type: Literal["agent_tool_call"] = field(default="agent_tool_call", init=False)


@dataclass(frozen=True, slots=True)
class AgentToolResult:
    """What a call gave: first what it yields, each `preliminary`, then its one result.

    `observation` is what the model reads, `output` the data, `display` short text for the person, `trace` the place in
    the tool's code where it failed.
    """

    call_id: str
    tool: str
    status: ToolStatus
    observation: str
    output: Any = None
    display: str | None = None
    trace: str | None = None
    preliminary: bool = False
    type: Literal["agent_tool_result"] = field(default="agent_tool_result", init=False)


@dataclass(frozen=True, slots=True)
class AgentWarning:
    """Something to know that is no error, such as a tool that was left out."""

    text: str
    type: Literal["agent_warning"] = field(default="agent_warning", init=False)


@dataclass(frozen=True, slots=True)
class AgentFinished:
    """The last event of a good run. `limit`: it was stopped before the model had done."""

    text: str
    stop_reason: StopReason
    usage: Usage
    type: Literal["agent_finished"] = field(default="agent_finished", init=False)


@dataclass(frozen=True, slots=True)
class AgentFailed:
    """The last event of a run that failed or was cancelled; `code` is the error's."""

    code: str
    message: str
    type: Literal["agent_failed"] = field(default="agent_failed", init=False)


AgentEvent = (
    AgentStarted | AgentTextDelta | AgentToolCall | AgentToolResult | AgentWarning | AgentFinished | AgentFailed
)
