"""Trusted projects and their tools as loaded: one worker a load, the last good tools, leases for runs.

A load gives a snapshot that never changes. A run leases one and keeps it, also while newer code is loaded; a snapshot
that was replaced ends its worker when the last lease is given back.
"""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

from adal_ls.agent.digest import bytes_digest, sources_digest
from adal_ls.protocol.tools import LoadFailure, Location, Position, Project, Range, Tool
from adal_ls.worker.client import Limits, LoadedProject, LoadError, WorkerClient, WorkerError

TOOLS_FILE = Path(".adal", "tools.py")

_LOAD_FAILED = "ADAL901"
_NO_WORKER = "ADAL904"
_FAILURE_CODES = {"syntax": "ADAL001", "missing-module": "ADAL902", "timeout": "ADAL903"}

_LIMITS = Limits(stop=0.3)  # a cancelled run has stopped within 0.5 s, the killing included


class ToolsGoneError(Exception):
    """A tool cannot be called any more; the text is for the model and the person."""


class LoadFailedError(Exception):
    """A project's tools could not be loaded; the text is for the person, `failure` for the place in their code."""

    def __init__(self, text: str, failure: LoadFailure) -> None:
        super().__init__(text)
        self.failure = failure


class Snapshot:
    """One successful load: tools, sources and the worker that holds the code."""

    def __init__(self, root: Path, interpreter: str, loaded: LoadedProject, worker: WorkerClient) -> None:
        self.tools: tuple[Tool, ...] = tuple(tools_of(loaded, root))
        self.sources: Mapping[str, str] = dict(loaded.sources)
        self.digest = sources_digest(self.sources)
        self._root = root
        self._interpreter = interpreter
        self._worker = worker
        self._lock = asyncio.Lock()
        self._holders = 1  # the project itself

    async def worker(self) -> WorkerClient:
        """The worker, alive: one that died is started again, on the very same code or not at all.

        Raises:
            ToolsGoneError: the code on disk is not the code of this snapshot any more, or cannot be loaded again.
        """
        async with self._lock:
            if not self._worker.closed:
                return self._worker
            # Looked at before the import: code that nobody asked to load must not run.
            if await asyncio.to_thread(_digests, self._root, self.sources) != self.sources:
                raise ToolsGoneError(
                    "the tool process ended, and the project's tool files have changed since; start a new run to use "
                    "the new code"
                )
            try:
                self._worker, loaded = await _start(self._interpreter, self._root)
            except LoadFailedError as fault:
                raise ToolsGoneError(f"the tool process ended and could not be started again: {fault}") from fault
            if sources_digest(loaded.sources) != self.digest:
                await self._worker.close()
                raise ToolsGoneError("the project's tool files changed while they were loaded again")
            return self._worker

    def hold(self) -> None:
        self._holders += 1

    async def release(self) -> None:
        """Ends the worker when neither the project nor a run needs it any more."""
        self._holders -= 1
        if self._holders == 0:
            await self.close()

    async def close(self) -> None:
        await self._worker.close()


class ToolsLease:
    """A run's hold on the tools it started with."""

    def __init__(self, snapshot: Snapshot) -> None:
        self._snapshot = snapshot
        snapshot.hold()
        self.tools = snapshot.tools
        self.digest = snapshot.digest

    async def worker(self) -> WorkerClient:
        """See `Snapshot.worker`."""
        return await self._snapshot.worker()

    async def release(self) -> None:
        """Gives the hold back; once."""
        await self._snapshot.release()


class _State:
    """What is known about one project folder."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.snapshot: Snapshot | None = None
        self.loading: asyncio.Task[Project] | None = None
        self.project = Project(root=str(root), file=str(root / TOOLS_FILE), state="static")


class Projects:
    """All projects of the process. `on_project` hears of every load, good or bad."""

    def __init__(self, interpreter: str | None, on_project: Callable[[Project], None]) -> None:
        self._interpreter = interpreter
        self._on_project = on_project
        self._states: dict[Path, _State] = {}

    async def load(self, root: Path) -> Project:
        """Loads or reloads `root`. A load still going on is given up: who waits for it gets the newer one's result."""
        state = self._state(root)
        if state.loading is not None:
            state.loading.cancel()
        state.loading = asyncio.ensure_future(self._load(state))
        return await self._newest(state)

    async def lease(self, root: Path) -> tuple[ToolsLease | None, str | None]:
        """The tools of `root` for a run, loaded if they never were, and what the person should know about them."""
        state = self._state(root)
        await (self.load(root) if state.loading is None else self._newest(state))
        error = state.project.error
        if state.snapshot is None:
            return None, f"0 custom tools were loaded: {error}" if error else None
        notice = f"The tools are the last good ones, the newest could not be loaded: {error}" if error else None
        return ToolsLease(state.snapshot), notice

    async def close(self) -> None:
        """Ends every load and every worker, leased or not."""
        states, self._states = list(self._states.values()), {}
        for state in states:
            if state.loading is not None:
                state.loading.cancel()
        await asyncio.gather(*(state.loading for state in states if state.loading), return_exceptions=True)
        await asyncio.gather(*(state.snapshot.close() for state in states if state.snapshot))

    def _state(self, root: Path) -> _State:
        real = root.resolve()
        return self._states.setdefault(real, _State(real))

    async def _newest(self, state: _State) -> Project:
        while True:
            loading = state.loading
            assert loading is not None  # noqa: S101 - set by every caller
            await asyncio.wait({loading})
            if loading is state.loading:
                return loading.result()

    async def _load(self, state: _State) -> Project:
        root, before = state.root, state.project
        if not await asyncio.to_thread((root / TOOLS_FILE).is_file):
            fresh, project = (
                None,
                before.model_copy(update={"state": "loaded", "tools": [], "error": None, "failure": None}),
            )
        else:
            try:
                interpreter = choose_interpreter(self._interpreter, root)
                worker, loaded = await _start(interpreter, root)
            except LoadFailedError as fault:
                state.project = before.model_copy(
                    update={"state": "error", "error": str(fault), "failure": fault.failure}
                )
                self._on_project(state.project)
                return state.project
            fresh = Snapshot(root, interpreter, loaded, worker)
            project = before.model_copy(
                update={
                    "state": "loaded",
                    "generation": before.generation + 1,
                    "tools": list(fresh.tools),
                    "error": None,
                    "failure": None,
                }
            )
        outgoing, state.snapshot, state.project = state.snapshot, fresh, project
        self._on_project(project)
        if outgoing is not None:
            await outgoing.release()
        return project


def choose_interpreter(setting: str | None, root: Path) -> str:
    """The Python that runs a project's tools: the person's setting, the project's own environment, else ours."""
    if setting:
        return setting
    program = ("Scripts", "python.exe") if os.name == "nt" else ("bin", "python")
    for folder in (".venv", "venv"):
        candidate = root.joinpath(folder, *program)
        if candidate.is_file():
            return str(candidate)
    return sys.executable


async def _start(interpreter: str, root: Path) -> tuple[WorkerClient, LoadedProject]:
    """A worker that has loaded the project.

    Raises:
        LoadFailedError: no worker, or the project's file could not be loaded; no worker is left then.
    """
    try:
        worker = await WorkerClient.start(interpreter, root, limits=_LIMITS)
    except WorkerError as fault:
        raise LoadFailedError(str(fault), LoadFailure(code=_NO_WORKER, message=str(fault))) from fault
    try:
        loaded = await worker.load()
    except WorkerError as fault:
        await worker.close()
        raise LoadFailedError(str(fault), LoadFailure(code=_LOAD_FAILED, message=str(fault))) from fault
    except asyncio.CancelledError:
        await worker.close()
        raise
    failed = None
    if loaded.error is not None:
        failed = LoadFailedError(f"{loaded.error} (Python: {interpreter})", _failure(loaded.error, root, interpreter))
    elif await asyncio.to_thread(_digests, root, loaded.sources) != loaded.sources:
        # The digests are ours to compute: approvals and the restart of a worker rest on them.
        text = "the project's tool files changed while they were loaded; save again"
        failed = LoadFailedError(text, LoadFailure(code=_LOAD_FAILED, message=text))
    if failed is not None:
        await worker.close()
        raise failed
    return worker, loaded


def _failure(error: LoadError, root: Path, interpreter: str) -> LoadFailure:
    code = _FAILURE_CODES.get(error.kind, _LOAD_FAILED)
    message = f"{error.message} (Python: {interpreter})" if error.kind == "missing-module" else error.message
    inside = bool(error.file) and not Path(error.file).is_absolute()  # the worker is not believed about other places
    return LoadFailure(
        code=code, message=message, location=_location(root / error.file, error.line) if inside else None
    )


def tools_of(loaded: LoadedProject, root: Path) -> list[Tool]:
    """The tools as everybody but the worker sees them; a broken rule stands as its code in `problems`."""
    codes: dict[str, list[str]] = {}
    for problem in loaded.problems:
        if problem.tool is not None and problem.code is not None:
            codes.setdefault(problem.tool, []).append(problem.code)
    return [
        Tool(
            name=tool.name,
            description=tool.description,
            parameters=tool.parameters,
            # Only False itself skips the question; the worker is not believed to have checked.
            require_approval=tool.require_approval is not False,
            location=_location(root / tool.file, tool.line),
            problems=codes.get(tool.name, []),
        )
        for tool in loaded.tools
    ]


def _location(file: Path, line: int) -> Location:
    start = Position(line=max(0, line - 1), character=0)
    return Location(uri=file.as_uri(), range=Range(start=start, end=start))


def _digests(root: Path, sources: Mapping[str, str]) -> dict[str, str]:
    """The digests of the same files as they are now; a missing one has none."""
    return {path: _digest(root / path) for path in sources}


def _digest(file: Path) -> str:
    try:
        return bytes_digest(file.read_bytes())
    except (OSError, ValueError):
        return ""
