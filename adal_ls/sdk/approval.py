"""Approvals in a script: the callback that is asked before a tool runs, and what it answers."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

PermissionMode = Literal["default", "acceptEdits", "yolo"]


@dataclass(frozen=True, slots=True)
class PermissionResult:
    """The answer of `can_use_tool`: `PermissionResult.allow()` or `PermissionResult.deny("why")`."""

    behavior: Literal["allow", "deny"]
    message: str = ""
    updated_input: Mapping[str, Any] | None = None

    @staticmethod
    def allow(updated_input: Mapping[str, Any] | None = None) -> PermissionResult:
        """The call runs, with `updated_input` in place of its arguments where it is given."""
        return PermissionResult("allow", updated_input=updated_input)

    @staticmethod
    def deny(message: str = "") -> PermissionResult:
        """The call does not run; the model reads `message`."""
        return PermissionResult("deny", message)


@dataclass(frozen=True, slots=True)
class PermissionContext:
    """What is known about the call that is asked about.

    Attributes:
        tool_call_id: the call, as events name it.
        agent_call_id: the run.
        confirmation: what it is about to do, as data: `{"type": "command", "text", "cwd"}`, `{"type": "diff", "text"}`
            or `{"type": "text", "text"}`; empty where nothing can be told in advance.
        display: the same as text for a person. Characters that a terminal would hide stand as `\\u{..}`.
        risk: plain facts, such as "runs a shell command".
        requires_human: the call reaches outside what is usual (a protected path), so a program should not answer.
        reason: `prompt`: an interactive run would ask about it.
    """

    tool_call_id: str
    agent_call_id: str
    confirmation: Mapping[str, Any]
    display: str
    risk: tuple[str, ...] = ()
    requires_human: bool = False
    reason: Literal["prompt"] = "prompt"


CanUseTool = Callable[[str, dict[str, Any], PermissionContext], Awaitable[PermissionResult]]
"""`async def can_use_tool(tool_name, tool_input, ctx) -> PermissionResult`."""

CAN_USE_TOOL_TIMEOUT = 30.0
"""Seconds an answer may take; later is a denial."""
