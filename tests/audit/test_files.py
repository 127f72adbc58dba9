"""The file itself: several writers, segments, cuts, places that cannot be written."""

from __future__ import annotations

import os
import resource
import signal
import threading
from pathlib import Path
from typing import Any

import pytest
from logs import Kept, files, filled, opened

import combray
from combray.audit.chain import FileChain
from combray.audit.log import AuditKey, AuditLog
from combray.audit.reading import verify
from combray.errors import InvalidInputError, StoreError
from combray.testing.fakes import FakeClock


def test_threads_and_engines_of_one_process_share_the_chain(tmp_path: Path) -> None:
    logs = [opened(tmp_path, segment=5_000) for _ in range(3)]

    def write(log: AuditLog) -> None:
        for _ in range(50):
            assert log.record("recall", "default")

    threads = [threading.Thread(target=write, args=(log,)) for log in (*logs, *logs)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    report = verify(logs[0])
    assert (report.ok, report.entries, report.last) == (True, 300, 300)
    assert len(report.files) > 5


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this platform does not fork")
def test_a_forked_child_goes_on_in_the_same_chain(tmp_path: Path) -> None:
    log = opened(tmp_path)
    log.record("recall", "default")
    child = os.fork()
    if child == 0:
        for _ in range(20):
            log.record("recall", "default")
        os._exit(0)
    for _ in range(20):
        log.record("recall", "default")
    assert os.waitpid(child, 0)[1] == 0
    report = verify(log)
    assert (report.ok, report.entries) == (True, 41)


def test_a_segment_begins_with_the_hash_of_the_one_before(tmp_path: Path) -> None:
    filled(tmp_path)
    paths = files(tmp_path)
    names = [path.name for path in paths]
    assert names[:2] == ["a.db.audit.0001", "a.db.audit.0002"]
    last, first = paths[0].read_bytes().splitlines()[-1], paths[1].read_bytes().splitlines()[0]
    own = last.split(b'"hash":"')[1][:64]
    assert b'"previous":"' + own in first


@pytest.mark.parametrize("kept", [1, 40, 200])
def test_a_line_cut_while_it_was_written_is_closed_off_and_told(tmp_path: Path, kept: int) -> None:
    log = opened(tmp_path, segment=1_000_000)
    database = Kept(log)
    database.write()
    log.record("recall", "default")
    log.record("search", "default")
    (path,) = files(tmp_path)
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(lines[0] + lines[1] + lines[2][:kept])
    log.close()
    again = opened(tmp_path, segment=1_000_000, anchored=False)
    Kept(again, database.text)
    before = verify(again)
    assert before.ok
    assert [(note.kind, note.line) for note in before.notes] == [("cut", 3)]
    again.record("recall", "default")
    report = verify(again)
    assert report.ok
    assert [(note.kind, note.line) for note in report.notes] == [("cut", 3)]
    # Two whole lines, the entry that closes the third off, and the new one.
    assert (report.entries, report.last) == (4, 4)


def test_a_cut_line_that_was_changed_afterwards_is_no_cut(tmp_path: Path) -> None:
    log = opened(tmp_path, segment=1_000_000, anchored=False)
    log.record("recall", "default")
    (path,) = files(tmp_path)
    with path.open("ab") as file:
        file.write(b'{"seq":2,"prev')
    log.record("recall", "default")
    assert verify(log).ok
    path.write_bytes(path.read_bytes().replace(b'{"seq":2,"prev\n', b'{"seq":2,"pref\n'))
    assert [(each.kind, each.line) for each in verify(log).findings] == [("unreadable", 2)]


def test_a_write_killed_before_its_commit_is_told(tmp_path: Path) -> None:
    log = opened(tmp_path)
    database = Kept(log)
    database.write()
    database.write(killed=True)
    assert [(note.kind, note.line) for note in verify(log).notes] == [("not committed", 2)]
    database.write()
    report = verify(log)
    assert report.ok
    assert [note.detail for note in report.notes] == [
        "the write of entry 2 is not in the database: killed before its commit"
    ]


def test_a_write_that_was_rolled_back_is_no_lost_commit(tmp_path: Path) -> None:
    log = opened(tmp_path)
    database = Kept(log)
    database.write()
    database.write(commit=False)
    database.write()
    report = verify(log)
    assert (report.ok, report.notes) == (True, [])


def test_a_killed_process_leaves_the_anchor_behind_and_that_is_no_gap(tmp_path: Path) -> None:
    log = opened(tmp_path)
    log.record("recall", "default")
    (anchor,) = (tmp_path / "anchors").iterdir()
    then = anchor.read_bytes()
    log.record("recall", "default")
    anchor.write_bytes(then)
    log.record("recall", "default")
    report = verify(log)
    assert (report.ok, report.entries) == (True, 3)


def test_a_file_cut_short_under_a_running_process_is_told_at_once(tmp_path: Path) -> None:
    log = opened(tmp_path, segment=1_000_000, anchored=False)
    for _ in range(5):
        log.record("recall", "default")
    (path,) = files(tmp_path)
    path.write_bytes(b"".join(path.read_bytes().splitlines(keepends=True)[:2]))
    log.record("recall", "default")
    (finding,) = verify(log).findings
    assert finding.kind == "removed"
    assert "entry 5 that this process remembered was gone" in finding.detail


# -- places that cannot be written ---------------------------------------------------------------------


def test_where_the_log_cannot_be_written_reads_answer_and_writes_are_refused(tmp_path: Path) -> None:
    with combray.open(str(tmp_path / "a.db"), embedder="none") as engine:
        engine.remember("Alice moved to Berlin")
    (tmp_path / "a.db.audit").rename(tmp_path / "kept")
    (tmp_path / "a.db.audit").mkdir()
    with combray.open(str(tmp_path / "a.db"), embedder="none") as engine:
        assert engine.recall("Alice")[0].memory.content == "Alice moved to Berlin"
        with pytest.raises(StoreError, match=r"audit cannot be written .* nothing was written to the store"):
            engine.remember("Alice adopted a dog")
        assert len(engine.recall("dog")) == 0
        (finding,) = [each for each in engine.store.doctor() if each.name == "audit"]
        assert not finding.ok
        assert "reads answer without an entry, writes are refused" in engine.store.status()["audit"]


def test_a_store_opened_read_only_answers_and_is_logged_where_that_can_be(tmp_path: Path) -> None:
    path = str(tmp_path / "a.db")
    with combray.open(path, embedder="none") as engine:
        engine.remember("Alice moved to Berlin")
    with combray.open(path, embedder="none", read_only=True) as engine:
        assert len(engine.recall("Alice")) == 1
        with pytest.raises(StoreError):
            engine.remember("Alice adopted a dog")
        assert [(entry.operation, entry.result) for entry in engine.audit.entries(2)] == [
            ("remember", "refused"),
            ("recall", "ok"),
        ]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this platform does not fork")
def test_a_full_disk_leaves_no_half_line(tmp_path: Path) -> None:
    """The limit on a file's size stands in for a full disk: a part is written, then the write fails."""
    log = opened(tmp_path, segment=1_000_000, anchored=False)
    log.record("recall", "default")
    (path,) = files(tmp_path)
    size = path.stat().st_size
    child = os.fork()
    if child == 0:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (size + 20, size + 20))
        other = opened(tmp_path, segment=1_000_000, anchored=False)
        refused = other.record("recall", "default") == 0 and other.problem != ""
        try:
            Kept(other).write()
        except StoreError:
            os._exit(0 if refused else 1)
        os._exit(2)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert path.stat().st_size == size
    log.record("recall", "default")
    assert verify(log).ok


def test_with_durability_full_a_write_waits_for_the_disk_and_a_read_does_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    flushed: list[int] = []
    monkeypatch.setattr(os, "fsync", flushed.append)
    path = str(tmp_path / "a.db.audit")
    log = AuditLog(FileChain(path), clock=FakeClock(), key=AuditKey(f"{path}-key"), durable=True)
    log.record("recall", "default")
    assert flushed == []
    Kept(log).write()
    assert len(flushed) == 1


@pytest.mark.parametrize("limit", [-1, 2**63, 1.5, True])
def test_a_limit_that_no_log_has_is_refused(limit: Any) -> None:
    with combray.open(":memory:", embedder="none") as engine:
        with pytest.raises(InvalidInputError, match="limit"):
            engine.audit.entries(limit)
        assert engine.audit.entries(0) == engine.audit.entries(None) == []


def test_a_backup_to_a_name_with_nul_is_refused(tmp_path: Path) -> None:
    engine = combray.open(":memory:", embedder="none")
    with engine, pytest.raises(InvalidInputError, match="path: contains a NUL"):
        engine.store.backup(str(tmp_path / "a\0.db"))
    assert list(tmp_path.iterdir()) == []
