"""The key of the audit's digests: whole or not there, the same for all, whatever disks and other processes do."""

from __future__ import annotations

import ctypes
import errno
import hmac
import multiprocessing
import os
import stat
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from combray.audit.log import AuditKey, digest

QUESTION = "Where did Alice move?"


def _ask(path: str, start: float, answers: multiprocessing.SimpleQueue[str]) -> None:
    time.sleep(max(0.0, start - time.time()))
    answers.put(AuditKey(path).digest(QUESTION))


def asked_by_many(path: Path, count: int = 8) -> set[str]:
    """The digests that as many processes give, all beginning at one moment."""
    # Forked where that can be, so that what a test has replaced is replaced there too.
    context: Any = multiprocessing.get_context("fork" if sys.platform == "linux" else "spawn")
    answers = context.SimpleQueue()
    start = time.time() + 0.2
    processes = [context.Process(target=_ask, args=(str(path), start, answers)) for _ in range(count)]
    for process in processes:
        process.start()
    found = {answers.get() for _ in processes}
    for process in processes:
        process.join()
    return found


@pytest.mark.parametrize("left", [None, b"", b"short", bytes(31)])
def test_processes_that_make_it_at_once_have_the_same(tmp_path: Path, left: bytes | None) -> None:
    """Also where a full disk has left an empty or short file: exactly one of them fills it."""
    for round_ in range(2):
        path = tmp_path / f"{round_}.audit-key"
        if left is not None:
            path.write_bytes(left)
        assert asked_by_many(path) == {digest(path.read_bytes(), QUESTION)}
        assert path.stat().st_size == 32
        if os.name == "posix" and left is None:
            assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert sorted(each.name for each in tmp_path.iterdir()) == [f"{n}.audit-key" for n in range(2)]


def test_one_that_is_there_is_never_replaced(tmp_path: Path) -> None:
    path = tmp_path / "a.audit-key"
    path.write_bytes(bytes(range(32)))
    assert asked_by_many(path, 3) == {digest(bytes(range(32)), QUESTION)}
    assert path.read_bytes() == bytes(range(32))


@pytest.mark.parametrize("failing", ["write", "short", "fsync"])
def test_a_full_disk_leaves_no_file_and_costs_no_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, failing: str
) -> None:
    path = tmp_path / "a.audit-key"
    with monkeypatch.context() as full:
        if failing == "short":
            write = os.write
            full.setattr(os, "write", lambda descriptor, data: write(descriptor, data[:7]))
        else:
            full.setattr(os, failing, _no_room)
        slept: list[float] = []
        full.setattr(time, "sleep", slept.append)
        assert [AuditKey(str(path)).digest(QUESTION) for _ in range(20)] == [""] * 20
        # It waited a second for each before.
        assert slept == []
        assert list(tmp_path.iterdir()) == []
    key = AuditKey(str(path))
    assert key.digest(QUESTION) == digest(path.read_bytes(), QUESTION)


def _no_room(*arguments: object) -> None:
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


@pytest.mark.skipif(sys.platform != "linux", reason="a small disk is mounted as Linux does it")
def test_a_real_full_disk_leaves_no_empty_key_and_the_next_question_makes_one(tmp_path: Path) -> None:
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.mount(b"tmpfs", os.fsencode(tmp_path), b"tmpfs", 0, b"size=65536") != 0:
        pytest.skip("this process may not mount a disk")
    try:
        ballast = tmp_path / "ballast"
        with pytest.raises(OSError, match="No space left"):
            ballast.write_bytes(bytes(1024 * 1024))
        path = tmp_path / "a.audit-key"
        key = AuditKey(str(path))
        assert key.digest(QUESTION) == ""
        assert [each.name for each in tmp_path.iterdir()] == ["ballast"]
        ballast.unlink()
        assert key.digest(QUESTION) == digest(path.read_bytes(), QUESTION)
    finally:
        libc.umount2(os.fsencode(tmp_path), 2)


def test_where_files_have_no_second_names_it_is_made_all_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def unsupported(*arguments: object) -> None:
        raise OSError(errno.EPERM, "Operation not permitted")

    monkeypatch.setattr(os, "link", unsupported)
    for round_ in range(3):
        path = tmp_path / f"{round_}.audit-key"
        assert asked_by_many(path) == {digest(path.read_bytes(), QUESTION)}
    assert len(list(tmp_path.iterdir())) == 3


def test_a_digest_is_the_hmac_of_the_text(tmp_path: Path) -> None:
    key = AuditKey(str(tmp_path / "k"))
    value = (key.digest("Who?"), (tmp_path / "k").read_bytes())
    assert value[0] == hmac.digest(value[1], b"Who?", "sha256").hex()[:32]
    assert key.digest("Who?") == value[0] != key.digest("Who")
