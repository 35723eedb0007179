"""The clients of these tests: what they let pass, and what they must not."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.server.conftest import BAD_NAME, Workspace
from tests.server.memory import MemoryClient
from tests.server.stdio import StdioClient

URI = "file:///p/.adal/tools.py"

STUB = """
import json, subprocess, sys
for line in sys.stdin.buffer:
    sys.stdin.buffer.readline()
    message = json.loads(sys.stdin.buffer.read(int(line.split(b":")[1])))
    if message["method"] in ("initialize", "shutdown"):
        body = json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": None})
        for _ in range(ANSWERS):
            sys.stdout.write(f"Content-Length: {len(body)}\\r\\n\\r\\n{body}")
        sys.stdout.flush()
    elif message["method"] == "exit":
        LAST
        sys.exit(CODE)
"""
"""A server that answers two requests and no other."""

LEAVES_ONE_BEHIND = (
    "import subprocess, sys; subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(60)'],"
    " start_new_session=True, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)"
)


@pytest.fixture
def stub() -> Callable[..., StdioClient]:
    def make(last: str = "pass", code: int = 0, answers: int = 1) -> StdioClient:
        script = STUB.replace("LAST", last).replace("CODE", str(code)).replace("ANSWERS", str(answers))
        return StdioClient((sys.executable, "-c", script))

    return make


@pytest.mark.parametrize("make", [MemoryClient, StdioClient])
def test_a_message_that_nobody_read_is_a_failure(make: Callable[[], MemoryClient | StdioClient]) -> None:
    client = make()
    client.initialize()
    client.open(URI, BAD_NAME)
    client.request("adal/tools/list", {})
    with pytest.raises(AssertionError, match=r"unread: .*publishDiagnostics"):
        client.shut_down()
    client.kill()


@pytest.mark.parametrize("make", [MemoryClient, StdioClient])
def test_a_session_that_goes_on_is_ended_by_the_book(make: Callable[[], MemoryClient | StdioClient]) -> None:
    client = make()
    client.initialize()
    client.shut_down()
    assert client.is_over()
    assert client.wait_end() == 0


@pytest.mark.parametrize("make", [MemoryClient, StdioClient])
def test_a_session_that_never_began_ends_with_code_1(make: Callable[[], MemoryClient | StdioClient]) -> None:
    client = make()
    client.shut_down()
    assert client.wait_end() == 1


def test_a_request_without_an_answer_is_a_failure(stub: Callable[..., StdioClient]) -> None:
    client = stub()
    client.initialize()
    client.ask("textDocument/hover", {})
    with pytest.raises(AssertionError, match="unanswered"):
        client.shut_down()
    client.kill()


def test_two_answers_to_one_request_are_a_failure(stub: Callable[..., StdioClient]) -> None:
    client = stub(answers=2)
    client.initialize()
    with pytest.raises(AssertionError, match="answered twice"):
        client.shut_down()
    client.kill()


def test_another_exit_code_than_the_specifications_is_a_failure(stub: Callable[..., StdioClient]) -> None:
    client = stub(code=3)
    client.initialize()
    with pytest.raises(AssertionError, match="exit code"):
        client.shut_down()
    client.kill()


def test_a_process_that_outlives_its_server_is_a_failure_and_is_ended(
    stub: Callable[..., StdioClient], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tests.server.client.GONE_WITHIN", 0.2)
    client = stub(last=LEAVES_ONE_BEHIND)
    client.initialize()
    with pytest.raises(AssertionError, match=r"outlive it: .*time\.sleep"):
        client.shut_down()
    client._check_processes()  # it is gone now
    client.kill()


def test_a_process_that_outlives_a_host_of_a_session_in_memory_is_a_failure(
    monkeypatch: pytest.MonkeyPatch, workspace: Workspace
) -> None:
    monkeypatch.setattr("tests.server.client.GONE_WITHIN", 0.2)
    monkeypatch.setenv("ADAL_TEST_SESSION", "")
    begun = workspace.root / "begun"
    host = f"{LEAVES_ONE_BEHIND}; open({str(begun)!r}, 'w').close(); sys.stdin.read()"
    client = MemoryClient([sys.executable, "-c", host], tolerated=["window/logMessage"])
    client.initialize(workspace.root, options={"trusted": True})
    key = client.ask("adal/run/list", {})
    while not begun.exists():
        client.request("adal/tools/list", {})
    with pytest.raises(AssertionError, match="outlive it"):
        client.shut_down()
    assert "error" in client.answers[key]
    client.kill()


TESTS = """
from tests.server.conftest import *
from tests.server.test_harness import URI

def leave_unread(client):
    client.initialize()
    client.open(URI, BAD_NAME)
    client.request("adal/tools/list", {})

def test_memory(client):
    leave_unread(client)

def test_process(start_process):
    leave_unread(start_process())

def test_good(client):
    client.initialize()

def test_that_fails_itself(client):
    leave_unread(client)
    assert False
"""


def test_the_fixtures_end_every_session_strictly_unless_its_test_has_failed(tmp_path: Path) -> None:
    """Run as pytest runs it: each failure of the end is an error of that test."""
    (tmp_path / "conftest.py").write_text("from tests.server.conftest import *\n", encoding="utf-8")
    (tmp_path / "test_inner.py").write_text(TESTS, encoding="utf-8")
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-q",
        "-rN",  # no summary, which says the same once more, cut to the terminal's width or not
        "-p",
        "no:cacheprovider",
        "--rootdir",
        str(tmp_path),
        str(tmp_path),
    ]
    done = subprocess.run(
        command, cwd=Path(__file__).parents[2], capture_output=True, text=True, timeout=60, check=False
    )
    assert "1 failed, 3 passed, 2 errors" in done.stdout, done.stdout
    assert done.stdout.count("AssertionError: unread: ") == 2, done.stdout
