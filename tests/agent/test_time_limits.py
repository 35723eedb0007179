"""How long loading and a call may take is the person's to set, and holds wherever a worker is started."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from adal_ls.protocol import methods
from adal_ls.protocol.host import HostSettings
from adal_ls.wire.peer import INVALID_PARAMS, RpcError
from tests.agent.bench import Bench, call
from tests.agent.host_client import Server

SLEEPER = '''
import asyncio
import time


def slow() -> str:
    """Sleep."""
    time.sleep(60)
    return "late"


async def waits() -> str:
    """Sleep without holding a thread."""
    await asyncio.sleep(60)
    return "late"


CUSTOM_TOOLS = [{"function": function, "require_approval": False} for function in (slow, waits)]
'''

HANGS = """
import time

WHEN = time.sleep(60)

CUSTOM_TOOLS = []
"""


async def test_a_tool_that_sleeps_is_ended_at_the_set_limit_and_the_run_goes_on(bench: Bench) -> None:
    bench.tools(SLEEPER)
    bench.open(tool_seconds=0.4)
    began = time.monotonic()
    finished = await bench.run({"calls": [call("slow", "c1"), call("waits", "c2")]}, {"text": "done"})
    assert time.monotonic() - began < 8
    assert finished.answer == "done"
    for call_id in ("c1", "c2"):
        assert "after 0.4 s (the time limit)" in bench.observation(call_id)
        assert "toolSeconds" in bench.observation(call_id)
    assert [result.status for result in bench.results()] == ["error", "error"]


async def test_an_import_that_hangs_is_ended_at_the_set_limit_and_told_at_its_line(bench: Bench) -> None:
    bench.tools(HANGS)
    bench.open(load_seconds=0.6)
    began = time.monotonic()
    project = await bench.load()
    assert time.monotonic() - began < 8
    assert project.failure is not None
    assert project.failure.code == "ADAL903"
    assert "after 0.6 s (the time limit)" in project.failure.message
    assert "loadSeconds" in project.failure.message
    assert project.failure.location is not None
    assert project.failure.location.range.start.line == 3


async def test_the_limits_come_with_the_greeting_of_the_server_and_hold_for_a_try(
    server: Server, tmp_path: Path
) -> None:
    root = tmp_path / "work"
    (root / ".adal").mkdir(parents=True)
    (root / ".adal" / "tools.py").write_text(SLEEPER)
    await server.initialize(root, toolSeconds=0.4)
    tried = await server.request(methods.TOOLS_TRY, {"tool": "slow", "arguments": {}})
    assert tried["status"] == "error"
    assert "after 0.4 s (the time limit)" in tried["observation"]


@pytest.mark.parametrize("seconds", [0, -1, 90_000, float("nan")])
async def test_a_limit_that_none_can_be_is_refused(server: Server, tmp_path: Path, seconds: float) -> None:
    with pytest.raises(ValueError, match="tool_seconds"):
        HostSettings(tool_seconds=seconds)
    if seconds == seconds:  # JSON has no NaN
        with pytest.raises(RpcError, match="toolSeconds") as refused:
            await server.initialize(tmp_path, toolSeconds=seconds)
        assert refused.value.code == INVALID_PARAMS
