"""The offline model sends the calls in a prompt and says what it is."""

from __future__ import annotations

import json
from typing import Any

import pytest

from adal_ls.agent.models.offline import OfflineModel, find_calls
from adal_ls.agent.models.stream import CallDelta, ChatMessage, FinishDelta, ModelError, TextDelta


def tool(name: str, *parameters: str, required: int = 1) -> dict[str, Any]:
    return {
        "type": "function",
        "function": {
            "name": name,
            "description": f"Do {name}.\n\nMore.",
            "parameters": {
                "type": "object",
                "properties": {parameter: {} for parameter in parameters},
                "required": list(parameters[:required]),
            },
        },
    }


TOOLS = [tool("greet", "name", "times"), tool("read_file", "path"), tool("查询天气", "城市")]


def calls(prompt: str) -> list[tuple[str, dict[str, Any]]]:
    return [(call.name, call.arguments) for call in find_calls(prompt, TOOLS) if call.problem is None]


def problems(prompt: str) -> list[str]:
    return [call.problem for call in find_calls(prompt, TOOLS) if call.problem is not None]


async def answer(messages: list[ChatMessage]) -> list[object]:
    return [delta async for delta in OfflineModel().stream(messages, TOOLS)]


@pytest.mark.parametrize(
    ("prompt", "expected"),
    [
        ('greet(name="Ada")', [("greet", {"name": "Ada"})]),
        (
            'Please run greet("Ada", 3), then read_file(path="a.txt").',
            [
                ("greet", {"name": "Ada", "times": 3}),
                ("read_file", {"path": "a.txt"}),
            ],
        ),
        ("greet(name='a (b) c)', times=-1.5)", [("greet", {"name": "a (b) c)", "times": -1.5})]),
        (
            'greet(\n  name="x",\n  times=[1, (2, None), {"a": True}],\n)',
            [
                ("greet", {"name": "x", "times": [1, [2, None], {"a": True}]}),
            ],
        ),
        ('greet(name="read_file(1)")', [("greet", {"name": "read_file(1)"})]),
        ("greet(name='\\d')", [("greet", {"name": "\\d"})]),
        ("查询天气(城市='北京')", [("查询天气", {"城市": "北京"})]),
        ("regreet('x') and x.greet('y')", []),
        ("No call here (really).", []),
    ],
)
def test_calls_are_read_where_they_stand(prompt: str, expected: list[tuple[str, dict[str, Any]]]) -> None:
    assert calls(prompt) == expected


@pytest.mark.parametrize(
    ("prompt", "what"),
    [
        ("greet(name=open('x'))", "not a Python literal"),
        ("greet(name=b'x')", "not a Python literal"),
        ("greet('a', name='b')", "'name' twice"),
        ("greet(1, 2, 3)", "takes 2 arguments, 3 were given"),
        ("greet(**{})", "write each argument out"),
        ("greet('a'", "no matching ')'"),
        ("deploy('a')", "no tool 'deploy'"),
    ],
)
def test_a_call_that_cannot_be_sent_is_named(prompt: str, what: str) -> None:
    assert calls(prompt) == []
    assert what in problems(prompt)[0]


def test_a_prompt_full_of_parentheses_is_read_in_good_time() -> None:
    assert calls("greet(" + ")" * 200_000) == [("greet", {})]
    assert calls("greet('" + ")" * 200_000) == []


@pytest.mark.parametrize(
    ("prompt", "sent"),
    [
        ("greet('a') gret('b')", ["greet"]),
        ("gret('b'), greet('a')", ["greet"]),
        ("Please run gret('b') and then greet('a').", ["greet"]),
    ],
)
def test_an_unknown_call_among_valid_ones_is_named_with_the_tools_there_are(prompt: str, sent: list[str]) -> None:
    assert [name for name, _ in calls(prompt)] == sent
    (problem,) = problems(prompt)
    assert problem == "there is no tool 'gret'; did you mean 'greet'? The tools there are: greet, read_file, 查询天气"


def test_an_unknown_call_in_a_sentence_is_one_where_it_has_a_keyword() -> None:
    assert "no tool 'deploy'" in problems("Please run deploy(service='x') now")[0]
    assert problems("It calls deploy(service) and print(x == 1).") == []


async def test_a_prompt_with_a_call_that_could_not_be_made_ends_as_an_error_behind_the_answer() -> None:
    stream = OfflineModel().stream([{"role": "user", "content": "gret('b')"}], TOOLS)
    answered = await anext(stream)
    with pytest.raises(ModelError, match="1 call of the prompt could not be made: there is no tool 'gret'"):
        await anext(stream)
    assert isinstance(answered, TextDelta)
    assert "Not run: there is no tool 'gret'; did you mean 'greet'?" in answered.text


async def test_the_calls_of_the_last_prompt_are_streamed_as_tool_calls() -> None:
    deltas = await answer([{"role": "user", "content": "greet('old')"}, {"role": "user", "content": "greet('new')"}])
    assert isinstance(deltas[0], CallDelta)
    assert json.loads(deltas[0].arguments) == {"name": "new"}
    assert deltas[-1] == FinishDelta("tool_calls")


async def test_results_are_answered_with_the_plain_statement_that_this_is_no_model() -> None:
    deltas = await answer(
        [
            {"role": "user", "content": "greet('a')"},
            {"role": "assistant", "content": None, "tool_calls": []},
            {"role": "tool", "tool_call_id": "1", "content": "Hello a"},
        ]
    )
    text = "".join(delta.text for delta in deltas if isinstance(delta, TextDelta))
    assert "not a model" in text
    assert "greet:\nHello a" in text
    assert deltas[-1] == FinishDelta("stop")


async def test_without_a_call_the_answer_tells_how_to_write_one_and_lists_the_tools() -> None:
    deltas = await answer([{"role": "user", "content": "What is the weather?"}])
    text = "".join(delta.text for delta in deltas if isinstance(delta, TextDelta))
    assert "not a model" in text
    assert 'tool_name(arg="value"' in text
    assert "- greet(name, times=...): Do greet." in text
