"""Asking a person about one call: what may be answered, what an answer means, and what waits for one.

Fails closed: whatever is not exactly an answer to the question that was asked is a refusal, with a reason the model
sees.
"""

from __future__ import annotations

import asyncio
import logging
from dataclasses import dataclass, field
from typing import Any, Protocol
from uuid import uuid4

from adal_ls.agent.digest import canonical
from adal_ls.protocol.approvals import (
    ApprovalAnswer,
    ApprovalOption,
    ApprovalRequest,
    ApprovalResolved,
    OptionKind,
    Preview,
)
from adal_ls.protocol.tools import Location

MAX_INLINE_ARGUMENTS = 256 * 1024
"""Bytes of arguments JSON that travel with the question; larger ones are fetched by `adal/approval/arguments`."""

ALLOW_ONCE = ApprovalOption(option_id="allow_once", kind="allow_once", label="Allow once")
REJECT_ONCE = ApprovalOption(option_id="reject_once", kind="reject_once", label="Deny")

_log = logging.getLogger(__name__)


class Approver(Protocol):
    """The person's side: an editor, a terminal, a callback."""

    async def ask(self, request: ApprovalRequest) -> ApprovalAnswer:
        """Waits for the answer. Cancelled when none is needed any more; anything raised is a refusal."""
        ...

    def resolved(self, resolved: ApprovalResolved) -> None:
        """The question needs no answer any more (after an answer, too)."""
        ...


@dataclass(frozen=True, slots=True)
class Question:
    """One call that must be asked about."""

    run_id: str
    call_id: str
    tool: str
    arguments: dict[str, Any]
    args_digest: str
    input_schema: dict[str, Any]
    preview: Preview | None
    source: Location | None = None
    risk: tuple[str, ...] = ()
    grantable: bool = True


@dataclass(frozen=True, slots=True)
class Answer:
    """What was decided. `reason` is for the model where the call was refused."""

    allowed: bool
    decided_by: str
    option_kind: OptionKind | None = None
    reason: str | None = None
    feedback: str | None = None
    updated_input: dict[str, Any] | None = None

    @property
    def rejected_by_person(self) -> bool:
        return not self.allowed and self.decided_by == "person"


@dataclass(slots=True)
class _Pending:
    request: ApprovalRequest
    arguments: dict[str, Any]
    granted: asyncio.Event = field(default_factory=asyncio.Event)


class Approvals:
    """The questions that wait, and the grants of this session (the life of the process).

    Each question is its own entry with its own answer; two are never merged, however alike. Only a grant settles
    others: those that wait for the very same call.
    """

    def __init__(self, approver: Approver | None) -> None:
        self._approver = approver
        self._pending: dict[str, _Pending] = {}
        self._granted: set[tuple[str, str]] = set()

    def is_granted(self, tool: str, args_digest: str) -> bool:
        """Whether the person allowed this very call for the session. The digest covers folder and tool source."""
        return (tool, args_digest) in self._granted

    def pending(self) -> list[ApprovalRequest]:
        """The questions that wait, oldest first, with the ids under which they were asked."""
        return [entry.request for entry in self._pending.values()]

    def arguments(self, approval_id: str) -> dict[str, Any]:
        """The complete arguments of a waiting question.

        Raises:
            KeyError: nothing of that id waits.
        """
        return self._pending[approval_id].arguments

    async def ask(self, question: Question) -> Answer:
        """Asks and waits, as long as it takes. Cancelled: the question is withdrawn from the person at once."""
        if self._approver is None:
            return _refused("no approver", "nobody could be asked: there is no approver in this session")
        try:
            request = _request(question)
        except (TypeError, ValueError) as fault:
            return _refused("unrenderable", f"the call cannot be shown to a person: {fault}")
        entry = _Pending(request, question.arguments)
        self._pending[request.approval_id] = entry
        outcome: str = "cancelled"
        try:
            answer, outcome = await self._wait(self._approver, entry, question)
        finally:
            del self._pending[request.approval_id]
            self._tell(self._approver, request.approval_id, outcome)
        # Edited arguments are allowed for this once: the rule that was shown speaks of the arguments that were shown.
        if answer.option_kind == "allow_always" and answer.updated_input is None:
            self._grant(question)
        return answer

    async def _wait(self, approver: Approver, entry: _Pending, question: Question) -> tuple[Answer, str]:
        asking = asyncio.ensure_future(approver.ask(entry.request))
        granted = asyncio.ensure_future(entry.granted.wait())
        try:
            await asyncio.wait({asking, granted}, return_when=asyncio.FIRST_COMPLETED)
            if not asking.done():
                return Answer(allowed=True, decided_by="grant"), "withdrawn"
            return self._judge(asking, entry.request, question), "answered"
        finally:
            asking.cancel()
            granted.cancel()
            # Bounded, because a cancel must reach everything else as well; `_seen`, so that nothing warns later.
            asking.add_done_callback(_seen)
            await asyncio.wait({asking, granted}, timeout=0.1)

    def _judge(self, asking: asyncio.Future[ApprovalAnswer], request: ApprovalRequest, question: Question) -> Answer:
        if asking.cancelled():
            return _refused("no answer", "the question was closed without an answer")
        fault = asking.exception()
        if isinstance(fault, asyncio.TimeoutError | TimeoutError):
            return _refused("time-out", "nobody answered in time")
        if fault is not None:
            _log.warning("asking about %s failed", question.tool, exc_info=fault)
            return _refused("approver failed", f"asking failed: {type(fault).__name__}: {fault}")
        return read_answer(asking.result(), request)

    def _grant(self, question: Question) -> None:
        self._granted.add((question.tool, question.args_digest))
        for entry in self._pending.values():
            if (entry.request.tool, entry.request.args_digest) == (question.tool, question.args_digest) and any(
                option.kind == "allow_always" for option in entry.request.options
            ):
                entry.granted.set()

    def _tell(self, approver: Approver, approval_id: str, outcome: str) -> None:
        try:
            approver.resolved(ApprovalResolved.model_validate({"approvalId": approval_id, "reason": outcome}))
        except Exception:  # noqa: BLE001 - the person's side must not change what was decided
            _log.exception("telling the approver that %s is resolved failed", approval_id)


def read_answer(given: object, request: ApprovalRequest) -> Answer:
    """What an answer means, if it is one: of the right type, to this question, with an option that was offered."""
    if not isinstance(given, ApprovalAnswer):
        return _refused("wrong answer", f"the approver answered with {type(given).__name__}, not with an answer")
    if given.approval_id != request.approval_id:
        return _refused("wrong answer", "the answer belongs to another question")
    if given.args_digest != request.args_digest:
        return _refused("wrong digest", "the answer is for other arguments than the ones shown")
    if given.outcome == "cancelled":
        return _refused("no answer", "the question was closed without an answer", given.feedback)
    option = next((offered for offered in request.options if offered.option_id == given.option_id), None)
    if option is None:
        return _refused("wrong answer", f"the answer chose '{given.option_id}', which was not offered")
    if option.kind in ("allow_once", "allow_always"):
        return Answer(True, "person", option.kind, feedback=given.feedback, updated_input=given.updated_input)
    return Answer(False, "person", option.kind, "denied by the user", given.feedback)


def _seen(asking: asyncio.Future[ApprovalAnswer]) -> None:
    if not asking.cancelled():
        asking.exception()


def _refused(decided_by: str, reason: str, feedback: str | None = None) -> Answer:
    return Answer(allowed=False, decided_by=decided_by, reason=reason, feedback=feedback)


def _request(question: Question) -> ApprovalRequest:
    text = canonical(question.arguments)
    inline = len(text) <= MAX_INLINE_ARGUMENTS
    options = [ALLOW_ONCE, REJECT_ONCE]
    if question.grantable:
        rule = f"{question.tool} with exactly these arguments, unchanged code, until this session ends"
        always = ApprovalOption(
            option_id="allow_always_session",
            kind="allow_always",
            label="Always allow with these arguments (this session)",
            rule=rule,
        )
        options.insert(1, always)
    return ApprovalRequest(
        approval_id=uuid4().hex,
        run_id=question.run_id,
        call_id=question.call_id,
        tool=question.tool,
        arguments=question.arguments if inline else None,
        arguments_size=None if inline else len(text),
        args_digest=question.args_digest,
        options=options,
        preview=question.preview if inline else None,
        source=question.source,
        input_schema=question.input_schema,
        risk=list(question.risk),
    )
