"""Messages about runs: start, cancel, replay, and the events of a run."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, JsonValue

from adal_ls.protocol.base import JsonObject, Message

PermissionMode = Literal["default", "acceptEdits", "yolo"]
StopReason = Literal["end_turn", "cancelled", "limit", "error"]
ToolStatus = Literal["success", "error", "cancelled"]
"""How a call ended; a denied one is `cancelled`."""


class RunStartParams(Message):
    prompt: str
    project_root: str | None = None
    agent: str | None = None
    model: str | None = None
    permission_mode: PermissionMode | None = None
    tool_context: JsonValue | None = None
    system_prompt: str | None = Field(
        default=None, description="In place of the usual one; the instructions of the workspace follow it all the same."
    )
    scope: str | None = Field(
        default=None,
        description="Memory scope: the conversation that the run continues, of all runs with this scope or of the run "
        "with this id. The run's own id when omitted or blank.",
    )
    enabled_default_tools: list[str] | None = Field(default=None, description="Names or groups; only these built-ins.")
    disabled_default_tools: list[str] | None = Field(
        default=None, description="Names or groups; all built-ins but these."
    )

    max_steps: int | None = Field(default=None, ge=1, description="Model requests of one episode; 20 when omitted.")
    max_seconds: float | None = Field(
        default=None, gt=0, description="Seconds of one episode, those in which approvals wait for a person left out."
    )
    max_cost: float | None = Field(default=None, gt=0, description="US dollars of one episode.")


class RunStarted(Message):
    run_id: str


class RunPromptParams(Message):
    """A further prompt in the same conversation. While the run is going on, the model hears it at its next request."""

    run_id: str
    prompt: str
    tool_context: JsonValue | None = None
    model: str | None = Field(default=None, description="From here on; the run's own when omitted.")
    permission_mode: PermissionMode | None = Field(default=None, description="From here on.")


class RunResumeParams(Message):
    """Takes an ended or interrupted run up again, also one of an earlier session. Without a prompt it just goes on."""

    run_id: str
    prompt: str | None = None
    tool_context: JsonValue | None = None
    model: str | None = Field(default=None, description="From here on; the run's own when omitted.")
    permission_mode: PermissionMode | None = Field(default=None, description="From here on.")
    max_steps: int | None = Field(default=None, ge=1, description="From here on, as the other limits.")
    max_seconds: float | None = Field(default=None, gt=0)
    max_cost: float | None = Field(default=None, gt=0)


class RunForkParams(Message):
    """A new run with the beginning of another: everything before event `before_seq`, or all of it."""

    run_id: str
    before_seq: int | None = None


class RunDeleteParams(Message):
    run_id: str


class RunExportParams(Message):
    """A long text comes in parts."""

    run_id: str
    format: Literal["json", "markdown"] = "markdown"
    offset: int = Field(default=0, ge=0, description="`next` of the part before.")


class RunExportResult(Message):
    text: str = Field(description="Up to 100,000 characters.")
    next: int | None = Field(default=None, description="Where the next part begins; absent at the end.")


class RunListParams(Message):
    """Runs, newest first: those that match, or all."""

    query: str | None = Field(default=None, description="Words of which each must occur in the title or a prompt.")
    project_root: str | None = None
    limit: int = Field(default=1000, ge=1, description="At most so many; 1,000 is the most there are in one answer.")


class RunWarmParams(Message):
    model: str | None = Field(default=None, description="The model that is chosen; the setting's when omitted.")


class RunFullTextParams(Message):
    """What of a call was cut in its events: its result, or its arguments as JSON. Long texts come in parts."""

    run_id: str
    call_id: str
    of: Literal["result", "arguments"] = "result"
    offset: int = Field(default=0, ge=0, description="Characters to leave out at the beginning.")


class RunFullTextResult(Message):
    text: str = Field(description="Up to 100,000 characters.")
    total: int = Field(description="Characters of the whole text.")


class RunCancelParams(Message):
    run_id: str


class RunSetModeParams(Message):
    run_id: str
    mode: PermissionMode


class Usage(Message):
    input_tokens: int
    output_tokens: int
    cost: float | None = Field(default=None, description="US dollars; absent where the price is unknown.")


class PromptEvent(Message):
    """What the person asked; the first event of an episode."""

    type: Literal["prompt"] = "prompt"
    text: str


class EpisodeEvent(Message):
    """Who answers the prompt; each prompt and each resume is an episode of its own."""

    type: Literal["episode"] = "episode"
    agent: str
    agent_call_id: str = Field(description="Of this episode, never used again; providers know it by this id.")
    memory_scope: str
    model: str


class TextEvent(Message):
    type: Literal["text"] = "text"
    delta: str


class ToolCallEvent(Message):
    """A call the model made, and each change of its state (the statuses are ACP's)."""

    type: Literal["toolCall"] = "toolCall"
    call_id: str
    tool: str
    arguments: JsonObject
    arguments_cut: bool | None = Field(
        default=None, description="Texts in the arguments are cut; `adal/run/fullText` has them whole."
    )
    status: Literal["pending", "in_progress", "completed", "failed"]


class ToolProgressEvent(Message):
    """Text printed or yielded by a tool while it runs."""

    type: Literal["toolProgress"] = "toolProgress"
    call_id: str
    text: str


class ToolResultEvent(Message):
    """The one result of a call. `observation` is exactly what the model sees."""

    type: Literal["toolResult"] = "toolResult"
    call_id: str
    tool: str
    status: ToolStatus
    observation: str
    display: str | None = None
    printed: str | None = Field(default=None, description="What the tool printed; the model never sees it.")
    duration_ms: float = Field(description="Milliseconds in the tool, without the wait for an approval; 0: not run.")
    trace: str | None = Field(
        default=None,
        description="Where in the project's own code the tool failed; for the person, never for the model.",
    )


class UsageEvent(Usage):
    type: Literal["usage"] = "usage"


class StateEvent(Message):
    type: Literal["state"] = "state"
    state: Literal["running", "waiting_approval", "cancelling"]


class DecisionEvent(Message):
    """Who or what decided about a call; the decision log is made of these."""

    type: Literal["decision"] = "decision"
    call_id: str
    tool: str
    args_digest: str
    decision: Literal["allow", "deny"]
    decided_by: str = Field(description="person, mode, policy, require_approval, grant or the reason nobody was asked.")
    option_kind: str | None = None
    reason: str | None = None
    mode: PermissionMode | None = Field(default=None, description="The permission mode at that moment.")
    rule: str | None = Field(default=None, description="The remembered answer that decided, or that began here.")
    edited: bool | None = Field(default=None, description="The person edited the arguments; the digest is of those.")
    waited_ms: float | None = Field(default=None, description="How long the question was open; absent: not asked.")
    project_root: str | None = None


class ModeEvent(Message):
    """The run's permission mode from here on; a run begins in `default` where nothing else is told."""

    type: Literal["mode"] = "mode"
    mode: PermissionMode


class Todo(Message):
    content: str
    status: Literal["pending", "in_progress", "completed"]


class TodosEvent(Message):
    """The list of what the run still has to do, whole, as the model has just written it."""

    type: Literal["todos"] = "todos"
    todos: list[Todo]


class NoticeEvent(Message):
    """Something the person should know that is no error, such as custom tools that could not be loaded."""

    type: Literal["notice"] = "notice"
    text: str


class ErrorEvent(Message):
    type: Literal["error"] = "error"
    code: str
    message: str
    trace: str | None = Field(
        default=None, description="Where in the project's own code a provider failed; for the person."
    )


class FinishedEvent(Message):
    """The last event of an episode."""

    type: Literal["finished"] = "finished"
    stop_reason: StopReason
    answer: str | None = None
    interrupted: bool | None = Field(
        default=None,
        description="True where the editor went away: nobody stopped the run, and it can be resumed. Calls that waited "
        "for an answer have no result yet; they are asked about anew.",
    )


Event = Annotated[
    PromptEvent
    | EpisodeEvent
    | TextEvent
    | ToolCallEvent
    | ToolProgressEvent
    | ToolResultEvent
    | UsageEvent
    | StateEvent
    | DecisionEvent
    | TodosEvent
    | ModeEvent
    | NoticeEvent
    | ErrorEvent
    | FinishedEvent,
    Field(discriminator="type"),
]


class RunUpdate(Message):
    run_id: str
    seq: int = Field(description="Counts the run's events from 1 without gaps.")
    event: Event


class Run(Message):
    run_id: str
    title: str
    agent: str = "default"
    model: str
    state: Literal["running", "waiting_approval", "finished", "interrupted"]
    created: str = Field(description="ISO 8601, UTC.")
    updated: str
    usage: Usage | None = None
    stop_reason: StopReason | None = Field(default=None, description="How it ended; absent until it is finished.")
    project_root: str | None = None
    forked_from: str | None = Field(default=None, description="The run whose beginning it has.")


class RunListResult(Message):
    runs: list[Run]


class RunGetParams(Message):
    """One run with its events in their order. Those of a long run come in pages."""

    run_id: str
    from_seq: int = 1


class RunGetResult(Message):
    run: Run
    events: list[RunUpdate]
    more: bool | None = Field(
        default=None, description="Further events are there: ask again, from the number after the last of these."
    )
