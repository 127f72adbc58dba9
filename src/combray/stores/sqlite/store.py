"""One SQLite file as a store: many processes may share it, one writes at a time, readers never wait."""

from __future__ import annotations

import os
import sqlite3
import threading
from collections.abc import Iterator
from contextlib import AbstractContextManager, closing, contextmanager, suppress
from pathlib import Path

from combray.errors import ReadOnlyStoreError, StoreError
from combray.stores.sqlite import upkeep
from combray.stores.sqlite.cache import NamespaceCache
from combray.stores.sqlite.connection import (
    MEMORY,
    Durability,
    check_length,
    connect,
    explained,
    use_wal,
    writable,
)
from combray.stores.sqlite.migrations import check_identity, migrate, migrations
from combray.stores.sqlite.reader import SqliteReader
from combray.stores.sqlite.writer import SqliteWriter


class SqliteStore:
    """Implements `runtime.Store`.

    `durability` "normal" survives a killed process, "full" also a power cut (one disk flush a commit).
    `busy_timeout` is in seconds. Raises StoreError and its kinds.
    """

    def __init__(
        self,
        path: str,
        *,
        durability: Durability = "normal",
        busy_timeout: float = 30.0,
        read_only: bool = False,
    ) -> None:
        self.path = path
        self.durability: Durability = durability
        self.busy_timeout = busy_timeout
        self.read_only = read_only or not writable(path)
        self._process = os.getpid()
        self._caches: dict[str, NamespaceCache] = {}
        self._lock = threading.Lock()
        self._write_lock = threading.RLock()
        self._idle: list[sqlite3.Connection] = []
        self._closed = False
        self._log_holds_erased = False
        self._prepare_place()
        check_length(path)
        with explained(path):
            self._writer = self._connect()
            try:
                self._prepare_schema()
            except BaseException:
                self._writer.close()
                raise

    def _prepare_place(self) -> None:
        if self.path == MEMORY:
            return
        place = Path(self.path)
        if place.is_dir():
            raise StoreError(f"{self.path}: this is a folder; name a file in it, such as {place / 'agent.db'}.")
        if not place.absolute().parent.is_dir():
            raise StoreError(f"{self.path}: the folder {place.absolute().parent} does not exist; make it first.")
        if self.read_only and not place.exists():
            raise ReadOnlyStoreError(f"{self.path}: there is no such file, and it cannot be made here.")

    def _prepare_schema(self) -> None:
        newest = migrations()[-1][0]
        version = check_identity(self._writer, self.path, newest)
        if self.read_only:
            if version < newest:
                raise ReadOnlyStoreError(
                    f"{self.path}: has schema {version}, this Combray needs {newest}; "
                    "open it once where it can be written."
                )
            return
        # Only now: a file that is not ours must not be changed, not even its journal mode.
        if self.path != MEMORY:
            use_wal(self._writer, self.busy_timeout)
        migrate(self._writer, self.path)
        upkeep.rebuild_terms_if_stale(self._writer)

    def _connect(self) -> sqlite3.Connection:
        return connect(
            self.path, durability=self.durability, busy_timeout=self.busy_timeout, read_only=self.read_only
        )

    @property
    def location(self) -> str:
        """The path of the file."""
        return self.path

    @property
    def writable(self) -> bool:
        """False for a file opened read-only."""
        return not self.read_only

    def namespaces(self) -> list[str]:
        """Names of all namespaces, sorted."""
        with self._reading() as connection:
            return [row[0] for row in connection.execute("SELECT name FROM namespace ORDER BY name")]

    def reader(self, namespace: str) -> SqliteReader:
        """A reader of one namespace."""
        return SqliteReader(namespace, self._cache(namespace), self._reading)

    def _cache(self, namespace: str) -> NamespaceCache:
        with self._lock:
            if namespace not in self._caches:
                self._caches[namespace] = NamespaceCache(namespace)
            return self._caches[namespace]

    def _check_open(self) -> None:
        if self._closed:
            raise StoreError(f"{self.path}: the store is closed; open it again.")
        if os.getpid() != self._process:
            raise StoreError(f"{self.path}: opened before this process was forked; open it again here.")

    def _reading(self) -> AbstractContextManager[sqlite3.Connection]:
        return self._reading_memory() if self.path == MEMORY else self._reading_file()

    @contextmanager
    def _reading_file(self) -> Iterator[sqlite3.Connection]:
        self._check_open()
        with explained(self.path):
            connection = self._take_idle()
            try:
                connection.execute("BEGIN")
                yield connection
            finally:
                self._give_back(connection)

    def _take_idle(self) -> sqlite3.Connection:
        """A connection nobody reads with now: as many are made as ever read at the same time."""
        with self._lock:
            if self._idle:
                return self._idle.pop()
        connection = self._connect()
        connection.execute("PRAGMA query_only = ON")
        return connection

    def _give_back(self, connection: sqlite3.Connection) -> None:
        try:
            if connection.in_transaction:
                connection.execute("COMMIT")
        except sqlite3.Error:
            # Nothing was written; what was wrong with the file the read itself has met.
            connection.close()
            return
        with self._lock:
            if not self._closed:
                self._idle.append(connection)
                return
        connection.close()

    @contextmanager
    def _reading_memory(self) -> Iterator[sqlite3.Connection]:
        # A database in memory belongs to its one connection: readers and the writer take turns.
        with self._write_lock, explained(self.path):
            self._check_open()
            if self._writer.in_transaction:
                raise StoreError(
                    f"{self.path}: a store in memory cannot be read beside its own open transaction; "
                    "read through the transaction."
                )
            yield self._writer

    def transaction(self, namespace: str) -> AbstractContextManager[SqliteWriter]:
        """One atomic write."""
        return self._transaction(namespace)

    @contextmanager
    def _transaction(self, namespace: str) -> Iterator[SqliteWriter]:
        if self.read_only:
            raise ReadOnlyStoreError(f"{self.path}: opened read-only; nothing was written.")
        with self._write_lock, explained(self.path):
            self._check_open()
            if self._writer.in_transaction:
                raise StoreError(f"{self.path}: a transaction is open already; end it before the next begins.")
            try:
                self._writer.execute("BEGIN IMMEDIATE")
                writer = SqliteWriter(namespace, self._cache(namespace), self._writer)
                yield writer
                self._writer.execute("COMMIT")
            except BaseException:
                self._roll_back()
                raise
            self._log_holds_erased |= writer.erased
            if self._log_holds_erased:
                self._empty_log()

    def _roll_back(self) -> None:
        # SQLite rolls some failed writes back by itself, and a full disk can fail the rollback too.
        if self._writer.in_transaction:
            with suppress(sqlite3.Error):
                self._writer.execute("ROLLBACK")

    def _empty_log(self) -> None:
        """Move the write-ahead log into the file and cut it to nothing: erased pages must not linger there.

        A long read elsewhere can keep the log in use; then every later write tries again, and so does the
        last process that closes the file.
        """
        if self.path == MEMORY:
            self._log_holds_erased = False
            return
        try:
            busy = self._writer.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0]
        except sqlite3.OperationalError:
            busy = 1
        self._log_holds_erased = bool(busy)

    def check(self) -> list[str]:
        """Problems found in the file, in words."""
        with self._reading() as connection:
            return upkeep.check(connection)

    def repair(self) -> list[str]:
        """Rebuild the keyword index and labels from the originals."""
        if self.read_only:
            raise ReadOnlyStoreError(f"{self.path}: opened read-only; nothing was repaired.")
        with self._write_lock, explained(self.path):
            self._check_open()
            with self._lock:
                while self._idle:
                    self._idle.pop().close()
            done = upkeep.repair(self._writer)
            for cache in self._caches.values():
                cache.drop()
        return done

    def backup(self, path: str) -> None:
        """A consistent copy in a new file. Raises StoreError if the file exists."""
        if Path(path).exists():
            raise StoreError(f"{path}: exists already; name a new file for the backup.")
        with explained(path), self._reading() as connection, closing(sqlite3.connect(path)) as copy:
            connection.backup(copy)

    def close(self) -> None:
        """Release the file. Reads that are under way end first in their own threads."""
        with self._write_lock, self._lock:
            if self._closed:
                return
            self._closed = True
            for connection in self._idle:
                connection.close()
            self._idle = []
            self._writer.close()
