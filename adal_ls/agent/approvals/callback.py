"""`can_use_tool` as the approver of a run. Whatever is not plainly an answer is a refusal."""

from __future__ import annotations

import asyncio
import copy
import inspect
from collections.abc import Callable
from typing import Any

from adal_ls.protocol.approvals import ApprovalAnswer, ApprovalRequest, ApprovalResolved, OptionKind
from adal_ls.sdk.approval import CanUseTool, PermissionContext, PermissionResult


class WrongAnswerError(Exception):
    """`can_use_tool` gave something that is no answer; the text says what."""


class CallbackApprover:
    """Asks a script's `can_use_tool`.

    Args:
        timeout: seconds an answer may take; None waits.
        arguments: gives the arguments of a question that is too large to carry them.
    """

    def __init__(self, callback: CanUseTool, timeout: float | None, arguments: Callable[[str], dict[str, Any]]) -> None:
        self._callback = callback
        self._timeout = timeout
        self._arguments = arguments

    async def ask(self, request: ApprovalRequest) -> ApprovalAnswer:
        """
        Raises:
            asyncio.TimeoutError: no answer in time.
            WrongAnswerError: no PermissionResult.
            Exception: what the callback raised.
        """
        arguments = request.arguments if request.arguments is not None else self._arguments(request.approval_id)
        # A copy: what the callback does to its arguments changes nothing; `updated_input` is the way.
        answering = self._callback(request.tool, copy.deepcopy(arguments), _context(request))
        if not inspect.isawaitable(answering):
            raise WrongAnswerError("can_use_tool must be an async function")
        try:
            answer: object = await asyncio.wait_for(_whole(answering), self._timeout)
        except asyncio.TimeoutError:
            raise asyncio.TimeoutError(f"can_use_tool did not answer within {self._timeout} seconds") from None
        if not isinstance(answer, PermissionResult) or answer.behavior not in ("allow", "deny"):
            raise WrongAnswerError(f"can_use_tool must return a PermissionResult, not {type(answer).__name__}")
        return _answer(answer, request)

    def resolved(self, resolved: ApprovalResolved) -> None:
        """The callback was cancelled with its question; nobody else need be told."""


async def _whole(answering: Any) -> object:
    return await answering


def _answer(answer: PermissionResult, request: ApprovalRequest) -> ApprovalAnswer:
    kind: OptionKind = "allow_once" if answer.behavior == "allow" else "reject_once"
    return ApprovalAnswer(
        approval_id=request.approval_id,
        args_digest=request.args_digest,
        outcome="selected",
        option_id=next(option.option_id for option in request.options if option.kind == kind),
        updated_input=dict(answer.updated_input) if answer.updated_input is not None else None,
        feedback=answer.message or None,
    )


def _context(request: ApprovalRequest) -> PermissionContext:
    shown = request.preview
    confirmation: dict[str, Any] = {}
    display = f"{request.tool} (too large to show)"
    if shown is not None:
        display = shown.text
        if shown.diff is not None:
            confirmation, display = {"type": "diff", "text": shown.diff}, shown.diff
        elif shown.command is not None:
            confirmation, display = {"type": "command", "text": shown.command, "cwd": shown.cwd}, shown.command
        else:
            confirmation = {"type": "text", "text": shown.text}
    return PermissionContext(
        tool_call_id=request.call_id,
        agent_call_id=request.run_id,
        confirmation=confirmation,
        display=display,
        risk=tuple(request.risk),
        requires_human=not any(option.kind == "allow_always" for option in request.options),
    )
