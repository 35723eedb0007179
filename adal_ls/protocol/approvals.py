"""Messages about approvals. A superset of the Agent Client Protocol's permission request."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from adal_ls.protocol.base import JsonObject, Message
from adal_ls.protocol.tools import Location

OptionKind = Literal["allow_once", "allow_always", "reject_once", "reject_always"]
Covers = Literal["arguments", "pattern", "tool"]
"""What a remembered answer covers: the very same arguments, a pattern of them, every call of the tool."""
Life = Literal["session", "workspace"]
"""How long a remembered answer holds: while this process lives, or in this workspace until it is revoked."""


class ApprovalOption(Message):
    option_id: str
    kind: OptionKind
    label: str
    rule: str | None = Field(default=None, description="The rule that would be remembered, verbatim.")
    covers: Covers | None = Field(default=None, description="What is remembered; absent where nothing is.")
    life: Life | None = Field(default=None, description="How long it is remembered; absent where nothing is.")


class Preview(Message):
    """What the call is about to do, in words a person can check. Control and bidi characters stand as `\\u{..}`."""

    text: str
    command: str | None = None
    cwd: str | None = None
    diff: str | None = None


class ApprovalRequest(Message):
    """`arguments` are complete, or absent when large: then `adal/approval/arguments` gives them."""

    approval_id: str
    run_id: str
    call_id: str
    tool: str
    arguments: JsonObject | None = None
    arguments_size: int | None = Field(default=None, description="Bytes of the arguments' JSON where they are absent.")
    args_digest: str = Field(description="sha256 of the canonical JSON of tool, arguments, folder and source digest.")
    options: list[ApprovalOption]
    preview: Preview | None = None
    source: Location | None = None
    input_schema: JsonObject | None = None
    risk: list[str] = Field(default_factory=list, description="Plain facts, such as 'runs a shell command'.")
    problem: str | None = Field(
        default=None,
        description="Asked once more under the same id: what was wrong with the edited arguments of the answer before.",
    )


class ApprovalAnswer(Message):
    """`updated_input` replaces the arguments; the answer still echoes the digest of what was shown.

    It must fit the tool's schema: otherwise nothing runs, and the question comes again with the `problem`. Edited
    arguments are allowed for this once, whatever option was chosen.
    """

    approval_id: str
    args_digest: str
    outcome: Literal["selected", "cancelled"]
    option_id: str | None = None
    updated_input: JsonObject | None = None
    feedback: str | None = None


class ApprovalResolved(Message):
    approval_id: str
    reason: Literal["answered", "withdrawn", "cancelled"]


class ApprovalPendingResult(Message):
    approvals: list[ApprovalRequest]


class ApprovalArgumentsParams(Message):
    approval_id: str


class ApprovalArgumentsResult(Message):
    arguments: JsonObject


class Grant(Message):
    """A remembered answer. It counts while the tool's code is what it was when the person chose it."""

    grant_id: str
    tool: str
    rule: str = Field(description="What it covers, verbatim as the person chose it.")
    covers: Covers
    scope: Life
    project_root: str
    arguments: str | None = Field(default=None, description="JSON of the arguments, cut; where it covers only those.")
    created: str = Field(description="ISO 8601, UTC.")


class GrantsListParams(Message):
    project_root: str | None = Field(default=None, description="Only those of this folder; else of all open ones.")


class GrantsListResult(Message):
    grants: list[Grant]


class GrantsRevokeParams(Message):
    grant_id: str


class Decision(Message):
    """One line of the decision log: who or what decided about a call, why, and by which rule."""

    time: str = Field(description="ISO 8601, UTC.")
    run_id: str
    seq: int = Field(description="The number of the decision among the run's events.")
    call_id: str
    tool: str
    args_digest: str
    arguments: JsonObject | None = Field(
        default=None,
        description="What was decided about; edited ones as edited. Absent where newer ones fill the message.",
    )
    decision: Literal["allow", "deny"]
    decided_by: str
    option_kind: str | None = None
    mode: str | None = None
    rule: str | None = None
    edited: bool | None = None
    reason: str | None = None
    waited_ms: float | None = None
    project_root: str | None = None


class DecisionsListParams(Message):
    project_root: str | None = None
    run_id: str | None = None
    limit: int = Field(default=200, ge=1, le=1000)


class DecisionsListResult(Message):
    """Newest first."""

    decisions: list[Decision]
