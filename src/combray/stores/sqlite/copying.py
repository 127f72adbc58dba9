"""Backups: a consistent copy of an open store in a new file, with the same key, another or a first one."""

from __future__ import annotations

import tempfile
from contextlib import closing
from pathlib import Path

from combray.errors import StoreError
from combray.stores.sqlite.connection import MEMORY, explained, make_private, opened
from combray.stores.sqlite.encryption import Key, write_encrypted
from combray.stores.sqlite.namespace import Reading
from combray.stores.sqlite.witnessing import forget


def back_up(reading: Reading, source: str, own: Key | None, target: str, key: Key | None) -> None:
    """Copy the store into the new file `target`; `own` is the key of the store, `key` that of the copy.

    Raises StoreError if the file exists, MissingExtraError.
    """
    if Path(target).exists():
        raise StoreError(f"{target}: already exists. Name a new file for the backup.")
    with explained(target):
        if key is None or own is not None:
            _copy(reading, target, key)
            return
        # Through an unencrypted copy next to the store: two builds of SQLite must not open one file.
        folder = None if source == MEMORY else Path(source).absolute().parent
        with tempfile.TemporaryDirectory(dir=folder, prefix=".combray-") as place:
            plain = str(Path(place) / "copy.db")
            _copy(reading, plain, None)
            make_private(target)
            write_encrypted(plain, target, key)


def _copy(reading: Reading, target: str, key: Key | None) -> None:
    with reading() as connection, closing(opened(target, key)) as copy:
        connection.backup(copy)
        forget(copy)
