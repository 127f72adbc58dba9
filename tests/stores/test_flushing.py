"""A durable write is acknowledged after a flush that began after its commit; threads share flushes."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

import combray
from combray.errors import StoreError
from combray.runtime import Filter
from combray.stores.sqlite import SqliteStore, flushing
from combray.stores.sqlite.flushing import SharedFlush

WAIT = 90
"""Seconds after which a test that hangs is given up; a busy machine may need some."""


class Disk:
    """A flush that waits until it is allowed to end, and may fail."""

    def __init__(self, *, fails: bool = False) -> None:
        self.began, self.may_end = threading.Semaphore(0), threading.Semaphore(0)
        self.flushes, self.fails = 0, fails

    def __call__(self, _path: str) -> None:
        self.flushes += 1
        self.began.release()
        assert self.may_end.acquire(timeout=WAIT)
        if self.fails:
            raise OSError("input/output error")


def _started(work: Callable[[], None]) -> threading.Thread:
    thread = threading.Thread(target=work)
    thread.start()
    return thread


def test_commits_during_a_flush_share_the_next_one() -> None:
    disk = Disk()
    flush = SharedFlush("a.db", disk)
    done: list[int] = []

    def commit() -> None:
        number = flush.committed()
        committed.release()
        flush.wait(number)
        done.append(number)

    committed = threading.Semaphore(0)
    first = _started(commit)
    assert disk.began.acquire(timeout=WAIT)
    others = [_started(commit) for _ in range(7)]
    for _ in range(8):
        assert committed.acquire(timeout=WAIT)
    disk.may_end.release()
    first.join(WAIT)
    # The flush that had begun before they committed is not theirs.
    assert done == [1]
    assert disk.began.acquire(timeout=WAIT)
    disk.may_end.release()
    for each in others:
        each.join(WAIT)
    assert sorted(done) == list(range(1, 9))
    assert disk.flushes == 2


def test_a_failed_flush_is_reported_to_all_who_waited_for_it_and_to_nobody_else() -> None:
    disk = Disk(fails=True)
    flush = SharedFlush("a.db", disk)
    failed: list[str] = []

    def commit() -> None:
        try:
            flush.wait(number)
        except StoreError as error:
            failed.append(str(error))

    disk.fails = False
    disk.may_end.release()
    earlier = flush.committed()
    flush.wait(earlier)
    assert disk.began.acquire(timeout=WAIT)
    disk.fails = True
    number = flush.committed()
    both = [_started(commit), _started(commit)]
    assert disk.began.acquire(timeout=WAIT)
    disk.may_end.release()
    for each in both:
        each.join(WAIT)
    assert len(failed) == 2
    assert "a.db: flushing to the disk failed (input/output error)" in failed[0]
    disk.fails = False
    disk.may_end.release()
    flush.wait(flush.committed())
    with pytest.raises(StoreError):
        flush.wait(number)
    flush.wait(earlier)


@pytest.mark.skipif(not flushing.POSSIBLE, reason="SQLite flushes here")
def test_a_durable_write_flushes_the_log_after_its_commit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "a.db"
    seen: list[int] = []
    real = os.fdatasync

    def watched(descriptor: int) -> None:
        with closing(SqliteStore(str(path), read_only=True)) as store:
            seen.append(store.reader("default").revision())
        real(descriptor)

    with combray.open(path, durability="full", embedder="none", worker=False) as engine:
        engine.remember("The office is in Lisbon.")
        before = engine.reader.revision()
        monkeypatch.setattr(os, "fdatasync", watched)
        engine.remember("The lab is in Porto.")
        engine.remember("The shop is in Faro.")
    assert seen == [before + 1, before + 2]


def test_a_store_of_normal_durability_does_not_flush(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def never(_descriptor: int) -> None:
        raise AssertionError

    with combray.open(tmp_path / "a.db", embedder="none", worker=False) as engine:
        monkeypatch.setattr("combray.stores.sqlite.flushing.os.fdatasync", never, raising=False)
        engine.remember("The office is in Lisbon.")


def test_of_threads_that_write_at_once_only_the_failing_one_fails(tmp_path: Path) -> None:
    with combray.open(tmp_path / "a.db", durability="full", embedder="none", worker=False) as engine:
        outcome: dict[int, str] = {}

        def write(number: int) -> None:
            for turn in range(5):
                try:
                    importance = 9 if number == 3 else 3
                    engine.remember(f"Thread {number} says {turn} of its own.", importance=importance)
                    outcome[number] = "stored"
                except combray.InvalidInputError:
                    outcome[number] = "refused"

        threads = [_started(lambda number=number: write(number)) for number in range(8)]  # type: ignore[misc]
        for each in threads:
            each.join(WAIT)
        assert outcome == {number: "refused" if number == 3 else "stored" for number in range(8)}
        assert len(engine.reader.scan(Filter())) == 35
