"""Messages about approvals. A superset of the Agent Client Protocol's permission request."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from adal_ls.protocol.base import JsonObject, Message
from adal_ls.protocol.tools import Location

OptionKind = Literal["allow_once", "allow_always", "reject_once", "reject_always"]


class ApprovalOption(Message):
    option_id: str
    kind: OptionKind
    label: str
    rule: str | None = Field(default=None, description="The rule that would be remembered, verbatim.")


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


class ApprovalAnswer(Message):
    """`updated_input` replaces the arguments; the answer still echoes the digest of what was shown."""

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
