"""Trusted projects and their tools as loaded: the last good ones, leases of them for runs.

A load gives a snapshot that never changes. A run leases one and keeps it, also while newer code is loaded.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

from adal_ls.agent.projects.agent_infos import find, listed_tools
from adal_ls.agent.projects.interpreters import choose_interpreter
from adal_ls.agent.projects.lease import Snapshot, ToolsLease
from adal_ls.agent.projects.loading import (
    LOAD_FAILED,
    LoadFailedError,
    agents_failure,
    digests,
    limits_of,
    start_loaded,
)
from adal_ls.agent.projects.unsaved import UnsavedChanges
from adal_ls.protocol.host import HostSettings
from adal_ls.protocol.tools import LoadFailure, Project

DISPOSE_WAIT = 1.0
"""Seconds that a reload waits for the providers of before."""

TOOLS_FILE, AGENTS_FILE = Path(".adal", "tools.py"), Path(".adal", "agents.py")

_NOTHING: dict[str, object] = {"tools": [], "error": None, "failure": None, "left_out": [], "file_digest": None}


class _State:
    """What is known about one project folder."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.snapshot: Snapshot | None = None
        self.loading: asyncio.Task[Project] | None = None
        self.project = Project(root=str(root), file=str(root / TOOLS_FILE), state="static")

    @property
    def is_settled(self) -> bool:
        """Whether it was loaded, and no newer load goes on."""
        return self.loading is not None and self.loading.done()


class Projects:
    """All projects of the process. `on_project` hears of every load, good or bad."""

    def __init__(self, settings: HostSettings, on_project: Callable[[Project], None]) -> None:
        self._interpreter = settings.interpreter
        self._limits = limits_of(settings)
        self._on_project = on_project
        self._states: dict[Path, _State] = {}
        self._unsaved = UnsavedChanges()
        self._outgoing: list[Snapshot] = []

    async def load(self, root: Path, *, unsaved: bool = False) -> Project:
        """Loads or reloads `root`. A load still going on is given up: who waits for it gets the newer one's result.

        `unsaved`: no person asked for it; then what changed while a run was going on is not imported.
        """
        state = self._state(root)
        if unsaved and (changed := await self._unsaved.changed(state.root)):
            return self._failed(state, _unconfirmed(changed))
        await self._unsaved.confirm(state.root)
        if state.loading is not None:
            state.loading.cancel()
        state.loading = asyncio.ensure_future(self._load(state))
        return await self._newest(state)

    async def lease(self, root: Path, run_id: str) -> tuple[ToolsLease | None, str | None]:
        """The tools of `root` for a run, loaded if they never were, and what the person should know about them.

        Until `ended`, what changes in the project's files may be the run's doing.
        """
        state = self._state(root)
        await self.known(root)
        await self._unsaved.begin(state.root, run_id, state.snapshot.sources if state.snapshot else ())
        error = state.project.error
        if state.snapshot is None:
            return None, f"0 custom tools were loaded: {error}" if error else None
        notice = f"The tools are the last good ones, the newest could not be loaded: {error}" if error else None
        if state.snapshot.agents_failure is not None:
            notice = f"The agents of this project could not be loaded: {error}"
        snapshot = state.snapshot
        return ToolsLease(snapshot, await snapshot.tool_digests(), await snapshot.late()), notice

    async def ended(self, root: Path, run_id: str) -> None:
        """A run is over, whether or not it ever had a lease."""
        await self._unsaved.end(self._state(root).root, run_id)

    async def known(self, root: Path) -> tuple[Snapshot | None, Project]:
        """What was loaded last of `root`, and what is told of it. Loads it if it never was."""
        state = self._state(root)
        project = await (self.load(root, unsaved=True) if state.loading is None else self._newest(state))
        return state.snapshot, project

    async def catch_up(self, root: Path) -> None:
        """Loads `root` anew where a file that its tools came from is another by now: whoever watches it tells later."""
        snapshot, _ = await self.known(root)
        if (
            snapshot is not None
            and await asyncio.to_thread(digests, snapshot.root, snapshot.sources) != snapshot.sources
        ):
            await self.load(root, unsaved=True)

    def check_agent(self, root: Path, agent: str | None) -> None:
        """Looks for an agent in what is loaded, where no newer load goes on.

        Raises:
            UnknownAgentError: there is none of that id.
        """
        state = self._state(root)
        if not (state.root / AGENTS_FILE).is_file():
            find(None, agent)
        elif state.snapshot is not None and state.snapshot.agents_failure is None and state.is_settled:
            find(state.snapshot.agents, agent)

    async def close(self, *, dispose: bool = True) -> None:
        """Ends every load and every worker, leased or not. `dispose`: the providers are told."""
        states, self._states = list(self._states.values()), {}
        for state in states:
            if state.loading is not None:
                state.loading.cancel()
        await asyncio.gather(*(state.loading for state in states if state.loading), return_exceptions=True)
        snapshots = [state.snapshot for state in states if state.snapshot] + self._outgoing
        await asyncio.gather(*(snapshot.close(dispose=dispose) for snapshot in snapshots))

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
        root, before, outgoing = state.root, state.project, state.snapshot
        fresh: Snapshot | None = None
        told: dict[str, Any] = {**_NOTHING, "state": "loaded"}
        if await asyncio.to_thread(_has_files, root):
            try:
                fresh = await self._fresh(root, outgoing)
            except LoadFailedError as fault:
                return self._failed(state, fault)
            told["tools"] = [*fresh.tools, *listed_tools(fresh)]
            told["left_out"] = fresh.entries_left_out
            told["file_digest"] = fresh.sources.get(TOOLS_FILE.as_posix())
            if (failure := fresh.agents_failure) is not None:
                told |= {"state": "error", "error": str(failure), "failure": failure.failure}
            else:
                told["generation"] = before.generation + 1
        project = before.model_copy(update=told)
        state.snapshot, state.project = fresh, project
        if outgoing is not None:
            self._outgoing = [*(snapshot for snapshot in self._outgoing if snapshot.is_used), outgoing]
            ending = outgoing.replace()
            if ending and outgoing.has_providers:  # whoever hears of the new agents finds those of before disposed
                await asyncio.wait(ending, timeout=DISPOSE_WAIT)
        self._on_project(project)
        return project

    async def _fresh(self, root: Path, outgoing: Snapshot | None) -> Snapshot:
        """
        Raises:
            LoadFailedError: also where agents.py alone could not be loaded, and `outgoing` has agents to go on with.
        """
        interpreter = choose_interpreter(self._interpreter, root)
        worker, loaded = await start_loaded(interpreter, root, self._limits)
        failure = agents_failure(loaded, root)
        if failure is not None and outgoing is not None and outgoing.agents_failure is None:
            await worker.close()
            raise failure
        fresh = Snapshot(root, interpreter, loaded, worker, self._limits)
        try:
            await fresh.describe()
        except asyncio.CancelledError:
            await asyncio.shield(fresh.close(dispose=False))
            raise
        return fresh

    def _failed(self, state: _State, fault: LoadFailedError) -> Project:
        """The newest code gives no tools; the last good ones stay."""
        state.project = state.project.model_copy(
            update={"state": "error", "error": str(fault), "failure": fault.failure}
        )
        self._on_project(state.project)
        return state.project


def _has_files(root: Path) -> bool:
    return any((root / file).is_file() for file in (TOOLS_FILE, AGENTS_FILE))


def _unconfirmed(changed: list[str]) -> LoadFailedError:
    names = ", ".join(changed[:5]) + (f" and {len(changed) - 5} more" if len(changed) > 5 else "")
    text = (
        f"{names} changed while a run was going on, and not by a save in the editor: the agent may have written it, so "
        "it was not imported. Look at it, then save it in the editor, reload the tools, or run: adal-ls trust"
    )
    return LoadFailedError(text, LoadFailure(code=LOAD_FAILED, message=text))
