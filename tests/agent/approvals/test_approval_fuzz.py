"""Whatever comes back for a question: nothing runs but what an exact answer to it allowed, exactly as shown."""

from __future__ import annotations

import asyncio
import copy
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pydantic import ValidationError

from adal_ls.agent import executor, gate
from adal_ls.agent.approvals.approval import Approvals
from adal_ls.agent.gate import GateContext
from adal_ls.agent.models.assembly import ModelCall
from adal_ls.agent.runs.registry import build_registry
from adal_ls.protocol.approvals import ApprovalAnswer, ApprovalRequest, ApprovalResolved
from adal_ls.protocol.runs import DecisionEvent, Event

_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=6,
)
_EDITED = (
    st.none()
    | st.just({"command": "half \ud800"})
    | st.dictionaries(st.sampled_from(["command", "x", ""]), _JSON, max_size=2)
)


PLANS = st.lists(
    st.tuples(st.integers(0, 8), st.integers(0, 99), st.integers(0, 99), st.booleans(), _JSON, _EDITED), max_size=24
)
Plan = tuple[int, int, int, bool, Any, Any]


def wire_answer(plan: Plan, request: ApprovalRequest, others: list[ApprovalRequest]) -> object:
    """An answer as it may come over the wire: right, wrong in one field, for another question, or anything at all."""
    kind, one, two, flag, value, edited = plan
    exact: dict[str, Any] = {
        "approvalId": request.approval_id,
        "argsDigest": request.args_digest,
        "outcome": "selected",
        "optionId": request.options[one % len(request.options)].option_id,
    }
    field = list(exact)[two % len(exact)]
    other = others[two % len(others)]
    return [
        exact,
        exact if edited is None else {**exact, "updatedInput": edited},
        {**exact, field: value},
        {**exact, "approvalId": other.approval_id, "argsDigest": (other if flag else request).args_digest},
        {key: item for key, item in exact.items() if key != field},
        {**exact, "updatedInput": {"command": "x" * 2_000_000}},
        {**exact, "argsDigest": f"{two:064x}"},
        {**exact, "approvalId": f"{two:032x}"},
        value,
    ][kind]


class Wire:
    """A client at the other end of a pipe: what it sends is read as the host reads it."""

    corrects = True

    def __init__(self, plans: list[Plan]) -> None:
        self._plans = iter(plans)
        self.asked: list[ApprovalRequest] = []
        self.sent: list[tuple[ApprovalRequest, object]] = []

    async def ask(self, request: ApprovalRequest) -> ApprovalAnswer:
        self.asked.append(request)
        await asyncio.sleep(0)  # the others are asked too
        plan = next(self._plans, None)
        if plan is None:
            raise TimeoutError
        given = wire_answer(plan, request, self.asked)
        self.sent.append((request, copy.deepcopy(given)))
        return ApprovalAnswer.model_validate(given)

    def resolved(self, resolved: ApprovalResolved) -> None:
        """Not of interest."""


def allowed_by(request: ApprovalRequest, given: object) -> dict[str, Any] | None:
    """The arguments that an answer allows, written down apart from the code under test; None for none."""
    if not isinstance(given, dict):
        return None
    kinds = {option.option_id: option.kind for option in request.options}
    exact = given.get("approvalId") == request.approval_id and given.get("argsDigest") == request.args_digest
    option = given.get("optionId")
    if not exact or given.get("outcome") != "selected" or not isinstance(option, str) or option not in kinds:
        return None
    if not kinds[option].startswith("allow"):
        return None
    edited = given.get("updatedInput")
    if edited is None:
        return dict(request.arguments or {})
    right = isinstance(edited, dict) and set(edited) == {"command"} and isinstance(edited["command"], str)
    return edited if right and len(edited["command"]) < 1_000_000 and "\ud800" not in edited["command"] else None


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(plans=PLANS)
async def test_no_message_makes_anything_run_that_an_exact_answer_did_not_allow(
    plans: list[Plan], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ran: list[dict[str, Any]] = []

    async def run(execution: executor.Execution) -> executor.Outcome:
        ran.append(execution.arguments)
        return executor.Outcome("success", "done")

    monkeypatch.setattr(executor, "run", run)
    wire, events = Wire(plans), list[Event]()
    made = GateContext("run", build_registry(), "default", tmp_path, Approvals(wire), None, events.append)
    calls = [ModelCall(f"c{number}", "bash", {"command": f"echo {number}"}) for number in range(3)]
    results = await asyncio.gather(*(gate.execute(call, made) for call in calls))
    allowed = [arguments for request, given in wire.sent if (arguments := allowed_by(request, given)) is not None]
    granted = [event for event in events if isinstance(event, DecisionEvent) and event.decided_by == "grant"]
    # Every execution was allowed by its own answer, or by a rule that a person chose for that command.
    for arguments in ran:
        if arguments in allowed:
            allowed.remove(arguments)
        else:
            assert granted
            granted.pop()
    assert len(ran) == sum(result.status == "success" for result in results)
    assert len([event for event in events if isinstance(event, DecisionEvent)]) == len(calls)
    assert made.approvals.pending() == []


@pytest.mark.parametrize("given", [{}, [], "allow_once", None, {"approvalId": 3, "argsDigest": None, "outcome": "yes"}])
def test_what_is_no_answer_is_not_read_as_one(given: object) -> None:
    with pytest.raises(ValidationError):
        ApprovalAnswer.model_validate(given)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(order=st.permutations(range(4)), stopped=st.sets(st.integers(0, 3)))
async def test_answers_in_any_order_with_any_cancelled_reach_their_own_call(
    order: list[int], stopped: set[int], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ran: list[str] = []

    async def run(execution: executor.Execution) -> executor.Outcome:
        ran.append(execution.arguments["command"])
        return executor.Outcome("success", "done")

    monkeypatch.setattr(executor, "run", run)
    answers: dict[str, asyncio.Future[ApprovalAnswer]] = {}
    requests: dict[str, ApprovalRequest] = {}
    arrived = asyncio.Event()

    class Desk:
        async def ask(self, request: ApprovalRequest) -> ApprovalAnswer:
            name = str((request.arguments or {})["command"])
            requests[name], answers[name] = request, asyncio.get_running_loop().create_future()
            if len(requests) == 4:
                arrived.set()
            return await answers[name]

        def resolved(self, resolved: ApprovalResolved) -> None:
            """Not of interest."""

    events: list[Event] = []
    made = GateContext("run", build_registry(), "default", tmp_path, Approvals(Desk()), None, events.append)
    tasks = [
        asyncio.ensure_future(gate.execute(ModelCall(f"c{n}", "bash", {"command": str(n)}), made)) for n in range(4)
    ]
    await asyncio.wait_for(arrived.wait(), 20)
    for number in order:
        if number in stopped:
            tasks[number].cancel()
            await asyncio.wait({tasks[number]})
        request = requests[str(number)]
        # A late answer to a question that was taken back, too: it changes nothing.
        if not answers[str(number)].done():
            answers[str(number)].set_result(
                ApprovalAnswer(
                    approval_id=request.approval_id,
                    args_digest=request.args_digest,
                    outcome="selected",
                    option_id="allow_once" if number % 2 == 0 else "reject_once",
                )
            )
    await asyncio.gather(*tasks, return_exceptions=True)
    assert sorted(ran) == [str(number) for number in (0, 2) if number not in stopped]
    assert len([event for event in events if isinstance(event, DecisionEvent)]) == 4
