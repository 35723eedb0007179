"""The host's side of a tool worker."""

from __future__ import annotations

import asyncio
import contextlib
import os
import secrets
import threading
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from adal_ls.wire.peer import ConnectionClosedError, Json, Peer, ProtocolViolationError, RpcError
from adal_ls.worker.channel import QueueWriter, start_reading
from adal_ls.worker.data import (
    Limits,
    LoadedProject,
    LoadedTool,
    LoadError,
    LoadProblem,
    ToolResult,
    read_project,
    read_result,
)
from adal_ls.worker.death import (
    CANCELLED,
    CLOSED,
    Death,
    WorkerDiedError,
    WorkerError,
    WorkerStartError,
    by_breach,
    by_call_limit,
    by_load_limit,
    by_question_limit,
    crash_place,
    hang_place,
    unloaded,
    without_places,
)
from adal_ls.worker.forking import ParentLostError
from adal_ls.worker.lifetime import Lifetime
from adal_ls.worker.output import OutputReader
from adal_ls.worker.printed import Transcript
from adal_ls.worker.spawning import Started
from adal_ls.worker.starting import SHARED, WorkerSource

__all__ = [
    "Limits",
    "LoadError",
    "LoadProblem",
    "LoadedProject",
    "LoadedTool",
    "ToolResult",
    "WorkerClient",
    "WorkerDiedError",
    "WorkerError",
    "WorkerStartError",
]

Listener = Callable[[str], None]

_MOST_UNREAD = 64
"""Messages that wait for the loop; a worker that sends more waits, and the loop has other things to do."""


class WorkerClient:
    """A running worker. One load, any number of calls, also at once; then `close`.

    A call in flight when the worker dies ends in an error result that says why; the next one raises
    `WorkerDiedError`. Where a tool had to be cancelled or took too long, the worker ends as soon as no other call
    runs: only that takes the tool's child processes with it for sure.
    """

    def __init__(self, started: Started, interpreter: str, root: Path, limits: Limits) -> None:
        """For `start` alone."""
        self._interpreter = interpreter
        self._root = root
        self._limits = limits
        self._loop = asyncio.get_running_loop()
        self._writer = QueueWriter(started.writing)
        self._peer = Peer(
            self._writer.send,
            {"hello": self._hello, "progress": self._progress},
            new_id=lambda: secrets.token_hex(16),
            strict=True,
        )
        self._greeting: asyncio.Future[Json] = self._loop.create_future()
        self._worn = False
        self._held = False
        self._progress_of: dict[str, Listener] = {}
        self._stops: set[asyncio.Task[None]] = set()
        self._output = OutputReader(started.output, self._loop)
        self._room = threading.Semaphore(_MOST_UNREAD)
        self._life = Lifetime(started, stop=limits.stop, on_finish=self._writer.close, on_end=self._closed)
        start_reading(started.reading, self._read, self._threadsafe(self._stream_ended))

    @classmethod
    async def start(
        cls, interpreter: str, project_root: Path, *, limits: Limits | None = None, source: WorkerSource = SHARED
    ) -> WorkerClient:
        """Starts `interpreter` (a path or a name on PATH) as the worker of `project_root`. Runs no project code yet.

        Args:
            source: where fresh workers come from; what is kept warm is kept there.

        Raises:
            WorkerStartError: it cannot be started, is too old, or has no pydantic; the text names the way out.
        """
        limits = limits or Limits()
        root = Path(os.path.abspath(project_root))  # noqa: ASYNC240, PTH100 - no file access
        try:
            started = await source.take(interpreter, limits.start)
        except OSError as fault:
            raise WorkerStartError(f"the Python interpreter '{interpreter}' cannot be started: {fault}") from fault
        except ParentLostError as fault:
            raise WorkerStartError(f"the Python interpreter '{interpreter}' {fault}") from fault
        client = cls(started, interpreter, root, limits)
        try:
            search_path = await client._greeted()
        except BaseException as fault:
            if isinstance(fault, WorkerStartError):
                source.drop(interpreter)
            await client.close()
            raise
        source.served(interpreter, search_path)
        return client

    @property
    def closed(self) -> bool:
        """Whether the worker takes no more calls."""
        return self._worn or self._life.end is not None

    @property
    def alive(self) -> bool:
        """Whether its process is there still, be it that it takes no more calls."""
        return self._life.end is None

    @property
    def pid(self) -> int:
        return self._life.pid

    async def load(self) -> LoadedProject:
        """Loads the project, once in the life of a worker. What is wrong with the project is in the result.

        A caller that is cancelled ends the worker.

        Raises:
            WorkerDiedError: the worker was gone before.
        """
        self._check_alive()
        transcript = Transcript(self._limits.printed)
        with self._output.collecting(None, transcript):
            try:
                where = {"root": str(self._root), "limit": self._limits.load}
                answer = await self._peer.request("load", where, timeout=self._limits.load)
                project = read_project(answer)
            except asyncio.TimeoutError:
                self._life.finish(by_load_limit(self._limits.load))
                project = self._unloaded(await self._life.death(), transcript)
            except (ConnectionClosedError, RpcError):
                project = self._unloaded(await self._life.death(), transcript)
            except ProtocolViolationError as fault:
                self._life.finish(by_breach(fault))
                project = self._unloaded(await self._life.death(), transcript)
            except asyncio.CancelledError:
                self._life.finish(CLOSED)
                raise
            self._output.drain()
        return replace(project, output=without_places(transcript.text), python=project.python or self._interpreter)

    async def call(
        self,
        name: str,
        arguments: dict[str, Json],
        *,
        episode: str | None = None,
        on_print: Listener | None = None,
        on_progress: Listener | None = None,
    ) -> ToolResult:
        """Runs a tool of the loaded project.

        A caller that is cancelled cancels the tool: it is asked, and after `Limits.stop` killed with all its
        processes; only then the cancellation goes on.

        Args:
            name: a tool of `LoadedProject.tools`.
            arguments: checked in the worker; wrong ones give an error result.
            episode: the one that a provider gave the tool for; then `name` is one of its tools.
            on_print: hears what the tool prints, as it comes.
            on_progress: hears the text of each value that a generator yields, up to `Limits.printed` in all.

        Raises:
            WorkerDiedError: the worker was gone before the call.
        """
        self._check_alive()
        token = secrets.token_hex(16)
        transcript = Transcript(self._limits.printed, on_print)
        started = time.perf_counter()
        try:
            with self._output.collecting(token, transcript):
                if on_progress is not None:
                    self._progress_of[token] = Transcript(self._limits.printed, on_progress).add
                params = {"call": token, "name": name, "arguments": arguments, "limit": self._limits.observation}
                if episode is not None:
                    params["episode"] = episode
                request = asyncio.ensure_future(self._peer.request("call", params))
                try:
                    await asyncio.wait({request}, timeout=self._limits.call)
                    if not request.done():
                        over = by_call_limit(self._limits.call)
                        await self._stopped(token, request, over)
                        result = ToolResult("error", None, f"The tool {over.text}.")
                    else:
                        result = await self._result(request)
                except asyncio.CancelledError:
                    await self._stopped(token, request, CANCELLED)
                    raise
                finally:
                    self._progress_of.pop(token, None)
                self._output.drain()
        finally:
            # After a cancel as well: of calls that are cancelled together, each left the end to the other.
            self._end_if_worn()
        took = result.duration_ms or round((time.perf_counter() - started) * 1000, 3)
        return replace(result, printed=transcript.text, duration_ms=took)

    async def ask(
        self, method: str, params: dict[str, Json], *, limit: float, on_print: Listener | None = None
    ) -> Json:
        """The answer to a question about agents, from a worker that is alive, also one that takes no more calls.

        A caller that is cancelled cancels it as it would a call.

        Args:
            limit: seconds; a worker that does not answer in time is ended.
            on_print: as for `call`.

        Raises:
            WorkerDiedError: the worker was gone before, or it ended, or had to be ended.
        """
        if self._life.end is not None:
            raise WorkerDiedError(f"the tool worker {self._life.end.text}; start a new one")
        token = secrets.token_hex(16)
        transcript = Transcript(self._limits.printed, on_print)
        try:
            with self._output.collecting(token, transcript):
                request = asyncio.ensure_future(self._peer.request(method, {**params, "call": token}))
                try:
                    await asyncio.wait({request}, timeout=limit)
                    if not request.done():
                        self._life.finish(by_question_limit(limit))
                        await self._life.death()
                    return request.result()
                except asyncio.CancelledError:
                    await self._stopped(token, request, CANCELLED)
                    raise
                except (ConnectionClosedError, RpcError, ProtocolViolationError) as fault:
                    if not isinstance(fault, ConnectionClosedError):
                        self._life.finish(by_breach(fault))
                    death = await self._life.death()
                    raise WorkerDiedError(f"the project's process {death.text}") from None
                finally:
                    self._output.drain()
        finally:
            self._end_if_worn()

    def hold(self) -> None:
        """Until `let_go`, a call that was stopped and did end does not end the worker."""
        self._held = True

    def let_go(self) -> None:
        """See `hold`."""
        self._held = False
        self._end_if_worn()

    async def close(self) -> None:
        """Ends the worker with all its processes. Idempotent."""
        self._life.finish(CLOSED)
        await self._life.death()

    async def _greeted(self) -> list[str]:
        """Where the worker looks for packages.

        Raises:
            WorkerStartError: it cannot serve.
        """
        transcript = Transcript(self._limits.printed)
        with self._output.collecting(None, transcript):
            await asyncio.wait(
                {self._greeting, self._life.ended}, timeout=self._limits.start, return_when=asyncio.FIRST_COMPLETED
            )
            self._output.drain()
        if not self._greeting.done():
            how = (
                self._life.ended.result().text
                if self._life.ended.done()
                else f"was silent for {self._limits.start:g} s"
            )
            said = f": {transcript.text.strip()}" if transcript.text.strip() else ""
            raise WorkerStartError(f"the Python interpreter '{self._interpreter}' {how}{said}")
        greeting = self._greeting.result()
        if greeting.get("fault") is not None:
            raise WorkerStartError(str(greeting["fault"]))
        return [str(folder) for folder in greeting["path"]]

    async def _result(self, request: asyncio.Future[Json]) -> ToolResult:
        try:
            return read_result(request.result())
        except RpcError as fault:
            return ToolResult("error", None, f"The worker could not run the tool: {fault.message}")
        except ConnectionClosedError:
            death = await self._life.death()
        except ProtocolViolationError as fault:
            self._life.finish(by_breach(fault))
            death = await self._life.death()
        return ToolResult("error", None, f"The tool's worker process {death.text}.")

    async def _stopped(self, token: str, request: asyncio.Future[Json], death: Death) -> None:
        """Waits until the call is over for sure, however often the waiting task is cancelled meanwhile."""
        stop = asyncio.ensure_future(self._stop(token, request, death))
        self._stops.add(stop)
        stop.add_done_callback(self._stops.discard)
        await asyncio.shield(stop)

    async def _stop(self, token: str, request: asyncio.Future[Json], death: Death) -> None:
        self._worn = True
        self._peer.notify("cancel", {"call": token})
        await asyncio.wait({request}, timeout=self._limits.stop)
        # Ending a tool that runs on comes before the calls beside it; those end in an error that says so.
        running = not request.done() or isinstance(request.exception(), RpcError)
        if running or not (self._held or self._output.others(token)):
            self._life.finish(death)
            await self._life.death()
        with contextlib.suppress(ConnectionClosedError, RpcError):
            await request

    def _end_if_worn(self) -> None:
        if self._worn and not (self._held or self._output.busy):
            self._life.finish(CANCELLED)

    def _check_alive(self) -> None:
        if self._life.end is not None:
            raise WorkerDiedError(f"the tool worker {self._life.end.text}; start a new one")
        if self._worn:
            raise WorkerDiedError("the tool worker ends because a call was stopped; start a new one")

    def _unloaded(self, death: Death, transcript: Transcript) -> LoadedProject:
        self._output.drain()  # the place is told there
        find = crash_place if death.kind == "crash" else hang_place
        return unloaded(death, self._root, self._interpreter, find(transcript.text, self._root))

    # What the worker tells. Nothing here trusts it.

    async def _hello(self, params: Json) -> Json:
        if not self._greeting.done():
            self._greeting.set_result(params)
        return None

    async def _progress(self, params: Json) -> Json:
        listener = self._progress_of.get(params.get("call", ""))
        if listener is not None:
            listener(str(params.get("text", "")))
        return None

    def _read(self, body: bytes) -> None:
        """In the reader's thread."""
        self._room.acquire()
        self._threadsafe(self._receive)(body)

    def _receive(self, body: bytes) -> None:
        self._room.release()
        if self._life.end is not None:
            return  # after a breach nothing more is believed
        try:
            self._peer.receive(body)
        except ProtocolViolationError as fault:
            self._life.finish(by_breach(fault))

    def _stream_ended(self, fault: str | None) -> None:
        self._life.finish(by_breach(fault) if fault is not None else None)

    def _closed(self) -> None:
        self._output.drain()
        self._peer.close()
        self._output.close()

    def _threadsafe(self, function: Callable[[Json], None]) -> Callable[[Json], None]:
        def later(value: Json) -> None:
            # A loop that has been closed has nobody left to tell.
            with contextlib.suppress(RuntimeError):
                self._loop.call_soon_threadsafe(function, value)

        return later
