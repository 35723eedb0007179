from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import psutil
import pytest

from tests.server.conftest import GOOD, ScriptedHost, Workspace
from tests.server.stdio import StdioClient

posix_only = pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")


@pytest.fixture
def client(start_process: Callable[..., StdioClient]) -> StdioClient:
    return start_process()


def wait_gone(*pids: int, seconds: float = 2.0) -> None:
    deadline = time.monotonic() + seconds
    while alive := [pid for pid in pids if running(pid)]:
        assert time.monotonic() < deadline, f"still there: {alive}"
        time.sleep(0.02)


def running(pid: int) -> bool:
    try:
        return psutil.Process(pid).status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


def test_the_end_of_input_ends_the_server(client: StdioClient) -> None:
    client.initialize()
    client.hang_up()
    assert client.wait_end(2) == 1


def test_a_broken_stream_ends_the_server(client: StdioClient) -> None:
    client.initialize()
    client.send_bytes(b"hello\r\n\r\n")
    assert client.wait_end(2) == 1


@posix_only
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_the_server(client: StdioClient, number: signal.Signals) -> None:
    client.initialize()
    client.process.send_signal(number)
    assert client.wait_end(2) == 1


def test_the_server_follows_the_process_the_client_names(client: StdioClient) -> None:
    # https://github.com/openlawlibrary/pygls/issues/173: the pipe can stay open in a child of the editor
    editor = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    client.initialize(processId=editor.pid)
    editor.communicate(b"\n")
    wait_gone(client.process.pid, seconds=3.0)


def start_stubborn(
    start_process: Callable[..., StdioClient], host: ScriptedHost, workspace: Workspace
) -> tuple[StdioClient, list[int]]:
    """A session whose host and the host's child do not go when their input closes."""
    workspace.write(GOOD)
    client = start_process(host.server("stubborn"), tolerated=["window/logMessage", "window/showMessageRequest"])
    client.initialize(workspace.root, options={"trusted": True})
    command = {"command": "adal.server.runAgent", "arguments": ["hi"]}
    assert client.request("workspace/executeCommand", command)["runId"]
    client.wait_message("window/showMessageRequest")  # the run waits for an approval from here on
    pids = [int(word) for word in host.record.with_suffix(".pids").read_text().split()]
    assert all(map(running, pids))
    return client, pids


def test_the_end_of_input_ends_the_host_and_its_children(
    start_process: Callable[..., StdioClient], scripted_host: ScriptedHost, workspace: Workspace
) -> None:
    client, pids = start_stubborn(start_process, scripted_host, workspace)
    client.hang_up()
    wait_gone(client.process.pid, *pids)


def test_shutdown_is_answered_at_once_while_a_run_waits(
    start_process: Callable[..., StdioClient], scripted_host: ScriptedHost, workspace: Workspace
) -> None:
    client, pids = start_stubborn(start_process, scripted_host, workspace)
    client.tolerated |= {"window/showMessage", "$/cancelRequest"}
    begun = time.monotonic()
    client.request("shutdown")
    assert time.monotonic() - begun < 0.5
    client.notify("exit")
    assert client.wait_end(2) == 0
    wait_gone(*pids, seconds=0.5)


@posix_only
def test_a_killed_editor_takes_server_host_and_children_with_it(
    scripted_host: ScriptedHost, workspace: Workspace
) -> None:
    """The editor is a process of its own, killed while a run waits for its approval."""
    workspace.write(GOOD)
    editor_code = f"""
import sys, time
from pathlib import Path
from tests.server.stdio import StdioClient
client = StdioClient({scripted_host.server("stubborn")!r})
client.initialize(Path({str(workspace.root)!r}), options={{"trusted": True}})
client.request("workspace/executeCommand", {{"command": "adal.server.runAgent", "arguments": ["hi"]}})
client.wait_message("window/showMessageRequest")
print(client.process.pid, flush=True)
time.sleep(600)
"""
    editor = subprocess.Popen(
        [sys.executable, "-c", editor_code], stdout=subprocess.PIPE, cwd=Path(__file__).parents[2], env=dict(os.environ)
    )
    assert editor.stdout is not None
    with editor.stdout:
        server = int(editor.stdout.readline())
        pids = [int(word) for word in scripted_host.record.with_suffix(".pids").read_text().split()]
        editor.kill()
        editor.wait()
        wait_gone(server, *pids)
