"""The file beside the store with what is derived from it: columns, vectors, neighbours, sums.

Opening a large store then takes no time, and processes share the memory. The file is never needed: it is
discarded when it does not fit the store, and what was written after it is read from the store. It fits if the
store names it, which it does only from the transaction on that put it in place; a restored backup names another
one, or none. An erasure removes it before it commits. An encrypted or read-only store has none.
"""

from __future__ import annotations

import secrets
import sqlite3
import threading
from collections.abc import Callable, Iterable
from contextlib import closing, suppress
from pathlib import Path

from combray.errors import StoreError
from combray.language.indexing import terms_version
from combray.stores import mapped
from combray.stores.mapped import Mapped
from combray.stores.sqlite import sql
from combray.stores.sqlite.cache import NamespaceCache
from combray.stores.sqlite.connection import writing
from combray.stores.sqlite.migrations import migrations

_SUFFIX = ".columns-"
_LAYOUT = 1
"""Grows when the columns, or what is computed from them, change their meaning."""


class ColumnFiles:
    """The files of a store, one per namespace. `kept` is False for a store that must not have any."""

    def __init__(self, path: str, connect: Callable[[], sqlite3.Connection], *, kept: bool) -> None:
        self._path = path
        self._connect = connect
        self._kept = kept
        self._thread: threading.Thread | None = None

    def find(self, connection: sqlite3.Connection, number: int, epoch: int, revision: int) -> Mapped | None:
        """Return the file of a namespace if it fits the state that the connection sees."""
        if not self._kept:
            return None
        row = connection.execute(sql.settings.get, (_setting(number),)).fetchone()
        found = mapped.read(_name(self._path, number, row[0])) if row else None
        if found is None:
            return None
        about = found.about
        fits = (about["kind"], about["epoch"]) == (_kind(), epoch) and about["revision"] <= revision
        return found if fits else None

    def save_beside(self, cache: NamespaceCache) -> None:
        """Save in a thread if half is new: a server that is killed one day must not leave all of it to read."""
        if self._kept and not (self._thread and self._thread.is_alive()) and cache.is_due(share=2):
            self._thread = threading.Thread(target=self._save_alone, args=(cache,), name="combray-columns")
            self._thread.start()

    def _save_alone(self, cache: NamespaceCache) -> None:
        with suppress(StoreError, sqlite3.Error), closing(self._connect()) as connection:
            self._save(connection, cache)

    def wait(self) -> None:
        """Wait until the thread has saved."""
        if self._thread is not None:
            self._thread.join()

    def save_due(self, connection: sqlite3.Connection, caches: Iterable[NamespaceCache]) -> None:
        """Save those with many rows that are not in their files."""
        for cache in caches:
            if self._kept and cache.is_due(share=64):
                self._save(connection, cache)

    def _save(self, connection: sqlite3.Connection, cache: NamespaceCache) -> None:
        """Write the file of a namespace and make the store name it.

        A store that is busy, full, or erased from meanwhile keeps the file that it has.
        """
        about, arrays = cache.packed()
        number, token = cache.number, secrets.token_hex(8)
        draft, place = _name(self._path, number, f"{token}.new"), _name(self._path, number, token)
        try:
            mapped.write(draft, {**about, "kind": _kind()}, arrays)
            with writing(connection):
                row = connection.execute(sql.namespaces.state, (cache.name,)).fetchone()
                if row is None or (row[0], row[2]) != (number, about["epoch"]):
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

    def remove(self, number: int) -> None:
        """Remove the files of a namespace, drafts too. Raises OSError: an erasure must not leave one."""
        for each in _files(self._path, number) if self._kept else ():
            each.unlink(missing_ok=True)


def _setting(number: int) -> str:
    return f"columns:{number}"


def _name(path: str, number: int, token: str) -> Path:
    return Path(f"{path}{_SUFFIX}{number}-{token}")


def _kind() -> str:
    """Return the version of what the columns hold: of the layout, the schema, and the tokenizer."""
    return f"{_LAYOUT}.{migrations()[-1][0]}.{terms_version()}"


def _files(path: str, number: int) -> list[Path]:
    here = Path(path).absolute()
    return [each for each in here.parent.iterdir() if each.name.startswith(f"{here.name}{_SUFFIX}{number}-")]


def _remove(place: Path) -> None:
    # On Windows a file that another process has mapped cannot be removed: the next one to save removes it.
    with suppress(OSError):
        place.unlink(missing_ok=True)
