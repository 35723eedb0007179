"""Asking a person about one call: what waits for an answer, and what an answer that is remembered settles."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Protocol
from uuid import uuid4

from adal_ls.agent.approvals.answers import Answer, problem_with, read_answer, refused
from adal_ls.agent.approvals.digest import canonical
from adal_ls.agent.approvals.grants import Grant, Grants, GrantsError
from adal_ls.agent.approvals.options import Choice, options_of
from adal_ls.agent.approvals.rules import Call, Rule, offered
from adal_ls.protocol.approvals import ApprovalAnswer, ApprovalRequest, ApprovalResolved, Preview
from adal_ls.protocol.tools import Location

MAX_INLINE_ARGUMENTS = 256 * 1024
"""Bytes of arguments JSON that travel with the question; larger ones are fetched by `adal/approval/arguments`."""

MAX_CORRECTIONS = 20
"""How often a person may edit arguments so that the tool does not take them; then the call is refused."""

_log = logging.getLogger(__name__)


class NobodyThereError(Exception):
    """Raised by an approver that no person stands behind: the call is refused as if there were no approver."""


class Approver(Protocol):
    """The person's side: an editor, a terminal, a callback.

    One with an attribute `corrects` that is true is asked once more, under the same id and with the problem told, when
    its edited arguments are none that the tool takes. Without it such an answer is a refusal.
    """

    async def ask(self, request: ApprovalRequest) -> ApprovalAnswer:
        """Waits for the answer. Cancelled when none is needed any more; anything raised is a refusal."""
        ...

    def resolved(self, resolved: ApprovalResolved) -> None:
        """The question needs no answer any more (after an answer, too)."""
        ...


@dataclass(frozen=True, slots=True)
class Question:
    """One call that must be asked about. `tell` gets what the person should know about remembered answers."""

    run_id: str
    call_id: str
    call: Call
    input_schema: Mapping[str, Any]
    preview: Preview | None
    source: Location | None = None
    risk: tuple[str, ...] = ()
    grantable: bool = True
    tell: Callable[[str], None] = _log.warning


@dataclass(slots=True)
class _Pending:
    question: Question
    request: ApprovalRequest
    choices: Mapping[str, Choice]
    grant: Grant | None = None
    granted: asyncio.Event = field(default_factory=asyncio.Event)


class Approvals:
    """The questions that wait, and the answers that are remembered.

    Each question is its own entry with its own answer; two are never merged, however alike. Only a remembered answer
    settles others: those that its rule covers.
    """

    def __init__(self, approver: Approver | None, grants: Grants | None = None) -> None:
        """`grants` are those that count; without them answers are remembered for this session at most."""
        self._approver = approver
        self._grants = grants or Grants(stored=False)
        self._pending: dict[str, _Pending] = {}
        self._rejected: set[str] = set()

    def granted(self, call: Call, tell: Callable[[str], None] = _log.warning) -> Grant | None:
        """The remembered answer that allows this call. `tell` hears of stored ones that cannot be trusted."""
        return self._grants.find(call, tell)

    def is_rejected(self, call: Call) -> bool:
        """Whether the person denied this very call for the rest of the session."""
        return _identity(call) in self._rejected

    def pending(self) -> list[ApprovalRequest]:
        """The questions that wait, oldest first, with the ids under which they were asked."""
        return [entry.request for entry in self._pending.values()]

    def arguments(self, approval_id: str) -> dict[str, Any]:
        """The complete arguments of a waiting question.

        Raises:
            KeyError: nothing of that id waits.
        """
        return dict(self._pending[approval_id].question.call.arguments)

    async def ask(self, question: Question) -> Answer:
        """Asks and waits, as long as it takes. Cancelled: the question is withdrawn from the person at once."""
        if self._approver is None:
            return _nobody()
        try:
            entry = self._entry(question)
        except (TypeError, ValueError) as fault:
            return refused("unrenderable", f"the call cannot be shown to a person: {fault}")
        approval_id = entry.request.approval_id
        self._pending[approval_id] = entry
        outcome: str = "cancelled"
        try:
            answer, outcome = await self._wait(self._approver, entry)
        finally:
            del self._pending[approval_id]
            self._tell(self._approver, approval_id, outcome)
        return self._remember(answer, entry)

    def _entry(self, question: Question) -> _Pending:
        call = question.call
        text = canonical(call.arguments)
        inline = len(text) <= MAX_INLINE_ARGUMENTS
        rules: Sequence[Rule] = offered(call, text) if question.grantable and call.source_digest else ()
        options, choices = options_of(call.tool, rules, self._grants.lives)
        request = ApprovalRequest(
            approval_id=uuid4().hex,
            run_id=question.run_id,
            call_id=question.call_id,
            tool=call.tool,
            arguments=dict(call.arguments) if inline else None,
            arguments_size=None if inline else len(text),
            args_digest=call.digest,
            options=options,
            preview=question.preview if inline else None,
            source=question.source,
            input_schema=dict(question.input_schema),
            risk=list(question.risk),
        )
        return _Pending(question, request, choices)

    async def _wait(self, approver: Approver, entry: _Pending) -> tuple[Answer, str]:
        for _ in range(MAX_CORRECTIONS):
            answer, outcome = await self._answer(approver, entry)
            if not answer.allowed or answer.updated_input is None:
                return answer, outcome
            problem = problem_with(answer.updated_input, entry.question.input_schema)
            if problem is None:
                return answer, outcome
            if getattr(approver, "corrects", False) is not True:
                return refused("wrong answer", f"the edited arguments are none that the tool takes: {problem}"), outcome
            entry.request = entry.request.model_copy(update={"problem": problem})
        return refused("wrong answer", f"the arguments were edited {MAX_CORRECTIONS} times and never right"), outcome

    async def _answer(self, approver: Approver, entry: _Pending) -> tuple[Answer, str]:
        asking = asyncio.ensure_future(approver.ask(entry.request))
        granted = asyncio.ensure_future(entry.granted.wait())
        try:
            await asyncio.wait({asking, granted}, return_when=asyncio.FIRST_COMPLETED)
            if not asking.done() and entry.grant is not None:
                return by_grant(entry.grant), "withdrawn"
            return self._judge(asking, entry), "answered"
        finally:
            asking.cancel()
            granted.cancel()
            # Bounded, because a cancel must reach everything else as well; `_seen`, so that nothing warns later.
            asking.add_done_callback(_seen)
            await asyncio.wait({asking, granted}, timeout=0.1)

    def _judge(self, asking: asyncio.Future[ApprovalAnswer], entry: _Pending) -> Answer:
        if asking.cancelled():
            return refused("no answer", "the question was closed without an answer")
        fault = asking.exception()
        if isinstance(fault, asyncio.TimeoutError | TimeoutError):
            return refused("time-out", "nobody answered in time")
        if isinstance(fault, NobodyThereError):
            return _nobody()
        if fault is not None:
            _log.warning("asking about %s failed", entry.request.tool, exc_info=fault)
            return refused("approver failed", f"asking failed: {type(fault).__name__}: {fault}")
        return read_answer(asking.result(), entry.request)

    def _remember(self, answer: Answer, entry: _Pending) -> Answer:
        """The answer with the rule that is remembered from now on, if it is one that is."""
        call = entry.question.call
        if answer.option_kind == "reject_always":
            self._rejected.add(_identity(call))
        choice = entry.choices.get(answer.option_id or "")
        # Edited arguments are allowed for this once: the rule that was shown speaks of the arguments that were shown.
        if not answer.allowed or choice is None or answer.updated_input is not None:
            return answer
        grant = Grant(call.tool, choice.rule, call.source_digest, str(call.workspace), choice.life)
        try:
            self._grants.add(grant)
        except GrantsError as fault:
            entry.question.tell(f"The call is allowed this once. {fault}")
            return answer
        for waiting in self._pending.values():
            if waiting.question.grantable and grant.allows(waiting.question.call):
                waiting.grant = grant
                waiting.granted.set()
        return replace(answer, rule=_rule(grant))

    def _tell(self, approver: Approver, approval_id: str, outcome: str) -> None:
        try:
            approver.resolved(ApprovalResolved.model_validate({"approvalId": approval_id, "reason": outcome}))
        except Exception:  # noqa: BLE001 - the person's side must not change what was decided
            _log.exception("telling the approver that %s is resolved failed", approval_id)


def _nobody() -> Answer:
    return refused("no approver", "nobody could be asked: there is no approver in this session")


def by_grant(grant: Grant) -> Answer:
    """The answer that a remembered one gives."""
    rule = _rule(grant)
    return Answer(allowed=True, decided_by="grant", reason=f"remembered: {rule}", rule=rule)


def _rule(grant: Grant) -> str:
    return f"{grant.rule.text(grant.tool)} (this {grant.life})"


def _identity(call: Call) -> str:
    return canonical([str(call.workspace), call.tool, dict(call.arguments)])


def _seen(asking: asyncio.Future[ApprovalAnswer]) -> None:
    if not asking.cancelled():
        asking.exception()
