"""The run stores of one window: each project folder has its own, the one that the command line in that folder uses."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Literal, TypeVar

from adal_ls.agent.files.paths import known_folders, real_folder
from adal_ls.agent.store.schema import BUSY_SECONDS, StoreError, UnknownRunError
from adal_ls.agent.store.store import Store
from adal_ls.protocol.approvals import Decision
from adal_ls.protocol.runs import Event, Run, RunGetResult, RunStartParams, RunUpdate

T = TypeVar("T")

_log = logging.getLogger(__name__)


class Stores:
    """As `Store`, over several folders; safe to use from several threads. A store is opened when it is first needed."""

    def __init__(self, folders: Sequence[Path]) -> None:
        """`folders` are those of the workspace; a run may belong to any folder in them."""
        self._folders = list(folders)
        self._open: dict[Path, Store] = {}
        self._holding: dict[str, Store] = {}
        self._lock = threading.Lock()

    def notices(self) -> list[str]:
        """What the person should know about stores: those that cannot be used, or were damaged."""
        told: list[str] = []
        for folder in self._known():
            try:
                notice = self._of(folder).notice
            except StoreError as fault:
                notice = str(fault)
            told += [notice] if notice is not None else []
        return told

    def create(self, run: Run, params: RunStartParams | None = None, *, wait: float = BUSY_SECONDS) -> None:
        """Adds `run` to the store of its folder, `params.project_root`."""
        root = params.project_root if params is not None else None
        if root is None:
            raise StoreError(f"run {run.run_id} belongs to no folder")
        store = self._of(Path(root))
        store.create(run, params, wait=wait)
        self._holding[run.run_id] = store

    def append(self, run_id: str, event: Event, *, full: str | None = None, wait: float = BUSY_SECONDS) -> RunUpdate:
        return self._having(run_id).append(run_id, event, full=full, wait=wait)

    def get(self, run_id: str, from_seq: int = 1, most: int | None = None) -> RunGetResult:
        return self._having(run_id).get(run_id, from_seq, most)

    def adopt(self, run_id: str, model: str | None = None, *, wait: float = BUSY_SECONDS) -> RunStartParams:
        return self._having(run_id).adopt(run_id, model, wait=wait)

    def give_up(self, run_id: str) -> None:
        self._having(run_id).give_up(run_id)

    def in_scope(self, scope: str, root: Path) -> list[Run]:
        """As `Store.in_scope`: a memory scope is of one folder."""
        return self._of(root).in_scope(scope)

    def conversation(self, run_id: str, scope: str) -> list[RunUpdate]:
        return self._having(run_id).conversation(run_id, scope)

    def fork(self, run_id: str, new_id: str, before_seq: int | None = None) -> Run:
        return self._having(run_id).fork(run_id, new_id, before_seq)

    def delete(self, run_id: str) -> None:
        self._having(run_id).delete(run_id)
        self._holding.pop(run_id, None)

    def full_text(self, run_id: str, call_id: str, of: Literal["result", "arguments"] = "result") -> str | None:
        return self._having(run_id).full_text(run_id, call_id, of)

    def runs(self, query: str | None = None, project_root: str | None = None, limit: int | None = None) -> list[Run]:
        """Runs of all folders, newest first."""
        found = self._all(lambda store: store.runs(query, project_root, limit))
        if len(found) > 1:
            found = [sorted((run for runs in found for run in runs), key=lambda run: run.created, reverse=True)]
        return [run for runs in found for run in runs][:limit]

    def decisions(
        self, run_id: str | None = None, project_root: str | None = None, limit: int | None = None
    ) -> list[Decision]:
        """The decision logs of all folders as one, newest first."""
        found = self._all(lambda store: store.decisions(run_id, project_root, limit))
        if len(found) > 1:
            found = [sorted((one for log in found for one in log), key=lambda one: one.time, reverse=True)]
        return [one for log in found for one in log][:limit]

    def close(self) -> None:
        with self._lock:
            for store in self._open.values():
                store.close()
            self._open.clear()

    def _of(self, folder: Path) -> Store:
        real = real_folder(folder)
        with self._lock:
            if real not in self._open:
                self._open[real] = Store.open(real)
            return self._open[real]

    def _known(self) -> list[Path]:
        """The folders of the workspace, and those in them that have runs."""
        inner = (folder for outer in self._folders for folder in known_folders(outer))
        return list(dict.fromkeys([*map(real_folder, self._folders), *inner, *self._open]))

    def _all(self, ask: Callable[[Store], T]) -> list[T]:
        """What each store says. One that cannot be used hides no other."""
        answers, fault = list[T](), None
        for folder in self._known():
            try:
                answers.append(ask(self._of(folder)))
            except StoreError as met:  # noqa: PERF203 - the next one may be sound
                fault = met
                _log.warning("%s", met)
        if fault is not None and not answers:
            raise fault
        return answers

    def _having(self, run_id: str) -> Store:
        """The store that has the run.

        Raises:
            UnknownRunError: none of them.
            StoreError: one cannot be read, so it is not known.
        """
        if run_id not in self._holding:
            found = self._all(lambda store: store if store.has(run_id) else None)
            store = next((one for one in found if one is not None), None)
            if store is None:
                raise UnknownRunError(f"no run {run_id} in the run stores of this workspace")
            self._holding[run_id] = store
        return self._holding[run_id]
