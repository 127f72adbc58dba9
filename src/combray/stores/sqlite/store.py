"""One SQLite file as a store. Many processes may share it, one writes at a time, readers never wait."""

from __future__ import annotations

import os
import sqlite3
import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, closing, contextmanager, suppress
from pathlib import Path

from combray.errors import StoreError
from combray.runtime import Deeds, Witness
from combray.stores.proving import ProvableStore
from combray.stores.sqlite import erasing, locks, opening, upkeep
from combray.stores.sqlite.cache import SqliteNamespaceCache
from combray.stores.sqlite.connection import (
    MEMORY,
    Durability,
    begin,
    check_length,
    connect,
    explained,
    make_private,
    opened,
    whole_or_gone,
    writable,
)
from combray.stores.sqlite.derived import ColumnFiles
from combray.stores.sqlite.encryption import Key, errors, key_from, write_encrypted
from combray.stores.sqlite.flushing import POSSIBLE, SharedFlush
from combray.stores.sqlite.reader import SqliteReader, SqliteView
from combray.stores.sqlite.session import SqliteSession
from combray.stores.sqlite.sql import sql
from combray.stores.sqlite.witnessing import UnflushedTail, forget, kept, tell, unflushed
from combray.stores.sqlite.writer import SqliteWriter

_NOT_WRITABLE = "{}: the file or its folder cannot be written to"


class SqliteStore(ProvableStore):
    """Implements `runtime.Store` and `runtime.Provable`.

    Args:
        durability: "normal" survives a killed process, "full" also a power cut, at one disk flush per write.
            Threads that write at the same time share it.
        busy_timeout: Seconds that a write waits for the write lock. Reads never wait for it.
        key: Encryption key of the file. A store in memory has no file and ignores it.

    Raises StoreError and its subclasses.
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
        self.path = self.location = path
        self._key = None if path == MEMORY else key
        self.durability: Durability = durability
        self.busy_timeout = busy_timeout
        self.read_only = read_only or not writable(path)
        self.unwritable = _NOT_WRITABLE.format(path) if self.read_only and not read_only else ""
        self._process = os.getpid()
        self._caches: dict[str, SqliteNamespaceCache] = {}
        self._lock = threading.Lock()
        self._write_lock = locks.WriteLock()
        self._idle: list[sqlite3.Connection] = []
        self._models: dict[str, tuple[int, int]] = {}
        self._closed = False
        self._log_holds_erased = False
        self._up_to_date = True
        self._tail = UnflushedTail()
        self._flush = SharedFlush(path) if durability == "full" and path != MEMORY and POSSIBLE else None
        keeps = path != MEMORY and self._key is None
        self._columns = ColumnFiles(path, self._connect, kept=keeps, writable=lambda: not self.read_only)
        if path != MEMORY:
            place = Path(path)
            if place.is_dir():
                raise StoreError(f"{path}: is a folder. Name a file in it, such as {place / 'agent.db'}.")
            if not place.absolute().parent.is_dir():
                raise StoreError(f"{path}: the folder {place.absolute().parent} does not exist. Create it first.")
            if self.read_only and not place.exists():
                raise opening.missing(path, read_only=read_only)
        if not locks.held(path, encrypted=self._key is not None) and self._key is None:
            check_length(path)
        self._writer = self._open_writer(read_only=self.read_only)
        self._held = locks.hold(path, encrypted=self._key is not None)
        self._witness = witness
        if witness is not None:
            witness.ask(lambda: self._for_witness(kept), lambda: self._for_witness(unflushed))

    def _open_writer(self, *, read_only: bool) -> sqlite3.Connection:
        """Open the connection that writes and bring the schema up to date."""
        with explained(self.path):
            connection = self._connect(read_only=read_only)
            try:
                if read_only:
                    opening.check_readable(connection, self.path)
                else:
                    self._up_to_date = opening.bring_up_to_date(
                        connection, self.path, busy_timeout=self.busy_timeout, key=self._key
                    )
                    if self._flush is not None:
                        connection.execute("PRAGMA synchronous = NORMAL")
            except BaseException:
                connection.close()
                raise
            return connection

    def _connect(self, *, read_only: bool = False) -> sqlite3.Connection:
        return connect(
            self.path,
            durability=self.durability,
            busy_timeout=self.busy_timeout,
            read_only=read_only,
            key=self._key,
        )

    @property
    def writable(self) -> bool:
        return not self.read_only

    @property
    def errors(self) -> tuple[type[Exception], ...]:
        return errors()

    @property
    def busy(self) -> bool:
        return self._write_lock.busy

    def probe(self) -> str:
        """Check again whether the file can be written to, and reopen one that could not be.

        Writes nothing and never waits: while another thread writes, the outcome of that write counts.
        """
        ours = not self._closed and os.getpid() == self._process
        wanted = not self.read_only or self.unwritable
        if not (ours and wanted and self._write_lock.acquire(blocking=False)):
            return self.unwritable
        try:
            if self.read_only:
                self.unwritable = self._reopen_to_write()
            elif not self._writer.in_transaction:
                self.unwritable = opening.probe(self._writer, self.path, self.busy_timeout)
        finally:
            self._write_lock.release()
        return self.unwritable

    def _reopen_to_write(self) -> str:
        if not writable(self.path):
            return _NOT_WRITABLE.format(self.path)
        try:
            writer = self._open_writer(read_only=False)
        except StoreError as error:
            return str(error)
        with self._lock:
            self._writer.close()
            self._writer, self.read_only = writer, False
            # Idle connections may read as from a medium that never changes.
            self._close_idle()
        return ""

    def namespaces(self) -> list[str]:
        with self._reading() as connection:
            return [row[0] for row in connection.execute(sql.namespaces.names)]

    def reader(self, namespace: str) -> SqliteReader:
        return SqliteReader(namespace, self._cache(namespace), lambda: self._session(namespace))

    @contextmanager
    def view(self, namespace: str) -> Iterator[SqliteReader]:
        if self.path == MEMORY:
            # Its one connection is also the writer's: a view must not keep it.
            yield self.reader(namespace)
            return
        with self._reading() as connection:
            yield SqliteView(self._cache(namespace), SqliteSession(connection, namespace, self._models))
        self._columns.save_opened(self._cache(namespace))

    @contextmanager
    def _session(self, namespace: str = "") -> Iterator[SqliteSession]:
        with self._reading() as connection:
            yield SqliteSession(connection, namespace, self._models)

    _proving = _session

    def _cache(self, namespace: str) -> SqliteNamespaceCache:
        with self._lock:
            if namespace not in self._caches:
                self._caches[namespace] = SqliteNamespaceCache(namespace, self._columns.find, self.zone)
            return self._caches[namespace]

    def _check_open(self) -> None:
        if self._closed:
            raise StoreError(f"{self.path}: the store is closed. Open it again.")
        if os.getpid() != self._process:
            raise StoreError(f"{self.path}: opened before this process was forked. Open it again here.")

    def _reading(self) -> AbstractContextManager[sqlite3.Connection]:
        return self._reading_memory() if self.path == MEMORY else self._reading_file()

    @contextmanager
    def _reading_file(self) -> Iterator[sqlite3.Connection]:
        """Return an idle connection, or open one: as many as ever read at the same time."""
        self._check_open()
        with explained(self.path):
            with self._lock:
                read_only = self.read_only
                connection = self._idle.pop() if self._idle else None
            if connection is None:
                connection = self._connect(read_only=read_only)
                connection.execute("PRAGMA query_only = ON")
            try:
                connection.execute("BEGIN")
                yield connection
            finally:
                self._give_back(connection, stale=read_only and not self.read_only)

    def _give_back(self, connection: sqlite3.Connection, *, stale: bool) -> None:
        # Nothing was written; the read itself has already met any error of the file.
        with suppress(*errors()):
            if connection.in_transaction:
                connection.execute("COMMIT")
            with self._lock:
                if not self._closed and not stale:
                    self._idle.append(connection)
                    return
        connection.close()

    def _close_idle(self) -> None:
        while self._idle:
            self._idle.pop().close()

    @contextmanager
    def _reading_memory(self) -> Iterator[sqlite3.Connection]:
        # A database in memory has one connection: readers and the writer take turns.
        with self._write_lock, explained(self.path):
            self._check_open()
            if self._writer.in_transaction:
                raise StoreError(
                    f"{self.path}: a store in memory cannot be read during its own open transaction. "
                    "Read through the transaction."
                )
            yield self._writer

    @contextmanager
    def transaction(self, namespace: str) -> Iterator[SqliteWriter]:
        if self.read_only:
            raise opening.refused(self.path, self.unwritable, "written")
        with self._write_lock, explained(self.path), self._noting_trouble():
            self._check_open()
            if self._writer.in_transaction:
                raise StoreError(f"{self.path}: a transaction is already open. End it before the next begins.")
            if not self._up_to_date:
                self._up_to_date = opening.finish(
                    self._writer, self.path, busy_timeout=self.busy_timeout, key=self._key
                )
            begin(self._writer, self.path, self.busy_timeout, self.busy_timeout)
            deeds = Deeds()
            try:
                session = SqliteSession(self._writer, namespace, self._models, writes=True)
                writer = SqliteWriter(self._cache(namespace), session)
                deeds = writer.deeds
                yield writer
                if self._witness is not None:
                    tell(self._writer, self._witness, writer, self._tail)
                if writer.erased:
                    self._columns.remove(writer.session.number or 0)
                self._writer.execute("COMMIT")
            except BaseException as error:
                # SQLite already rolled back some failed writes, and a full disk can fail the rollback too.
                if self._writer.in_transaction:
                    with suppress(*errors()):
                        self._writer.execute("ROLLBACK")
                if deeds.seq and self._witness is not None:
                    self._witness.rolled_back(namespace, deeds, error)
                raise
            if writer.erased:
                self._cache(namespace).drop()
            else:
                writer.committed()
            self._log_holds_erased |= writer.erased
            if self._log_holds_erased:
                self._empty_log()
            number = self._flush.committed() if self._flush is not None else 0
        if self._flush is not None:
            self._flush.wait(number)
        self._columns.save_beside(self._cache(namespace), 4)

    @contextmanager
    def _noting_trouble(self) -> Iterator[None]:
        try:
            yield
        except errors() as error:
            self.unwritable = opening.unwritable(error, self.path) or self.unwritable
            raise
        self.unwritable = ""

    def _empty_log(self) -> None:
        """Rewrite the file without erased data and truncate the write-ahead log.

        A long read in another process can keep the log in use. Then every later write tries again, and so does
        the last process that closes the file.
        """
        self._log_holds_erased = self.path != MEMORY and not erasing.finish(self._writer)

    @contextmanager
    def _alone(self) -> Iterator[None]:
        """Hold the write lock with no idle connection open; drop the caches afterwards."""
        with self._write_lock, explained(self.path):
            self._check_open()
            with self._lock:
                self._close_idle()
            yield
            for cache in self._caches.values():
                cache.drop()

    # -- proof of erasure (`runtime.Provable`) ---------------------------------------------------------

    def let_go(self) -> bool:
        with self._alone():
            self._empty_log()
        return not self._log_holds_erased

    def files(self) -> list[str]:
        return [] if self.path == MEMORY else _files(self.path)

    def _for_witness(self, read: Callable[[sqlite3.Connection], str]) -> str:
        with self._reading() as connection:
            return read(connection)

    def check(self) -> list[str]:
        with self._reading() as connection:
            return upkeep.check(connection)

    def repair(self) -> list[str]:
        if self.read_only:
            raise opening.refused(self.path, self.unwritable, "repaired")
        with self._alone():
            done = upkeep.repair(self._writer)
        if self._flush is not None:
            self._flush.wait(self._flush.committed())
        return done

    def backup(self, path: str, key: str | bytes | None = None) -> None:
        """Write a consistent copy to a new file, encrypted with `key` or by default with the store's own key.

        Raises StoreError if the file exists, InvalidInputError for an invalid key, MissingExtraError.
        """
        target_key = self._key if key is None else key_from(key)
        if Path(path).exists():
            raise StoreError(f"{path}: already exists. Name a new file for the backup.")
        with explained(path), whole_or_gone(path):
            if target_key is None or self._key is not None:
                self._copy(path, target_key)
                return
            # Through an unencrypted copy next to the store: two builds of SQLite must not open one file.
            folder = None if self.path == MEMORY else Path(self.path).absolute().parent
            import tempfile

            with tempfile.TemporaryDirectory(dir=folder, prefix=".combray-") as place:
                plain = str(Path(place) / "copy.db")
                self._copy(plain, None)
                make_private(path)
                write_encrypted(plain, path, target_key)

    def _copy(self, target: str, key: Key | None) -> None:
        with self._reading() as connection, explained(target), closing(opened(target, key)) as copy:
            connection.backup(copy)
            forget(copy)

    def close(self) -> None:
        """Release the file. Each open read finishes first, in its own thread."""
        self._columns.wait()
        with self._write_lock, self._lock:
            if not self._closed:
                if not self.read_only and os.getpid() == self._process:
                    self._columns.save_due(self._writer, self._caches.values())
                self._closed = True
                self._close_idle()
                self._writer.close()
                locks.release(self._held)


def _files(path: str) -> list[str]:
    """Return the files whose names start with the store's."""
    place = Path(path).absolute()
    beside = (each for each in place.parent.iterdir() if each.name.startswith(place.name))
    return sorted(str(each) for each in beside if each.is_file())
