"""Many processes on one file."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
import soundness
from tiers import nightly

from combray.errors import StoreBusyError, StoreError
from combray.runtime import Filter, KeywordArm
from combray.stores.sqlite import SqliteStore

PROCESSES = 8


def in_processes(count: int, work: Callable[[int], None]) -> list[int]:
    """Run `work(number)` in that many processes at once; their exit codes."""
    children = []
    start, go = os.pipe()
    for number in range(count):
        child = os.fork()
        if child == 0:
            code = 1
            try:
                os.close(go)
                # Returns when the parent closes its end: all start together.
                os.read(start, 1)
                work(number)
                code = 0
            except BaseException as error:  # noqa: BLE001 - told here, and in the exit code
                os.write(2, f"process {number}: {error!r}\n".encode())
            finally:
                os._exit(code)
        children.append(child)
    os.close(start)
    os.close(go)
    return [os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) for child in children]


@pytest.mark.parametrize("writes", [50, *nightly([250], "five times as many")])
def test_8_processes_write_and_read_one_file(tmp_path: Path, writes: int) -> None:
    path = str(tmp_path / "a.db")

    def work(process: int) -> None:
        with closing(SqliteStore(path)) as store:
            reader = store.reader("default")
            for place in range(writes):
                number = process * writes + place
                with store.transaction("default") as tx:
                    soundness.write(tx, number)
                if place % 5 == 0:
                    # One's own writes are there at once, and what is there is never less than before.
                    found = reader.search({"words": KeywordArm(((f"word{number}", 1.0),))}, Filter(), 5)
                    assert len(found.keys) == 1
                    assert found.eligible > place

    assert in_processes(PROCESSES, work) == [0] * PROCESSES
    with closing(SqliteStore(path)) as store:
        every = set(range(PROCESSES * writes))
        assert soundness.assert_sound(store, every) == every
        assert store.reader("default").revision() == PROCESSES * writes
        for number in range(0, PROCESSES * writes, 199):
            soundness.assert_whole(store, number)


@pytest.mark.parametrize("turn", [*range(6), *nightly(range(6, 20), "chance, tried more often")])
def test_processes_that_make_a_new_file_at_the_same_moment(tmp_path: Path, turn: int) -> None:
    path = str(tmp_path / "a.db")

    def work(number: int) -> None:
        with closing(SqliteStore(path)) as store, store.transaction("default") as tx:
            soundness.write(tx, number)

    count = 2 + turn % 3
    assert in_processes(count, work) == [0] * count
    with closing(SqliteStore(path)) as store:
        assert soundness.assert_sound(store, set(range(count))) == set(range(count))
    assert sorted(each.name for each in tmp_path.iterdir()) == ["a.db"]


def test_another_process_is_seen_without_reopening(tmp_path: Path) -> None:
    path = str(tmp_path / "a.db")
    with closing(SqliteStore(path)) as store:
        with store.transaction("default") as tx:
            soundness.write(tx, 0)
        assert soundness.numbers_in(store) == {0}

        def work(_: int) -> None:
            with closing(SqliteStore(path)) as other, other.transaction("default") as tx:
                soundness.write(tx, 1)

        assert in_processes(1, work) == [0]
        assert soundness.numbers_in(store) == {0, 1}
        soundness.assert_whole(store, 1)


def test_a_store_opened_before_a_fork_refuses_work_in_the_child(tmp_path: Path) -> None:
    with closing(SqliteStore(str(tmp_path / "a.db"))) as store:

        def work(_: int) -> None:
            with pytest.raises(StoreError, match="forked"):
                store.namespaces()
            with pytest.raises(StoreError, match="forked"), store.transaction("default"):
                pass

        assert in_processes(1, work) == [0]


def test_a_write_lock_held_too_long_is_said_so(tmp_path: Path) -> None:
    path = str(tmp_path / "a.db")
    with closing(SqliteStore(path, busy_timeout=0.05)) as store, closing(sqlite3.connect(path)) as other:
        other.isolation_level = None
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(StoreBusyError, match=r"a\.db"), store.transaction("default") as tx:
            soundness.write(tx, 0)
        other.execute("ROLLBACK")
        with store.transaction("default") as tx:
            soundness.write(tx, 0)
        assert soundness.assert_sound(store, {0}) == {0}
