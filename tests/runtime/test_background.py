"""The worker: the latest job of each owner, errors kept away, closing and leaving within bounds."""

from __future__ import annotations

import subprocess
import sys
import threading
from functools import partial

import pytest

from combray.runtime import background
from combray.runtime.background import MOST_WAITING, Background

WAIT = 90
"""Seconds after which a test that hangs is given up; a busy machine may need some."""


@pytest.fixture
def worker() -> Background:
    return Background()


def held_up(worker: Background) -> threading.Event:
    """Keep the worker busy until the event is set."""
    go, started = threading.Event(), threading.Event()

    def wait() -> None:
        started.set()
        go.wait(WAIT)

    worker.submit("holding", wait)
    assert started.wait(WAIT)
    return go


def test_waiting_takes_any_number_of_seconds(worker: Background) -> None:
    go = held_up(worker)
    threading.Timer(0.05, go.set).start()
    assert worker.wait(2**63)


def test_no_thread_is_started_before_the_first_job(worker: Background) -> None:
    # Not by their number: a thread of an earlier test may end meanwhile.
    before = set(threading.enumerate())
    assert worker.wait(0)
    worker.close()
    assert set(threading.enumerate()) <= before


def test_a_newer_job_takes_the_place_of_a_waiting_one_of_the_same_owner(worker: Background) -> None:
    done: list[str] = []
    go = held_up(worker)
    for name in ("a1", "b1", "a2", "a3"):
        worker.submit(name[0], partial(done.append, name))
    go.set()
    assert worker.wait(WAIT)
    assert done == ["a3", "b1"]


def test_the_queue_is_bounded_and_gives_up_what_has_waited_longest(worker: Background) -> None:
    done: list[int] = []
    go = held_up(worker)
    for number in range(MOST_WAITING + 2):
        worker.submit(number, partial(done.append, number))
    go.set()
    assert worker.wait(WAIT)
    assert done == list(range(2, MOST_WAITING + 2))


def test_a_job_that_fails_does_not_stop_the_next(worker: Background, caplog: pytest.LogCaptureFixture) -> None:
    done: list[str] = []
    worker.submit("bad", partial(done.remove, "nothing of that name"))
    worker.submit("good", lambda: done.append("good"))
    assert worker.wait(WAIT)
    assert done == ["good"]
    assert "a job in the background failed" in caplog.text


def test_closing_drops_what_waits_and_takes_no_more(worker: Background, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(background, "CLOSING_SECONDS", 0.01)
    done: list[str] = []
    go = held_up(worker)
    worker.submit("waiting", lambda: done.append("waiting"))
    worker.close()
    assert worker.closed
    assert not worker.submit("late", lambda: done.append("late"))
    go.set()
    assert worker.wait(WAIT)
    assert done == []


@pytest.mark.slow("starts processes")
def test_a_process_ends_although_a_job_is_under_way() -> None:
    program = (
        "import threading; from combray.runtime import background as b\n"
        "b.CLOSING_SECONDS = 0.05\n"
        "worker, started = b.Background(), threading.Event()\n"
        "worker.submit('x', lambda: (started.set(), threading.Event().wait()))\n"
        "started.wait(); print('end')"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=180, check=False
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "end\n", "")
