"""Limits of an episode: seconds, cost, and what a model takes; and calls that are printed in place of being made."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adal_ls.agent.gate import GateContext
from adal_ls.agent.models.assembly import ModelCall
from adal_ls.agent.models.printed_calls import printed_call
from adal_ls.agent.models.stream import ChatMessage, FinishDelta, ModelError, TextDelta, ToolSpec, UsageDelta
from adal_ls.agent.runs.context_window import ContextWindow, fit, size
from adal_ls.agent.runs.history import Conversation
from adal_ls.agent.runs.limits import Limits
from adal_ls.agent.runs.loop import Episode
from adal_ls.protocol.approvals import ApprovalAnswer, ApprovalRequest, ApprovalResolved
from adal_ls.protocol.runs import Event, NoticeEvent
from tests.agent.bench import BUMP, ECHO, Bench, call


async def test_the_time_limit_stops_the_run_in_the_middle_of_a_call_and_says_so(bench: Bench) -> None:
    bench.tools(ECHO)
    turns = ({"calls": [call("bash", "c1", {"command": "sleep 30"})]}, {"text": "late"})
    finished = await bench.run(*turns, permission_mode="yolo", max_seconds=0.5)
    assert finished.stop_reason == "limit"
    assert "time limit of 0.5 s" in bench.notices()
    assert "time limit" in bench.observation("c1")


class _Slow:
    """A person who takes longer than the run may."""

    async def ask(self, request: ApprovalRequest) -> ApprovalAnswer:
        await asyncio.sleep(1.2)
        return ApprovalAnswer(
            approval_id=request.approval_id,
            args_digest=request.args_digest,
            outcome="selected",
            option_id="allow_once",
        )

    def resolved(self, resolved: ApprovalResolved) -> None:
        pass


async def test_the_time_in_which_a_person_is_asked_does_not_count(bench: Bench) -> None:
    bench.tools(BUMP)
    runtime = bench.open(_Slow())
    await runtime.load(bench.root)
    turns = ({"calls": [call("bump", "c1", {"tag": "a"})]}, {"text": "done"})
    finished = await bench.run(*turns, max_seconds=30)
    assert finished.answer == "done"
    before = len(bench.updates)
    finished = await bench.run(*turns, max_seconds=1.1)
    assert finished.stop_reason == "end_turn", [update.event for update in bench.updates[before:]]


class _Priced:
    """A model that costs half a dollar a request and never stops calling."""

    name, any_name, context_tokens = "priced", True, None

    def __init__(self, cost: float | None) -> None:
        self.cost = cost
        self.asked = 0

    async def stream(self, messages: list[ChatMessage], tools: list[ToolSpec]) -> Any:
        self.asked += 1
        yield TextDelta(f"turn {self.asked} ")
        yield UsageDelta(10, 10, self.cost)
        yield FinishDelta("stop")


def episode(model: Any, limits: Limits, said: list[Event], conversation: Conversation | None = None) -> Episode:
    context = GateContext.__new__(GateContext)  # no call is made, so nothing of it is used but these
    context.waiting, context.cancelled = 0, "cancelled"
    context.registry = _NoTools()  # type: ignore[assignment]
    talk = conversation or Conversation("system")
    if conversation is None:
        talk.add_prompt("go")
    again = iter(["more"] * 10)
    return Episode(model, talk, context, said.append, lambda *_: None, limits=limits, heard=lambda: [next(again)])


class _NoTools:
    def specs(self, *, any_name: bool) -> list[ToolSpec]:
        return []

    def find(self, sent: str) -> None:
        return None


async def test_the_cost_limit_stops_before_the_next_request() -> None:
    model, said = _Priced(0.5), list[Event]()
    finished = await episode(model, Limits(cost=1.0), said).run()
    assert (finished.stop_reason, model.asked) == ("limit", 2)
    assert "cost limit of $1 is reached ($1.0000" in str(said[-1])


async def test_a_price_that_is_unknown_is_said_once_and_is_never_zero() -> None:
    model, said = _Priced(None), list[Event]()
    await episode(model, Limits(steps=3, cost=1.0), said).run()
    notices = [event.text for event in said if isinstance(event, NoticeEvent)]
    assert sum("price of priced is unknown" in text for text in notices) == 1
    assert "limit of 3 model requests" in notices[-1]


class _Narrow:
    """A provider that takes so many characters and does not say so beforehand."""

    name, any_name, context_tokens = "narrow", True, None

    def __init__(self, characters: int) -> None:
        self.characters = characters
        self.sizes: list[int] = []

    async def stream(self, messages: list[ChatMessage], tools: list[ToolSpec]) -> Any:
        self.sizes.append(size(messages))
        if size(messages) > self.characters:
            raise ModelError("context_window", "too long")
        yield TextDelta("fits")
        yield FinishDelta("stop")


def long_talk(turns: int, characters: int) -> Conversation:
    talk = Conversation("system")
    talk.add_prompt("the task")
    for number in range(turns):
        talk.add_answer("", [ModelCall(f"c{number}", "look", {})], ["look"])
        talk.add_result(f"c{number}", "x" * characters)
    return talk


async def test_a_refusal_for_length_is_answered_with_a_shorter_request_not_with_an_error() -> None:
    model, said = _Narrow(30_000), list[Event]()
    one = episode(model, Limits(), said, long_talk(40, 2_000))
    one.heard = tuple
    finished = await one.run()
    assert finished.answer == "fits"
    assert len(model.sizes) > 1
    assert sum("longer than the model takes" in event.text for event in said if isinstance(event, NoticeEvent)) == 1


async def test_a_model_that_takes_nothing_at_all_ends_the_run_with_the_reason() -> None:
    said = list[Event]()
    one = episode(_Narrow(10), Limits(), said, long_talk(3, 100))
    one.heard = tuple
    assert (await one.run()).stop_reason == "error"


def check_valid(messages: list[ChatMessage]) -> None:
    """Each result follows its call, each call has one result: what every provider wants."""
    waiting: list[str] = []
    for message in messages:
        if message["role"] == "tool":
            waiting.remove(message["tool_call_id"])
        else:
            assert waiting == []
            waiting = [one["id"] for one in message.get("tool_calls", ())]
    assert waiting == []


@given(st.lists(st.integers(0, 3_000), min_size=1, max_size=25), st.integers(200, 40_000))
def test_what_is_fitted_is_valid_and_as_short_as_wanted(lengths: list[int], limit: int) -> None:
    talk = Conversation("system")
    talk.add_prompt("the task")
    for number, length in enumerate(lengths):
        calls = [ModelCall(f"c{number}-{part}", "look", {}) for part in range(1 + length % 3)]
        talk.add_answer("thinking", calls, ["look"] * len(calls))
        for one in calls:
            talk.add_result(one.call_id, "y" * length)
    fitted, words = fit(talk.messages, limit)
    check_valid(fitted)
    assert fitted[0]["role"] == "system"
    assert (words is None) == (size(talk.messages) <= limit)
    assert size(fitted) <= max(limit, 12_000)  # the newest turn is never given up
    if words is not None:
        assert size(fitted) < size(talk.messages) + 200


def test_the_limit_of_a_known_model_is_kept_by_its_own_count_of_tokens() -> None:
    window = ContextWindow(tokens=1_000)
    messages = long_talk(10, 1_000).messages
    fitted, words = window.fit(messages)
    assert words is not None
    assert size(fitted) < 3_000
    window.counted(size(fitted))  # one token a character: far more than was guessed
    shorter, _ = window.fit(messages)
    assert size(shorter) < size(fitted)


@pytest.mark.parametrize(
    "text",
    [
        '{"name": "echo", "arguments": {"text": "a"}}',
        '[{"name": "echo", "parameters": {"text": "a"}}]',
        '```json\n{"name": "echo", "arguments": {}}\n```',
        'Sure!\n<tool_call>{"name": "echo", "arguments": {"text": "a"}}</tool_call>',
        '{"type": "function", "function": {"name": "echo", "arguments": "{}"}}',
    ],
)
async def test_a_call_that_is_printed_is_never_run_and_a_hint_says_why(bench: Bench, text: str) -> None:
    # https://github.com/Gitlawb/openclaude/issues/433
    bench.tools(ECHO)
    finished = await bench.run({"text": text})
    assert (finished.stop_reason, finished.answer) == ("end_turn", text)
    assert bench.results() == []
    assert "written as text, so nothing was run" in bench.notices()


@pytest.mark.parametrize(
    "text",
    [
        '{"name": "echo", "arguments": {"text": "a"}}\n{"name": "echo", "arguments": {"text": "b"}}',
        '[{"name": "echo", "arguments": {"text": "a"}}, {"name": "now", "arguments": {}}]',
        'I will look at that first.\n\n{"name": "echo", "arguments": {"text": "a"}}',
        '{"tool_calls": [{"type": "function", "function": {"name": "echo", "arguments": "{}"}}]}',
        '{"tool": "functions.echo", "input": {}}',
        '<function=echo>{"text": "a"}</function>',
        '<function name="echo"><param name="text">a</param></function>',
        "<tool_call>echo\n<arg_key>text</arg_key><arg_value>a</arg_value></tool_call>",
        '<function_calls><invoke name="echo"><parameter name="text">a</parameter></invoke></function_calls>',
        '[TOOL_CALLS]echo[ARGS]{"text": "a"}',
        '[TOOL_CALLS][{"name": "echo", "arguments": {"text": "a"}}]',
        'Thought: I need it.\nAction: echo\nAction Input: {"text": "a"}',
        '<|channel|>commentary to=functions.echo <|constrain|>json<|message|>{"text": "a"}',
        '<|python_tag|>echo(text="a")',
        '[echo(text="a")]',
        '```tool_code\nprint(echo(text="a"))\n```',
    ],
)
def test_a_call_is_known_in_every_form_in_which_models_print_one(text: str) -> None:
    assert printed_call(text, ["echo", "now"]) == "echo"


@pytest.mark.parametrize(
    "text",
    [
        "I called echo and it said a.",
        "Use echo(text) to hear it again; other(x) does not.",
        "```python\ndef echo(text):\n    return text\n```",
        'Send this:\n{"name": "echo", "arguments": {}}\nand read what comes back.',
        '{"name": "other", "arguments": {}}',
        '{"name": "echo"}',
        'To call it yourself, send {"name": "echo", "arguments": {"text": "a"}} to the server.',
        "[" * 5_000,
        json.dumps({"answer": [{"name": "echo"}]}),
    ],
)
def test_prose_and_other_json_are_no_printed_calls(text: str) -> None:
    assert printed_call(text, ["echo"]) is None
