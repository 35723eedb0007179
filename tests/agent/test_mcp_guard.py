"""The programs of MCP servers go when the process that started them is killed, whatever they do about it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psutil
import pytest

from adal_ls.agent.mcp.guard import GUARD, MARK
from adal_ls.agent.mcp.servers import McpServers
from adal_ls.protocol import methods
from tests.agent.host_client import Server
from tests.agent.mcp_bench import RAW, alive, pids, raw, until

ROOT = Path(__file__).parents[2]

STARTER = """
import asyncio, sys
from pathlib import Path
from adal_ls.agent.mcp.servers import McpServers
from tests.agent.mcp_bench import raw

async def main():
    servers = McpServers(Path(sys.argv[1]))
    await servers.serve([raw("child", "stubborn")])
    print("served", flush=True)
    await asyncio.sleep(600)

asyncio.run(main())
"""

AGENTS = """
import sys
from adal_ls import create_runtime, mcp_tool_provider

library = mcp_tool_provider(name="raw", command=[sys.executable, {raw!r}, "child", "stubborn"], require_approval=False)
AGENTS = [create_runtime(model="offline").create_agent("reader", tools=library)]
"""


def children(folder: Path) -> list[int]:
    return [int(line) for line in (folder / "children.txt").read_text().split()]


def guards(pid: int) -> list[psutil.Process]:
    return [child for child in psutil.Process(pid).children() if "adal_ls.agent.mcp.guard" in child.cmdline()]


def gone(processes: list[int], seconds: float = 2.0) -> None:
    deadline = time.monotonic() + seconds
    while left := [pid for pid in processes if alive(pid)]:
        assert time.monotonic() < deadline, f"still there: {left}"
        time.sleep(0.02)


@contextmanager
def starter(folder: Path) -> Iterator[subprocess.Popen[str]]:
    command = [sys.executable, "-c", STARTER, str(folder)]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "served\n"
        yield process
        process.kill()


@pytest.mark.skipif(sys.platform == "win32", reason="POSIX signals")
def test_a_server_that_heeds_nothing_goes_with_its_children_when_its_host_is_killed(tmp_path: Path) -> None:
    with starter(tmp_path) as process:
        (guard,) = guards(process.pid)
        left = [*pids(tmp_path), *children(tmp_path), guard.pid]
        assert len(left) == 4
        process.send_signal(signal.SIGKILL)
        gone(left)


@pytest.mark.skipif(sys.platform == "win32", reason="POSIX signals")
async def test_they_go_with_the_host_of_an_editor_that_is_killed_in_a_run(server: Server, tmp_path: Path) -> None:
    root = tmp_path / "work"
    (root / ".adal").mkdir(parents=True)
    (root / ".adal" / "agents.py").write_text(AGENTS.format(raw=str(RAW)))
    await server.initialize(root)
    await server.request(methods.RUN_START, {"prompt": "echo(text='hi')", "agent": "reader"})
    await until(lambda: (root / "calls.txt").exists(), 30)
    left = [*pids(root), *children(root)]
    assert len(left) == 3
    server.process.kill()
    gone(left)


@pytest.mark.skipif(sys.platform == "win32", reason="POSIX signals")
async def test_the_guard_is_there_as_long_as_servers_are_and_another_takes_its_place(tmp_path: Path) -> None:
    servers = McpServers(tmp_path)
    await servers.serve([raw()])
    (first,) = guards(os.getpid())
    first.kill()
    await until(lambda: not alive(first.pid))
    other = McpServers(tmp_path)
    await other.serve([raw("child")])
    (second,) = guards(os.getpid())
    assert second.pid != first.pid
    await servers.close()
    assert alive(second.pid)
    await other.close()
    await until(lambda: not alive(second.pid))
    assert guards(os.getpid()) == []


def test_what_watches_has_no_part_in_the_environment_by_which_servers_are_found() -> None:
    assert MARK not in os.environ
    assert GUARD._servers == {}
