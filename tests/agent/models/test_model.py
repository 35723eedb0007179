"""litellm over a real HTTP connection to a scripted server. Its import takes seconds; the tests share one process."""

from __future__ import annotations

import asyncio
import logging
import os
import subprocess
import sys
import time
from collections.abc import AsyncIterator

import pytest

from adal_ls.agent.models import model as model_layer
from adal_ls.agent.models.model import KEYS, LitellmModel, _base_url, _check_environment, load
from adal_ls.agent.models.model_faults import redact
from adal_ls.agent.models.stream import CallDelta, Delta, FinishDelta, ModelError, TextDelta, ToolSpec, UsageDelta
from adal_ls.naming import provider_alias
from adal_ls.protocol.runs import FinishedEvent, RunStartParams, UsageEvent
from tests.agent.bench import ECHO, Bench
from tests.model_server import Call, ModelServer, Turn

KEY = "sk-canary-0123456789abcdef"
PROMPT = "canary prompt 4711"
NOW: ToolSpec = {
    "type": "function",
    "function": {"name": "now", "description": "", "parameters": {"type": "object", "properties": {}}},
}

# litellm and what it imports warn about their own future.
pytestmark = pytest.mark.filterwarnings("ignore")


@pytest.fixture(autouse=True)
async def _environment(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[None]:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    monkeypatch.setattr(model_layer, "_BACKOFF", (0.01, 0.02))
    yield
    await model_layer.close()


async def ask(server: ModelServer, monkeypatch: pytest.MonkeyPatch, name: str = "openai/scripted") -> list[Delta]:
    monkeypatch.setenv("OPENAI_BASE_URL", server.url)
    return [delta async for delta in LitellmModel(name).stream([{"role": "user", "content": PROMPT}], [NOW])]


def text(deltas: list[Delta]) -> str:
    return "".join(delta.text for delta in deltas if isinstance(delta, TextDelta))


async def test_text_calls_finish_and_usage_come_as_typed_deltas(monkeypatch: pytest.MonkeyPatch) -> None:
    calls = (Call("now", '{"a":1}', "c1", 0, pieces=2), Call("now", '{"a":2}', "c2", 1, pieces=2))
    async with ModelServer([Turn(text="hello world", calls=calls, quirks=("interleaved",))]) as server:
        deltas = await ask(server, monkeypatch)
    assert text(deltas) == "hello world"
    pieces = [delta for delta in deltas if isinstance(delta, CallDelta)]
    assert [piece.index for piece in pieces] == [0, 1, 0, 1]
    assert [piece.id for piece in pieces[:2]] == ["c1", "c2"]
    assert [delta for delta in deltas if isinstance(delta, FinishDelta)] == [FinishDelta("tool_calls")]
    # A price that is not known is None, never 0.
    assert deltas[-1] == UsageDelta(11, 7, cost=None)
    assert server.keys == [KEY]
    assert server.requests[0]["stream_options"] == {"include_usage": True}


async def test_a_known_model_has_a_price(monkeypatch: pytest.MonkeyPatch) -> None:
    async with ModelServer([Turn(text="hi")]) as server:
        deltas = await ask(server, monkeypatch, "openai/gpt-4o")
    usage = deltas[-1]
    assert isinstance(usage, UsageDelta)
    assert usage.cost is not None
    assert 0 < usage.cost < 0.01


async def test_a_failure_before_the_first_delta_is_tried_again_and_text_comes_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for status in (429, 500, 503):
        async with ModelServer([Turn(text="hello", fail=status, failures=2)]) as server:
            assert text(await ask(server, monkeypatch)) == "hello"
        assert len(server.requests) == 3


async def test_after_three_attempts_the_run_gets_one_error(monkeypatch: pytest.MonkeyPatch) -> None:
    async with ModelServer([Turn(fail=500, failures=9)]) as server:
        with pytest.raises(ModelError) as failed:
            await ask(server, monkeypatch)
    assert failed.value.code == "server"
    assert len(server.requests) == 3


async def test_retry_after_is_honoured_and_one_over_a_minute_stops_with_the_reason(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async with ModelServer([Turn(text="hello", fail=429, retry_after="1")]) as server:
        began = time.monotonic()
        assert text(await ask(server, monkeypatch)) == "hello"
        assert time.monotonic() - began >= 1
    async with ModelServer([Turn(text="hello", fail=429, retry_after="61")]) as server:
        with pytest.raises(ModelError, match="61 s"):
            await ask(server, monkeypatch)
    assert len(server.requests) == 1


async def test_a_connection_that_breaks_after_visible_text_is_not_tried_again(monkeypatch: pytest.MonkeyPatch) -> None:
    deltas: list[Delta] = []

    async def collect() -> None:
        async for delta in LitellmModel("openai/scripted").stream([{"role": "user", "content": PROMPT}], []):
            deltas.append(delta)  # noqa: PERF401 - what came before the error counts

    async with ModelServer([Turn(text="hello world", drop_after=2)]) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.url)
        with pytest.raises(ModelError) as failed:
            await collect()
    assert failed.value.code == "connection"
    assert text(deltas) == "hello"
    assert len(server.requests) == 1


@pytest.mark.parametrize(
    ("status", "code"), [(400, "bad_request"), (401, "auth"), (403, "auth"), (404, "not_found"), (422, "bad_request")]
)
async def test_what_trying_again_cannot_help_is_said_at_once(
    monkeypatch: pytest.MonkeyPatch, status: int, code: str
) -> None:
    async with ModelServer([Turn(fail=status, failures=9)]) as server:
        with pytest.raises(ModelError) as failed:
            await ask(server, monkeypatch)
    assert failed.value.code == code
    assert len(server.requests) == 1
    assert KEY not in failed.value.message


async def test_a_refused_connection_names_the_address(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:9/v1")
    with pytest.raises(ModelError) as failed:
        [delta async for delta in LitellmModel("openai/scripted").stream([{"role": "user", "content": "x"}], [])]
    assert failed.value.code == "connection"
    assert failed.value.message == (
        "openai/scripted: cannot connect to http://127.0.0.1:9/v1 (OPENAI_BASE_URL); check that the server runs and "
        "the address is right (InternalServerError: Connection error.)"
    )


async def test_ollama_needs_no_address_and_is_looked_for_where_it_always_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OLLAMA_API_BASE", raising=False)
    litellm = await load()
    assert litellm.validate_environment("ollama_chat/qwen3")["missing_keys"] == ["OLLAMA_API_BASE"]
    _check_environment(litellm, "ollama_chat/qwen3")
    assert _base_url(litellm, "ollama_chat/qwen3") == "http://localhost:11434"
    monkeypatch.setenv("OLLAMA_API_BASE", "http://127.0.0.1:9")
    with pytest.raises(ModelError, match=r"cannot connect to http://127\.0\.0\.1:9 \(OLLAMA_API_BASE\)"):
        [delta async for delta in LitellmModel("ollama_chat/qwen3").stream([{"role": "user", "content": "x"}], [])]


async def test_a_password_in_the_address_is_not_repeated(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_BASE_URL", "http://user:hunter2@127.0.0.1:9/v1")
    with pytest.raises(ModelError) as failed:
        [delta async for delta in LitellmModel("openai/scripted").stream([{"role": "user", "content": "x"}], [])]
    assert "hunter2" not in failed.value.message


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("openai/gpt-4o", "needs the environment variable OPENAI_API_KEY"),
        ("anthropic/claude-x", "needs the environment variable ANTHROPIC_API_KEY"),
        ("gpt-nonsense", "names its provider"),
        ("foo/bar", r"^no provider 'foo' is known \(write provider/model, "),
        ("openia/gpt-4o", "unknown provider 'openia', did you mean openai?"),
    ],
)
async def test_a_missing_key_or_provider_is_named(monkeypatch: pytest.MonkeyPatch, name: str, message: str) -> None:
    monkeypatch.delenv("OPENAI_API_KEY")
    with pytest.raises(ModelError, match=message):
        [delta async for delta in LitellmModel(name).stream([{"role": "user", "content": "x"}], [])]


@pytest.mark.parametrize("provider", KEYS)
async def test_a_key_that_is_certainly_missing_is_told_before_the_import(
    monkeypatch: pytest.MonkeyPatch, provider: str
) -> None:
    for variable in KEYS[provider]:
        monkeypatch.delenv(variable, raising=False)
    code = (
        "import asyncio, sys; from adal_ls.agent.models.model import LitellmModel\n"
        "async def main():\n"
        f"    async for _ in LitellmModel('{provider}/m').stream([], []): pass\n"
        "try: asyncio.run(main())\n"
        "except Exception as fault: print('litellm' in sys.modules, fault)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=30)
    assert done.stdout.startswith(f"False {provider}/m needs the environment variable {KEYS[provider][0]}")
    # litellm itself agrees that it is missing, and that each of them is enough.
    litellm = await load()
    assert litellm.validate_environment(f"{provider}/m")["missing_keys"]
    for variable in KEYS[provider]:
        with monkeypatch.context() as only:
            only.setenv(variable, "x")
            assert not litellm.validate_environment(f"{provider}/m")["missing_keys"]


async def test_closing_the_stream_early_ends_the_request(monkeypatch: pytest.MonkeyPatch) -> None:
    async with ModelServer([Turn(text="hello world", hang_after=2)]) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.url)
        stream = LitellmModel("openai/scripted").stream([{"role": "user", "content": "x"}], [])
        await stream.__anext__()
        await stream.aclose()
        await asyncio.wait_for(server.disconnected.wait(), 2)


async def test_neither_key_nor_prompt_appears_in_any_log(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]
) -> None:
    with caplog.at_level(logging.DEBUG):
        async with ModelServer([Turn(text="hello", fail=500)]) as server:
            await ask(server, monkeypatch)
    printed = capfd.readouterr()
    for said in (caplog.text, printed.out, printed.err):
        assert KEY not in said
        assert PROMPT not in said


def test_keys_are_taken_out_of_messages() -> None:
    environ = {"MY_API_KEY": "abcd1234", "HOME": "/home/me", "GITHUB_TOKEN": "ghp_x1y2z3"}
    said = redact("key abcd1234 and ghp_x1y2z3 and sk-proj-AAAABBBBCCCC in /home/me", environ)
    assert said == "key *** and *** and *** in /home/me"


def test_the_import_reaches_for_no_network_and_says_nothing(tmp_path: object) -> None:
    code = (
        "import socket\n"
        "def refuse(*a, **k): raise OSError('network refused')\n"
        "socket.socket.connect = refuse; socket.getaddrinfo = refuse\n"
        "import asyncio; from adal_ls.agent.models.model import load; asyncio.run(load())\n"
    )
    done = subprocess.run(
        [sys.executable, "-I", "-W", "ignore", "-c", code], capture_output=True, text=True, env={**os.environ}
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


async def test_a_whole_run_sends_valid_histories_and_only_ascii_names(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    # https://github.com/TencentCloud/Octop/pull/308 and https://github.com/BerriAI/litellm/issues/5063
    bench.tools(
        ECHO.replace(
            "CUSTOM_TOOLS = [",
            "def 查询天气(城市: str) -> str:\n    '''Weather.'''\n    return 城市\n\n\n"
            "CUSTOM_TOOLS = [{'function': 查询天气, 'require_approval': False}, ",
        )
    )
    runtime = bench.open()
    turns = [
        Turn(calls=(Call("now", "", "c1", 0), Call(provider_alias("查询天气"), '{"城市":"北京"}', "c2", 1))),
        Turn(calls=(Call("echo", '{"text": "a"', "c3", 0), Call("none-such", "{}", "c4", 1))),
        Turn(text="done"),
    ]
    async with ModelServer(turns) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.url)
        run_id = runtime.start(RunStartParams(prompt="go", model="openai/scripted"))
        finished = await asyncio.wait_for(runtime.wait(run_id), 60)
    assert finished == FinishedEvent(stop_reason="end_turn", answer="done")
    assert bench.observation("c1") == "12:00"
    assert bench.observation("c2") == "北京"
    assert {result.call_id: result.tool for result in bench.results()}["c2"] == "查询天气"
    first, second, third = (request["messages"] for request in server.requests)
    assert second[2]["tool_calls"][0]["function"]["arguments"] == "{}"
    assert [message.get("tool_call_id") for message in third if message["role"] == "tool"] == ["c1", "c2", "c3", "c4"]
    for request in server.requests:
        names = [tool["function"]["name"] for tool in request["tools"]]
        names += [call["function"]["name"] for m in request["messages"] for call in m.get("tool_calls", ())]
        assert all(name.isascii() for name in names)
    assert len(first) == 2
    assert [(usage.input_tokens, usage.cost) for usage in bench.events(UsageEvent)] == [(11, None)] * 3


async def test_cancelling_a_run_ends_its_request(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    runtime = bench.open()
    async with ModelServer([Turn(text="hello world", hang_after=2)]) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.url)
        run_id = runtime.start(RunStartParams(prompt="go", model="openai/scripted"))
        await asyncio.wait_for(server.hanging.wait(), 20)
        await bench.until(lambda update: update.event.type == "text")
        began = time.monotonic()
        await runtime.cancel(run_id)
        assert time.monotonic() - began < 0.5
        await asyncio.wait_for(server.disconnected.wait(), 1)
    assert (await runtime.wait(run_id)).stop_reason == "cancelled"
    assert bench.text() == "hello"
    assert bench.errors() == []
