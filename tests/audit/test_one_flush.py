"""With durability "full" a write waits for the disk once, and its entry still survives a power failure."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

import combray
from combray.audit import log as audit_log
from combray.audit.chain import FileChain

Flushes = list[int]


def engine(folder: Path, durability: str = "full") -> combray.Engine:
    return combray.open(str(folder / "a.db"), embedder="none", durability=durability)


def log_of(folder: Path) -> Path:
    return folder / "a.db.audit"


@pytest.fixture
def flushes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Flushes:
    """Sizes of the log when it was flushed: what a power failure would leave at least."""
    made: Flushes = []
    flush = os.fsync

    def noted(descriptor: int) -> None:
        opened = os.fstat(descriptor)
        logs = [each for each in tmp_path.glob("a.db.audit*") if "key" not in each.name]
        if any(os.path.samestat(opened, each.stat()) for each in logs):
            made.append(opened.st_size)
        flush(descriptor)

    monkeypatch.setattr(os, "fsync", noted)
    return made


def after_power_failure(folder: Path, left: int, rest: bytes = b"") -> Path:
    """A copy of the store's files whose log has only its first bytes, and perhaps others after them."""
    there = folder / f"left-{left}-{len(rest)}"
    there.mkdir()
    for path in folder.glob("a.db*"):
        shutil.copy(path, there)
    log_of(there).write_bytes(log_of(folder).read_bytes()[:left] + rest)
    return there


def filled(folder: Path) -> tuple[bytes, int]:
    """A store with three writes and a read between them; the log, and the size that the first write flushed."""
    with engine(folder) as memory:
        memory.remember("Alice lives in Berlin.")
        first = log_of(folder).stat().st_size
        memory.recall("Where does Alice live?")
        memory.remember("Bob plays the cello.")
        memory.remember("Carol has a boat.")
        # As a power failure finds it: the engine is not closed.
        (folder / "now").mkdir()
        for path in folder.glob("a.db*"):
            shutil.copy(path, folder / "now")
        return log_of(folder).read_bytes(), first


def test_only_the_first_write_flushes_the_log(tmp_path: Path, flushes: Flushes) -> None:
    with engine(tmp_path) as memory:
        for number in range(20):
            memory.remember(f"Item {number} is in drawer {number}.")
            memory.recall("Where is item 3?")
        assert len(flushes) == 1
        assert memory.audit.verify().ok


@pytest.mark.parametrize("rest", [b"", b"\0" * 40, b"\0" * 9000])
@pytest.mark.parametrize("part", [0.0, 0.4, 0.99])
def test_what_a_power_failure_took_from_the_log_comes_back(tmp_path: Path, part: float, rest: bytes) -> None:
    whole, first = filled(tmp_path)
    left = first + int(part * (len(whole) - first))
    there = after_power_failure(tmp_path / "now", left, rest)
    with engine(there) as memory:
        assert log_of(there).read_bytes() == whole
        assert memory.audit.verify().ok
        assert not memory.audit.verify().notes
        memory.remember("Dora is a baker.")
        assert memory.audit.verify().ok


def test_entries_of_reads_after_the_last_write_may_be_lost(tmp_path: Path) -> None:
    with engine(tmp_path) as memory:
        memory.remember("Alice lives in Berlin.")
        memory.remember("Bob plays the cello.")
        written = log_of(tmp_path).stat().st_size
        memory.recall("Who plays the cello?")
        there = after_power_failure(tmp_path, written)
    with engine(there) as memory:
        assert memory.audit.verify().ok
        assert log_of(there).stat().st_size == written


def test_a_line_that_was_edited_is_not_replaced(tmp_path: Path) -> None:
    whole, first = filled(tmp_path)
    now = tmp_path / "now"
    edited = whole[:first] + whole[first:].replace(b"remember", b"remembre", 1)
    log_of(now).write_bytes(edited[:-200])
    with engine(now) as memory:
        report = memory.audit.verify()
        assert not report.ok
        assert log_of(now).read_bytes()[: first + 100] == edited[: first + 100]


def test_lines_of_the_store_that_do_not_continue_the_log_are_not_appended(tmp_path: Path) -> None:
    whole, first = filled(tmp_path)
    now = tmp_path / "now"
    # The last flushed entry was exchanged: what follows it in the store does not follow this one.
    # A digit that differs from what stands there: fixed digits are the entry's own in one run of thousands.
    digit = whole[first - 4 : first - 3]
    other = whole[: first - 4] + (b"1" if digit == b"0" else b"0") + whole[first - 3 : first]
    assert other != whole[:first]
    log_of(now).write_bytes(other)
    with engine(now) as memory:
        assert log_of(now).read_bytes().startswith(other)
        assert not memory.audit.verify().ok


def test_the_log_is_flushed_again_when_much_is_kept(
    tmp_path: Path, flushes: Flushes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(audit_log, "MOST_UNFLUSHED", 3000)
    with engine(tmp_path) as memory:
        for number in range(30):
            memory.remember(f"Item {number} is in drawer {number}.")
        size = log_of(tmp_path).stat().st_size
        assert size // 4000 <= len(flushes) <= size // 2000
        there = after_power_failure(tmp_path, flushes[-1])
        whole = log_of(tmp_path).read_bytes()
    with engine(there) as memory:
        assert log_of(there).read_bytes() == whole
        assert memory.audit.verify().ok


def test_after_writes_that_do_not_wait_the_log_is_flushed_first(tmp_path: Path, flushes: Flushes) -> None:
    with engine(tmp_path) as memory:
        memory.remember("Alice lives in Berlin.")
        memory.remember("Bob plays the cello.")
    with engine(tmp_path, "normal") as memory:
        memory.remember("Carol has a boat.")
    before = len(flushes)
    with engine(tmp_path) as memory:
        memory.remember("Dora is a baker.")
        assert len(flushes) == before + 1
        assert memory.audit.verify().ok


def test_a_new_segment_begins_with_everything_flushed(
    tmp_path: Path, flushes: Flushes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(FileChain.__init__, "__kwdefaults__", {"segment": 4000})
    with engine(tmp_path) as memory:
        for number in range(25):
            memory.remember(f"Item {number} is in drawer {number}.")
            memory.recall("Where is item 3?")
        assert len(list(tmp_path.glob("a.db.audit.0*"))) >= 3
        whole = log_of(tmp_path).read_bytes() if log_of(tmp_path).exists() else b""
        assert memory.audit.verify().ok
        if whole:
            there = after_power_failure(tmp_path, 0)
            with engine(there) as other:
                assert other.audit.verify().ok


def test_an_erasure_leaves_no_line_in_the_store(tmp_path: Path) -> None:
    with engine(tmp_path) as memory:
        kept = memory.remember("Alice lives in Berlin.").id
        memory.remember("Bob plays the cello.")
        certificate = memory.erase(kept, prove=True)
        memory.remember("Carol has a boat.")
        memory.remember("Dora is a baker.")
        assert memory.audit.verify().ok
        assert certificate
    for path in tmp_path.glob("a.db*"):
        if ".audit" not in path.name:
            assert kept.encode() not in path.read_bytes()


def test_a_backup_begins_its_own_log(tmp_path: Path) -> None:
    with engine(tmp_path) as memory:
        memory.remember("Alice lives in Berlin.")
        memory.remember("Bob plays the cello.")
        (tmp_path / "copy").mkdir()
        memory.store.backup(str(tmp_path / "copy" / "a.db"))
    with engine(tmp_path / "copy") as copy:
        assert not log_of(tmp_path / "copy").exists() or log_of(tmp_path / "copy").stat().st_size == 0
        copy.remember("Carol has a boat.")
        assert copy.audit.verify().ok
