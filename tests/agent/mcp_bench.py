"""MCP servers for tests: descriptions of them, and calls without a run."""

from __future__ import annotations

import asyncio
import os
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psutil

from adal_ls.agent.mcp.tools import ServedTools
from adal_ls.sdk import McpServer, mcp_tool_provider
from adal_ls.worker.data import ToolResult

HERE = Path(__file__).parent
REAL, RAW = HERE / "mcp_server.py", HERE / "mcp_raw.py"


def raw(*modes: str, **settings: Any) -> McpServer:
    """The server by hand, in these modes."""
    return mcp_tool_provider(**{"name": "raw", "command": [sys.executable, str(RAW), *modes], **settings}).server


def real(**settings: Any) -> McpServer:
    """The package's server, over stdio."""
    return mcp_tool_provider(**{"name": "library", "command": [sys.executable, str(REAL), "stdio"], **settings}).server


async def called(
    served: ServedTools, name: str, tell: Callable[[str], None] = lambda _: None, **arguments: Any
) -> ToolResult:
    """One call of a served tool, as the executor makes it."""
    tool = next(tool for tool in served.tools if tool.name == name)
    assert tool.caller is not None
    return await tool.caller.call(name, arguments, on_progress=tell)


def pids(folder: Path) -> list[int]:
    """Of the raw servers that were started in this folder."""
    file = folder / "pids.txt"
    return [int(line) for line in file.read_text().split()] if file.exists() else []


def alive(pid: int) -> bool:
    try:
        return psutil.Process(pid).status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


async def until(holds: Callable[[], object], seconds: float = 10) -> None:
    deadline = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < deadline, "it did not come true"
        await asyncio.sleep(0.01)


@contextmanager
def over_http(folder: Path, port: int | None = None) -> Iterator[tuple[str, subprocess.Popen[bytes]]]:
    """The package's server behind a URL, in this folder."""
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        probe.bind(("127.0.0.1", port or 0))
        port = probe.getsockname()[1]
    with (folder / "server.log").open("wb") as log:
        process = subprocess.Popen(
            [sys.executable, REAL, "http", str(port)], cwd=folder, stdout=log, stderr=log, env=dict(os.environ)
        )
    try:
        deadline = time.monotonic() + 60
        while True:
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", port)) == 0:
                    break
            assert process.poll() is None, (folder / "server.log").read_text()
            assert time.monotonic() < deadline, "it does not listen"
            time.sleep(0.05)
        yield f"http://127.0.0.1:{port}/mcp", process
    finally:
        process.kill()
        process.wait()
