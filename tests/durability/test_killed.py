"""Killed with SIGKILL at any moment: what was acknowledged is there, nothing is half-written."""

from __future__ import annotations

import os
import random
import select
import signal
import time
from contextlib import closing
from pathlib import Path

import pytest
import soundness
from tiers import nightly

from combray.stores.sqlite import SqliteStore

CHECK_EVERY = 20
LONGEST_LIFE = 0.02


def write_until_killed(path: str, number: int, pipe: int) -> None:
    with closing(SqliteStore(path)) as store:
        while True:
            with store.transaction("default") as tx:
                soundness.write(tx, number)
            os.write(pipe, f"{number}\n".encode())
            number += 1


def killed_writer(path: str, number: int, life: float, *, working: bool) -> set[int]:
    """Numbers that a writer had acknowledged when it was killed: `life` seconds after its birth, or, if
    `working`, after its first acknowledged write."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            write_until_killed(path, number, writing)
        finally:
            os._exit(1)
    os.close(writing)
    if working:
        select.select([reading], [], [], 60)
    time.sleep(life)
    os.kill(child, signal.SIGKILL)
    _, status = os.waitpid(child, 0)
    assert os.WIFSIGNALED(status), "the writer must not end by itself"
    acknowledged = b""
    while chunk := os.read(reading, 65536):
        acknowledged += chunk
    os.close(reading)
    return {int(line) for line in acknowledged.splitlines()}


@pytest.mark.parametrize("rounds", [60, *nightly([300], "the same five times")])
def test_killed_writers_lose_nothing_they_acknowledged(tmp_path: Path, rounds: int) -> None:
    rng = random.Random(20240501)
    checked, young, acknowledged, started = 0, 0, set[int](), 0
    for turn in range(rounds):
        if turn % 60 == 0:
            path = str(tmp_path / f"{turn}.db")
            acknowledged, started = set(), 0
        # Half of them die young: while they make or open the file, or in their first write.
        now = killed_writer(path, started, rng.uniform(0, LONGEST_LIFE), working=turn % 2 == 0)
        young += not now
        acknowledged |= now
        # The one in flight may have been committed and not acknowledged: leave its number out.
        started = max(acknowledged, default=-1) + 2 if now else started + 2
        if turn % CHECK_EVERY == CHECK_EVERY - 1:
            with closing(SqliteStore(path)) as store:
                there = soundness.assert_sound(store, acknowledged)
                for number in rng.sample(sorted(there), min(40, len(there))):
                    soundness.assert_whole(store, number)
                checked += len(there)
    assert checked >= rounds
    assert young > 0


def test_a_writer_killed_inside_a_transaction_leaves_nothing(tmp_path: Path) -> None:
    path = str(tmp_path / "a.db")
    with closing(SqliteStore(path)) as store, store.transaction("default") as tx:
        soundness.write(tx, 0)
    child = os.fork()
    if child == 0:
        try:
            with SqliteStore(path).transaction("default") as tx:
                for number in range(1, 200):
                    soundness.write(tx, number)
                os.kill(os.getpid(), signal.SIGKILL)
        finally:
            os._exit(1)
    os.waitpid(child, 0)
    with closing(SqliteStore(path)) as store:
        assert soundness.assert_sound(store, {0}) == {0}
        with store.transaction("default") as tx:
            soundness.write(tx, 1)
        soundness.assert_whole(store, 1)
