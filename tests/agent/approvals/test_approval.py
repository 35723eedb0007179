"""Only an exact answer to the exact question allows; everything else denies."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from adal_ls.agent.approvals.answers import Answer
from adal_ls.agent.approvals.approval import MAX_INLINE_ARGUMENTS, Approvals, Question
from adal_ls.agent.approvals.digest import args_digest
from adal_ls.agent.approvals.rules import Call
from adal_ls.protocol.approvals import ApprovalAnswer, ApprovalRequest
from tests.agent.approvers import Desk, Person, answer


def question(arguments: dict[str, Any] | None = None, *, grantable: bool = True, tool: str = "bump") -> Question:
    arguments = {"tag": "a"} if arguments is None else arguments
    return Question(
        run_id="run",
        call_id="call",
        call=Call(
            tool=tool,
            arguments=arguments,
            digest=args_digest(tool, arguments, "/work", "source"),
            workspace=Path("/work"),
            folder=Path("/work"),
            kind="custom",
            group=None,
            source_digest="source",
        ),
        input_schema={"type": "object"},
        preview=None,
        grantable=grantable,
    )


async def decide(given: Any) -> Answer:
    return await Approvals(Person(given)).ask(question())


async def test_allow_once_allows_and_is_not_remembered() -> None:
    approvals = Approvals(Person("allow_once"))
    result = await approvals.ask(question())
    assert result.allowed
    assert (result.decided_by, result.option_kind) == ("person", "allow_once")
    assert approvals.granted(question().call) is None


async def test_a_rejection_carries_its_feedback() -> None:
    result = await decide(lambda request: answer(request, "reject_once", feedback="wrong branch"))
    assert result.rejected_by_person
    assert result.feedback == "wrong branch"


async def test_without_an_approver_nothing_is_allowed() -> None:
    result = await Approvals(None).ask(question())
    assert not result.allowed
    assert "no approver" in str(result.reason)


def _raises(fault: BaseException) -> Any:
    def ask(request: ApprovalRequest) -> None:
        raise fault

    return ask


@pytest.mark.parametrize(
    ("given", "reason"),
    [
        (_raises(RuntimeError("boom")), "RuntimeError: boom"),
        (_raises(asyncio.TimeoutError()), "nobody answered in time"),
        (lambda request: True, "answered with bool"),
        (lambda request: None, "answered with NoneType"),
        (lambda request: {"outcome": "selected", "optionId": "allow_once"}, "answered with dict"),
        (lambda request: answer(request, "allow_forever"), "'allow_forever', which was not offered"),
        (lambda request: answer(request, "ALLOW_ONCE"), "not offered"),
        (
            lambda request: answer(request, "allow_once").model_copy(update={"args_digest": "0" * 64}),
            "other arguments than the ones shown",
        ),
        (
            lambda request: answer(request, "allow_once").model_copy(update={"approval_id": "other"}),
            "belongs to another question",
        ),
        (
            lambda request: answer(request, "allow_once").model_copy(update={"outcome": "cancelled"}),
            "closed without an answer",
        ),
        (lambda request: answer(request, "allow_once").model_copy(update={"option_id": None}), "not offered"),
    ],
)
async def test_whatever_is_no_exact_answer_denies_with_a_reason(given: Any, reason: str) -> None:
    result = await decide(given)
    assert not result.allowed
    assert not result.rejected_by_person
    assert reason in str(result.reason)


async def test_the_options_hold_one_allow_once_and_one_reject_once_and_show_the_rule_that_is_remembered() -> None:
    person = Person("reject_once")
    await Approvals(person).ask(question())
    await Approvals(person).ask(question(grantable=False))
    kinds = [[option.kind for option in request.options] for request in person.asked]
    assert kinds == [
        ["allow_once", "allow_always", "allow_always", "reject_once", "reject_always"],
        ["allow_once", "reject_once", "reject_always"],
    ]
    exact, whole = person.asked[0].options[1:3]
    assert (exact.label, exact.covers, exact.life) == (
        "Always allow with these arguments (this session)",
        "arguments",
        "session",
    )
    assert "exactly these arguments" in str(exact.rule)
    assert (whole.label, whole.covers, whole.life) == (
        "Always allow every call of bump (this session)",
        "tool",
        "session",
    )
    assert "until this session ends" in str(whole.rule)


async def test_a_grant_covers_the_same_arguments_only() -> None:
    approvals = Approvals(Person("always_arguments_session"))
    await approvals.ask(question({"tag": "a"}))
    assert approvals.granted(question({"tag": "a"}).call) is not None
    assert approvals.granted(question({"tag": "b"}).call) is None
    assert approvals.granted(question({"tag": "a"}, tool="other").call) is None


async def test_always_with_edited_arguments_remembers_nothing() -> None:
    approvals = Approvals(
        Person(lambda request: answer(request, "always_arguments_session", updated_input={"tag": "mine"}))
    )
    result = await approvals.ask(question())
    assert result.updated_input == {"tag": "mine"}
    assert approvals.granted(question().call) is None


async def test_a_grant_settles_the_waiting_questions_of_the_same_call_and_no_others() -> None:
    desk = Desk()
    approvals = Approvals(desk)
    same, also, other = (
        asyncio.ensure_future(approvals.ask(question({"tag": tag}))) for tag in ("same", "same", "other")
    )
    first, second, third = await desk.until(3)
    desk.reply(first, "always_arguments_session")
    assert (await same).decided_by == "person"
    assert (await also).decided_by == "grant"
    assert [resolved.reason for resolved in desk.told] == ["answered", "withdrawn"]
    assert [request.approval_id for request in approvals.pending()] == [third.approval_id]
    assert second.approval_id != first.approval_id
    desk.reply(third, "reject_once")
    assert not (await other).allowed


async def test_a_grant_settles_no_waiting_question_that_none_may_answer() -> None:
    """As for a protected file: `every call` was chosen for another call of the tool."""
    desk = Desk()
    approvals = Approvals(desk)
    free = asyncio.ensure_future(approvals.ask(question({"tag": "free"})))
    guarded = asyncio.ensure_future(approvals.ask(question({"tag": "guarded"}, grantable=False)))
    also = asyncio.ensure_future(approvals.ask(question({"tag": "also free"})))
    first, second, _ = await desk.until(3)
    desk.reply(first, "always_tool_session")
    assert (await free, (await also).decided_by)[1] == "grant"
    assert [request.approval_id for request in approvals.pending()] == [second.approval_id]
    desk.reply(second, "reject_once")
    assert not (await guarded).allowed


async def test_a_cancelled_question_is_withdrawn_from_the_person() -> None:
    desk = Desk()
    approvals = Approvals(desk)
    asking = asyncio.ensure_future(approvals.ask(question()))
    (request,) = await desk.until(1)
    asking.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asking
    assert approvals.pending() == []
    assert [(told.approval_id, told.reason) for told in desk.told] == [(request.approval_id, "cancelled")]
    _, future = desk.waiting[request.approval_id]
    assert future.cancelled()


async def test_large_arguments_are_fetched_instead_of_sent() -> None:
    desk = Desk()
    approvals = Approvals(desk)
    arguments = {"text": "x" * MAX_INLINE_ARGUMENTS}
    asking = asyncio.ensure_future(approvals.ask(question(arguments)))
    (request,) = await desk.until(1)
    assert request.arguments is None
    assert request.arguments_size == len('{"text":""}') + MAX_INLINE_ARGUMENTS
    assert approvals.arguments(request.approval_id) == arguments
    desk.reply(request, "allow_once")
    assert (await asking).allowed
    with pytest.raises(KeyError):
        approvals.arguments(request.approval_id)


async def test_a_person_side_that_fails_to_hear_of_the_end_changes_nothing() -> None:
    class Deaf(Person):
        def resolved(self, resolved: object) -> None:
            raise RuntimeError("deaf")

    assert (await Approvals(Deaf("allow_once")).ask(question())).allowed


def test_the_digest_is_of_tool_arguments_folder_and_source() -> None:
    base = args_digest("bash", {"a": 1, "b": 2}, "/work", "s")
    assert base == args_digest("bash", {"b": 2, "a": 1}, "/work", "s")
    assert len(base) == 64
    others = {
        args_digest("bash2", {"a": 1, "b": 2}, "/work", "s"),
        args_digest("bash", {"a": 1, "b": "2"}, "/work", "s"),
        args_digest("bash", {"a": 1, "b": 2}, "/work2", "s"),
        args_digest("bash", {"a": 1, "b": 2}, "/work", "s2"),
    }
    assert len(others | {base}) == 5


def test_an_answer_is_read_by_its_wire_names() -> None:
    read = ApprovalAnswer.model_validate(
        {"approvalId": "x", "argsDigest": "y", "outcome": "selected", "optionId": "allow_once"}
    )
    assert read.option_id == "allow_once"
