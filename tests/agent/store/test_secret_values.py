"""Values of key-like environment variables stay out of the store, of what is told about a run, and of logs."""

from __future__ import annotations

from pathlib import Path

import pytest

from adal_ls.agent.files.paths import workspace_dir
from adal_ls.agent.store.secret_values import RedactedEvents, SecretValues
from adal_ls.agent.store.store import Store
from adal_ls.protocol.runs import (
    Event,
    FinishedEvent,
    TextEvent,
    Todo,
    TodosEvent,
    ToolCallEvent,
    ToolProgressEvent,
    ToolResultEvent,
)
from tests.agent.bench import Bench, call

KEY = "sk-proj-4Fh82kQ01zLmNo"


@pytest.mark.parametrize(
    "name",
    [
        "OPENAI_API_KEY",
        "GITHUB_TOKEN",
        "aws_secret_access_key",
        "DB_PASSWORD",
        "SECRET_KEY_BASE",
        "NPM_AUTH",
        "API_KEY_2",
    ],
)
def test_a_variable_named_like_a_key_is_one(name: str) -> None:
    assert SecretValues({name: KEY}).redact(f"it is {KEY}!") == f"it is [redacted {name}]!"


@pytest.mark.parametrize(
    ("name", "value"),
    [("PWD", "/somewhere/else"), ("MAX_TOKENS", "128000000"), ("MONKEY", KEY), ("KEYBOARD", KEY), ("API_KEY", "short")],
)
def test_other_variables_are_none(name: str, value: str) -> None:
    assert not SecretValues({name: value})


def test_the_path_of_a_file_is_no_secret(tmp_path: Path) -> None:
    (tmp_path / "key.json").touch()
    assert not SecretValues({"GOOGLE_APPLICATION_CREDENTIALS": str(tmp_path / "key.json")})


def test_a_secret_is_found_in_every_spelling() -> None:
    value = 'a"b/c\\d+é=0123'
    secrets = SecretValues({"X_TOKEN": value})
    for spelled in (value, 'a\\"b/c\\\\d+é=0123', 'a\\"b/c\\\\d+\\u00e9=0123', "a%22b%2Fc%5Cd%2B%C3%A9%3D0123"):
        assert secrets.redact(f"<{spelled}>") == "<[redacted X_TOKEN]>", spelled


def test_the_password_of_an_address_and_each_line_of_a_private_key_are_secrets() -> None:
    lines = "-----BEGIN KEY-----\nMIIEvQIBADANBgkqhkiG9w0BAQ\nAASCBKcwggSjAgEAAoIBAQC7\n-----END KEY-----\n"
    secrets = SecretValues({"DATABASE_URL": "postgres://app:hunter2hunter2@db/app", "SSH_PRIVATE_KEY": lines})
    assert secrets.redact("pw hunter2hunter2") == "pw [redacted DATABASE_URL]"
    assert "AASCBKcwggSjAgEAAoIBAQC7" not in secrets.redact("line: AASCBKcwggSjAgEAAoIBAQC7")


def told(secrets: SecretValues, *events: Event) -> list[Event]:
    stream = RedactedEvents(secrets)
    return [out for event in events for out in stream.pass_on(event)]


@pytest.mark.parametrize("size", [1, 2, 3, 7, 100])
def test_a_secret_that_comes_in_pieces_is_never_told_in_any(size: int) -> None:
    text = f"sk-pro is no key, {KEY} is, s{KEY}{KEY} twice, and sk-proj-4F"
    pieces: list[Event] = [TextEvent(delta=text[at : at + size]) for at in range(0, len(text), size)]
    out = told(SecretValues({"API_KEY": KEY}), *pieces, FinishedEvent(stop_reason="end_turn", answer=text))
    deltas = [event.delta for event in out if isinstance(event, TextEvent)]
    assert "".join(deltas) == text.replace(KEY, "[redacted API_KEY]")
    assert out[-1] == FinishedEvent(stop_reason="end_turn", answer=text.replace(KEY, "[redacted API_KEY]"))


def test_a_secret_that_begins_another_does_not_show_the_rest_of_it() -> None:
    secrets = SecretValues({"A_KEY": "abcdefgh", "B_KEY": "abcdefgh-ijkl"})
    out = told(secrets, TextEvent(delta="x abcdefgh"), TextEvent(delta="-ijkl y"))
    assert "".join(event.delta for event in out if isinstance(event, TextEvent)) == "x [redacted B_KEY] y"


def test_the_output_of_calls_side_by_side_is_kept_apart() -> None:
    secrets = SecretValues({"API_KEY": KEY})
    out = told(
        secrets,
        ToolProgressEvent(call_id="1", text=KEY[:5]),
        ToolProgressEvent(call_id="2", text="two"),
        ToolProgressEvent(call_id="1", text=KEY[5:] + KEY[:3]),
        ToolResultEvent(call_id="1", tool="t", status="success", observation=KEY, duration_ms=1),
    )
    first = [event.text for event in out if isinstance(event, ToolProgressEvent) and event.call_id == "1"]
    assert "".join(first) == "[redacted API_KEY]" + KEY[:3]
    assert isinstance(out[-1], ToolResultEvent)
    assert out[-1].observation == "[redacted API_KEY]"


def test_our_own_words_stay_even_where_a_password_is_one_of_them() -> None:
    secrets = SecretValues({"PASSWORD": "completed"})
    event = TodosEvent(todos=[Todo(content="completed?", status="completed")])
    assert told(secrets, event) == [TodosEvent(todos=[Todo(content="[redacted PASSWORD]?", status="completed")])]
    call = ToolCallEvent(call_id="completed", tool="t", arguments={"status": "completed"}, status="completed")
    (out,) = told(secrets, call)
    assert out == call.model_copy(update={"arguments": {"status": "[redacted PASSWORD]"}})


LEAK = '''
import os


def leak(text: str) -> str:
    """Tell it."""
    print("printed", os.environ["DEPLOY_TOKEN"], flush=True)
    raise RuntimeError("failed with " + os.environ["DEPLOY_TOKEN"])


def long() -> str:
    """Much."""
    return os.environ["DEPLOY_TOKEN"] + " x" * 200_000 + os.environ["DEPLOY_TOKEN"]


CUSTOM_TOOLS = [{"function": leak, "require_approval": False}, {"function": long, "require_approval": False}]
'''


async def test_nothing_of_a_secret_reaches_the_store_or_whoever_watches(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DEPLOY_TOKEN", KEY)
    bench.tools(LEAK)
    finished = await bench.run(
        {"text": f"I use {KEY}", "calls": [call("leak", "c1", {"text": KEY}), call("long", "c2")]},
        {"text": f"The key is {KEY}"},
        prompt=f"deploy with {KEY}",
    )
    assert finished.answer == "The key is [redacted DEPLOY_TOKEN]"
    (result,) = (result for result in bench.results() if result.call_id == "c1")
    assert "failed with [redacted DEPLOY_TOKEN]" in result.observation
    assert "[redacted DEPLOY_TOKEN]" in (result.printed or "")
    assert KEY not in repr(bench.updates)
    (run,) = bench.store.runs()
    assert run.title == "deploy with [redacted DEPLOY_TOKEN]"
    full = bench.store.full_text(run.run_id, "c2")
    assert full is not None
    assert full.startswith("[redacted DEPLOY_TOKEN] x")
    bench.store.close()
    written = [file.read_bytes() for file in workspace_dir(bench.root).rglob("*") if file.is_file()]
    assert len(written) > 0
    assert all(KEY.encode() not in text for text in written)
    bench.store = Store.open(bench.root)
