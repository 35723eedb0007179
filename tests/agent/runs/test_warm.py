"""The model layer made ready before the first run, in a real host process."""

from __future__ import annotations

import asyncio
import time
from pathlib import Path

import psutil

from adal_ls.protocol import methods
from tests.agent.host_client import Server

LOADED = 150 * 2**20
"""Bytes a host has only with litellm imported; without, it has about 60 MiB."""


def size(server: Server) -> int:
    memory: int = psutil.Process(server.process.pid).memory_info().rss
    return memory


async def test_looking_at_runs_makes_the_model_layer_ready_while_the_host_answers(
    server: Server, tmp_path: Path
) -> None:
    await server.initialize(tmp_path, model="openai/gpt-4o")
    assert size(server) < LOADED
    server.peer.notify(methods.RUN_WARM, {})
    slowest, deadline = 0.0, time.monotonic() + 60
    while size(server) < LOADED:
        assert time.monotonic() < deadline, "the model layer was not loaded"
        began = time.monotonic()
        await server.request(methods.RUN_LIST, {})
        slowest = max(slowest, time.monotonic() - began)
        await asyncio.sleep(0.02)
    assert slowest < 2, "the import holds the interpreter for a fraction of a second at a time"


async def test_nothing_is_loaded_for_a_model_that_needs_nothing_or_without_trust(
    server: Server, tmp_path: Path
) -> None:
    await server.initialize(tmp_path, model="openai/gpt-4o", trusted=False)
    server.peer.notify(methods.RUN_WARM, {})
    server.peer.notify(methods.TRUST_CHANGED, {"trusted": True})
    server.peer.notify(methods.RUN_WARM, {"model": "offline"})
    server.peer.notify(methods.RUN_WARM, {"model": "script:turns.yaml"})
    began = time.monotonic()
    while time.monotonic() - began < 1:
        await server.request(methods.RUN_LIST, {})
        await asyncio.sleep(0.05)
    assert size(server) < LOADED
