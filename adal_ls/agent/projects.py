"""Trusted projects and their tools as loaded: the last good ones, leases of them for runs.

A load gives a snapshot that never changes. A run leases one and keeps it, also while newer code is loaded.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path

from adal_ls.agent.interpreters import choose_interpreter
from adal_ls.agent.lease import Snapshot, ToolsLease
from adal_ls.agent.loading import LOAD_FAILED, LoadFailedError, start_loaded
from adal_ls.agent.unsaved import UnsavedChanges
from adal_ls.protocol.tools import LoadFailure, Project

TOOLS_FILE = Path(".adal", "tools.py")

_NOTHING: dict[str, object] = {"tools": [], "error": None, "failure": None, "left_out": [], "file_digest": None}


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
        self._unsaved = UnsavedChanges()

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
        await (self.load(root, unsaved=True) if state.loading is None else self._newest(state))
        await self._unsaved.begin(state.root, run_id, state.snapshot.sources if state.snapshot else ())
        error = state.project.error
        if state.snapshot is None:
            return None, f"0 custom tools were loaded: {error}" if error else None
        notice = f"The tools are the last good ones, the newest could not be loaded: {error}" if error else None
        return ToolsLease(state.snapshot, await state.snapshot.tool_digests()), notice

    async def ended(self, root: Path, run_id: str) -> None:
        """A run is over, whether or not it ever had a lease."""
        await self._unsaved.end(self._state(root).root, run_id)

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
                before.model_copy(update={**_NOTHING, "state": "loaded"}),
            )
        else:
            try:
                interpreter = choose_interpreter(self._interpreter, root)
                worker, loaded = await start_loaded(interpreter, root)
            except LoadFailedError as fault:
                return self._failed(state, fault)
            fresh = Snapshot(root, interpreter, loaded, worker)
            project = before.model_copy(
                update={
                    **_NOTHING,
                    "state": "loaded",
                    "generation": before.generation + 1,
                    "tools": list(fresh.tools),
                    "left_out": fresh.entries_left_out,
                    "file_digest": fresh.sources.get(TOOLS_FILE.as_posix()),
                }
            )
        outgoing, state.snapshot, state.project = state.snapshot, fresh, project
        self._on_project(project)
        if outgoing is not None:
            await outgoing.replace()
        return project

    def _failed(self, state: _State, fault: LoadFailedError) -> Project:
        """The newest code gives no tools; the last good ones stay."""
        state.project = state.project.model_copy(
            update={"state": "error", "error": str(fault), "failure": fault.failure}
        )
        self._on_project(state.project)
        return state.project


def _unconfirmed(changed: list[str]) -> LoadFailedError:
    names = ", ".join(changed[:5]) + (f" and {len(changed) - 5} more" if len(changed) > 5 else "")
    text = (
        f"{names} changed while a run was going on, and not by a save in the editor: the agent may have written it, so "
        "it was not imported. Look at it, then save it in the editor, reload the tools, or run: adal-ls trust"
    )
    return LoadFailedError(text, LoadFailure(code=LOAD_FAILED, message=text))
