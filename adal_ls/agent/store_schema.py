"""The tables of the run store, and how its database is opened. `store` reads and writes them."""

from __future__ import annotations

import os
import sqlite3
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta, timezone
from pathlib import Path

VERSION = 2
"""Kept in the database's `user_version`. A newer one is refused: guessing at its tables could lose runs."""

_APPLICATION = 0x4144414C  # "ADAL": tells our database from another that got its name
_BUSY_SECONDS = 10.0

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
    # The transcript is evidence of what was approved and run: no later code may rewrite it by mistake.
    """CREATE TRIGGER events_never_change BEFORE UPDATE ON events
        BEGIN SELECT RAISE(ABORT, 'events are append-only'); END""",
)

_UPGRADES = {
    1: (
        "ALTER TABLE runs ADD COLUMN params TEXT NOT NULL DEFAULT '{}'",
        "ALTER TABLE runs ADD COLUMN forked_from TEXT",
    ),
}
"""Version → what makes the next one of it."""


class StoreError(Exception):
    """The run store cannot be used; the text names its file and the way out."""


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
        raise StoreError(f"the run store {file} cannot be used: {fault}") from fault
    except sqlite3.DatabaseError as fault:
        raise StoreError(
            f"the run store {file} is damaged ({fault}). Move the file elsewhere to start with an empty one; "
            "earlier runs are then not listed any more"
        ) from fault
    except OSError as fault:
        raise StoreError(f"the run store {file} cannot be used: {fault}") from fault


def connect(file: Path) -> sqlite3.Connection:
    """Opens the database at `file`, made with mode 0600 where it is missing, with its tables in place.

    Raises:
        StoreError: written by a newer version, of another program, damaged, or not accessible.
    """
    with located(file):
        # SQLite gives its -wal and -shm files the mode of the database file.
        os.close(os.open(file, os.O_RDWR | os.O_CREAT, 0o600))
        connection = sqlite3.connect(file, timeout=_BUSY_SECONDS, isolation_level=None, check_same_thread=False)
        try:
            _prepare(connection, file)
        except BaseException:
            connection.close()
            raise
    return connection


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
    deadline = time.monotonic() + _BUSY_SECONDS
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
