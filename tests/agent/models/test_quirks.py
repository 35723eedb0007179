"""Whole runs through litellm against every quirk of the scripted model server, over real HTTP."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from adal_ls.agent.models import model as model_layer
from adal_ls.protocol.runs import FinishedEvent, RunStartParams, UsageEvent
from tests.agent.bench import ECHO, Bench
from tests.agent.histories import assert_valid
from tests.model_server import QUIRKS, Call, ModelServer, Turn, quirks

# litellm and what it imports warn about their own future.
pytestmark = pytest.mark.filterwarnings("ignore")

TEXT = "hello wörld 😀"
CALLS = (Call("echo", '{"text": "a"}', "c1", 0, pieces=2), Call("echo", '{"text": "b"}', "c2", 1, pieces=2))
NO_ARGUMENTS = (Call("now", "", "c1"),)

HARMLESS = (
    *("no-index", "null-index", "zero-index", "no-id", "null-id", "empty-id", "no-id-no-index", "one-id"),
    *("id-repeated", "interleaved", "one-delta", "name-in-pieces", "object-arguments", "no-type", "no-done"),
    *("finish-stop", "finish-twice", "empty-choices", "role-only", "null-content", "reasoning", "usage-everywhere"),
    *("usage-with-finish", "bare-chunks", "huge-chunk", "crlf", "comments", "split-utf8", "gzip", "slow-first-byte"),
)
"""Both calls run, the text comes once, and the tokens are those that the server counted."""

NOT_RUN = {
    "glued-arguments": "more than one JSON value",
    "encoded-twice": "must be one JSON object, not a string",
    "cut-json": "not valid JSON",
    "finish-length": "output limit",
    "content-filter": "content filter",
}
"""Quirk → what the model is told about the (last) call, which is not run."""

WITHOUT_ARGUMENTS = ("null-arguments", "no-arguments", "empty-arguments")

TRIED_AGAIN = {
    "once-drop": "attempt 2 of 3",
    "once-429": "waiting for the rate limit of the provider; attempt 2 of 3 in 1 s",
    "once-429-bare": "waiting for the rate limit",
    "once-429-date": "waiting for the rate limit",
    "once-500": "the request failed (internal); attempt 2 of 3",
    "once-503": "the request failed (overloaded); attempt 2 of 3",
    "once-limit-in-text": "waiting for the rate limit of the provider; attempt 2 of 3 in 1 s",
    "once-limit-in-call": "waiting for the rate limit of the provider; attempt 2 of 3 in 1 s",
}
"""Quirk → what the person reads meanwhile. The run then goes on as if nothing had been."""

FAILS = {
    "no-finish": ("connection", "broke in the middle of the answer"),
    "drop": ("connection", "broke in the middle of the answer"),
    "once-drop-in-call": ("connection", "broke in the middle of the answer"),
    "error-chunk": ("server", "failed in the middle of the answer; start the run again (MidStreamFallbackError: upst"),
    "not-streamed": ("server", "answered with nothing at all"),
    "login-page": ("server", "answered with a web page (HTML); check that the address"),
    "429-for-long": ("rate_limit", "asks to wait 3600 s, more than 60 s"),
    "429-nonsense": ("rate_limit", "limits requests"),
    "quota": ("rate_limit", "no credit left"),
    "401": ("auth", "refused the key"),
    "403": ("auth", "refused the key"),
    "404": ("not_found", "does not know this model"),
    "413": ("context_window", "longer than the model takes"),
}
"""Quirk → the one error of the run."""

REMARKED = {
    "printed": (Turn(calls=CALLS[:1]), "looks like a call of echo that was written as text"),
    "finish-tool-calls": (Turn(text=TEXT), "said that it calls tools and sent no call"),
    "nothing": (Turn(text=TEXT), "answered with no text and no call"),
}
"""Quirk → an answer that ends the run, and what the person reads about it."""

CONTEXT = tuple(f"once-context-{provider}" for provider in quirks.CONTEXT_WORDS)


@pytest.fixture(autouse=True)
async def _environment(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[None]:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-canary-0123456789abcdef")
    monkeypatch.setattr(model_layer, "_BACKOFF", (0.01, 0.02))
    yield
    await model_layer.close()


async def run(
    bench: Bench, monkeypatch: pytest.MonkeyPatch, *turns: Turn, prompt: str = "go"
) -> tuple[FinishedEvent, ModelServer]:
    bench.tools(ECHO)
    runtime = bench.open()
    async with ModelServer(list(turns)) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.url)
        run_id = runtime.start(RunStartParams(prompt=prompt, model="openai/scripted"))
        finished = await asyncio.wait_for(runtime.wait(run_id), 60)
    for request in server.requests:
        assert_valid(request["messages"])
    return finished, server


def in_order(bench: Bench, server: ModelServer) -> list[str]:
    """What the model is told about each call, in the order of its calls."""
    return [message["content"] for message in server.requests[-1]["messages"] if message["role"] == "tool"]


async def test_every_quirk_has_its_test() -> None:
    known = [*HARMLESS, *NOT_RUN, *WITHOUT_ARGUMENTS, *TRIED_AGAIN, *FAILS, *REMARKED, *CONTEXT]
    assert sorted([*known, "no-usage", "text-and-call"]) == sorted(QUIRKS)


def test_the_page_about_the_server_is_up_to_date() -> None:
    page = Path(quirks.__file__).with_name("README.md")
    assert page.read_text(encoding="utf-8") == quirks.document(), "run: python -m tests.model_server --document"


@pytest.mark.parametrize("quirk", HARMLESS)
async def test_a_sloppy_stream_gives_the_same_run_as_a_sound_one(
    bench: Bench, monkeypatch: pytest.MonkeyPatch, quirk: str
) -> None:
    finished, server = await run(bench, monkeypatch, Turn(TEXT, CALLS, quirks=(quirk,)), Turn("done"))
    assert finished == FinishedEvent(stop_reason="end_turn", answer="done")
    assert in_order(bench, server) == ["a", "b"]
    assert [result.status for result in bench.results()] == ["success", "success"]
    assert bench.text() == f"{TEXT}done"
    assert (bench.notices(), bench.errors()) == ("", [])
    assert [(event.input_tokens, event.output_tokens) for event in bench.events(UsageEvent)] == [(11, 7)] * 2


@pytest.mark.parametrize("quirk", NOT_RUN)
async def test_a_call_that_cannot_be_trusted_is_answered_and_not_run(
    bench: Bench, monkeypatch: pytest.MonkeyPatch, quirk: str
) -> None:
    finished, server = await run(bench, monkeypatch, Turn(TEXT, CALLS, quirks=(quirk,)), Turn("done"))
    assert finished.answer == "done"
    assert NOT_RUN[quirk] in in_order(bench, server)[-1]
    (last,) = [result for result in bench.results() if NOT_RUN[quirk] in result.observation][-1:]
    assert last.status == "error"
    assert [event.status for event in bench.calls(last.call_id)] == ["pending"]


@pytest.mark.parametrize("quirk", WITHOUT_ARGUMENTS)
async def test_no_arguments_are_no_arguments_and_valid_json_in_the_history(
    bench: Bench, monkeypatch: pytest.MonkeyPatch, quirk: str
) -> None:
    # https://github.com/BerriAI/litellm/issues/5063
    _, server = await run(bench, monkeypatch, Turn(calls=NO_ARGUMENTS, quirks=(quirk,)), Turn("done"))
    assert in_order(bench, server) == ["12:00"]
    assert server.requests[1]["messages"][2]["tool_calls"][0]["function"]["arguments"] == "{}"


@pytest.mark.parametrize("quirk", TRIED_AGAIN)
async def test_a_passing_failure_is_told_and_waited_out(
    bench: Bench, monkeypatch: pytest.MonkeyPatch, quirk: str
) -> None:
    # https://github.com/openai/codex/pull/506
    finished, server = await run(bench, monkeypatch, Turn(TEXT, CALLS, quirks=(quirk,)), Turn("done"))
    assert finished.answer == "done"
    assert TRIED_AGAIN[quirk] in bench.notices()
    assert bench.text() == f"{TEXT}done"
    assert in_order(bench, server) == ["a", "b"]
    assert len(bench.results()) == 2
    assert len(server.requests) == 3
    assert server.requests[0]["messages"] == server.requests[1]["messages"]
    if "in 1 s" in TRIED_AGAIN[quirk]:
        assert 1 <= server.times[1] - server.times[0] < 3


@pytest.mark.parametrize("quirk", FAILS)
async def test_a_failure_that_stays_ends_the_run_with_its_reason(
    bench: Bench, monkeypatch: pytest.MonkeyPatch, quirk: str
) -> None:
    finished, server = await run(bench, monkeypatch, Turn(TEXT, CALLS, quirks=(quirk,)))
    code, words = FAILS[quirk]
    assert finished.stop_reason == "error"
    (error,) = bench.errors()
    assert error.code == code
    assert words in error.message
    assert bench.results() == []
    assert TEXT.startswith(bench.text()), "no text twice"
    assert len(server.requests) == (3 if quirk == "429-nonsense" else 1)


@pytest.mark.parametrize("quirk", REMARKED)
async def test_an_answer_that_says_nothing_is_remarked_upon(
    bench: Bench, monkeypatch: pytest.MonkeyPatch, quirk: str
) -> None:
    turn, words = REMARKED[quirk]
    finished, _ = await run(bench, monkeypatch, Turn(turn.text, turn.calls, quirks=(quirk,)))
    assert finished.stop_reason == "end_turn"
    assert words in bench.notices()
    assert bench.results() == []


@pytest.mark.parametrize("quirk", CONTEXT)
async def test_a_conversation_too_long_is_shortened_in_whatever_words_it_is_refused(
    bench: Bench, monkeypatch: pytest.MonkeyPatch, quirk: str
) -> None:
    finished, server = await run(bench, monkeypatch, Turn("done", quirks=(quirk,)), prompt="go " * 2000)
    assert finished == FinishedEvent(stop_reason="end_turn", answer="done")
    assert len(server.requests) == 2


async def test_tokens_that_nobody_counted_are_unknown_and_not_guessed(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    finished, _ = await run(bench, monkeypatch, Turn(TEXT, quirks=("no-usage",)))
    assert finished.answer == TEXT
    assert bench.events(UsageEvent) == []


async def test_text_and_calls_in_one_delta_are_both_there(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    _, server = await run(bench, monkeypatch, Turn(TEXT, CALLS, quirks=("text-and-call",)), Turn("done"))
    assert bench.text() == f"{TEXT}part 0 part 1 part 2 part 3 done"
    assert in_order(bench, server) == ["a", "b"]


async def test_a_break_in_a_call_before_any_text_is_tried_again_and_the_call_runs_once(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    finished, server = await run(bench, monkeypatch, Turn(calls=CALLS, quirks=("once-drop-in-call",)), Turn("done"))
    assert finished.answer == "done"
    assert in_order(bench, server) == ["a", "b"]
    assert len(server.requests) == 3


async def test_a_limit_in_the_text_before_a_sloppy_call(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    together = ("once-limit-in-text", "name-in-pieces")
    _, server = await run(bench, monkeypatch, Turn(TEXT, CALLS, quirks=together), Turn("done"))
    assert in_order(bench, server) == ["a", "b"]
    assert bench.text() == f"{TEXT}done"


async def test_several_quirks_at_once(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    together = ("interleaved", "null-index", "once-429-bare", "empty-choices", "crlf", "no-done", "finish-stop")
    _, server = await run(bench, monkeypatch, Turn(TEXT, CALLS, quirks=together), Turn("done"))
    assert all(
        observation in ("a", "b") or "Nothing was executed" in observation for observation in in_order(bench, server)
    )
    assert bench.text() == f"{TEXT}done"
