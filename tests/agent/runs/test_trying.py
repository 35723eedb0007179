"""Trying a tool over the pipes of a real host: the person who presses Run is the one who allows it."""

from __future__ import annotations

import asyncio
import time
from pathlib import Path

import psutil
import pytest

from adal_ls.protocol import methods
from adal_ls.wire.peer import INVALID_PARAMS, REQUEST_FAILED, RpcError
from tests.agent.host_client import Server

TOOLS = '''
import os
import subprocess
from pathlib import Path
from adalflow.core.types import ToolOutput


def weigh(name: str, grams: int = 5) -> ToolOutput:
    """Weigh something."""
    print("weighing", name)
    Path("weighed.txt").write_text(name)
    return ToolOutput(output={"grams": grams}, observation=f"{name}: {grams} g", display="weighed", status="success")


def broken() -> str:
    """Fail."""
    secret = "hunter2"
    raise ValueError("no scale")


def slow() -> str:
    """Take long."""
    print("began", flush=True)
    subprocess.run(["sleep", "60"])
    return "late"


CUSTOM_TOOLS = [weigh, broken, slow]
'''


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "work"
    (folder / ".adal").mkdir(parents=True)
    (folder / ".adal" / "tools.py").write_text(TOOLS)
    return folder


async def test_a_try_runs_the_tool_without_a_question_and_gives_all_its_parts(server: Server, root: Path) -> None:
    await server.initialize(root)
    tried = await server.request(methods.TOOLS_TRY, {"tool": "weigh", "arguments": {"name": "flour"}, "tryId": "t1"})
    assert {key: tried[key] for key in ("status", "output", "observation", "display", "printed")} == {
        "status": "success",
        "output": {"grams": 5},
        "observation": "flour: 5 g",
        "display": "weighed",
        "printed": "weighing flour\n",
    }
    assert tried["durationMs"] > 0
    assert (root / "weighed.txt").read_text() == "flour"
    assert await server.until(methods.TOOLS_TRY_PROGRESS) == {"tryId": "t1", "text": "weighing flour\n"}
    assert not any(method == methods.APPROVAL_REQUEST for method, _ in server.told)
    assert await server.request(methods.RUN_LIST, {}) == {"runs": []}


async def test_a_try_runs_the_code_as_it_is_whether_or_not_anybody_has_told_of_the_change(
    server: Server, root: Path
) -> None:
    (root / ".adal" / "tools.py").write_text(
        "from words import WORD\n\n\ndef greet() -> str:\n    return WORD\n\n\nCUSTOM_TOOLS = [greet]\n"
    )
    await server.initialize(root)
    for word in ("hello", "welcome", "goodbye"):
        (root / ".adal" / "words.py").write_text(f'WORD = "{word}"\n')
        tried = await server.request(methods.TOOLS_TRY, {"tool": "greet", "arguments": {}})
        assert tried["observation"] == word


async def test_a_try_is_no_standing_permission(server: Server, root: Path) -> None:
    await server.initialize(root)
    await server.request(methods.TOOLS_TRY, {"tool": "weigh", "arguments": {"name": "flour"}})
    await server.request(methods.RUN_START, {"prompt": "weigh(name='flour')"})
    assert (await server.until(methods.APPROVAL_REQUEST))["tool"] == "weigh"


async def test_a_tool_that_fails_gives_message_and_trace_without_its_variables(server: Server, root: Path) -> None:
    await server.initialize(root)
    tried = await server.request(methods.TOOLS_TRY, {"tool": "broken"})
    assert tried["status"] == "error"
    assert "no scale" in tried["observation"]
    assert "tools.py" in tried["trace"]
    assert "hunter2" not in str(tried).replace('secret = "hunter2"', "")


async def test_arguments_that_do_not_fit_are_told_and_nothing_runs(server: Server, root: Path) -> None:
    await server.initialize(root)
    tried = await server.request(methods.TOOLS_TRY, {"tool": "weigh", "arguments": {"grams": "many"}})
    assert tried["status"] == "error"
    assert "name" in tried["observation"]
    assert "grams" in tried["observation"]
    assert not (root / "weighed.txt").exists()


async def test_a_built_in_tool_can_be_tried_as_well(server: Server, root: Path) -> None:
    await server.initialize(root)
    (root / "notes.txt").write_text("hello\n")
    tried = await server.request(methods.TOOLS_TRY, {"tool": "read_file", "arguments": {"path": "notes.txt"}})
    assert tried["status"] == "success"
    assert "hello" in tried["observation"]


async def test_an_unknown_tool_is_refused_with_the_names_there_are(server: Server, root: Path) -> None:
    await server.initialize(root)
    with pytest.raises(RpcError, match=r"no tool 'wiegh'.*weigh, broken, slow") as refused:
        await server.request(methods.TOOLS_TRY, {"tool": "wiegh"})
    assert refused.value.code == INVALID_PARAMS


async def test_what_cannot_be_loaded_is_said_in_place_of_a_result(server: Server, root: Path) -> None:
    (root / ".adal" / "tools.py").write_text("import nothing_of_that_name\nCUSTOM_TOOLS = []\n")
    await server.initialize(root)
    with pytest.raises(RpcError, match="nothing_of_that_name"):
        await server.request(methods.TOOLS_TRY, {"tool": "weigh"})


async def test_nothing_is_tried_without_trust(server: Server, root: Path) -> None:
    await server.initialize(root, trusted=False)
    with pytest.raises(RpcError, match="trust") as refused:
        await server.request(methods.TOOLS_TRY, {"tool": "weigh", "arguments": {"name": "flour"}})
    assert refused.value.code == REQUEST_FAILED
    assert not (root / "weighed.txt").exists()


async def test_a_try_that_is_taken_back_ends_the_tool_and_its_children(server: Server, root: Path) -> None:
    await server.initialize(root)
    trying = asyncio.ensure_future(server.request(methods.TOOLS_TRY, {"tool": "slow", "tryId": "t"}))
    await server.until(methods.TOOLS_TRY_PROGRESS, tryId="t")
    sleeping = [
        child for child in psutil.Process(server.process.pid).children(recursive=True) if "sleep" in child.cmdline()[:1]
    ]
    began = time.monotonic()
    trying.cancel()
    await asyncio.wait({trying})
    _, alive = await asyncio.to_thread(psutil.wait_procs, sleeping, 5)
    assert sleeping
    assert not alive
    assert time.monotonic() - began < 3  # half a second on a machine that does nothing else
    again = await server.request(methods.TOOLS_TRY, {"tool": "weigh", "arguments": {"name": "salt"}})
    assert again["status"] == "success"
