"""The tables of the run store, and how its database is opened. `store` reads and writes them."""

from __future__ import annotations

import os
import sqlite3
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta, timezone
from pathlib import Path

VERSION = 3
"""Kept in the database's `user_version`. A newer one is refused: guessing at its tables could lose runs."""

_APPLICATION = 0x4144414C  # "ADAL": tells our database from another that got its name
BUSY_SECONDS = 10.0
"""How long another process may hold the database before it counts as locked."""

_FULL_ARGUMENTS = """CREATE TABLE full_arguments (
        run_id TEXT NOT NULL REFERENCES runs(run_id),
        call_id TEXT NOT NULL,
        text BLOB NOT NULL,
        PRIMARY KEY (run_id, call_id)
    ) WITHOUT ROWID"""

_TABLES = (
    """CREATE TABLE runs (
        position INTEGER PRIMARY KEY,
        run_id TEXT NOT NULL UNIQUE,
        title TEXT NOT NULL,
        agent TEXT NOT NULL,
        model TEXT NOT NULL,
        state TEXT NOT NULL,
        created TEXT NOT NULL,
        updated TEXT NOT NULL,
        usage TEXT,
        owner TEXT NOT NULL,
        params TEXT NOT NULL DEFAULT '{}',
        forked_from TEXT
    )""",
    """CREATE TABLE events (
        run_id TEXT NOT NULL REFERENCES runs(run_id),
        seq INTEGER NOT NULL,
        time TEXT NOT NULL,
        event TEXT NOT NULL,
        PRIMARY KEY (run_id, seq)
    ) WITHOUT ROWID""",
    """CREATE TABLE full_results (
        run_id TEXT NOT NULL REFERENCES runs(run_id),
        call_id TEXT NOT NULL,
        text BLOB NOT NULL,
        PRIMARY KEY (run_id, call_id)
    ) WITHOUT ROWID""",
    _FULL_ARGUMENTS,
    # The transcript is evidence of what was approved and run: no later code may rewrite it by mistake.
    """CREATE TRIGGER events_never_change BEFORE UPDATE ON events
        BEGIN SELECT RAISE(ABORT, 'events are append-only'); END""",
)

_UPGRADES = {
    1: (
        "ALTER TABLE runs ADD COLUMN params TEXT NOT NULL DEFAULT '{}'",
        "ALTER TABLE runs ADD COLUMN forked_from TEXT",
    ),
    2: (_FULL_ARGUMENTS,),
}
"""Version → what makes the next one of it."""


class StoreError(Exception):
    """The run store cannot be used; the text names its file and the way out."""


class StoreLockedError(StoreError):
    """Another process is writing for longer than was waited."""


class StoreDamagedError(StoreError):
    """The file is no sound database."""


class UnknownRunError(StoreError):
    """No run of that id is in the store."""


class RunBusyError(StoreError):
    """The run is going on, here or in another process."""


def now(ago: timedelta = timedelta()) -> str:
    """This moment, or one in the past, as the store writes it: ISO 8601, UTC, milliseconds."""
    moment = datetime.now(timezone.utc) - ago
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")


@contextmanager
def located(file: Path) -> Iterator[None]:
    """Turns what SQLite and the file system report into a `StoreError` that names `file`."""
    try:
        yield
    except sqlite3.OperationalError as fault:
        if "locked" in str(fault):
            raise StoreLockedError(
                f"the run store {file} is locked by another process; try again, and see what else has it open"
            ) from fault
        raise StoreError(f"the run store {file} cannot be used: {fault}") from fault
    except sqlite3.DatabaseError as fault:
        if isinstance(fault, sqlite3.IntegrityError | sqlite3.ProgrammingError):
            raise StoreError(f"the run store {file} cannot be used: {fault}") from fault
        raise StoreDamagedError(f"the run store {file} is damaged: {fault}") from fault
    except OSError as fault:
        raise StoreError(f"the run store {file} cannot be used: {fault}") from fault


def connect(file: Path) -> sqlite3.Connection:
    """Opens the database at `file`, made with mode 0600 where it is missing, with its tables in place.

    Raises:
        StoreDamagedError: the file is no database.
        StoreError: written by a newer version, of another program, locked, or not accessible.
    """
    with located(file):
        # SQLite gives its -wal and -shm files the mode of the database file.
        os.close(os.open(file, os.O_RDWR | os.O_CREAT, 0o600))
        connection = sqlite3.connect(file, timeout=BUSY_SECONDS, isolation_level=None, check_same_thread=False)
        try:
            _prepare(connection, file)
        except BaseException:
            connection.close()
            raise
    return connection


def set_aside(file: Path, seen: os.stat_result) -> Path | None:
    """Moves a damaged database out of the way, with its log. Where to; None: another process has done it already.

    Args:
        seen: the file in which the damage was found.
    """
    with located(file):
        try:
            now_there = file.stat()
        except FileNotFoundError:
            return None
        if (now_there.st_ino, now_there.st_dev) != (seen.st_ino, seen.st_dev):
            return None
        aside = file.with_name(f"{file.name}.damaged-{datetime.now(timezone.utc):%Y%m%d-%H%M%S-%f}")
        for end in ("-wal", "-shm", ""):
            part = file.with_name(file.name + end)
            if part.exists():
                part.replace(aside.with_name(aside.name + end))
    return aside


def _prepare(connection: sqlite3.Connection, file: Path) -> None:
    connection.execute("PRAGMA foreign_keys = ON")
    _use_wal(connection)
    # NORMAL: with WAL, what was appended survives the end of this process however it ends, and the file stays sound
    # through a power cut, which may take the last moments. FULL waits for the disk at each event, on the event loop:
    # tens of milliseconds a turn, more than an approval may cost in all.
    connection.execute("PRAGMA synchronous = NORMAL")
    if _check_version(connection, file) == VERSION:
        return
    connection.execute("BEGIN IMMEDIATE")
    with connection:
        found = _check_version(connection, file)
        if found == VERSION:
            return  # another process was quicker
        statements = _TABLES if found == 0 else [one for version in range(found, VERSION) for one in _UPGRADES[version]]
        for statement in statements:
            connection.execute(statement)
        connection.execute(f"PRAGMA application_id = {_APPLICATION}")
        connection.execute(f"PRAGMA user_version = {VERSION}")


def _use_wal(connection: sqlite3.Connection) -> None:
    """Switches to WAL. SQLite does not wait for another process in this one statement, so the waiting is ours."""
    deadline = time.monotonic() + BUSY_SECONDS
    while True:
        try:
            connection.execute("PRAGMA journal_mode = WAL")
        except sqlite3.OperationalError:  # noqa: PERF203 - a failed try is the reason to go round
            if time.monotonic() > deadline:
                raise
            time.sleep(0.01)
        else:
            return


def _check_version(connection: sqlite3.Connection, file: Path) -> int:
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    (application,) = connection.execute("PRAGMA application_id").fetchone()
    (tables,) = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
    if tables and application != _APPLICATION:
        raise StoreError(f"{file} is a database of another program; move it elsewhere")
    if version > VERSION:
        raise StoreError(
            f"the run store {file} was written by a newer adal-ls (store version {version}, this one knows {VERSION}): "
            "update adal-ls"
        )
    return int(version)
