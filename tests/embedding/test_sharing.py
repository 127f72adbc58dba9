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
WORKER = """
import sys, time
sys.path.insert(0, {here!r})
from waiting import opened
from combray.testing.fakes import FakeEmbedder

class Telling(FakeEmbedder):
    def embed(self, texts, *, query=False):
        print(*[text.split()[-1] for text in texts], flush=True)
        time.sleep({seconds})
        return super().embed(texts, query=query)

with opened(Telling(), path={path!r}) as engine:
    print("ready", flush=True)
    sys.stdin.readline()
    worked = engine.vectors.make(batch=8)
    print("done", worked.embedded, flush=True)
"""


def worker(path: Path, seconds: float) -> subprocess.Popen[str]:
    """A process that says each text it embeds; it begins when it gets a line."""
    program = WORKER.format(here=str(Path(__file__).parent), path=str(path), seconds=seconds)
    started = subprocess.Popen(
        [sys.executable, "-c", program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert started.stdout is not None
    assert started.stdout.readline() == "ready\n"
    return started


def begin(*workers: subprocess.Popen[str]) -> None:
    for each in workers:
        assert each.stdin is not None
        each.stdin.write("\n")
        each.stdin.flush()


def fill(engine: Engine, count: int = WAITING) -> None:
    engine.remember_many([f"a fact about the garden number {n}" for n in range(count)], diff=False)


def assert_all_done(engine: Engine) -> None:
    assert (statuses(engine), jobs(engine)) == ({"active": WAITING}, [])
    assert engine.store.status()["vectors"] == {"fake:64": WAITING}
    assert engine.runtime.store.check() == []


def test_two_processes_share_without_overlap(tmp_path: Path) -> None:
    with closing(opened(FakeEmbedder(), path=str(tmp_path / "a.db"))) as engine:
        fill(engine)
        both = [worker(tmp_path / "a.db", 0.005) for _ in range(2)]
        begin(*both)
        told = [each.communicate(timeout=30)[0].splitlines() for each in both]
        done = [int(lines[-1].split()[1]) for lines in told]
        texts = [[number for line in lines[:-1] for number in line.split()] for lines in told]
        assert sorted(texts[0] + texts[1], key=int) == [str(n) for n in range(WAITING)]
        assert [len(each) for each in texts] == done
        assert min(done) > 0
        assert_all_done(engine)


def test_threads_share_without_overlap(tmp_path: Path) -> None:
    class Slow(FakeEmbedder):
        def embed(self, texts: Sequence[str], *, query: bool = False) -> Vectors:
            rows = super().embed(texts, query=query)
            time.sleep(0.005)
            return rows

    embedder = Slow()
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
        assert sum(each.embedded > 0 for each in done) > 1
        assert_all_done(engine)


def test_nothing_is_lost_by_killed_workers(tmp_path: Path) -> None:
    with closing(opened(FakeEmbedder(), path=str(tmp_path / "a.db"))) as engine:
        fill(engine)
        killed, held = 0, []
        for wait in (0.0, 0.03, 0.06, 0.01, 0.02, 0.04, 0.05):
            each = worker(tmp_path / "a.db", 0.02)
            begin(each)
            assert each.stdout is not None
            each.stdout.readline()
            time.sleep(wait)
            each.send_signal(signal.SIGKILL)
            each.communicate()
            killed += each.returncode == -signal.SIGKILL
            assert engine.runtime.store.check() == []
            held = [job for job in jobs(engine) if job.holder]
            # One that was killed between two batches held nothing: then another one is.
            if killed >= 3 and held:
                break
        left = statuses(engine)["pending_embed"]
        assert len(jobs(engine)) == left > 0
        assert len(held) == 8
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
    until = time.monotonic() + 20
    while statuses(engine).get("active", 0) < count and time.monotonic() < until:
        time.sleep(0.005)
    assert statuses(engine) == {"active": count}


def test_a_worker_in_the_background_embeds_what_is_remembered_in_any_namespace(tmp_path: Path) -> None:
    engine = opened(FakeEmbedder(), path=str(tmp_path / "a.db"))
    other = engine.within("other")
    other.remember(FACTS[1])
    engine.vectors.start_worker()
    engine.vectors.start_worker()
    assert [each.name for each in threading.enumerate()].count("combray-embedding") == 1
    engine.remember(FACTS[0])
    wait_for(engine, 1)
    wait_for(other, 1)
    engine.close()
    assert "combray-embedding" not in [each.name for each in threading.enumerate()]


def test_a_worker_can_be_asked_for_when_a_store_is_opened(tmp_path: Path) -> None:
    path = str(tmp_path / "a.db")
    with combray.open(path, preset="semantic-facts", embedder=FakeEmbedder(), worker=True) as engine:
        engine.remember(FACTS[0])
        wait_for(engine, 1)
    with combray.open(path, embedder="none", worker=True), combray.open(path, embedder=FakeEmbedder()):
        assert "combray-embedding" not in [each.name for each in threading.enumerate()]


def test_a_worker_ends_with_its_engine(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(background, "POLL_SECONDS", 0.01)
    engine = opened(FakeEmbedder())
    engine.vectors.start_worker()
    (thread,) = [each for each in threading.enumerate() if each.name == "combray-embedding"]
    engine.remember(FACTS[0])
    wait_for(engine, 1)
    del engine
    thread.join(20)
    assert not thread.is_alive()


def test_a_worker_outlives_a_failing_embedder(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
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
    assert "fell over" in caplog.text


def test_the_pauses_of_a_standing_worker_by_hand() -> None:
    assert (POLL_SECONDS, MOST_SECONDS) == (1.0, 60.0)
    assert pause_after(Worked(embedded=3, failed=2), 8.0) == 0.0
    assert pause_after(Worked(), 32.0) == 1.0
    pauses = [0.0]
    for _ in range(8):
        pauses.append(pause_after(Worked(failed=1), pauses[-1]))
    assert pauses[1:] == [2.0, 4.0, 8.0, 16.0, 32.0, 60.0, 60.0, 60.0]
