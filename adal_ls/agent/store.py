"""The run store: every event of every run of a workspace, append-only, in one SQLite database.

Several processes may read and write. `kill -9` at any point loses at most the event that was being written. Modes 0700
and 0600: transcripts hold what tools read.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter

from adal_ls.agent import ownership, retention
from adal_ls.agent.decisions import decision, in_folder
from adal_ls.agent.paths import make_private, workspace_dir
from adal_ls.agent.store_schema import RunBusyError, StoreError, UnknownRunError, connect, located, now
from adal_ls.protocol.approvals import Decision
from adal_ls.protocol.runs import (
    Event,
    FinishedEvent,
    PromptEvent,
    Run,
    RunGetResult,
    RunStartParams,
    RunUpdate,
    StateEvent,
    Usage,
    UsageEvent,
)

__all__ = ["RunBusyError", "Store", "StoreError", "UnknownRunError", "now"]

_EVENT: TypeAdapter[Event] = TypeAdapter(Event)
_SELECT_RUN = """SELECT run_id, title, agent, model, state, created, updated, usage, owner, params, forked_from,
    CASE state WHEN 'finished' THEN
        (SELECT event FROM events WHERE events.run_id = runs.run_id ORDER BY seq DESC LIMIT 1)
    END
    FROM runs WHERE state != 'deleted' """
_COUNT_DENIED = """SELECT run_id, count(*) FROM events
    WHERE event LIKE '{"type":"decision",%"decision":"deny"%' GROUP BY run_id"""
_SELECT_DECISIONS = """SELECT time, run_id, seq, event FROM events
    WHERE (? IS NULL OR run_id = ?) AND event LIKE '{"type":"decision",%' ORDER BY time DESC, run_id, seq DESC"""
_SELECT_CALLS = """SELECT event FROM events WHERE run_id = ? AND event LIKE '{"type":"toolCall",%' ORDER BY seq"""
_DELETE_EVENTS = """DELETE FROM events WHERE run_id = ? AND event NOT LIKE '{"type":"decision",%'"""
_MARK_DELETED = """UPDATE runs SET state = 'deleted', title = '', params = '{}', usage = NULL WHERE run_id = ?"""
_INSERT_RUN = """INSERT INTO runs
    (run_id, title, agent, model, state, created, updated, usage, owner, params, forked_from)
    VALUES (?,?,?,?,?,?,?,?,?,?,?)"""
_MATCHES = """(runs.title LIKE ? ESCAPE '\\' OR EXISTS (SELECT 1 FROM events WHERE events.run_id = runs.run_id
    AND event LIKE '{"type":"prompt",%' AND event LIKE ? ESCAPE '\\'))"""


class Store:
    """One workspace's runs. A process that creates runs owns them until `close`; safe to use from several threads.

    Every method raises `StoreError` where the database cannot be read or written.
    """

    def __init__(self, folder: Path) -> None:
        """Opens the store in `folder`; `Store.open` finds the folder of a workspace."""
        self._folder = folder
        self._file = folder / "runs.db"
        with located(self._file):
            make_private(folder)
        self._connection = connect(self._file)
        self._lock = threading.Lock()
        self._claim: ownership.Ownership | None = None

    @classmethod
    def open(cls, workspace: Path) -> Store:
        """The store of `workspace`, created where it is missing, in the person's data folder (`ADAL_DATA_DIR`).

        Runs older than `ADAL_KEEP_RUNS_DAYS` are forgotten.

        Raises:
            ValueError: one of the two variables holds what cannot be.
        """
        days = retention.days_kept()
        store = cls(workspace_dir(workspace))
        if days is not None:
            retention.forget_old(store, days)
        return store

    @staticmethod
    def exists(workspace: Path) -> bool:
        """Whether `workspace` has a store; lets a command that only reads leave nothing behind."""
        return (workspace_dir(workspace) / "runs.db").exists()

    def create(self, run: Run, params: RunStartParams | None = None) -> None:
        """Adds `run`; from now on this process owns it.

        Args:
            params: what it was started with, for whoever takes it up again. Prompt and tool context are not kept.

        Raises:
            StoreError: also when a run of that id exists.
        """
        usage = json.dumps(run.usage.wire()) if run.usage else None
        # A prompt may hold half a surrogate pair, which no database text can.
        title = run.title.encode("utf-8", "backslashreplace").decode()
        row = (run.run_id, title, run.agent, run.model, run.state, run.created, run.updated, usage)
        with self._transaction():
            if self._connection.execute("SELECT 1 FROM runs WHERE run_id = ?", (run.run_id,)).fetchone():
                raise StoreError(f"run {run.run_id} is already in the run store {self._file}")
            self._connection.execute(_INSERT_RUN, (*row, self._owner(), _kept(params), run.forked_from))

    def append(self, run_id: str, event: Event, *, full: str | None = None) -> RunUpdate:
        """Adds `event` as the run's next one, and lets the run's state and usage follow from it. When it returns,
        the end of this process loses nothing of it.

        Args:
            full: with a `toolResult` whose observation was cut, the whole text.

        Raises:
            UnknownRunError: the run was never created.
        """
        text = json.dumps(event.wire(), separators=(",", ":"))  # ASCII: a lone surrogate stays readable
        moment = now()
        with self._transaction():
            (last,) = self._connection.execute("SELECT max(seq) FROM events WHERE run_id = ?", (run_id,)).fetchone()
            seq = (last or 0) + 1
            self._follow(run_id, event, moment)
            self._connection.execute("INSERT INTO events VALUES (?,?,?,?)", (run_id, seq, moment, text))
            if full is not None:
                call_id: str = event.call_id  # type: ignore[union-attr]  # a caller's fault otherwise
                self._connection.execute(
                    "INSERT INTO full_results VALUES (?,?,?)",
                    (run_id, call_id, full.encode("utf-8", "surrogatepass")),
                )
        return RunUpdate(run_id=run_id, seq=seq, event=event)

    def runs(
        self,
        query: str | None = None,
        project_root: str | None = None,
        limit: int | None = None,
        before: str | None = None,
    ) -> list[Run]:
        """Runs, newest first. A run whose process is gone reads as interrupted.

        Args:
            query: words of which each must occur in the title or in a prompt.
            project_root: only runs in that folder.
            before: only runs in which nothing has happened since then, as `now` writes it.
        """
        words = (query or "").split()
        conditions = [_MATCHES] * len(words) + (["updated < ?"] if before is not None else [])
        clause = "".join(f"AND {condition} " for condition in conditions)
        patterns = [pattern for word in words for pattern in (_like(word), _like(json.dumps(word)[1:-1]))]
        patterns += [before] if before is not None else []
        with self._reading():
            rows = self._connection.execute(_SELECT_RUN + clause + "ORDER BY position DESC", patterns).fetchall()
            alive = self._alive()
            found = (_run(row, alive) for row in rows)
            return list(islice((run for run in found if project_root in (None, run.project_root)), limit))

    def adopt(self, run_id: str, model: str | None = None) -> RunStartParams:
        """Makes this process the run's owner, so that it can go on here. Returns what it was started with.

        Args:
            model: what the run is shown with from now on.

        Raises:
            UnknownRunError: no such run.
            RunBusyError: another process is at it.
        """
        with self._transaction():
            row = self._connection.execute(_SELECT_RUN + "AND run_id = ?", (run_id,)).fetchone()
            if row is None:
                raise UnknownRunError(f"no run {run_id} in the run store {self._file}")
            run = _run(row, self._alive())
            if run.state not in ("finished", "interrupted") and row[8] != self._owner():
                raise RunBusyError(f"run {run_id} is going on in another window or at a terminal; it ends there")
            self._connection.execute(
                "UPDATE runs SET owner = ?, model = ? WHERE run_id = ?", (self._owner(), model or run.model, run_id)
            )
        params = json.loads(row[9])
        return RunStartParams.model_validate({"prompt": "", "model": run.model, "agent": run.agent, **params})

    def fork(self, run_id: str, new_id: str, before_seq: int | None = None) -> Run:
        """A new run, owned by this process, with the events of another before `before_seq` (all of them if None).

        Raises:
            UnknownRunError: no such run.
        """
        moment = now()
        with self._transaction():
            row = self._connection.execute(_SELECT_RUN + "AND run_id = ?", (run_id,)).fetchone()
            if row is None:
                raise UnknownRunError(f"no run {run_id} in the run store {self._file}")
            run = _run(row, self._alive()).model_copy(
                update={
                    "run_id": new_id,
                    "state": "finished",
                    "created": moment,
                    "updated": moment,
                    "forked_from": run_id,
                    "usage": None,
                    "stop_reason": None,
                }
            )
            values = (new_id, run.title, run.agent, run.model, run.state, moment, moment, None, self._owner(), row[9])
            self._connection.execute(_INSERT_RUN, (*values, run_id))
            self._connection.execute(
                "INSERT INTO events SELECT ?, seq, time, event FROM events WHERE run_id = ? AND (? IS NULL OR seq < ?)",
                (new_id, run_id, before_seq, before_seq),
            )
            self._connection.execute(
                "INSERT INTO full_results SELECT ?, call_id, text FROM full_results WHERE run_id = ?", (new_id, run_id)
            )
        return run

    def delete(self, run_id: str) -> None:
        """Forgets a run with all its events but what was decided: the decision log is only ever added to.

        Raises:
            UnknownRunError: no such run.
            RunBusyError: it is going on.
        """
        with self._transaction():
            row = self._connection.execute(_SELECT_RUN + "AND run_id = ?", (run_id,)).fetchone()
            if row is None:
                raise UnknownRunError(f"no run {run_id} in the run store {self._file}")
            if _run(row, self._alive()).state not in ("finished", "interrupted"):
                raise RunBusyError(f"run {run_id} is going on; cancel it first")
            self._connection.execute("DELETE FROM full_results WHERE run_id = ?", (run_id,))
            self._connection.execute(_DELETE_EVENTS, (run_id,))
            self._connection.execute(_MARK_DELETED, (run_id,))

    def get(self, run_id: str, from_seq: int = 1) -> RunGetResult:
        """One run with its events from `from_seq` on.

        Raises:
            UnknownRunError: no such run.
        """
        with self._reading():
            row = self._connection.execute(_SELECT_RUN + "AND run_id = ?", (run_id,)).fetchone()
            if row is None:
                raise UnknownRunError(f"no run {run_id} in the run store {self._file}")
            events = self._connection.execute(
                "SELECT seq, event FROM events WHERE run_id = ? AND seq >= ? ORDER BY seq", (run_id, from_seq)
            ).fetchall()
            run = _run(row, self._alive())
        return RunGetResult(run=run, events=[self._update(run_id, seq, text) for seq, text in events])

    def denied(self) -> dict[str, int]:
        """How many calls were denied, for each run where any was. Looks through all events."""
        with self._reading():
            return dict(self._connection.execute(_COUNT_DENIED).fetchall())

    def decisions(
        self, run_id: str | None = None, project_root: str | None = None, limit: int | None = None
    ) -> list[Decision]:
        """The decision log, newest first: of one run, of runs in one folder, or all."""
        with self._reading():
            rows = self._connection.execute(_SELECT_DECISIONS, (run_id, run_id))
            wanted = (row for row in rows if project_root is None or in_folder(row[3], project_root))
            chosen = list(islice(wanted, limit))
            calls = {
                run: [text for (text,) in self._connection.execute(_SELECT_CALLS, (run,))]
                for run in {run for _, run, _, _ in chosen}
            }
        return [decision(row, calls[row[1]]) for row in chosen]

    def full_text(self, run_id: str, call_id: str) -> str | None:
        """The whole text of a result whose observation was cut; None where nothing was cut."""
        with self._reading():
            row = self._connection.execute(
                "SELECT text FROM full_results WHERE run_id = ? AND call_id = ?", (run_id, call_id)
            ).fetchone()
        return None if row is None else bytes(row[0]).decode("utf-8", "surrogatepass")

    def close(self) -> None:
        """Gives up the runs this process owns (unfinished ones read as interrupted) and closes the database."""
        with self._lock:
            self._connection.close()
            if self._claim is not None:
                self._claim.release()
                self._claim = None

    def _update(self, run_id: str, seq: int, text: str) -> RunUpdate:
        try:
            event = _EVENT.validate_python(json.loads(text))
        except ValueError as fault:
            raise StoreError(
                f"event {seq} of run {run_id} in the run store {self._file} is damaged: {fault}"
            ) from fault
        return RunUpdate(run_id=run_id, seq=seq, event=event)

    def _owner(self) -> str:
        if self._claim is None:
            folder = self._folder / "owners"
            make_private(folder)
            ownership.sweep(folder)
            self._claim = ownership.Ownership(folder)
        return self._claim.name

    def _alive(self) -> Callable[[str], bool]:
        known: dict[str, bool] = {}

        def alive(owner: str) -> bool:
            if owner not in known:
                known[owner] = ownership.is_alive(self._folder / "owners", owner)
            return known[owner]

        return alive

    def _follow(self, run_id: str, event: Event, moment: str) -> None:
        """Updates the run's row in the transaction of its event, so that no crash can part the two."""
        row = self._connection.execute("SELECT state, usage FROM runs WHERE run_id = ?", (run_id,)).fetchone()
        if row is None:
            raise UnknownRunError(f"no run {run_id} in the run store {self._file}")
        state, usage = row
        if isinstance(event, PromptEvent):
            state = "running"
        elif isinstance(event, StateEvent) and event.state != "cancelling":
            state = event.state
        elif isinstance(event, FinishedEvent):
            state = "finished"
        elif isinstance(event, UsageEvent):
            usage = json.dumps(_add(_usage(usage), event).wire())
        self._connection.execute(
            "UPDATE runs SET state = ?, usage = ?, updated = ? WHERE run_id = ?", (state, usage, moment, run_id)
        )

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        # IMMEDIATE: takes the write lock first, so that the number read is still the last one when it is used.
        with self._lock, located(self._file):
            self._connection.execute("BEGIN IMMEDIATE")
            with self._connection:
                yield

    @contextmanager
    def _reading(self) -> Iterator[None]:
        # One snapshot for the run and its events.
        with self._lock, located(self._file):
            self._connection.execute("BEGIN")
            with self._connection:
                yield


def _run(row: tuple[Any, ...], alive: Callable[[str], bool]) -> Run:
    run_id, title, agent, model, state, created, updated, usage, owner, params, forked_from, last = row
    if state != "finished" and not alive(owner):
        state = "interrupted"
    return Run(
        run_id=run_id,
        title=title,
        agent=agent,
        model=model,
        state=state,
        created=created,
        updated=updated,
        usage=_usage(usage),
        stop_reason=None if last is None else json.loads(last).get("stopReason"),
        project_root=json.loads(params).get("projectRoot"),
        forked_from=forked_from,
    )


def _kept(params: RunStartParams | None) -> str:
    """What of a run's parameters may be written down: a prompt has its event, a tool context may hold secrets."""
    if params is None:
        return "{}"
    return json.dumps({key: value for key, value in params.wire().items() if key not in ("prompt", "toolContext")})


def _like(word: str) -> str:
    """A pattern for texts that contain `word`, whatever it holds."""
    return "%" + word.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_") + "%"


def _usage(text: str | None) -> Usage | None:
    return None if text is None else Usage.model_validate(json.loads(text))


def _add(known: Usage | None, more: UsageEvent) -> Usage:
    """The sum; its cost is unknown as soon as one part's is."""
    if known is None:
        return Usage(input_tokens=more.input_tokens, output_tokens=more.output_tokens, cost=more.cost)
    return Usage(
        input_tokens=known.input_tokens + more.input_tokens,
        output_tokens=known.output_tokens + more.output_tokens,
        cost=None if known.cost is None or more.cost is None else known.cost + more.cost,
    )
