"""Files and folders that cannot be written to: reads work, writes say why not."""

from __future__ import annotations

import ctypes
import os
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest
import soundness

from combray.errors import ReadOnlyStoreError, StoreError
from combray.stores.sqlite import SqliteStore

_BIND, _REMOUNT, _READ_ONLY = 4096, 32, 1


@pytest.fixture
def path(tmp_path: Path) -> str:
    folder = tmp_path / "folder"
    folder.mkdir()
    path = str(folder / "a.db")
    with closing(SqliteStore(path)) as store:
        for number in range(5):
            with store.transaction("default") as tx:
                soundness.write(tx, number)
    return path


@contextmanager
def read_only_folder(folder: Path) -> Iterator[bool]:
    """The folder without the right to write in it: by its mode, or for root by a read-only bind mount."""
    if os.geteuid() != 0:
        folder.chmod(0o500)
        try:
            yield True
        finally:
            folder.chmod(0o700)
        return
    if sys.platform != "linux":
        yield False
        return
    libc, target = ctypes.CDLL(None, use_errno=True), os.fsencode(folder)
    if libc.mount(target, target, None, _BIND, None) != 0:
        yield False
        return
    try:
        yield libc.mount(target, target, None, _BIND | _REMOUNT | _READ_ONLY, None) == 0
    finally:
        libc.umount2(target, 2)


def assert_reads_and_refuses(store: SqliteStore) -> None:
    assert not store.writable
    assert soundness.assert_sound(store, set(range(5))) == set(range(5))
    soundness.assert_whole(store, 3)
    with pytest.raises(ReadOnlyStoreError, match=r"a\.db"), store.transaction("default") as tx:
        soundness.write(tx, 5)
    with pytest.raises(ReadOnlyStoreError, match=r"a\.db"):
        store.repair()


def test_opened_read_only(path: str) -> None:
    before = Path(path).read_bytes()
    with closing(SqliteStore(path, read_only=True)) as store:
        assert_reads_and_refuses(store)
    assert Path(path).read_bytes() == before


def test_a_reader_sees_what_a_writer_adds(path: str) -> None:
    with closing(SqliteStore(path)) as writer, closing(SqliteStore(path, read_only=True)) as reader:
        assert soundness.numbers_in(reader) == set(range(5))
        with writer.transaction("default") as tx:
            soundness.write(tx, 5)
        assert soundness.numbers_in(reader) == set(range(6))
        soundness.assert_whole(reader, 5)


def test_a_folder_that_cannot_be_written(path: str) -> None:
    with read_only_folder(Path(path).parent) as protected:
        if not protected:
            pytest.skip("this process may write everywhere and may not mount")
        with closing(SqliteStore(path)) as store:
            assert_reads_and_refuses(store)
            with pytest.raises(ReadOnlyStoreError, match="cannot be written to") as refused:
                store.repair()
            assert "opened read-only" not in str(refused.value)
            with pytest.raises(StoreError, match=r"copy\.db: cannot be opened"):
                store.backup(str(Path(path).parent / "copy.db"))
        with pytest.raises(ReadOnlyStoreError, match=r"new\.db.*folder .* cannot be written to"):
            SqliteStore(str(Path(path).parent / "new.db"))


def test_a_log_that_cannot_be_read_is_not_passed_over(path: str) -> None:
    """A crash leaves the newest memories in the -wal file; reading without it would hide them silently."""
    child = os.fork()
    if child == 0:
        with SqliteStore(path).transaction("default") as tx:
            soundness.write(tx, 5)
        os._exit(0)
    os.waitpid(child, 0)
    Path(f"{path}-shm").unlink()
    assert Path(f"{path}-wal").stat().st_size > 0
    with read_only_folder(Path(path).parent) as protected:
        if not protected:
            pytest.skip("this process may write everywhere and may not mount")
        with pytest.raises(StoreError, match="log"):
            SqliteStore(path)
    with closing(SqliteStore(path)) as store:
        assert soundness.numbers_in(store) == set(range(6))


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write to any file")
def test_a_file_that_cannot_be_written(path: str) -> None:
    Path(path).chmod(0o400)
    with closing(SqliteStore(path)) as store:
        assert_reads_and_refuses(store)


def test_no_file_to_read(tmp_path: Path) -> None:
    with pytest.raises(ReadOnlyStoreError, match="no such file"):
        SqliteStore(str(tmp_path / "a.db"), read_only=True)
    assert list(tmp_path.iterdir()) == []


def test_an_empty_file_cannot_be_made_a_store_read_only(tmp_path: Path) -> None:
    (tmp_path / "a.db").touch()
    with pytest.raises(ReadOnlyStoreError, match="schema 0"):
        SqliteStore(str(tmp_path / "a.db"), read_only=True)
