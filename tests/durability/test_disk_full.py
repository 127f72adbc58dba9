"""No room left: a clear error, nothing half-written, and work goes on when there is room again."""

from __future__ import annotations

import ctypes
import os
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest
import soundness

from combray.errors import DiskFullError
from combray.stores.sqlite import SqliteStore


@contextmanager
def small_disk(folder: Path, size: int) -> Iterator[bool]:
    """A file system of `size` bytes at `folder`; False where this process may not mount one."""
    if sys.platform != "linux":
        yield False
        return
    libc = ctypes.CDLL(None, use_errno=True)
    target = os.fsencode(folder)
    if libc.mount(b"tmpfs", target, b"tmpfs", 0, f"size={size}".encode()) != 0:
        yield False
        return
    try:
        yield True
    finally:
        libc.umount2(target, 2)


def fill(store: SqliteStore) -> int:
    """Write until the disk is full; how many writes were acknowledged."""
    for number in range(10_000):
        try:
            with store.transaction("default") as tx:
                soundness.write(tx, number)
        except DiskFullError:
            return number
    raise AssertionError("the disk never filled")


def test_a_full_disk_loses_nothing_and_work_goes_on_when_there_is_room(tmp_path: Path) -> None:
    with small_disk(tmp_path, 3 * 1024 * 1024) as mounted:
        if not mounted:
            # Without the right to mount, SQLite's own limit gives the same SQLITE_FULL.
            limit_pages(tmp_path)
            return
        ballast = tmp_path / "ballast"
        ballast.write_bytes(bytes(1024 * 1024))
        with closing(SqliteStore(str(tmp_path / "a.db"))) as store:
            written = fill(store)
            everyone = set(range(written))
            assert written > 10
            assert soundness.assert_sound(store, everyone) == everyone
            ballast.unlink()
            with store.transaction("default") as tx:
                soundness.write(tx, written)
            soundness.assert_whole(store, written)
        with closing(SqliteStore(str(tmp_path / "a.db"))) as store:
            assert soundness.assert_sound(store, everyone) == everyone | {written}


def test_a_backup_that_does_not_fit_leaves_no_file(tmp_path: Path) -> None:
    """An empty file in its place would stop the next call, which names a new file."""
    (tmp_path / "small").mkdir()
    with closing(SqliteStore(str(tmp_path / "a.db"))) as store:
        with store.transaction("default") as tx:
            soundness.write_many(tx, range(200))
        with small_disk(tmp_path / "small", 64 * 1024) as mounted:
            if not mounted:
                pytest.skip("this process may not mount a file system")
            copy = tmp_path / "small" / "copy.db"
            with pytest.raises(DiskFullError, match=r"copy\.db"):
                store.backup(str(copy))
            assert not list(copy.parent.iterdir())
        store.backup(str(copy))
    with closing(SqliteStore(str(copy))) as store:
        assert soundness.assert_sound(store, set(range(200))) == set(range(200))


def limit_pages(folder: Path) -> None:
    with closing(SqliteStore(str(folder / "a.db"))) as store:
        pages = store._writer.execute("PRAGMA page_count").fetchone()[0]
        store._writer.execute(f"PRAGMA max_page_count = {pages + 20}")
        written = fill(store)
        assert soundness.assert_sound(store, set(range(written))) == set(range(written))
        store._writer.execute("PRAGMA max_page_count = 1000000")
        with store.transaction("default") as tx:
            soundness.write(tx, written)
        soundness.assert_whole(store, written)


def test_a_full_file_loses_nothing_and_work_goes_on_when_there_is_room(tmp_path: Path) -> None:
    limit_pages(tmp_path)


def test_a_batch_that_does_not_fit_leaves_nothing_of_itself(tmp_path: Path) -> None:
    with closing(SqliteStore(str(tmp_path / "a.db"))) as store:
        with store.transaction("default") as tx:
            soundness.write(tx, 0)
        pages = store._writer.execute("PRAGMA page_count").fetchone()[0]
        store._writer.execute(f"PRAGMA max_page_count = {pages + 5}")
        with pytest.raises(DiskFullError, match=r"a\.db"), store.transaction("default") as tx:
            soundness.write_many(tx, range(1, 2000))
        assert soundness.assert_sound(store, {0}) == {0}
        soundness.assert_whole(store, 0)
