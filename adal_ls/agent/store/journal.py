"""How runs of an event loop are written down: at once as a rule, and behind its back while the store is locked.

Another process may hold a store for seconds (a backup, a person with a database tool). The loop does not wait for it:
events are numbered here, told, and written in their order by a thread. Before a call is run everything is written
(`settled`), so nothing happens of which the store does not know.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import sys
from collections import deque
from collections.abc import Callable
from pathlib import Path
from typing import Literal, Protocol

from adal_ls.agent.store.store import StoreError, StoreLockedError
from adal_ls.protocol.runs import Event, Run, RunGetResult, RunStartParams, RunUpdate, ToolCallEvent

AT_ONCE = 0.05
"""Seconds for which the loop itself waits for another process that writes."""

LATER = 30.0
"""Seconds for which is tried again behind its back; then the runs that could not be written end with an error."""


class RunStore(Protocol):
    """What a journal needs: a store, or the stores of several folders."""

    def create(self, run: Run, params: RunStartParams | None = None, *, wait: float = ...) -> None: ...

    def append(self, run_id: str, event: Event, *, full: str | None = None, wait: float = ...) -> RunUpdate: ...

    def get(self, run_id: str, from_seq: int = 1, most: int | None = ...) -> RunGetResult: ...

    def give_up(self, run_id: str) -> None: ...

    def in_scope(self, scope: str, root: Path) -> list[Run]: ...

    def conversation(self, run_id: str, scope: str) -> list[RunUpdate]: ...

    def adopt(self, run_id: str, model: str | None = None, *, wait: float = ...) -> RunStartParams: ...

    def full_text(self, run_id: str, call_id: str, of: Literal["result", "arguments"] = ...) -> str | None: ...


class Journal:
    """Writes the runs that this process owns. All methods belong on one event loop."""

    def __init__(self, store: RunStore) -> None:
        self._store = store
        self._last: dict[str, int] = {}
        self._behind: deque[tuple[str, Callable[[float], object]]] = deque()
        self._lost: dict[str, StoreError] = {}
        self._writing: asyncio.Task[None] | None = None

    def create(self, run: Run, params: RunStartParams) -> None:
        """Adds a run; what `append` numbers begins at 1.

        Raises:
            StoreError: the store cannot be used at all.
        """
        self._last[run.run_id] = 0
        self._write(run.run_id, lambda wait: self._store.create(run, params, wait=wait))

    def append(self, run_id: str, event: Event, full: str | None = None) -> RunUpdate:
        """Writes the run's next event down; with `full` as `Store.append`.

        Raises:
            StoreError: it, or one before it, cannot be written.
        """
        if run_id in self._lost:
            raise self._lost[run_id]
        update = self._write(run_id, lambda wait: self._store.append(run_id, event, full=full, wait=wait))
        if not isinstance(update, RunUpdate):
            update = RunUpdate(run_id=run_id, seq=self._number(run_id) + 1, event=event)
        self._last[run_id] = update.seq
        return update

    def run(self, run_id: str) -> Run:
        """The run as it stands.

        Raises:
            UnknownRunError: no such run.
        """
        return self._store.get(run_id, from_seq=sys.maxsize).run

    def in_scope(self, scope: str, root: Path) -> list[Run]:
        """The runs of a folder that have this memory scope, or this id."""
        return self._store.in_scope(scope, root)

    async def conversation(self, run_id: str, scope: str) -> list[RunUpdate]:
        """What has happened in a run and in those of its memory scope, with the whole arguments of calls."""
        return await asyncio.to_thread(self._conversation, run_id, scope)

    def _conversation(self, run_id: str, scope: str) -> list[RunUpdate]:
        updates = self._store.conversation(run_id, scope)
        for place, update in enumerate(updates):
            event = update.event
            if isinstance(event, ToolCallEvent) and event.arguments_cut:
                whole = self._store.full_text(update.run_id, event.call_id, "arguments")
                told = event.model_copy(update={"arguments": json.loads(whole or "{}")})
                updates[place] = update.model_copy(update={"event": told})
        return updates

    def adopt(self, run_id: str, model: str | None = None) -> RunStartParams:
        """As `Store.adopt`; what was lost of the run is lost.

        Raises:
            StoreError: as there; StoreLockedError where another process writes just now.
        """
        given = self._store.adopt(run_id, model, wait=AT_ONCE)
        self._lost.pop(run_id, None)
        self._last.pop(run_id, None)
        return given

    def give_up(self, run_id: str) -> None:
        """The run ended and that could not be written: it is not held any more, and reads as interrupted."""
        with contextlib.suppress(StoreError):  # then nobody sees it at all
            self._store.give_up(run_id)

    async def settled(self, run_id: str) -> None:
        """Returns once everything is written.

        Raises:
            StoreError: something of this run could not be.
        """
        while self._writing is not None:
            await asyncio.wait({self._writing})
        if run_id in self._lost:
            raise self._lost[run_id]

    async def close(self) -> None:
        """Waits for what is still to be written, as long as that is tried."""
        while self._writing is not None:
            await asyncio.wait({self._writing})

    def _write(self, run_id: str, write: Callable[[float], object]) -> object:
        """What `write` gives, or None where it is done later."""
        if self._writing is None:
            try:
                return write(AT_ONCE)
            except StoreLockedError:
                self._writing = asyncio.ensure_future(self._catch_up())
        self._behind.append((run_id, write))
        return None

    async def _catch_up(self) -> None:
        deadline = asyncio.get_running_loop().time() + LATER
        try:
            while self._behind:
                run_id, write = self._behind[0]
                try:
                    if run_id not in self._lost:
                        # In short tries: one long one would hold the store's own lock, and the loop with it.
                        await asyncio.to_thread(write, AT_ONCE)
                except StoreLockedError as fault:
                    if asyncio.get_running_loop().time() < deadline:
                        await asyncio.sleep(AT_ONCE)
                        continue
                    self._lose(run_id, fault)
                except StoreError as fault:
                    self._lose(run_id, fault)
                self._behind.popleft()
        finally:
            self._writing = None

    def _lose(self, run_id: str, fault: StoreError) -> None:
        self._lost[run_id] = fault
        self.give_up(run_id)  # its end may be among what was not written

    def _number(self, run_id: str) -> int:
        """The run's last event; reading waits for no writer."""
        if run_id not in self._last:
            events = self._store.get(run_id).events
            self._last[run_id] = events[-1].seq if events else 0
        return self._last[run_id]
