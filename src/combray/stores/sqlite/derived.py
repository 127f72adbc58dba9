"""The file beside the store with what is derived from it: columns, vectors, neighbours, sums.

Opening a large store then takes no time, and processes share the memory. The file is never needed: it is
discarded when it does not fit the store, and what was written after it is read from the store. It fits if the
store names it, which it does only from the transaction on that put it in place; a restored backup names another
one, or none. An erasure removes it before it commits. An encrypted store has none, a read-only one writes none.

Whoever has read many rows that no file holds writes one: beside its work after opening a store whose file is
behind, while it writes each time the store has grown by a third, and at close. The rows that a file lacks are
counted first, so that of several processes one writes it and the others map it.
"""

from __future__ import annotations

import functools
import os
import re
import sqlite3
import threading
from collections.abc import Callable, Iterable
from contextlib import closing, suppress
from pathlib import Path

from combray.errors import StoreError
from combray.language.indexing import terms_version
from combray.runtime import calls
from combray.stores import mapped
from combray.stores.mapped import Mapped
from combray.stores.sqlite.cache import SqliteNamespaceCache
from combray.stores.sqlite.connection import reading, writing
from combray.stores.sqlite.session import SqliteSession
from combray.stores.sqlite.sql import sql
from combray.stores.sqlite.upkeep import migrations

_SUFFIX = ".columns-"
_LAYOUT = 4
"""Grows when the columns, or what is computed from them, change their meaning."""
_READ = re.compile(r"\b(memory|vector|model)\b")
"""The tables that a file is made from."""


class ColumnFiles:
    """The files of a store, one per namespace. `kept` is False for a store that must not have any.

    `writable` returns whether files may be written; files that are there are mapped in any case.
    """

    def __init__(
        self,
        path: str,
        connect: Callable[[], sqlite3.Connection],
        *,
        kept: bool,
        writable: Callable[[], bool],
    ) -> None:
        self._path = path
        self._connect = connect
        self._kept = kept
        self._writable = writable
        self._thread: threading.Thread | None = None

    def find(self, session: SqliteSession) -> Mapped | None:
        """Return the file of a namespace if it fits the state that the transaction sees."""
        state = session.state
        if not self._kept or state is None:
            return None
        rows = session.rows(sql.settings.get, _setting(state.number))
        found = mapped.read(_name(self._path, state.number, rows[0][0])) if rows else None
        if found is None:
            return None
        about = found.about
        fits = (about["kind"], about["epoch"]) == (_kind(), state.epoch) and about["revision"] <= state.revision
        return found if fits else None

    def save_beside(self, cache: SqliteNamespaceCache, share: int) -> None:
        """Save in a thread if `cache.is_due(share)`, and map what was saved.

        A process that is killed one day must not leave all rows to read, and must share its memory before that.
        """
        busy = self._thread is not None and self._thread.is_alive()
        if self._kept and not busy and cache.is_due(share) and self._writable():
            self._thread = threading.Thread(target=self._save_alone, args=(cache, share), name="combray-columns")
            self._thread.start()

    def save_opened(self, cache: SqliteNamespaceCache) -> None:
        """Save in a thread after a first read of many rows: every other process would read them too."""
        if cache.has_opened_late():
            self.save_beside(cache, 64)

    def _save_alone(self, cache: SqliteNamespaceCache, share: int) -> None:
        with suppress(StoreError, sqlite3.Error), closing(self._connect()) as connection:
            self._save(connection, cache, share)
            with reading(connection):
                session = SqliteSession(connection, cache.name)
                found = self.find(session)
                if found is not None:
                    cache.adopt(session, found)

    def wait(self) -> None:
        """Wait until the thread has saved."""
        if self._thread is not None:
            self._thread.join()

    def save_due(self, connection: sqlite3.Connection, caches: Iterable[SqliteNamespaceCache]) -> None:
        """Save those with many rows that are not in their files."""
        for cache in caches:
            if self._kept and cache.is_due(64):
                with suppress(StoreError, sqlite3.Error):
                    self._save(connection, cache, 64)

    def _save(self, connection: sqlite3.Connection, cache: SqliteNamespaceCache, share: int) -> None:
        """Write the file of a namespace and make the store name it.

        A store that is busy, full, or erased from meanwhile keeps the file that it has. So does one for which
        another process has written a file since.
        """
        with reading(connection):
            session = SqliteSession(connection, cache.name)
            if not self._is_behind(session, cache, share):
                return
            about, arrays = cache.packed(session)
        number, token = cache.number, os.urandom(8).hex()
        draft, place = _name(self._path, number, f"{token}.new"), _name(self._path, number, token)
        try:
            mapped.write(draft, {**about, "kind": _kind()}, arrays)
            with calls.briefly(), writing(connection, self._path, calls.BRIEF):
                state = SqliteSession(connection, cache.name).state
                if state is None or (state.number, state.epoch) != (number, about["epoch"]):
                    raise FileNotFoundError(f"{cache.name}: erased from while its columns were written")
                draft.rename(place)
                connection.execute(sql.settings.put, (_setting(number), token))
        except (OSError, sqlite3.Error):
            # A cache is not worth an error.
            for each in (draft, place):
                _remove(each)
            return
        for each in _files(self._path, number):
            if each.name != place.name:
                _remove(each)

    def _is_behind(self, session: SqliteSession, cache: SqliteNamespaceCache, share: int) -> bool:
        """Return whether the file that the store names lacks many rows of the state that the cache has read."""
        state = session.state
        if state is None or (state.number, state.epoch) != (cache.number, cache.epoch):
            return False
        found = self.find(session)
        if found is None:
            return True
        ((lag,),) = session.of_rows(sql.memories.count_since, found.about["revision"])
        if not cache.is_due(share, int(lag)):
            # Otherwise each write would look again.
            cache.has_lag(int(lag))
            return False
        return True

    def remove(self, number: int) -> None:
        """Remove the files of a namespace, drafts too. Raises OSError: an erasure must not leave one."""
        for each in _files(self._path, number) if self._kept else ():
            each.unlink(missing_ok=True)


def _setting(number: int) -> str:
    return f"columns:{number}"


def _name(path: str, number: int, token: str) -> Path:
    return Path(f"{path}{_SUFFIX}{number}-{token}")


def _kind() -> str:
    """Return the version of what the columns hold: of the layout, the tables that are read, and the tokenizer."""
    return f"{_LAYOUT}.{_schema()}.{terms_version()}"


@functools.cache
def _schema() -> int:
    """Return the last migration of the tables that are read: after one of other tables all files still fit."""
    return max(number for number, _, text in migrations() if _READ.search(re.sub(r"--.*", "", text)))


def _files(path: str, number: int) -> list[Path]:
    here = Path(path).absolute()
    return [each for each in here.parent.iterdir() if each.name.startswith(f"{here.name}{_SUFFIX}{number}-")]


def _remove(place: Path) -> None:
    # On Windows a file that another process has mapped cannot be removed: the next one to save removes it.
    with suppress(OSError):
        place.unlink(missing_ok=True)
