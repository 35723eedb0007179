"""The worker process: says hello, loads the project when the host first asks, then runs tools until the pipe ends."""

from __future__ import annotations

import asyncio
import contextlib
import faulthandler
import functools
import importlib.metadata
import json
import os
import platform
import queue
import sys
import threading
from collections.abc import Callable
from typing import Any, NoReturn

from adal_ls.wire.peer import Json
from adal_ls.worker.calls import Calls
from adal_ls.worker.channel import BlockingWriter, start_reading
from adal_ls.worker.data import project_to_json
from adal_ls.worker.ending import kill_own_group
from adal_ls.worker.load import Project, load, reporting_place
from adal_ls.worker.printed import install_streams
from adal_ls.worker.warmup import warm_up


def serve(reading: int, writing: int) -> NoReturn:
    """Serves the host on the private descriptors until they end; then the process ends with its children."""
    for descriptor in (reading, writing):
        os.set_inheritable(descriptor, False)
    if hasattr(os, "register_at_fork"):
        # A forked child of a tool must neither answer the host nor keep the pipe open.
        os.register_at_fork(after_in_child=lambda: _close(reading, writing))
    install_streams()
    writer = BlockingWriter(writing)
    inbox = _Inbox()
    start_reading(reading, inbox.put, lambda _: kill_own_group())
    greeting = {"python": platform.python_version(), "path": sys.path, "fault": lacking()}
    _notify(writer, "hello", greeting)
    warm_up(lambda: inbox.is_empty)
    request = json.loads(inbox.wait())
    # Before the loop runs, in the main thread: files call asyncio.run and signal.signal when they are imported.
    project = _load(request["params"], writer)
    _send(writer, {"id": request["id"], "result": project_to_json(project.loaded)})
    warm_up(lambda: inbox.is_empty)
    asyncio.run(_serve_calls(project, writer, inbox))
    os._exit(0)


def _load(params: Json, writer: BlockingWriter) -> Project:
    project = Project(params["root"])
    report = lambda file, line: _notify(writer, "hangs", {"file": file, "line": line})  # noqa: E731
    # A crash tells the line on descriptor 2, where the host reads it; it is the only witness.
    faulthandler.enable(2, all_threads=False)
    with reporting_place(project.sources, params["limit"], report):
        load(project)
    faulthandler.disable()
    return project


class _Inbox:
    """Messages that arrive before the loop runs wait; later ones go straight to it."""

    def __init__(self) -> None:
        self._waiting: queue.SimpleQueue[bytes] = queue.SimpleQueue()
        self._deliver: Callable[[bytes], object] = self._waiting.put
        self._lock = threading.Lock()

    def put(self, body: bytes) -> None:
        with self._lock:
            self._deliver(body)

    @property
    def is_empty(self) -> bool:
        return self._waiting.empty()

    def wait(self) -> bytes:
        return self._waiting.get()

    def attach(self, loop: asyncio.AbstractEventLoop, receive: Callable[[bytes], None]) -> None:
        with self._lock:
            while not self._waiting.empty():
                loop.call_soon(receive, self._waiting.get())
            self._deliver = lambda body: loop.call_soon_threadsafe(receive, body)


async def _serve_calls(project: Project, writer: BlockingWriter, inbox: _Inbox) -> None:
    calls = Calls(project, writer.send)
    inbox.attach(asyncio.get_running_loop(), calls.peer.receive)
    await asyncio.get_running_loop().create_future()  # the reader ends the process


@functools.cache
def lacking() -> str | None:
    """What this interpreter lacks to run tools, and the command that helps."""
    try:
        version = importlib.metadata.version("pydantic")
    except importlib.metadata.PackageNotFoundError:
        return (
            f"pydantic is not installed for {sys.executable}; install it with: {sys.executable} -m pip install pydantic"
        )
    if int(version.partition(".")[0]) < 2:
        return (
            f"pydantic {version} is too old for {sys.executable}; "
            f"install version 2 with: {sys.executable} -m pip install 'pydantic>=2'"
        )
    return None


def _notify(writer: BlockingWriter, method: str, params: dict[str, Any]) -> None:
    _send(writer, {"method": method, "params": params})


def _send(writer: BlockingWriter, message: dict[str, Any]) -> None:
    writer.send(json.dumps({"jsonrpc": "2.0", **message}, separators=(",", ":")).encode())


def _close(*descriptors: int) -> None:
    for descriptor in descriptors:
        with contextlib.suppress(OSError):
            os.close(descriptor)
