"""The database of one run store, open in this process: transactions, and what happens when it is damaged."""

from __future__ import annotations

import logging
import os
import sqlite3
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from adal_ls.agent.store.schema import BUSY_SECONDS, StoreDamagedError, StoreError, connect, located, set_aside

_log = logging.getLogger(__name__)


class Database:
    """Safe to use from several threads: one transaction at a time.

    Every method raises `StoreError` where the file cannot be read or written.
    """

    def __init__(self, file: Path) -> None:
        self.file = file
        self.notice: str | None = None
        """What the person should know: a damaged file was set aside."""
        self._lock = threading.Lock()
        self._busy_seconds = BUSY_SECONDS  # what the connection waits
        self._connection = self._connect()

    @contextmanager
    def writing(self, wait: float = BUSY_SECONDS) -> Iterator[sqlite3.Connection]:
        """A transaction that writes; all of it happens, or nothing.

        Args:
            wait: seconds to wait for other processes that write.

        Raises:
            StoreLockedError: others wrote for longer than that.
        """
        # IMMEDIATE: takes the write lock first, so that the number read is still the last one when it is used.
        with self._lock, self._sound(), located(self.file):
            if wait != self._busy_seconds:
                self._connection.execute(f"PRAGMA busy_timeout = {round(wait * 1000)}")
                self._busy_seconds = wait
            self._connection.execute("BEGIN IMMEDIATE")
            with self._connection:
                yield self._connection

    @contextmanager
    def reading(self) -> Iterator[sqlite3.Connection]:
        """A look at one moment: what is read in it fits together. It waits for no process that writes."""
        with self._lock, self._sound(), located(self.file):
            self._connection.execute("BEGIN")
            with self._connection:
                yield self._connection

    def close(self) -> None:
        with self._lock:
            self._connection.close()

    def _connect(self) -> sqlite3.Connection:
        try:
            connection = connect(self.file)
        except StoreDamagedError as fault:
            self._set_aside(fault, self.file.stat())
            connection = connect(self.file)
        self._busy_seconds = BUSY_SECONDS
        self._seen = os.stat(self.file)  # noqa: PTH116 - as `set_aside` compares
        return connection

    def _set_aside(self, fault: StoreDamagedError, seen: os.stat_result) -> None:
        """A damaged file would stand in the way for ever: it is kept under another name, and an empty one begun."""
        aside = set_aside(self.file, seen)
        if aside is not None:
            self.notice = f"{fault}. It was moved to {aside}: earlier runs are not listed any more, new ones are kept"
            _log.warning("%s", self.notice)

    @contextmanager
    def _sound(self) -> Iterator[None]:
        """Sets a file aside in which damage shows while it is used; what comes next finds an empty one.

        Raises:
            StoreError: there was damage; the text says where the file is now.
        """
        try:
            yield
        except StoreDamagedError as fault:
            self._connection.close()
            self._set_aside(fault, self._seen)
            self._connection = self._connect()
            raise StoreError(self.notice or str(fault)) from fault
