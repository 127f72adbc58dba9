"""Processes that append to one audit and are killed at any moment: the chain holds, nothing told is lost."""

from __future__ import annotations

import os
import random
import signal
import time
from contextlib import suppress
from pathlib import Path

import pytest

import combray
from combray.audit.chain import FileChain, segments
from combray.audit.log import AuditKey, AuditLog
from combray.audit.reading import EntryFilter, latest, verify

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="this platform does not fork")
PROCESSES, TURNS = 8, 4
SOME = 60
ENTRIES = 100_000
"""More than a process can append before it is killed, and an end for one that nobody kills."""


def opened(path: str) -> AuditLog:
    return AuditLog(FileChain(path, segment=30_000), clock=time.time, key=AuditKey(f"{path}-key"))


def files_of(path: str) -> list[Path]:
    every = [*(Path(each) for _, each in segments(path)), Path(path)]
    # A full file was put away, and the next begins with the next entry.
    return [each for each in every if each.exists()]


def appending(path: str, name: str, count: int, pipe: int) -> int:
    """A process that appends and tells each entry after it was written; its id."""
    child = os.fork()
    if child:
        return child
    try:
        log = opened(path)
        for number in range(count):
            assert log.record("recall", "default", ids=[f"{name}-{number}"])
            os.write(pipe, f"{name}-{number}\n".encode())
    finally:
        os._exit(0)


def test_8_killed_processes_lose_no_acknowledged_entry(tmp_path: Path) -> None:
    path = str(tmp_path / "a.db.audit")
    rng = random.Random(16)
    reading, writing = os.pipe()
    os.set_blocking(reading, False)
    told, killed = b"", 0
    for turn in range(TURNS):
        children = [appending(path, f"{turn}-{each}", ENTRIES, writing) for each in range(PROCESSES)]
        # Killed while they append, however slow the machine: some of this turn are waited for.
        wanted = told.count(b"\n") + SOME
        while told.count(b"\n") < wanted:
            with suppress(BlockingIOError):
                told += os.read(reading, 4096)
        for child in children:
            time.sleep(rng.uniform(0, 0.02))
            os.kill(child, signal.SIGKILL)
            killed += os.WIFSIGNALED(os.waitpid(child, 0)[1])
        with suppress(BlockingIOError):
            while some := os.read(reading, 65536):
                told += some
        # What a kill within the write leaves: that is seldom met by chance, at the border of two pages.
        with Path(path).open("ab") as file:
            file.write(b'{"seq":99999,"previous":"00')
    log = opened(path)
    log.record("recall", "default")
    report = verify(log)
    assert report.ok, report.findings
    torn = [line for each in files_of(path) for line in each.read_bytes().splitlines() if line[-2:] != b'"}']
    assert [note.kind for note in report.notes] == ["cut"] * len(torn)
    assert len(torn) >= TURNS
    there = {each for entry in latest(log, EntryFilter(operation="recall"), None) for each in entry.ids}
    acknowledged = {line.decode() for line in told.splitlines()}
    assert acknowledged <= there
    assert killed == PROCESSES * TURNS
    assert len(acknowledged) >= TURNS * SOME


def test_killed_writers_leave_a_log_that_tells_what_was_committed(tmp_path: Path) -> None:
    """Every memory that is there has its entry, and every entry without its memory is told as not committed."""
    path = str(tmp_path / "a.db")
    rng = random.Random(9)
    for turn in range(12):
        reading, writing = os.pipe()
        child = os.fork()
        if child == 0:
            try:
                engine = combray.open(path, embedder="none", preset="mnemon")
                for number in range(1000):
                    engine.remember(f"turn {turn} writes number {number}", diff=False)
                    os.write(writing, b".")
            finally:
                os._exit(0)
        # A pipe of its own: the writes of an earlier process say nothing of this one.
        os.close(writing)
        assert os.read(reading, 1)
        time.sleep(rng.uniform(0, 0.05))
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        os.close(reading)
    with combray.open(path, embedder="none") as engine:
        report = engine.audit.verify()
        assert report.ok, report.findings
        assert {note.kind for note in report.notes} <= {"cut", "not committed"}
        entries = engine.audit.entries(None, operation="remember")
        named = {each for entry in entries for each in entry.ids}
        stored = {memory.memory.id for memory in engine.retention.candidates(threshold=100.0, limit=100_000)}
        assert len(stored) >= 12
        assert stored <= named
        lost = len(named - stored)
        assert lost == sum(note.kind == "not committed" for note in report.notes)
