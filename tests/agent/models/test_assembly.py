"""Pieces of calls as providers really stream them."""

from __future__ import annotations

import pytest

from adal_ls.agent.models.assembly import CallAssembly, ModelCall, read_arguments
from adal_ls.agent.models.stream import CallDelta


def assemble(*pieces: CallDelta, reason: str = "tool_calls", taken: tuple[str, ...] = ()) -> list[ModelCall]:
    numbers = iter(range(100))
    assembly = CallAssembly(taken, new_id=lambda: f"made_{next(numbers)}")
    for piece in pieces:
        assembly.add(piece)
    return assembly.finish(reason)


def test_pieces_of_two_calls_that_alternate_are_kept_apart() -> None:
    # https://github.com/agno-agi/agno/issues/3826
    calls = assemble(
        CallDelta(0, "c1", "echo", '{"te'),
        CallDelta(1, "c2", "echo", '{"text"'),
        CallDelta(0, None, None, 'xt":"a"}'),
        CallDelta(1, None, None, ':"b"}'),
    )
    assert calls == [ModelCall("c1", "echo", {"text": "a"}), ModelCall("c2", "echo", {"text": "b"})]


def test_parallel_calls_that_all_carry_index_zero_are_told_apart_by_id() -> None:
    calls = assemble(
        CallDelta(0, "c1", "add", '{"a":'),
        CallDelta(0, "c1", None, "0}"),
        CallDelta(0, "c2", "add", '{"a":'),
        CallDelta(0, None, None, "1}"),
    )
    assert [(call.call_id, call.arguments) for call in calls] == [("c1", {"a": 0}), ("c2", {"a": 1})]


def test_calls_without_an_index_are_told_apart_by_id_and_by_name() -> None:
    calls = assemble(
        CallDelta(None, "c1", "add", '{"a":0}'),
        CallDelta(None, "c2", "add", '{"a":'),
        CallDelta(None, "c2", None, "1}"),
    )
    assert [(call.call_id, call.arguments) for call in calls] == [("c1", {"a": 0}), ("c2", {"a": 1})]


def test_calls_without_an_id_get_one_and_are_not_lost() -> None:
    calls = assemble(CallDelta(0, None, "add", '{"a":0}'), CallDelta(1, None, "add", '{"a":1}'))
    assert [(call.call_id, call.arguments) for call in calls] == [("made_0", {"a": 0}), ("made_1", {"a": 1})]


def test_a_second_name_without_id_or_index_opens_a_second_call() -> None:
    calls = assemble(
        CallDelta(0, None, "add", '{"a":'),
        CallDelta(0, None, None, "0}"),
        CallDelta(0, None, "add", '{"a":'),
        CallDelta(0, None, None, "1}"),
    )
    assert [call.arguments for call in calls] == [{"a": 0}, {"a": 1}]


def test_a_name_repeated_in_every_piece_is_still_one_call() -> None:
    calls = assemble(CallDelta(0, None, "add", '{"a":'), CallDelta(0, None, "add", "0}"))
    assert [(call.name, call.arguments) for call in calls] == [("add", {"a": 0})]


def test_an_id_that_comes_late_belongs_to_the_open_call() -> None:
    assert assemble(CallDelta(0, None, "add", "{"), CallDelta(0, "c1", None, "}")) == [ModelCall("c1", "add", {})]


def test_two_values_glued_together_are_refused_not_guessed() -> None:
    (call,) = assemble(CallDelta(0, "c1", "add", '{"a":0}{"a":1}'))
    assert call.arguments == {}
    assert call.problem is not None
    assert "more than one JSON value at line 1 column 8" in call.problem


def test_broken_json_is_refused_with_its_place_and_the_other_call_stays_good() -> None:
    # https://github.com/NousResearch/hermes-agent/pull/1796
    broken, good = assemble(CallDelta(0, "c1", "echo", '{"text": "a"'), CallDelta(1, "c2", "now", "{}"))
    assert broken.problem is not None
    assert "not valid JSON" in broken.problem
    assert "line 1 column 13" in broken.problem
    assert good.problem is None


@pytest.mark.parametrize("empty", ["", "  ", "\n"])
def test_empty_arguments_are_an_empty_object(empty: str) -> None:
    # https://github.com/BerriAI/litellm/issues/5063
    assert read_arguments(empty) == ({}, None)


@pytest.mark.parametrize("reason", ["length", "dropped", "content_filter"])
def test_a_call_that_may_be_cut_off_is_refused_although_its_json_is_valid(reason: str) -> None:
    # https://github.com/ahwurm/localharness/issues/77
    (call,) = assemble(CallDelta(0, "c1", "echo", '{"text":"part"}'), reason=reason)
    assert call.problem is not None
    assert "cut off" in call.problem


def test_the_finish_reason_stop_beside_calls_is_as_good_as_tool_calls() -> None:
    (call,) = assemble(CallDelta(0, "c1", "now", ""), reason="stop")
    assert call.problem is None


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("[1]", "an array"),
        ('"x"', "a string"),
        ("3", "a number"),
        ("null", "null"),
        ('{"a": NaN}', "NaN"),
        ('{"a": "\\ud800"}', "surrogate"),
        ("[" * 100_000, "not valid JSON"),
        ('{"a":' * 200 + "1" + "}" * 200, "nested"),
        ('{"a": ' + "9" * 5000 + "}", "not valid JSON"),
    ],
)
def test_what_is_no_plain_object_is_refused(text: str, what: str) -> None:
    arguments, problem = read_arguments(text)
    assert arguments == {}
    assert problem is not None
    assert what in problem
    assert len(problem) < 600


def test_a_number_too_large_for_a_float_is_refused() -> None:
    arguments, problem = read_arguments('{"amount": [1.5, -1e999]}')
    assert arguments == {}
    assert problem is not None
    assert "the number '-1e999' is too large" in problem


@pytest.mark.parametrize("name", ["\ud800", "x" * 10_000])
def test_a_name_that_cannot_be_written_down_is_refused_in_readable_form(name: str) -> None:
    (call,) = assemble(CallDelta(index=0, id="a", name=name, arguments="{}"))
    assert call.problem == "no tool has such a name"
    assert len(call.name) <= 200
    call.name.encode()


@pytest.mark.parametrize("given", ["\udfff", "i" * 10_000])
def test_an_id_that_cannot_be_stored_is_replaced(given: str) -> None:
    (call,) = assemble(CallDelta(index=0, id=given, name="a", arguments="{}"))
    assert call.call_id == "made_0"


def test_an_id_used_before_in_the_conversation_is_replaced() -> None:
    first, second = assemble(CallDelta(0, "call_0", "now", ""), CallDelta(1, "call_0", "now", ""), taken=("call_0",))
    assert {first.call_id, second.call_id} == {"made_0", "made_1"}


def test_a_call_without_a_name_is_refused() -> None:
    (call,) = assemble(CallDelta(0, "c1", None, "{}"))
    assert call.problem == "the call names no tool"
