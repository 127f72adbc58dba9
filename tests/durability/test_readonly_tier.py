"""READONLY: reached when the store cannot be written, left by itself when it can; recall answers meanwhile."""

from __future__ import annotations

import os
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from test_disk_full import small_disk
from test_read_only import read_only_folder

import combray
from combray.engine import Engine
from combray.errors import DiskFullError, ReadOnlyStoreError
from combray.stores.sqlite import SqliteStore
from combray.testing.fakes import FakeClock


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.fixture
def path(tmp_path: Path) -> Path:
    folder = tmp_path / "folder"
    folder.mkdir()
    path = folder / "a.db"
    with combray.open(path, embedder="none") as engine:
        engine.remember("The fox is red")
    return path


def opened(path: Path, clock: FakeClock, *, read_only: bool = False) -> Engine:
    return combray.open(path, embedder="none", clock=clock, read_only=read_only)


def limit(engine: Engine, pages: int) -> None:
    """SQLite's own limit of the file gives the error of a full disk without one."""
    engine.runtime.store._writer.execute(f"PRAGMA max_page_count = {pages}")  # type: ignore[attr-defined]


def fill(engine: Engine) -> None:
    for number in range(10_000):
        try:
            engine.remember(f"{number} " + "more of it " * 700, diff=False)
        except DiskFullError:
            return
    raise AssertionError("the disk never filled")


def answers(engine: Engine) -> str:
    """The tier that an answer says; the answer is there whatever the tier."""
    answer = engine.recall("fox")
    assert "The fox is red" in [hit.memory.content for hit in answer]
    assert ("tier READONLY" in answer.reason) == engine.store.tier().degraded
    return str(answer.details["tier"]["tier"])


def test_opened_read_only_is_no_degradation(path: Path, clock: FakeClock) -> None:
    with opened(path, clock, read_only=True) as engine:
        tier = engine.store.tier()
        assert (tier.name, tier.why, tier.degraded) == ("READONLY", "the store was opened read-only", False)
        assert answers(engine) == "READONLY"
        clock.pass_(seconds=60)
        assert engine.store.tier(check=True).name == "READONLY"
        with pytest.raises(ReadOnlyStoreError):
            engine.remember("The fox sleeps")


def test_a_folder_that_cannot_be_written_and_then_can(path: Path, clock: FakeClock) -> None:
    with read_only_folder(path.parent) as protected:
        if not protected:
            pytest.skip("this process may write everywhere and may not mount")
        engine = opened(path, clock)
        tier = engine.store.tier()
        assert (tier.name, tier.degraded) == ("READONLY", True)
        assert tier.why == f"{path}: the file or its folder cannot be written to"
        assert answers(engine) == "READONLY"
        with pytest.raises(ReadOnlyStoreError):
            engine.remember("The fox sleeps")
        clock.pass_(seconds=60)
        assert answers(engine) == "READONLY"
    assert answers(engine) == "READONLY"
    clock.pass_(seconds=60)
    assert answers(engine) == "BASIC"
    engine.remember("The fox sleeps")
    assert len(engine.recall("fox")) == 2
    engine.close()
    with combray.open(path, embedder="none") as again:
        assert len(again.recall("fox")) == 2


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write to any file")
def test_a_file_that_cannot_be_written_and_then_can(path: Path, clock: FakeClock) -> None:
    path.chmod(0o400)
    with opened(path, clock) as engine:
        assert answers(engine) == "READONLY"
        path.chmod(0o600)
        clock.pass_(seconds=60)
        assert answers(engine) == "BASIC"
        engine.remember("The fox sleeps")


def test_a_reader_that_began_before_the_file_could_be_written_is_not_used_again(path: Path) -> None:
    with read_only_folder(path.parent) as protected:
        if not protected:
            pytest.skip("this process may write everywhere and may not mount")
        store = SqliteStore(str(path))
        before = store._reading_file()
        connection = before.__enter__()
    assert store.probe() == ""
    assert store.writable
    before.__exit__(None, None, None)
    assert store._idle == []
    with pytest.raises(sqlite3.ProgrammingError, match="closed"):
        connection.execute("SELECT 1")
    store.close()


def test_a_full_disk_is_readonly_until_there_is_room_and_a_minute_has_passed(
    tmp_path: Path, clock: FakeClock
) -> None:
    with small_disk(tmp_path, 4 * 1024 * 1024) as mounted:
        if not mounted:
            pytest.skip("this process may not mount")
        ballast = tmp_path / "ballast"
        ballast.write_bytes(bytes(2 * 1024 * 1024))
        with opened(tmp_path / "a.db", clock) as engine:
            engine.remember("The fox is red")
            assert answers(engine) == "BASIC"
            fill(engine)
            assert answers(engine) == "READONLY"
            assert "no room left on the device" in engine.store.tier().why
            clock.pass_(seconds=60)
            # Looked at again, and still full: what is left is less than a small write needs.
            (tmp_path / "rest").write_bytes(bytes(_room_left(tmp_path)))
            assert answers(engine) == "READONLY"
            ballast.unlink()
            clock.pass_(seconds=59)
            assert answers(engine) == "READONLY"
            clock.pass_(seconds=1)
            assert answers(engine) == "BASIC"
            assert engine.remember("The fox sleeps").action == "added"
            assert sorted(each.name for each in tmp_path.iterdir() if "tmp" in each.name) == []


def _room_left(folder: Path) -> int:
    free = os.statvfs(folder)
    return free.f_bavail * free.f_frsize


def test_a_write_that_fits_again_ends_readonly_at_once(path: Path, clock: FakeClock) -> None:
    with opened(path, clock) as engine:
        pages = engine.runtime.store._writer.execute("PRAGMA page_count").fetchone()[0]  # type: ignore[attr-defined]
        limit(engine, pages + 20)
        fill(engine)
        assert answers(engine) == "READONLY"
        limit(engine, 1_000_000)
        assert engine.remember("The fox sleeps").action == "added"
        assert answers(engine) == "BASIC"


def test_a_refused_write_is_readonly_until_the_lock_can_be_had(path: Path, clock: FakeClock) -> None:
    """A file system that turns read-only under an open store refuses writes; here SQLite is told to do so."""
    with opened(path, clock) as engine:
        writer = engine.runtime.store._writer  # type: ignore[attr-defined]
        writer.execute("PRAGMA query_only = ON")
        with pytest.raises(ReadOnlyStoreError):
            engine.remember("The fox sleeps")
        assert answers(engine) == "READONLY"
        clock.pass_(seconds=60)
        assert answers(engine) == "READONLY"
        writer.execute("PRAGMA query_only = OFF")
        clock.pass_(seconds=60)
        assert answers(engine) == "BASIC"
        assert writer.execute("PRAGMA busy_timeout").fetchone()[0] == 30_000


def test_another_process_that_writes_is_not_waited_for_and_no_reason(path: Path, clock: FakeClock) -> None:
    with opened(path, clock) as engine, closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        assert engine.store.tier(check=True).name == "BASIC"
        other.execute("ROLLBACK")


def test_a_look_changes_no_byte(path: Path, clock: FakeClock) -> None:
    with opened(path, clock) as engine:
        engine.remember("The fox sleeps")

        def files() -> dict[str, bytes]:
            return {each.name: each.read_bytes() for each in path.parent.iterdir() if each.suffix != ".db-shm"}

        before = files()
        assert engine.store.status()["tier"]["tier"] == "BASIC"
        after = files()
        assert {name: after[name] for name in before if "audit" not in name} == {
            name: data for name, data in before.items() if "audit" not in name
        }
        assert set(after) == set(before)


def test_a_wrong_value_and_a_busy_store_are_no_reason(path: Path, clock: FakeClock) -> None:
    with opened(path, clock) as engine:
        with pytest.raises(combray.InvalidInputError):
            engine.remember("x", importance=9)
        with pytest.raises(RuntimeError), engine.runtime.store.transaction("default"):
            raise RuntimeError("the caller's own")
        assert engine.store.tier().name == "BASIC"
