"""What an opening brings up to date, without keeping a reader waiting for another process's write lock."""

from __future__ import annotations

import sqlite3

from combray.errors import ReadOnlyStoreError
from combray.runtime import calls
from combray.stores.sqlite import erasing, upkeep
from combray.stores.sqlite.connection import MEMORY, is_busy, patient, use_wal
from combray.stores.sqlite.encryption import Key, errors
from combray.stores.sqlite.migrations import check_identity, migrate, migrations


def check_readable(connection: sqlite3.Connection, path: str) -> None:
    """Raise for another program's file, and for one whose schema only a write can bring up to date."""
    newest = migrations()[-1][0]
    version = check_identity(connection, path, newest)
    if version < newest:
        raise ReadOnlyStoreError(
            f"{path}: has schema {version}, this Combray needs {newest}. Open it once with write access."
        )


def bring_up_to_date(connection: sqlite3.Connection, path: str, *, busy_timeout: float, key: Key | None) -> bool:
    """Bring the file up to date. Return False if another process's lock leaves a part to the next write.

    A file of an older schema cannot be read before its migration: only that waits, as a write does.
    """
    newest = migrations()[-1][0]
    readable = check_identity(connection, path, newest) == newest
    if not readable:
        return finish(connection, path, busy_timeout=busy_timeout, key=key)
    try:
        with calls.briefly(), patient(connection, calls.patience(busy_timeout)):
            return finish(connection, path, busy_timeout=calls.patience(busy_timeout), key=key)
    except errors("OperationalError") as error:
        if not is_busy(error):
            raise
        return False


def finish(connection: sqlite3.Connection, path: str, *, busy_timeout: float, key: Key | None) -> bool:
    """Set the journal mode, migrate, rebuild a stale keyword index, and finish an erasure.

    Return False if a reader elsewhere keeps the log of the erasure in use.

    Only after its identity was checked: another program's file must not be changed, not even its journal mode.
    """
    if path != MEMORY:
        use_wal(connection, busy_timeout)
    migrate(connection, path, key=key, busy_timeout=busy_timeout)
    upkeep.rebuild_terms_if_stale(connection)
    return path == MEMORY or not erasing.is_due(connection) or erasing.finish(connection)
