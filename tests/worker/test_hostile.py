"""Code in the worker can say anything on its pipe. None of it may hurt the host: it is a breach, or made harmless."""

from __future__ import annotations

import asyncio
import os
import sys
from pathlib import Path

import pytest

from adal_ls.agent.projects.loading import LoadFailedError, start_loaded
from adal_ls.worker.client import Limits, ToolResult
from tests.worker.conftest import Loaded, Project

SENDS = '''
    import gc, time
    from adal_ls.worker.channel import BlockingWriter

    def send() -> str:
        """Send a message of its own."""
        (writer,) = [found for found in gc.get_objects() if isinstance(found, BlockingWriter)]
        writer.send(BODY)
        time.sleep(20)
        return "believed"

    CUSTOM_TOOLS = [send]
'''


@pytest.mark.parametrize(
    "body",
    [
        b'{"method": [], "id": 1}',
        b'{"method": "hangs", "params": [1]}',
        b'{"method": "$/cancelRequest", "params": [1]}',
        b'{"id": [1], "result": 1}',
        b'{"id": {}, "error": 1}',
        b'{"method": "hello", "id": {"a": 1}}',
        b'{"method": "progress", "params": {"call": NaN}}',
        b"[" * 100_000,
        b"1" * 5000,
    ],
)
async def test_a_message_of_no_known_shape_ends_the_worker(
    loaded: Loaded, body: bytes, caplog: pytest.LogCaptureFixture
) -> None:
    worker, _ = await loaded(SENDS.replace("BODY", repr(body)))
    result = await asyncio.wait_for(worker.call("send", {}), 10)
    assert result.status == "error"
    assert "broke its messages" in result.observation
    assert "Exception in callback" not in caplog.text


FORGES = '''
    import json
    import adal_ls.wire.peer as peer

    class Forger:
        loads = staticmethod(json.loads)

        @staticmethod
        def dumps(message, **options):
            if "result" not in message:
                return json.dumps(message, **options)
            result = {"status": "success", "output": "x", "observation": "x", "display": None, "trace": None}
            text = json.dumps({**result, "duration_ms": 1.0})[:-1] + ", " + FORGED + "}"
            return '{"jsonrpc": "2.0", "id": ' + json.dumps(message["id"]) + ', "result": ' + text + "}"

    def forge() -> str:
        """Answer with something odd."""
        peer.json = Forger
        return "x"

    CUSTOM_TOOLS = [forge]
'''


@pytest.mark.parametrize(
    "forged",
    [
        '"duration_ms": NaN',
        '"duration_ms": 1e999',
        '"duration_ms": -1',
        f'"duration_ms": 1{"0" * 400}',
        '"status": {}',
        f'"output": {"[" * 5000}{"]" * 5000}',
    ],
)
async def test_a_forged_result_is_an_error_result(loaded: Loaded, forged: str) -> None:
    worker, _ = await loaded(FORGES.replace("FORGED", repr(forged)))
    result = await asyncio.wait_for(worker.call("forge", {}), 10)
    assert result.status == "error"
    assert "broke its messages" in result.observation


async def test_half_a_surrogate_pair_in_a_result_becomes_readable(loaded: Loaded) -> None:
    worker, _ = await loaded(FORGES.replace("FORGED", repr('"observation": "\\ud800", "display": "\\udfff"')))
    result = await worker.call("forge", {})
    assert (result.observation, result.display) == ("\\ud800", "\\udfff")
    assert isinstance(result, ToolResult)


LIES = '''
    import adal_ls.worker.serve as serve

    real = serve.project_to_json
    deep = {"type": "object"}
    for _ in range(800):
        deep = {"type": "object", "properties": deep}

    def lie(project):
        told = real(project)
        told["tools"] = [dict(tool) for tool in told["tools"]]
        tool = told["tools"][0]
        LIE
        return told

    serve.project_to_json = lie

    def harmless() -> str:
        """Do nothing."""
        return "x"

    CUSTOM_TOOLS = [harmless]
'''


@pytest.mark.parametrize(
    "lie",
    [
        "tool['line'] = 10**30",
        "tool['line'] = -5",
        "tool['parameters'] = {'type': 'object', 'default': float('inf')}",
        "tool['parameters'] = deep",
        "told['sources'] = {}",
        "told['sources']['/etc/passwd'] = '0'",
        "told['sources']['.adal/../../../etc/passwd'] = '0'",
        r"told['sources']['..\\..\\windows'] = '0'",
        r"told['sources']['a\0b'] = '0'",
    ],
)
async def test_a_false_account_of_the_project_fails_the_load(loaded: Loaded, lie: str) -> None:
    worker, project = await loaded(LIES.replace("LIE", lie))
    assert project.tools == ()
    assert project.error is not None
    assert "broke its messages" in project.error.message
    assert worker.closed


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="named pipes are POSIX")
async def test_a_source_that_is_a_pipe_does_not_hold_up_the_host(project: Project, tmp_path: Path) -> None:
    root = project(LIES.replace("LIE", "told['sources']['pipe'] = '0'"))
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(LoadFailedError, match="changed while they were loaded"):
        await asyncio.wait_for(start_loaded(sys.executable, root, Limits()), 10)
