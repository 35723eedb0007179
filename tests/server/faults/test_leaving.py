"""Faults 3, 5, 27: how the server ends, and how it must not."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import psutil
import pytest

from tests.e2e.conftest import Editor
from tests.server.client import Client
from tests.server.conftest import GOOD

Open = Callable[..., tuple[Editor, Path]]


def test_the_end_of_input_ends_everything_while_an_approval_waits(editor: Open) -> None:
    """Fault 3: a thread that waits on an approval keeps the process alive for good."""
    client, _ = editor(GOOD)
    client.start_run('greet(name="a")')
    client.asked()
    family = [psutil.Process(client.process.pid), *psutil.Process(client.process.pid).children(recursive=True)]
    assert len(family) >= 3, "server, host, worker"
    client.hang_up()
    begun = time.monotonic()
    client.wait_end(2)
    _, alive = psutil.wait_procs(family[1:], timeout=2 - (time.monotonic() - begun))
    assert alive == []


@pytest.mark.parametrize(("messages", "code"), [(["exit"], 1), (["shutdown", "exit"], 0)])
def test_the_exit_code_tells_whether_shutdown_came_first(client: Client, messages: list[str], code: int) -> None:
    """Fault 5: the exit code is always 0."""
    client.initialize()
    for method in messages:
        if method == "shutdown":
            client.request(method)
        else:
            client.notify(method)
    assert client.wait_end(5) == code


@pytest.mark.parametrize("end", ["raise SystemExit(3)", "import os; os._exit(3)", "import ctypes; ctypes.string_at(0)"])
def test_code_that_ends_its_process_does_not_end_the_server(editor: Open, end: str) -> None:
    """Fault 27: only `Exception` is caught around handlers, so an import that exits ends the server."""
    client, _ = editor(f"{end}\n\n{GOOD}")
    project: dict[str, Any] = client.project("error")
    assert [tool["name"] for tool in project["tools"] if tool["kind"] == "custom"] == ["greet"]
    assert client.process.poll() is None
