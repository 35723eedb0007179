"""What models do wrong, seen from outside: the real host process, and a model over real HTTP.

One host serves all of it, as it would a window; each run has a project folder of its own.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
import time
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from adal_ls.agent.runs.history import OBSERVATION_LIMIT
from adal_ls.agent.runs.loop import MAX_IDENTICAL_TURNS
from adal_ls.protocol import methods
from tests.agent.bench import ECHO, dedent
from tests.agent.histories import assert_valid
from tests.agent.host_client import Server
from tests.model_server import Call, ModelServer, Turn

pytestmark = pytest.mark.asyncio(loop_scope="module")

DONE = Turn("done")
NO_TOOL = "There is no tool '{name}'. Nothing was executed. The tools there are: "


def echo(text: str, call_id: str = "c1", index: int = 0) -> Call:
    return Call("echo", json.dumps({"text": text}), call_id, index)


def piece(index: int | None, arguments: str, call_id: str | None = None, name: str | None = None) -> dict[str, Any]:
    """A delta of a stream with one piece of a call; what is None is left out."""
    function = {"arguments": arguments} | ({} if name is None else {"name": name})
    one: dict[str, Any] = {"function": function}
    one |= ({} if index is None else {"index": index}) | ({} if call_id is None else {"id": call_id})
    return {"tool_calls": [one]}


@dataclass
class Ran:
    """A run that has ended, as the editor's server and the model's server saw it."""

    run_id: str
    events: list[dict[str, Any]]
    requests: list[dict[str, Any]]
    times: list[float] = field(default_factory=list)

    def of(self, kind: str, **fields: Any) -> list[dict[str, Any]]:
        return [
            event
            for event in self.events
            if event["type"] == kind and all(event.get(name) == value for name, value in fields.items())
        ]

    @property
    def finished(self) -> dict[str, Any]:
        return self.events[-1]

    @property
    def text(self) -> str:
        return "".join(event["delta"] for event in self.of("text"))

    @property
    def notices(self) -> str:
        return "\n".join(event["text"] for event in self.of("notice"))

    @property
    def executed(self) -> list[Any]:
        """The arguments of the calls that ran, in the order of their beginning."""
        return [event["arguments"] for event in self.of("toolCall", status="in_progress")]

    def told(self, request: int = -1) -> list[str]:
        """The tool messages of one request to the model."""
        return [message["content"] for message in self.requests[request]["messages"] if message["role"] == "tool"]


class Window:
    """An editor's server with its host, over a folder of projects."""

    def __init__(self, host: Server, model: ModelServer, folder: Path) -> None:
        self.host, self.model, self.folder = host, model, folder
        self._projects = 0

    async def start(self, tools: str, *turns: Turn, prompt: str = "go", by_request: bool = False, **params: Any) -> str:
        self._projects += 1
        root = self.folder / f"project{self._projects}"
        (root / ".adal").mkdir(parents=True)
        (root / ".adal" / "tools.py").write_text(dedent(tools), encoding="utf-8")
        self.model.begin(*turns, by_request=by_request)
        self.host.told.clear()
        given = {"prompt": prompt, "model": "openai/scripted", "projectRoot": str(root), **params}
        return str((await self.host.request(methods.RUN_START, given))["runId"])

    async def ended(self, run_id: str) -> Ran:
        await self.host.until(methods.RUN_UPDATE, type="finished")
        assert methods.APPROVAL_REQUEST not in [method for method, _ in self.host.told]
        events = [told["event"] for method, told in self.host.told if method == methods.RUN_UPDATE]
        for request in self.model.requests:
            assert_valid(request["messages"])
        calls = [event["callId"] for event in events if event["type"] == "toolCall" and event["status"] == "pending"]
        assert sorted(event["callId"] for event in events if event["type"] == "toolResult") == sorted(calls)
        return Ran(run_id, events, list(self.model.requests), list(self.model.times))

    async def run(self, tools: str, *turns: Turn, **params: Any) -> Ran:
        return await self.ended(await self.start(tools, *turns, **params))


@pytest_asyncio.fixture(loop_scope="module", scope="module")
async def window(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Window]:
    folder = tmp_path_factory.mktemp("window")
    (folder / "work").mkdir()
    async with ModelServer([DONE]) as model:
        environment = {"OPENAI_BASE_URL": model.url, "OPENAI_API_KEY": "x", "ADAL_DATA_DIR": str(folder / "data")}
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-I", "-m", "adal_ls.agent"),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            env={**os.environ, **environment},
        )
        host = Server(process)
        await host.initialize(folder / "work")
        yield Window(host, model, folder / "work")
        assert process.stdin is not None
        process.stdin.close()
        await asyncio.wait_for(process.wait(), 10)
        await host.reading


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        ('{"text": "a"', "the arguments are not valid JSON: Expecting ',' delimiter at line 1 column 13"),
        ('{"text": "a",}', "not valid JSON: Illegal trailing comma before end of object at line 1 column"),
        ("{'text': 'a'}", "not valid JSON: Expecting property name enclosed in double quotes at line 1 column 2"),
        ('{"text": "a\nb"}', "not valid JSON: Invalid control character at at line 1 column 12"),
        ('echo {"text": "a"}', "not valid JSON: Expecting value at line 1 column 1"),
        ('{"text": "a"}{"text": "b"}', "not valid JSON: more than one JSON value at line 1 column 14"),
        ('{"text": NaN}', "not valid JSON: NaN is not JSON"),
        ('["a"]', "must be one JSON object, not an array"),
        ('"a"', "must be one JSON object, not a string"),
    ],
)
async def test_a_call_with_broken_arguments_is_not_run_and_says_where(window: Window, arguments: str, why: str) -> None:
    # https://github.com/NousResearch/hermes-agent/pull/1796
    if "trailing comma" in why and sys.version_info < (3, 13):
        why = "not valid JSON: Expecting property name enclosed in double quotes at line 1 column 14"
    broken = Turn(calls=(Call("echo", arguments, "c1", 0), Call("now", "{}", "c2", 1)))
    ran = await window.run(ECHO, broken, Turn(calls=(echo("a", "c3"),)), DONE)
    first, second = ran.told(1)
    assert why in first
    assert first.startswith("Nothing was executed: ")
    assert second == "12:00"
    assert ran.executed == [{}, {"text": "a"}]
    assert ran.finished == {"type": "finished", "stopReason": "end_turn", "answer": "done"}


@pytest.mark.parametrize("arguments", ["", "  \n", "{}"])
async def test_no_arguments_are_an_empty_object_in_the_history(window: Window, arguments: str) -> None:
    # https://github.com/BerriAI/litellm/issues/5063
    ran = await window.run(ECHO, Turn(calls=(Call("now", arguments),)), DONE)
    assert (ran.executed, ran.told()) == ([{}], ["12:00"])
    assert ran.requests[1]["messages"][2]["tool_calls"][0]["function"]["arguments"] == "{}"


async def test_no_arguments_for_a_tool_that_needs_some_are_told_by_their_names(window: Window) -> None:
    ran = await window.run(ECHO, Turn(calls=(Call("echo", ""),)), DONE)
    (told,) = ran.told()
    assert "text" in told
    assert "required" in told.lower() or "missing" in told.lower()
    assert [event["status"] for event in ran.of("toolResult")] == ["error"]


INTERLEAVED = {
    "in turns": (
        *(piece(0, '{"te', "c1", "echo"), piece(1, '{"text"', "c2", "echo")),
        *(piece(0, 'xt":"a"}'), piece(1, ':"b"}')),
    ),
    "the second first": (
        *(piece(1, "", "c1", "echo"), piece(0, "", "c2", "echo")),
        *(piece(1, '{"text":"a"}'), piece(0, '{"text":"b"}')),
    ),
    "ids in place of numbers": (
        *(piece(None, '{"text":', "c1", "echo"), piece(None, '{"text":', "c2", "echo")),
        *(piece(None, '"a"}', "c1"), piece(None, '"b"}', "c2")),
    ),
    "one number": (
        *(piece(0, '{"text":"a', "c1", "echo"), piece(0, '"}')),
        *(piece(0, '{"text":', "c2", "echo"), piece(0, '"b"}')),
    ),
    "in the middle of an escape": (
        *(piece(0, '{"text":"\\u00', "c1", "echo"), piece(1, '{"text":"b', "c2", "echo")),
        *(piece(0, '61"}'), piece(1, '"}')),
    ),
}


@pytest.mark.parametrize("stream", INTERLEAVED)
async def test_parallel_calls_in_one_stream_are_kept_apart(window: Window, stream: str) -> None:
    # https://github.com/agno-agi/agno/issues/3826
    ran = await window.run(ECHO, Turn(deltas=INTERLEAVED[stream]), DONE)
    assert sorted(one["text"] for one in ran.executed) == ["a", "b"]
    assert [call["id"] for call in ran.requests[1]["messages"][2]["tool_calls"]] == ["c1", "c2"]
    assert ran.told() == ["a", "b"]


@pytest.mark.parametrize("name", ["find_file", "Echo", " echo", "functions.echo", "écho", "write_file"])
async def test_an_unknown_tool_is_answered_with_the_tools_there_are(window: Window, name: str) -> None:
    # https://github.com/openai/openai-agents-python/issues/2204
    unknown = Turn(calls=(Call(name, '{"x": 1}'),))
    ran = await window.run(ECHO, unknown, Turn(calls=(echo("a", "c2"),)), DONE, disabledDefaultTools=["write_file"])
    assert ran.told(1)[0].startswith(NO_TOOL.format(name=name))
    assert "echo, now" in ran.told(1)[0]
    assert ran.executed == [{"text": "a"}]
    assert ran.finished["answer"] == "done"


WAIT = """
import asyncio
import time


def wait(s: float) -> str:
    '''Wait.'''
    time.sleep(s)
    return "ok"


async def rest(s: float) -> str:
    '''Rest.'''
    await asyncio.sleep(s)
    return "ok"


CUSTOM_TOOLS = [{"function": wait, "require_approval": False}, {"function": rest, "require_approval": False}]
"""


@pytest.mark.parametrize("names", [("wait",), ("rest",), ("wait", "rest", "wait")])
async def test_after_a_cancel_each_call_has_its_result_and_the_next_prompt_is_answered(
    window: Window, names: tuple[str, ...]
) -> None:
    # https://github.com/charmbracelet/crush/issues/529
    calls = tuple(Call(name, '{"s": 20}', f"c{number}", number) for number, name in enumerate(names))
    run_id = await window.start(WAIT, Turn(calls=calls), Turn("ok"))
    await window.host.until(methods.RUN_UPDATE, type="toolCall", status="in_progress")
    began = time.monotonic()
    assert await window.host.request(methods.RUN_CANCEL, {"runId": run_id}) == {}
    stopped = await window.ended(run_id)
    assert time.monotonic() - began < 3
    assert stopped.finished["stopReason"] == "cancelled"
    window.host.told.clear()
    await window.host.request(methods.RUN_PROMPT, {"runId": run_id, "prompt": "go on"})
    ran = await window.ended(run_id)
    assert ran.told() == ["cancelled by the user"] * len(names)
    assert ran.requests[-1]["messages"][-1] == {"role": "user", "content": "go on"}
    assert ran.finished == {"type": "finished", "stopReason": "end_turn", "answer": "ok"}


async def test_a_cancel_in_the_middle_of_an_answer_keeps_what_was_said(window: Window) -> None:
    run_id = await window.start(ECHO, Turn("half of it", hang_after=2), Turn("ok"))
    await window.host.until(methods.RUN_UPDATE, type="text")
    await window.host.request(methods.RUN_CANCEL, {"runId": run_id})
    assert (await window.ended(run_id)).finished["stopReason"] == "cancelled"
    await asyncio.wait_for(window.model.disconnected.wait(), 5)
    window.host.told.clear()
    await window.host.request(methods.RUN_PROMPT, {"runId": run_id, "prompt": "go on"})
    ran = await window.ended(run_id)
    assert [message["content"] for message in ran.requests[-1]["messages"][1:]] == ["go", "half ", "go on"]


DUMP = """
def dump(lines: int) -> str:
    '''Dump lines.'''
    return "\\n".join(f"line {i}" for i in range(lines))


def one_line(length: int) -> str:
    '''Dump one line.'''
    return "ä" * length


def table(rows: int) -> list[dict[str, int]]:
    '''Dump objects.'''
    return [{"row": i} for i in range(rows)]


def fail(length: int) -> str:
    '''Fail at length.'''
    raise RuntimeError("x" * length)


CUSTOM_TOOLS = [{"function": f, "require_approval": False} for f in (dump, one_line, table, fail)]
"""


@pytest.mark.parametrize(
    ("call", "head", "tail"),
    [
        (Call("dump", '{"lines": 500000}'), "line 0\nline 1\n", "\nline 499999"),
        (Call("one_line", '{"length": 3000000}'), "ää", "ää"),
        (Call("table", '{"rows": 60000}'), '[{"row": 0}, {"row": 1}', '{"row": 59999}]'),
        (Call("fail", '{"length": 300000}'), "", "xxx"),
    ],
)
async def test_a_huge_result_is_cut_for_the_model_and_kept_whole_for_the_person(
    window: Window, call: Call, head: str, tail: str
) -> None:
    # https://github.com/zed-industries/zed/issues/59401
    ran = await window.run(DUMP, Turn(calls=(call,)), DONE)
    (told,) = ran.told()
    assert len(told) < OBSERVATION_LIMIT + 200
    assert told.startswith(head)
    assert told.endswith(tail)
    assert ran.finished["answer"] == "done"
    whole, total = "", 1
    while len(whole) < total:
        asked = {"runId": ran.run_id, "callId": "call_1", "offset": len(whole)}
        part = await window.host.request(methods.RUN_FULL_TEXT, asked)
        whole, total = whole + part["text"], part["total"]
    assert f"of {total} characters left out here; the limit is {OBSERVATION_LIMIT}" in told
    assert whole.startswith(head)
    assert whole.endswith(tail)


@pytest.mark.parametrize("finish", ["length", "content_filter"])
async def test_a_call_that_was_cut_off_is_not_run_though_it_reads_well(window: Window, finish: str) -> None:
    # https://github.com/ahwurm/localharness/issues/77
    cut = Turn(calls=(echo("first", "c1", 0), echo("part", "c2", 1)), finish=finish)
    ran = await window.run(ECHO, cut, DONE)
    assert ran.executed == []
    words = {"length": "the output limit of the model was hit", "content_filter": "content filter ended the answer"}
    assert all(words[finish] in told for told in ran.told())
    assert ran.finished["answer"] == "done"


async def test_an_answer_that_was_cut_off_says_so(window: Window) -> None:
    ran = await window.run(ECHO, Turn("half of i", finish="length"))
    assert ran.finished["answer"] == "half of i"
    assert "the model's output limit was reached" in ran.notices


@pytest.mark.parametrize(
    "said", [{"retry_after": 2}, {"retry_after": "2"}, {"message": "Rate limit reached. Please try again in 2s."}]
)
async def test_a_limit_in_the_middle_of_an_answer_is_waited_out(window: Window, said: dict[str, Any]) -> None:
    # https://github.com/openai/codex/pull/506: asked again, the model answers something else
    error = {"message": "Rate limit reached", "type": "rate_limit_error", "code": 429, **said}
    turns = (Turn("half a text", interrupted={"error": error}), Turn(calls=(echo("a"),)), DONE)
    ran = await window.ended(await window.start(ECHO, *turns, by_request=True))
    assert 2 <= ran.times[1] - ran.times[0] < 4
    assert ran.requests[1]["messages"] == ran.requests[0]["messages"]
    assert ran.text == "half done"
    assert ran.executed == [{"text": "a"}]
    assert "waiting for the rate limit" in ran.notices
    assert ran.requests[2]["messages"][2]["content"] == "half "


@pytest.mark.parametrize(
    "turn",
    [
        (echo("same"),),
        (Call("echo", '{ "text":"same" }'),),
        (echo("same", "c1", 0), echo("other", "c2", 1)),
        (Call("find_file", '{"x": 1}'),),
    ],
)
async def test_the_same_calls_again_and_again_stop_the_run(window: Window, turn: tuple[Call, ...]) -> None:
    # https://github.com/docker/docker-agent/pull/2123
    ran = await window.run(ECHO, *(Turn(calls=turn) for _ in range(50)), maxSteps=50)
    assert ran.finished["stopReason"] == "limit"
    assert len(ran.requests) == MAX_IDENTICAL_TURNS
    assert f"the model made the same calls {MAX_IDENTICAL_TURNS} times in a row" in ran.notices


async def test_the_limit_of_turns_is_shown_when_it_is_reached(window: Window) -> None:
    turns = [Turn(calls=(echo(str(number % 3)),)) for number in range(50)]
    ran = await window.run(ECHO, *turns)
    assert ran.finished["stopReason"] == "limit"
    assert len(ran.requests) == 20
    assert "the limit of 20 model requests is reached" in ran.notices


FACTS = """
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from enum import Enum
from pathlib import Path


class Color(Enum):
    RED = "red"


@dataclass
class Point:
    x: int


def facts() -> dict:
    '''Give facts.'''
    return {"at": datetime(2026, 1, 2), "sum": Decimal("1.50"), "where": Path("/tmp")}


def odd() -> dict:
    '''Give odd things.'''
    return {1: {2}, "color": Color.RED, "point": Point(1), "bytes": b"\\xff", "far": float("inf"), "half": "\\ud800"}


def circle() -> list:
    '''Give a list that holds itself.'''
    found: list = []
    found.append(found)
    return found


class Rude:
    def __repr__(self) -> str:
        raise ValueError("no")


def rude() -> object:
    '''Give what cannot be shown.'''
    return Rude()


CUSTOM_TOOLS = [{"function": f, "require_approval": False} for f in (facts, odd, circle, rude)]
"""


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("facts", ("2026-01-02", "1.50", "/tmp")),
        ("odd", ("red", "inf", "1")),
        ("circle", ()),
        ("rude", ("Rude",)),
    ],
)
async def test_a_result_that_json_cannot_hold_is_readable_text(
    window: Window, name: str, words: tuple[str, ...]
) -> None:
    # https://github.com/theexperiencecompany/gaia/issues/917
    ran = await window.run(FACTS, Turn(calls=(Call(name),)), DONE)
    (told,) = ran.told()
    assert told
    assert all(word in told for word in words), told
    (result,) = ran.of("toolResult")
    json.dumps(result, allow_nan=False)
    assert ran.finished["answer"] == "done"


async def test_a_tool_that_blocks_holds_up_neither_the_host_nor_another_call(window: Window) -> None:
    # https://github.com/openai/openai-agents-python/pull/2387
    calls = tuple(Call("wait", '{"s": 1.2}', f"c{number}", number) for number in range(2))
    run_id = await window.start(WAIT, Turn(calls=calls), DONE)
    await window.host.until(methods.RUN_UPDATE, type="toolCall", status="in_progress", callId="c1")
    began = time.monotonic()
    await window.host.request(methods.RUN_LIST, {})
    assert time.monotonic() - began < 1
    ran = await window.ended(run_id)
    assert time.monotonic() - began < 2.2, "one after the other they take 2.4 s"
    assert ran.told() == ["ok", "ok"]


@pytest.mark.parametrize(
    "text",
    [
        '{"name": "echo", "arguments": {"text": "a"}}',
        '```json\n{"name": "echo", "arguments": {"text": "a"}}\n```',
        '<tool_call>\n{"name": "echo", "arguments": {"text": "a"}}\n</tool_call>',
        '<function=echo>{"text": "a"}</function>',
    ],
)
async def test_a_call_that_is_printed_is_shown_as_text_with_a_hint(window: Window, text: str) -> None:
    # https://github.com/Gitlawb/openclaude/issues/433
    ran = await window.run(ECHO, Turn(text))
    assert ran.text == text
    assert ran.of("toolCall") == []
    assert ran.finished == {"type": "finished", "stopReason": "end_turn", "answer": text}
    assert "does not deliver tool calls: choose a model made for tools" in ran.notices
