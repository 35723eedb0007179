"""Messages about agents and the context that their tools are made from."""

from __future__ import annotations

from typing import Literal

from pydantic import Field, JsonValue

from adal_ls.protocol.base import JsonObject, Message


class AgentTool(Message):
    """A tool of an agent as far as it is known without a run."""

    name: str
    description: str = ""


class AgentInfo(Message):
    """An agent of `.adal/agents.py`; `default` where there is no such file."""

    id: str
    description: str | None = None
    model: str | None = Field(default=None, description="Absent: the person's model is used.")
    tool_context: bool = Field(description="Its tools come from a provider, which is given the run's `toolContext`.")
    project_root: str
    tools: list[AgentTool] | None = Field(
        default=None, description="Those of its own and of its runtime, beside the ones that every agent has."
    )
    complete: bool | None = Field(
        default=None, description="False: there may be more tools, or others. A provider need not be able to list."
    )
    problems: list[str] = Field(default_factory=list, description="Why its tools or its form are not known.")


class AgentsListParams(Message):
    """All projects; narrowed to one by `project_root`."""

    project_root: str | None = None


class AgentsFailure(Message):
    project_root: str
    message: str


class AgentsListResult(Message):
    agents: list[AgentInfo]
    errors: list[AgentsFailure] = Field(
        default_factory=list, description="Why the newest agents of a project are not there; what is listed still runs."
    )


class ContextFormParams(Message):
    agent: str
    project_root: str | None = None


class ContextField(Message):
    """One field of a form. With a `default` it counts as required: the default is in it until somebody takes it out."""

    name: str
    kind: Literal["string", "number", "boolean", "json"]
    required: bool
    description: str | None = None
    options: list[JsonValue] | None = Field(default=None, description="What may be chosen.")
    default: JsonValue | None = None
    json_type: JsonObject | None = Field(default=None, description="The shape of a `json` field, for people.")


class ContextForm(Message):
    """`declared` without fields is a box for JSON; not declared, no tool context is sent."""

    declared: bool
    fields: list[ContextField]
