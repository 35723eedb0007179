"""The run store: every event of every run of a workspace, append-only, in one SQLite database.

Several processes may read and write. `kill -9` at any point loses at most the event that was being written. Modes 0700
and 0600: transcripts hold what tools read.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable
from itertools import islice
from pathlib import Path
from typing import Any, Literal

from pydantic import TypeAdapter

from adal_ls.agent.approvals.decisions import decision, in_folder
from adal_ls.agent.files.paths import make_private, remember_folder, workspace_dir
from adal_ls.agent.store import ownership, retention
from adal_ls.agent.store.database import Database
from adal_ls.agent.store.rows import (
    COUNT_DENIED,
    DELETE_EVENTS,
    IN_SCOPE,
    INSERT_RUN,
    MARK_DELETED,
    MATCHES,
    SELECT_CALLS,
    SELECT_CONVERSATION,
    SELECT_DECISIONS,
    SELECT_EVENTS,
    SELECT_RUN,
    after,
    kept,
    like,
    page,
    run_of,
)
from adal_ls.agent.store.schema import (
    BUSY_SECONDS,
    RunBusyError,
    StoreError,
    StoreLockedError,
    UnknownRunError,
    located,
    now,
)
from adal_ls.protocol.approvals import Decision
from adal_ls.protocol.runs import (
    EpisodeEvent,
    Event,
    FinishedEvent,
    Run,
    RunGetResult,
    RunStartParams,
    RunUpdate,
    ToolCallEvent,
)

__all__ = ["RunBusyError", "Store", "StoreError", "StoreLockedError", "UnknownRunError", "now"]

_EVENT: TypeAdapter[Event] = TypeAdapter(Event)


class Store:
    """One workspace's runs. A process owns what it begins until that has ended; safe to use from several threads.

    Every method raises `StoreError` where the database cannot be read or written.
    """

    def __init__(self, folder: Path) -> None:
        """Opens the store in `folder`; `Store.open` finds the folder of a workspace."""
        self._folder = folder
        self._file = folder / "runs.db"
        with located(self._file):
            make_private(folder)
        self._database = Database(self._file)
        self._claims: dict[str, ownership.Ownership] = {}  # of the runs that go on in this process

    @property
    def notice(self) -> str | None:
        """What the person should know: a damaged file was set aside."""
        return self._database.notice

    @classmethod
    def open(cls, workspace: Path) -> Store:
        """The store of `workspace`, created where it is missing, in the person's data folder (`ADAL_DATA_DIR`).

        Runs older than `ADAL_KEEP_RUNS_DAYS` are forgotten.

        Raises:
            ValueError: one of the two variables holds what cannot be.
        """
        days = retention.days_kept()
        store = cls(workspace_dir(workspace))
        remember_folder(workspace)
        if days is not None:
            retention.forget_old(store, days)
        return store

    @staticmethod
    def exists(workspace: Path) -> bool:
        """Whether `workspace` has a store; lets a command that only reads leave nothing behind."""
        return (workspace_dir(workspace) / "runs.db").exists()

    def create(self, run: Run, params: RunStartParams | None = None, *, wait: float = BUSY_SECONDS) -> None:
        """Adds `run`; from now on this process owns it, until it has ended.

        Args:
            params: what it was started with, for whoever takes it up again. Prompt and tool context are not kept.
            wait: as for `append`.

        Raises:
            StoreError: also when a run of that id exists.
        """
        usage = json.dumps(run.usage.wire()) if run.usage else None
        # A prompt may hold half a surrogate pair, which no database text can.
        title = run.title.encode("utf-8", "backslashreplace").decode()
        row = (run.run_id, title, run.agent, run.model, run.state, run.created, run.updated, usage)
        with self._database.writing(wait) as database:
            if database.execute("SELECT 1 FROM runs WHERE run_id = ?", (run.run_id,)).fetchone():
                raise StoreError(f"run {run.run_id} is already in the run store {self._file}")
            owner = self._claim(run.run_id)
            database.execute(INSERT_RUN, (*row, owner, kept(params), run.forked_from))

    def append(self, run_id: str, event: Event, *, full: str | None = None, wait: float = BUSY_SECONDS) -> RunUpdate:
        """Adds `event` as the run's next one, and lets the run's state and usage follow from it. When it returns,
        the end of this process loses nothing of it.

        Args:
            full: the whole text of what was cut: the observation of a `toolResult`, the arguments of a `toolCall`.
            wait: seconds to wait for other processes that write.

        Raises:
            UnknownRunError: the run was never created.
            StoreLockedError: others wrote for longer than that.
        """
        text = json.dumps(event.wire(), separators=(",", ":"))  # ASCII: a lone surrogate stays readable
        moment = now()
        with self._database.writing(wait) as database:
            (last,) = database.execute("SELECT max(seq) FROM events WHERE run_id = ?", (run_id,)).fetchone()
            seq = (last or 0) + 1
            self._follow(database, run_id, event, moment)
            database.execute("INSERT INTO events VALUES (?,?,?,?)", (run_id, seq, moment, text))
            if full is not None:
                call_id: str = event.call_id  # type: ignore[union-attr]  # a caller's fault otherwise
                table = "full_arguments" if isinstance(event, ToolCallEvent) else "full_results"
                database.execute(
                    f"INSERT OR IGNORE INTO {table} VALUES (?,?,?)",  # noqa: S608 - our names
                    (run_id, call_id, full.encode("utf-8", "surrogatepass")),
                )
        if isinstance(event, FinishedEvent):
            self.give_up(run_id)
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
        conditions = [MATCHES] * len(words) + (["updated < ?"] if before is not None else [])
        clause = "".join(f"AND {condition} " for condition in conditions)
        patterns = [pattern for word in words for pattern in (like(word), like(json.dumps(word)[1:-1]))]
        patterns += [before] if before is not None else []
        with self._database.reading() as database:
            rows = database.execute(SELECT_RUN + clause + "ORDER BY position DESC", patterns)
            alive = self._alive()
            found = (run_of(row, alive) for row in rows)
            return list(islice((run for run in found if project_root in (None, run.project_root)), limit))

    def adopt(self, run_id: str, model: str | None = None, *, wait: float = BUSY_SECONDS) -> RunStartParams:
        """Makes this process the run's owner, so that it can go on here. Returns what it was started with.

        Args:
            model: what the run is shown with from now on.
            wait: as for `append`.

        Raises:
            UnknownRunError: no such run.
            RunBusyError: another process is at it.
        """
        with self._database.writing(wait) as database:
            row = self._row(database, run_id)
            run = run_of(row, self._alive())
            if run.state not in ("finished", "interrupted") and run_id not in self._claims:
                raise RunBusyError(f"run {run_id} is going on in another window or at a terminal; it ends there")
            owner = self._claim(run_id)
            database.execute(
                "UPDATE runs SET owner = ?, model = ? WHERE run_id = ?", (owner, model or run.model, run_id)
            )
        params = json.loads(row[9])
        return RunStartParams.model_validate({"prompt": "", "model": run.model, "agent": run.agent, **params})

    def in_scope(self, scope: str, root: Path | None = None) -> list[Run]:  # noqa: ARG002 - for stores of many folders
        """The runs with this memory scope, and the one with this id, oldest first."""
        with self._database.reading() as database:
            rows = database.execute(SELECT_RUN + IN_SCOPE + "ORDER BY position", (scope, scope)).fetchall()
            alive = self._alive()
            return [run_of(row, alive) for row in rows]

    def conversation(self, run_id: str, scope: str) -> list[RunUpdate]:
        """All that happened in a run and in those of its memory scope, in the order in which it did."""
        with self._database.reading() as database:
            rows = database.execute(SELECT_CONVERSATION, (run_id, scope, scope)).fetchall()
        return [self._update(run_id, seq, text) for run_id, seq, text in rows]

    def fork(self, run_id: str, new_id: str, before_seq: int | None = None) -> Run:
        """A new run that nobody owns yet, with the events of another before `before_seq` (all of them if None).

        Raises:
            UnknownRunError: no such run.
        """
        moment = now()
        with self._database.writing() as database:
            row = self._row(database, run_id)
            run = run_of(row, self._alive()).model_copy(
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
            # It goes its own way: in the scope of the other it would tell that one what it said.
            kept = json.dumps({key: value for key, value in json.loads(row[9]).items() if key != "scope"})
            values = (new_id, run.title, run.agent, run.model, run.state, moment, moment, None, "", kept)
            database.execute(INSERT_RUN, (*values, run_id))
            database.execute(
                "INSERT INTO events SELECT ?, seq, time, event FROM events WHERE run_id = ? AND (? IS NULL OR seq < ?)",
                (new_id, run_id, before_seq, before_seq),
            )
            database.execute(
                "INSERT INTO full_results SELECT ?, call_id, text FROM full_results WHERE run_id = ?", (new_id, run_id)
            )
            database.execute(
                "INSERT INTO full_arguments SELECT ?, call_id, text FROM full_arguments WHERE run_id = ?",
                (new_id, run_id),
            )
        return run

    def delete(self, run_id: str) -> None:
        """Forgets a run with all its events but what was decided: the decision log is only ever added to.

        Raises:
            UnknownRunError: no such run.
            RunBusyError: it is going on.
        """
        with self._database.writing() as database:
            row = self._row(database, run_id)
            if run_of(row, self._alive()).state not in ("finished", "interrupted"):
                raise RunBusyError(f"run {run_id} is going on; cancel it first")
            for table in ("full_results", "full_arguments"):
                database.execute(f"DELETE FROM {table} WHERE run_id = ?", (run_id,))  # noqa: S608 - our names
            database.execute(DELETE_EVENTS, (run_id,))
            database.execute(MARK_DELETED, (run_id,))

    def has(self, run_id: str) -> bool:
        """Whether there is such a run."""
        with self._database.reading() as database:
            return database.execute("SELECT 1 FROM runs WHERE run_id = ?", (run_id,)).fetchone() is not None

    def get(self, run_id: str, from_seq: int = 1, most: int | None = None) -> RunGetResult:
        """One run with its events from `from_seq` on.

        Args:
            most: bytes of the events as JSON that are enough; what is left then is told of (`more`). At least one
                event is given, whatever its size.

        Raises:
            UnknownRunError: no such run.
        """
        with self._database.reading() as database:
            row = self._row(database, run_id)
            rows = database.execute(SELECT_EVENTS, (run_id, from_seq))
            events, more = page(rows, most)
            run = run_of(row, self._alive())
        updates = [self._update(run_id, seq, text) for seq, text in events]
        return RunGetResult(run=run, events=updates, more=True if more else None)

    def denied(self) -> dict[str, int]:
        """How many calls were denied, for each run where any was. Looks through all events."""
        with self._database.reading() as database:
            return dict(database.execute(COUNT_DENIED).fetchall())

    def decisions(
        self, run_id: str | None = None, project_root: str | None = None, limit: int | None = None
    ) -> list[Decision]:
        """The decision log, newest first: of one run, of runs in one folder, or all."""
        with self._database.reading() as database:
            rows = database.execute(SELECT_DECISIONS, (run_id, run_id))
            wanted = (row for row in rows if project_root is None or in_folder(row[3], project_root))
            chosen = list(islice(wanted, limit))
            calls = {
                run: [text for (text,) in database.execute(SELECT_CALLS, (run,))]
                for run in {run for _, run, _, _ in chosen}
            }
        return [decision(row, calls[row[1]]) for row in chosen]

    def full_text(self, run_id: str, call_id: str, of: Literal["result", "arguments"] = "result") -> str | None:
        """The whole text of a result that was cut, or of arguments, as JSON; None where nothing was cut."""
        table = {"result": "full_results", "arguments": "full_arguments"}[of]
        with self._database.reading() as database:
            row = database.execute(
                f"SELECT text FROM {table} WHERE run_id = ? AND call_id = ?",  # noqa: S608 - our names
                (run_id, call_id),
            ).fetchone()
        return None if row is None else bytes(row[0]).decode("utf-8", "surrogatepass")

    def give_up(self, run_id: str) -> None:
        """The run does not go on in this process any more; without a stored end it reads as interrupted."""
        claim = self._claims.pop(run_id, None)
        if claim is not None:
            claim.release()

    def close(self) -> None:
        """Gives up the runs this process owns and closes the database."""
        self._database.close()
        for run_id in list(self._claims):
            self.give_up(run_id)

    def _row(self, database: sqlite3.Connection, run_id: str) -> tuple[Any, ...]:
        row: tuple[Any, ...] | None = database.execute(SELECT_RUN + "AND run_id = ?", (run_id,)).fetchone()
        if row is None:
            raise UnknownRunError(f"no run {run_id} in the run store {self._file}")
        return row

    def _update(self, run_id: str, seq: int, text: str) -> RunUpdate:
        try:
            event = _EVENT.validate_python(json.loads(text))
        except ValueError as fault:
            raise StoreError(
                f"event {seq} of run {run_id} in the run store {self._file} is damaged: {fault}"
            ) from fault
        return RunUpdate(run_id=run_id, seq=seq, event=event)

    def _claim(self, run_id: str) -> str:
        """The name under which this process owns the run from now on."""
        if run_id not in self._claims:
            folder = self._folder / "owners"
            make_private(folder)
            if not self._claims:
                ownership.sweep(folder)
            self._claims[run_id] = ownership.Ownership(folder)
        return self._claims[run_id].name

    def _alive(self) -> Callable[[str], bool]:
        known: dict[str, bool] = {}

        def alive(owner: str) -> bool:
            if owner not in known:
                known[owner] = ownership.is_alive(self._folder / "owners", owner)
            return known[owner]

        return alive

    def _follow(self, database: sqlite3.Connection, run_id: str, event: Event, moment: str) -> None:
        """Updates the run's row in the transaction of its event, so that no crash can part the two."""
        row = database.execute("SELECT state, usage FROM runs WHERE run_id = ?", (run_id,)).fetchone()
        if row is None:
            raise UnknownRunError(f"no run {run_id} in the run store {self._file}")
        state, usage = after(row[0], row[1], event)
        if isinstance(event, EpisodeEvent):
            database.execute("UPDATE runs SET model = ? WHERE run_id = ?", (event.model, run_id))
        database.execute(
            "UPDATE runs SET state = ?, usage = ?, updated = ? WHERE run_id = ?", (state, usage, moment, run_id)
        )
