"""Eight threads share flushes and are killed with SIGKILL: what any of them acknowledged is there."""

from __future__ import annotations

import os
import signal
import threading
import time
from contextlib import closing
from pathlib import Path

import soundness

from combray.stores.sqlite import SqliteStore

ROUNDS = 6
THREADS = 8


def _write_until_killed(path: str, first: int, pipe: int) -> None:
    with closing(SqliteStore(path, durability="full")) as store:

        def write(number: int) -> None:
            while True:
                with store.transaction("default") as tx:
                    soundness.write(tx, number)
                os.write(pipe, f"{number}\n".encode())
                number += THREADS

        threads = [threading.Thread(target=write, args=(first + place,)) for place in range(THREADS)]
        for each in threads:
            each.start()
        for each in threads:
            each.join()


def test_8_killed_threads_lose_nothing_they_acknowledged(tmp_path: Path) -> None:
    path, acknowledged, first = str(tmp_path / "a.db"), set[int](), 0
    for _ in range(ROUNDS):
        reading, writing = os.pipe()
        child = os.fork()
        if child == 0:
            try:
                _write_until_killed(path, first, writing)
            finally:
                os._exit(1)
        os.close(writing)
        told = os.read(reading, 65536)
        time.sleep(0.05)
        os.kill(child, signal.SIGKILL)
        _, status = os.waitpid(child, 0)
        assert os.WIFSIGNALED(status), "the writer must not end by itself"
        while chunk := os.read(reading, 65536):
            told += chunk
        os.close(reading)
        now = {int(line) for line in told.splitlines()}
        assert now
        acknowledged |= now
        # Each thread may have one in flight that was committed and not acknowledged.
        first = max(acknowledged) + 2 * THREADS
    with closing(SqliteStore(path)) as store:
        there = soundness.assert_sound(store, acknowledged)
        for number in sorted(there)[:40]:
            soundness.assert_whole(store, number)
    assert len(acknowledged) >= ROUNDS
