"""One SQLite file as a store: many processes may share it, one writes at a time, readers never wait."""

from __future__ import annotations

import os
import sqlite3
import threading
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from pathlib import Path

from combray.errors import ReadOnlyStoreError, StoreError
from combray.runtime import Deeds, Trace, Witness
from combray.stores.sqlite import erasing, holding, probing, proving, sql, upkeep
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
from combray.stores.sqlite.copying import back_up
from combray.stores.sqlite.encryption import Key, errors, key_from
from combray.stores.sqlite.migrations import check_identity, migrate, migrations
from combray.stores.sqlite.namespace import Namespace
from combray.stores.sqlite.reader import SqliteReader
from combray.stores.sqlite.witnessing import kept, tell
from combray.stores.sqlite.writer import SqliteWriter

_NOT_WRITABLE = "{}: the file or its folder cannot be written to"


class SqliteStore:
    """Implements `runtime.Store`.

    `durability` "normal" survives a killed process, "full" also a power cut (one disk flush a commit).
    `busy_timeout` is in seconds. `key`: the file is encrypted with it (a store in memory has no file). Raises
    StoreError and its kinds.
    """

    def __init__(
        self,
        path: str,
        *,
        durability: Durability = "normal",
        busy_timeout: float = 30.0,
        read_only: bool = False,
        witness: Witness | None = None,
        key: Key | None = None,
    ) -> None:
        self.path = path
        self._key = None if path == MEMORY else key
        self.durability: Durability = durability
        self.busy_timeout = busy_timeout
        self.read_only = read_only or not writable(path)
        self._trouble = _NOT_WRITABLE.format(path) if self.read_only and not read_only else ""
        self._process = os.getpid()
        self._caches: dict[str, NamespaceCache] = {}
        self._lock = threading.Lock()
        self._write_lock = threading.RLock()
        self._idle: list[sqlite3.Connection] = []
        self._closed = False
        self._log_holds_erased = False
        self._prepare_place()
        if not holding.held(path, encrypted=self._key is not None) and self._key is None:
            check_length(path)
        with explained(path):
            self._writer = self._connect(read_only=self.read_only)
            try:
                self._prepare_schema(self._writer, read_only=self.read_only)
            except BaseException:
                self._writer.close()
                raise
        self._held = holding.hold(path, encrypted=self._key is not None)
        self._witness = witness
        if witness is not None:
            witness.ask(self._kept_for_witness)

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

    def _prepare_schema(self, connection: sqlite3.Connection, *, read_only: bool) -> None:
        newest = migrations()[-1][0]
        version = check_identity(connection, self.path, newest)
        if read_only:
            if version < newest:
                raise ReadOnlyStoreError(
                    f"{self.path}: has schema {version}, this Combray needs {newest}; "
                    "open it once where it can be written."
                )
            return
        # Only now: a file that is not ours must not be changed, not even its journal mode.
        if self.path != MEMORY:
            use_wal(connection, self.busy_timeout)
        migrate(connection, self.path, key=self._key)
        upkeep.rebuild_terms_if_stale(connection)
        if erasing.is_due(connection) and self.path != MEMORY:
            erasing.finish(connection)

    def _connect(self, *, read_only: bool) -> sqlite3.Connection:
        return connect(
            self.path,
            durability=self.durability,
            busy_timeout=self.busy_timeout,
            read_only=read_only,
            key=self._key,
        )

    @property
    def location(self) -> str:
        """The path of the file."""
        return self.path

    @property
    def writable(self) -> bool:
        """False for a file opened read-only."""
        return not self.read_only

    @property
    def unwritable(self) -> str:
        """Why the last write failed, or the file was opened read-only without being asked to."""
        return self._trouble

    def probe(self) -> str:
        """Look again whether the file can be written to; one that could not be is opened anew.

        Nothing is written, and nobody waited for: while another thread writes, that write tells.
        """
        ours = not self._closed and os.getpid() == self._process
        wanted = not self.read_only or self._trouble
        if not (ours and wanted and self._write_lock.acquire(blocking=False)):
            return self._trouble
        try:
            if self.read_only:
                self._trouble = self._open_to_write()
            elif not self._writer.in_transaction:
                self._trouble = probing.probe(self._writer, self.path, self.busy_timeout)
        finally:
            self._write_lock.release()
        return self._trouble

    @contextmanager
    def _noting_trouble(self) -> Iterator[None]:
        try:
            yield
        except errors() as error:
            self._trouble = probing.unwritable(error, self.path) or self._trouble
            raise
        self._trouble = ""

    def _open_to_write(self) -> str:
        if not writable(self.path):
            return _NOT_WRITABLE.format(self.path)
        try:
            with explained(self.path):
                writer = self._connect(read_only=False)
                try:
                    self._prepare_schema(writer, read_only=False)
                except BaseException:
                    writer.close()
                    raise
        except StoreError as error:
            return str(error)
        with self._lock:
            self._writer.close()
            self._writer, self.read_only = writer, False
            # They may read as from a medium that never changes.
            while self._idle:
                self._idle.pop().close()
        return ""

    def namespaces(self) -> list[str]:
        """Names of all namespaces, sorted."""
        with self._reading() as connection:
            return [row[0] for row in connection.execute(sql.namespaces.names)]

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
            connection, read_only = self._take_idle()
            try:
                connection.execute("BEGIN")
                yield connection
            finally:
                self._give_back(connection, stale=read_only and not self.read_only)

    def _take_idle(self) -> tuple[sqlite3.Connection, bool]:
        """A connection nobody reads with now: as many are made as ever read at the same time.

        And whether the file was opened read-only then.
        """
        with self._lock:
            read_only = self.read_only
            if self._idle:
                return self._idle.pop(), read_only
        connection = self._connect(read_only=read_only)
        connection.execute("PRAGMA query_only = ON")
        return connection, read_only

    def _give_back(self, connection: sqlite3.Connection, *, stale: bool) -> None:
        try:
            if connection.in_transaction:
                connection.execute("COMMIT")
        except errors():
            # Nothing was written; what was wrong with the file the read itself has met.
            connection.close()
            return
        with self._lock:
            if not self._closed and not stale:
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
        with self._write_lock, explained(self.path), self._noting_trouble():
            self._check_open()
            if self._writer.in_transaction:
                raise StoreError(f"{self.path}: a transaction is open already; end it before the next begins.")
            self._writer.execute("BEGIN IMMEDIATE")
            deeds = Deeds()
            try:
                writer = SqliteWriter(namespace, self._cache(namespace), self._writer)
                deeds = writer.deeds
                yield writer
                if self._witness is not None:
                    tell(self._writer, self._witness, writer)
                self._writer.execute("COMMIT")
            except BaseException as error:
                self._roll_back()
                if deeds.seq and self._witness is not None:
                    self._witness.rolled_back(namespace, deeds, error)
                raise
            if writer.erased:
                self._cache(namespace).drop()
            self._log_holds_erased |= writer.erased
            if self._log_holds_erased:
                self._empty_log()

    def _roll_back(self) -> None:
        # SQLite rolls some failed writes back by itself, and a full disk can fail the rollback too.
        if self._writer.in_transaction:
            with suppress(*errors()):
                self._writer.execute("ROLLBACK")

    def _empty_log(self) -> None:
        """Write the file anew without what was erased, and empty the write-ahead log: nothing lingers there.

        A long read elsewhere can keep the log in use; then every later write tries again, and so does the
        last process that closes the file.
        """
        if self.path == MEMORY:
            self._log_holds_erased = False
            return
        self._log_holds_erased = not erasing.finish(self._writer)

    # -- proof of erasure (`runtime.Provable`) ---------------------------------------------------------

    def traces(self, namespace: str, keys: Sequence[int]) -> list[Trace]:
        with self._reading() as connection:
            number = Namespace(namespace, self._reading).number(connection)
            return [] if number is None else proving.traces(connection, number, namespace, keys)

    def rows_left(self, keys: Sequence[int]) -> list[str]:
        with self._reading() as connection:
            return proving.rows_left(connection, keys)

    def shared(self, traces: Sequence[Trace]) -> set[Trace]:
        """Those that other memories hold too."""
        with self._reading() as connection:
            return proving.shared(connection, traces)

    def rows_holding(
        self, namespace: str, traces: Sequence[Trace], *, everywhere: bool
    ) -> list[tuple[str, Trace]]:
        """What rows still hold, read through the key if the file has one."""
        with self._reading() as connection:
            number = Namespace(namespace, self._reading).number(connection) or -1
            return proving.rows_holding(connection, number, traces, everywhere=everywhere)

    def let_go(self) -> bool:
        """Drop the caches and the connections nobody reads with; write anew what held what was erased."""
        with self._write_lock, explained(self.path):
            self._check_open()
            with self._lock:
                while self._idle:
                    self._idle.pop().close()
            for cache in self._caches.values():
                cache.drop()
            self._empty_log()
            return not self._log_holds_erased

    def files(self) -> list[str]:
        """Every file beside the store whose name begins with the store's."""
        return [] if self.path == MEMORY else proving.files(self.path)

    def _kept_for_witness(self) -> str:
        with self._reading() as connection:
            return kept(connection)

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

    def backup(self, path: str, key: str | bytes | None = None) -> None:
        """A consistent copy in a new file, with the store's own key or, if one is given, with that one.

        Raises StoreError if the file exists, InvalidInputError for a key that is none.
        """
        back_up(self._reading, self.path, self._key, path, self._key if key is None else key_from(key))

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
            holding.release(self._held)
