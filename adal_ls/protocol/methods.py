"""Names of the `adal/*` messages and of the commands, and who sends what. Standard library only."""

from __future__ import annotations

from typing import Literal, NamedTuple

PROTOCOL_VERSION = 1
"""Exchanged between server, host and client at start; a mismatch is refused with one clear message."""

Side = Literal["editor", "server", "host"]
Kind = Literal["request", "notification"]

# Editor → server. The server forwards run traffic to the host as it stands.
TOOLS_LIST = "adal/tools/list"
TOOLS_RELOAD = "adal/tools/reload"
TOOLS_TRY = "adal/tools/try"
AGENTS_LIST = "adal/agents/list"
AGENTS_CONTEXT_FORM = "adal/agents/contextForm"
TRUST_CHANGED = "adal/trust/changed"
RUN_START = "adal/run/start"
RUN_CANCEL = "adal/run/cancel"
RUN_PROMPT = "adal/run/prompt"
RUN_RESUME = "adal/run/resume"
RUN_FORK = "adal/run/fork"
RUN_DELETE = "adal/run/delete"
RUN_EXPORT = "adal/run/export"
RUN_LIST = "adal/run/list"
RUN_GET = "adal/run/get"
RUN_FULL_TEXT = "adal/run/fullText"
RUN_WARM = "adal/run/warm"
APPROVAL_PENDING = "adal/approval/pending"
RUN_SET_MODE = "adal/run/setMode"
APPROVAL_ARGUMENTS = "adal/approval/arguments"
GRANTS_LIST = "adal/grants/list"
GRANTS_REVOKE = "adal/grants/revoke"
DECISIONS_LIST = "adal/decisions/list"

# Server → editor.
TOOLS_CHANGED = "adal/tools/changed"
TOOLS_TRY_PROGRESS = "adal/tools/tryProgress"
STATUS = "adal/status"
RUN_UPDATE = "adal/run/update"
APPROVAL_REQUEST = "adal/approval/request"
APPROVAL_RESOLVED = "adal/approval/resolved"

# Server → host and back; an editor never sees these.
HOST_INITIALIZE = "adal/host/initialize"
HOST_LOAD = "adal/host/load"
HOST_PROJECT = "adal/host/project"
HOST_CHANGED = "adal/host/changed"

# Commands of `workspace/executeCommand`, for clients without the `adal` capability.
COMMAND_RUN_AGENT = "adal.server.runAgent"
COMMAND_CANCEL_RUN = "adal.server.cancelRun"
COMMAND_TRY_TOOL = "adal.server.tryTool"
COMMANDS = (COMMAND_RUN_AGENT, COMMAND_CANCEL_RUN, COMMAND_TRY_TOOL)


class Method(NamedTuple):
    """One line of the message table. `sender` asks or tells, `receiver` answers or hears."""

    name: str
    kind: Kind
    sender: Side
    receiver: Side
    summary: str


TABLE: tuple[Method, ...] = (
    Method(
        TOOLS_LIST,
        "request",
        "editor",
        "server",
        "The tools of every project, with schema, place, approval and problems.",
    ),
    Method(
        TOOLS_RELOAD,
        "request",
        "editor",
        "server",
        "Imports the tools of every project anew, changed or not; answers at once, `adal/tools/changed` follows.",
    ),
    Method(
        TOOLS_TRY,
        "request",
        "editor",
        "server",
        "Runs one tool with these arguments, without a model: the person who asks is the one who allows it. Answers "
        "when the tool has ended; `$/cancelRequest` stops it.",
    ),
    Method(
        AGENTS_LIST,
        "request",
        "editor",
        "server",
        "The agents of every project, and their tools as far as they are known without a run. Loads what is not yet.",
    ),
    Method(
        AGENTS_CONTEXT_FORM,
        "request",
        "editor",
        "server",
        "The form for an agent's tool context. An id that no agent has is refused with `data.code` UNKNOWN_AGENT.",
    ),
    Method(TRUST_CHANGED, "notification", "editor", "server", "The person granted or withdrew trust in the workspace."),
    Method(RUN_START, "request", "editor", "server", "Starts a run; answers at once with its id."),
    Method(
        RUN_CANCEL,
        "request",
        "editor",
        "server",
        "Cancels a run; answers at once, the run ends with `finished cancelled`.",
    ),
    Method(RUN_PROMPT, "request", "editor", "server", "A further prompt in the conversation of a run of this session."),
    Method(
        RUN_RESUME,
        "request",
        "editor",
        "server",
        "Takes an ended or interrupted run up again. What waited for an approval is asked about anew.",
    ),
    Method(RUN_FORK, "request", "editor", "server", "A new run with the beginning of another, to go on differently."),
    Method(RUN_DELETE, "request", "editor", "server", "Deletes a run with all its events; not one that is going on."),
    Method(RUN_EXPORT, "request", "editor", "server", "A run as one text: JSON with every event, or Markdown to read."),
    Method(RUN_LIST, "request", "editor", "server", "The runs of the workspace, newest first."),
    Method(RUN_GET, "request", "editor", "server", "One run and its events from a number on (replay), in pages."),
    Method(
        RUN_FULL_TEXT,
        "request",
        "editor",
        "server",
        "The whole result or the whole arguments of a call whose events carry them cut.",
    ),
    Method(
        RUN_WARM,
        "notification",
        "editor",
        "server",
        "The person looks at runs and may start one soon: the model layer is made ready in the background.",
    ),
    Method(APPROVAL_PENDING, "request", "editor", "server", "The approvals that wait for an answer (after a reload)."),
    Method(
        APPROVAL_ARGUMENTS,
        "request",
        "editor",
        "server",
        "The full arguments of an approval too large to send with it.",
    ),
    Method(
        RUN_SET_MODE,
        "request",
        "editor",
        "server",
        "Switches the permission mode of a run that is going on. Questions that wait go on waiting.",
    ),
    Method(GRANTS_LIST, "request", "editor", "server", "The remembered approvals that count here, oldest first."),
    Method(GRANTS_REVOKE, "request", "editor", "server", "Forgets a remembered approval; the next call asks again."),
    Method(DECISIONS_LIST, "request", "editor", "server", "The decision log: who allowed or denied a call, and why."),
    Method(
        TOOLS_CHANGED, "notification", "server", "editor", "A project's tools are others than before; list them again."
    ),
    Method(TOOLS_TRY_PROGRESS, "notification", "server", "editor", "What a tool that is being tried prints or yields."),
    Method(STATUS, "notification", "server", "editor", "Health of the server and whether background work goes on."),
    Method(RUN_UPDATE, "notification", "server", "editor", "One event of a run, numbered without gaps."),
    Method(APPROVAL_REQUEST, "request", "server", "editor", "Asks the person whether one call may run as shown."),
    Method(APPROVAL_RESOLVED, "notification", "server", "editor", "An approval needs no answer any more."),
    Method(HOST_INITIALIZE, "request", "server", "host", "First message to the host: versions, folders, settings."),
    Method(HOST_LOAD, "request", "server", "host", "Loads (or reloads) a trusted project's tools in a worker."),
    Method(HOST_PROJECT, "notification", "host", "server", "A project's tools as loaded, or why they could not be."),
    Method(
        HOST_CHANGED,
        "notification",
        "host",
        "server",
        "Something happened to files of loaded projects, for a server whose client cannot watch.",
    ),
)
