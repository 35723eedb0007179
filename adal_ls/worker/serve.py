"""The worker process: says hello, loads the project when the host first asks, then runs tools until the pipe ends."""

from __future__ import annotations

import asyncio
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

from adal_ls.wire.framing import MAX_BODY
from adal_ls.wire.peer import Json
from adal_ls.worker.calls import Calls, machinery
from adal_ls.worker.channel import BlockingWriter, close_quietly, start_reading
from adal_ls.worker.data import LoadedProject, LoadError, project_to_json
from adal_ls.worker.ending import break_down, kill_own_group
from adal_ls.worker.install import install_command
from adal_ls.worker.load import Project, load
from adal_ls.worker.printed import install_streams
from adal_ls.worker.warmup import warm_up

_NEARLY = 0.9
"""Of the time limit of a load: then its place is told."""


def serve(reading: int, writing: int) -> NoReturn:
    """Serves the host on the private descriptors until they end; then the process ends with its children."""
    try:
        _serve(reading, writing)
    except BaseException as fault:  # noqa: BLE001 - told, and no more code of the project runs, as at a common exit
        break_down(fault)


def _serve(reading: int, writing: int) -> NoReturn:
    for descriptor in (reading, writing):
        os.set_inheritable(descriptor, False)
    writer = BlockingWriter(writing)
    if hasattr(os, "register_at_fork"):
        # A forked child of a tool must neither answer the host nor keep the pipe open.
        os.register_at_fork(after_in_child=writer.close)
        os.register_at_fork(after_in_child=functools.partial(close_quietly, reading))
    install_streams()
    inbox = _Inbox()
    start_reading(reading, inbox.put, lambda _: kill_own_group())
    greeting = {"python": platform.python_version(), "path": sys.path, "fault": lacking()}
    _send(writer, {"method": "hello", "params": greeting})
    if warm_up(lambda: inbox.is_empty):
        machinery()  # held on to before code of the project can put something else in its place
    request = json.loads(inbox.wait())
    # Before the loop runs, in the main thread: files call asyncio.run and signal.signal when they are imported.
    project = _load(request["params"])
    writer.send(_answer(request["id"], project))
    warm_up(lambda: inbox.is_empty)
    asyncio.run(_serve_calls(project, writer, inbox))
    raise RuntimeError("the loop of the worker was ended")


def _load(params: Json) -> Project:
    project = Project(params["root"])
    process = os.getpid()
    # A crash tells the line on descriptor 2, where the host reads it; it is the only witness. So does a file that is
    # still loading shortly before its time is up, also where it lets no other thread of Python run.
    faulthandler.enable(2, all_threads=False)
    faulthandler.dump_traceback_later(params["limit"] * _NEARLY, file=2)
    load(project)
    faulthandler.cancel_dump_traceback_later()
    faulthandler.disable()
    if os.getpid() != process:  # the file has forked; this is the child, for which nobody waits
        os._exit(0)
    return project


def _answer(key: Json, project: Project) -> bytes:
    body = _encoded({"id": key, "result": project_to_json(project.loaded)})
    if len(body) <= MAX_BODY:
        return body
    text = f"the names, descriptions and parameters of the tools take {len(body)} bytes, more than {MAX_BODY}"
    project.loaded = LoadedProject(error=LoadError("exception", text, project.file), python=sys.executable)
    return _encoded({"id": key, "result": project_to_json(project.loaded)})


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
        return f"pydantic is not installed for {sys.executable}; install it with: {install_command('pydantic')}"
    quoted = '"pydantic>=2"'  # as each shell takes it
    if int(version.partition(".")[0]) < 2:
        return f"pydantic {version} is too old for {sys.executable}; install version 2 with: {install_command(quoted)}"
    return None


def _send(writer: BlockingWriter, message: dict[str, Any]) -> None:
    writer.send(_encoded(message))


def _encoded(message: dict[str, Any]) -> bytes:
    return json.dumps({"jsonrpc": "2.0", **message}, separators=(",", ":")).encode()
