"""Workers share the queue: threads and processes, some of them killed."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

import pytest
from waiting import FACTS, jobs, opened, statuses

import combray
from combray import Engine
from combray.embedding import background
from combray.embedding.background import MOST_SECONDS, POLL_SECONDS, pause_after
from combray.embedding.working import Worked
from combray.runtime import Vectors
from combray.testing.fakes import FakeEmbedder

WAITING = 120
BATCH = 8
PATIENCE = 120
"""Seconds after which a test that hangs is given up."""
WORKER = """
import sys
sys.path.insert(0, {here!r})
from waiting import opened
from combray.testing.fakes import FakeEmbedder

class Telling(FakeEmbedder):
    def embed(self, texts, *, query=False):
        print(*[text.split()[-1] for text in texts], flush=True)
        sys.stdin.readline()
        return super().embed(texts, query=query)

with opened(Telling(), path={path!r}) as engine:
    worked = engine.vectors.make(batch={batch})
    print("done", worked.embedded, flush=True)
"""


class Process:
    """A worker. It says the texts of each batch, and embeds them when it gets a line, or its input has ended."""

    def __init__(self, path: Path) -> None:
        program = WORKER.format(here=str(Path(__file__).parent), path=str(path), batch=BATCH)
        self._started = subprocess.Popen(
            [sys.executable, "-c", program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )

    def batch(self) -> list[str]:
        """The texts of the next batch. They are not embedded yet."""
        assert self._started.stdout is not None
        said = self._started.stdout.readline().split()
        assert said[:1] != ["done"]
        return said

    def go_on(self) -> None:
        """Have one batch embedded."""
        assert self._started.stdin is not None
        self._started.stdin.write("\n")
        self._started.stdin.flush()

    def finish(self) -> tuple[list[str], int]:
        """Let it do the rest: its texts, and how many vectors it made in all."""
        assert self._started.stdin is not None
        assert self._started.stdout is not None
        self._started.stdin.close()
        *batches, last = self._started.stdout.read().splitlines()
        assert self._started.wait(PATIENCE) == 0
        return [number for line in batches for number in line.split()], int(last.split()[1])

    def kill(self) -> None:
        """End it where it is."""
        self._started.kill()
        self._started.communicate()
        assert self._started.returncode == -signal.SIGKILL


def fill(engine: Engine, count: int = WAITING) -> None:
    engine.remember_many([f"a fact about the garden number {n}" for n in range(count)], diff=False)


def assert_all_done(engine: Engine) -> None:
    assert (statuses(engine), jobs(engine)) == ({"active": WAITING}, [])
    assert engine.store.status()["vectors"] == {"fake:64": WAITING}
    assert engine.runtime.store.check() == []


def test_two_processes_share_without_overlap(tmp_path: Path) -> None:
    with closing(opened(FakeEmbedder(), path=str(tmp_path / "a.db"))) as engine:
        fill(engine)
        both = [Process(tmp_path / "a.db") for _ in range(2)]
        # Each has a batch while the other has one, however slow one of them starts.
        first = [each.batch() for each in both]
        assert [len(each) for each in first] == [BATCH, BATCH]
        for each in both:
            each.go_on()
        rest = [each.finish() for each in both]
        texts = [begun + more for begun, (more, _) in zip(first, rest, strict=True)]
        assert sorted(texts[0] + texts[1], key=int) == [str(n) for n in range(WAITING)]
        assert [len(each) for each in texts] == [done for _, done in rest]
        assert_all_done(engine)


def test_threads_share_without_overlap(tmp_path: Path) -> None:
    all_have_one = threading.Barrier(4)

    class Together(FakeEmbedder):
        """The first batch of each thread ends when every thread has one."""

        def embed(self, texts: Sequence[str], *, query: bool = False) -> Vectors:
            rows = super().embed(texts, query=query)
            if not hasattr(mine, "came"):
                mine.came = True
                all_have_one.wait(PATIENCE)
            return rows

    mine = threading.local()
    embedder = Together()
    with closing(opened(embedder, path=str(tmp_path / "a.db"))) as engine:
        fill(engine)
        done: list[Worked] = []
        threads = [threading.Thread(target=lambda: done.append(engine.vectors.make(batch=7))) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert sum(each.embedded for each in done) == WAITING
        assert set(Counter(text for call in embedder.calls for text in call).values()) == {1}
        assert all(each.embedded for each in done)
        assert_all_done(engine)


def test_nothing_is_lost_by_killed_workers(tmp_path: Path) -> None:
    with closing(opened(FakeEmbedder(), path=str(tmp_path / "a.db"))) as engine:
        fill(engine)
        for wait in (0.0, 0.01, 0.02, 0.04):
            each = Process(tmp_path / "a.db")
            assert len(each.batch()) == BATCH
            # Killed at any moment between the model's answer and the next batch.
            each.go_on()
            time.sleep(wait)
            each.kill()
            assert engine.runtime.store.check() == []
        each = Process(tmp_path / "a.db")
        assert len(each.batch()) == BATCH
        each.kill()
        left = statuses(engine)["pending_embed"]
        assert WAITING - 4 * BATCH <= left <= WAITING
        assert len(jobs(engine)) == left
        assert sum(bool(job.holder) for job in jobs(engine)) == BATCH
        # They ran on this machine and are gone: nobody waits for their leases to run out.
        assert engine.vectors.make() == Worked(embedded=left)
        assert_all_done(engine)


def test_the_lease_of_a_worker_elsewhere_is_waited_for() -> None:
    engine = opened(FakeEmbedder())
    engine.remember_many(FACTS)
    with engine.runtime.store.transaction("default") as tx:
        tx.queue.take("fake:64", "another-machine:1:x", engine.runtime.clock(), engine.runtime.clock() + 60, 2)
    assert engine.vectors.make() == Worked(embedded=1, left=2)


def test_the_lease_of_a_dead_process_here_is_not() -> None:
    engine = opened(FakeEmbedder())
    engine.remember_many(FACTS)
    child = subprocess.Popen([sys.executable, "-c", ""])
    child.wait()
    host = os.uname().nodename
    with engine.runtime.store.transaction("default") as tx:
        tx.queue.take("fake:64", f"{host}:{child.pid}:x", engine.runtime.clock(), engine.runtime.clock() + 60, 2)
        tx.queue.take(
            "fake:64", f"{host}:{os.getpid()}:x", engine.runtime.clock(), engine.runtime.clock() + 60, 1
        )
    assert engine.vectors.make() == Worked(embedded=2, left=1)


# -- in the background -------------------------------------------------------------------------------


def wait_for(engine: Engine, count: int) -> None:
    until = time.monotonic() + PATIENCE
    while statuses(engine).get("active", 0) < count and time.monotonic() < until:
        time.sleep(0.005)
    assert statuses(engine) == {"active": count}


def workers(before: set[threading.Thread]) -> list[threading.Thread]:
    """The threads of workers that have been started since; engines of earlier tests may still have theirs."""
    return [each for each in set(threading.enumerate()) - before if each.name == "combray-embedding"]


def test_a_worker_in_the_background_embeds_what_is_remembered_in_any_namespace(tmp_path: Path) -> None:
    before = set(threading.enumerate())
    engine = opened(FakeEmbedder(), path=str(tmp_path / "a.db"))
    other = engine.within("other")
    other.remember(FACTS[1])
    engine.vectors.start_worker()
    engine.vectors.start_worker()
    assert len(workers(before)) == 1
    engine.remember(FACTS[0])
    wait_for(engine, 1)
    wait_for(other, 1)
    engine.close()
    assert workers(before) == []


def test_a_worker_can_be_asked_for_when_a_store_is_opened(tmp_path: Path) -> None:
    before = set(threading.enumerate())
    path = str(tmp_path / "a.db")
    with combray.open(path, preset="semantic-facts", embedder=FakeEmbedder(), worker=True) as engine:
        engine.remember(FACTS[0])
        wait_for(engine, 1)
    with combray.open(path, embedder="none", worker=True), combray.open(path, embedder=FakeEmbedder()):
        assert workers(before) == []


def test_a_worker_ends_with_its_engine(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(background, "POLL_SECONDS", 0.01)
    before = set(threading.enumerate())
    engine = opened(FakeEmbedder())
    engine.vectors.start_worker()
    (thread,) = workers(before)
    engine.remember(FACTS[0])
    wait_for(engine, 1)
    del engine
    thread.join(PATIENCE)
    assert not thread.is_alive()


def test_a_worker_outlives_a_failing_embedder(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(background, "POLL_SECONDS", 0.01)

    class Falling(FakeEmbedder):
        def embed(self, texts: Sequence[str], *, query: bool = False) -> Vectors:
            if len(self.calls) < 1:
                self.calls.append([])
                raise RuntimeError("fell over")
            return super().embed(texts, query=query)

    engine = opened(Falling())
    engine.remember(FACTS[0])
    engine.vectors.start_worker()
    wait_for(engine, 1)
    engine.close()
    assert engine.runtime.embedder.health().failures == 1  # type: ignore[union-attr]


def test_the_pauses_of_a_standing_worker_by_hand() -> None:
    assert (POLL_SECONDS, MOST_SECONDS) == (1.0, 60.0)
    assert pause_after(Worked(embedded=3, failed=2), 8.0) == 0.0
    assert pause_after(Worked(), 32.0) == 1.0
    pauses = [0.0]
    for _ in range(8):
        pauses.append(pause_after(Worked(failed=1), pauses[-1]))
    assert pauses[1:] == [2.0, 4.0, 8.0, 16.0, 32.0, 60.0, 60.0, 60.0]
