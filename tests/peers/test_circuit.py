"""A peer that keeps failing is left alone, and comes back."""

from __future__ import annotations

import threading
from dataclasses import dataclass, field
from typing import Any

import pytest

from combray.errors import ModelError
from combray.models import breaker
from combray.models.breaker import COOL_DOWN, MOST_FAILURES
from combray.runtime import PeerHit
from combray.runtime.background import Background
from combray.testing.fakes import FakeClock


@dataclass
class Flaky:
    """Fails while it is told to; counts its calls."""

    name: str = "team"
    timeout: float = 1.0
    failing: bool = True
    calls: int = 0
    entered: threading.Event = field(default_factory=threading.Event)
    waits_for: threading.Event | None = None

    def search(self, query: str, limit: int, namespace: str) -> list[PeerHit]:
        self.calls += 1
        self.entered.set()
        if self.waits_for is not None:
            self.waits_for.wait(90)
        if self.failing:
            raise ModelError("peer team: down")
        return [PeerHit("here")]


def peer_threads(most: int = 16) -> Background:
    return Background(threads=most, waiting=0, joins=False)


def watched(peer: Flaky, clock: FakeClock) -> Any:
    return breaker.watched(peer, "search", clock, label="peer ", most=MOST_FAILURES)


def failed(circuit: Any) -> str:
    with pytest.raises(ModelError) as error:
        circuit.search("q", 5, "work")
    return str(error.value)


def test_the_constants_are_those_of_the_design() -> None:
    """notes 5.1.4: "providers: timeout 3 s, disabled after 5 consecutive errors"; page: "every 60 seconds"."""
    assert (MOST_FAILURES, COOL_DOWN) == (5, 60.0)


def test_five_errors_in_a_row_disable_a_peer_until_it_has_cooled_down() -> None:
    peer, clock = Flaky(), FakeClock()
    circuit = watched(peer, clock)
    assert [failed(circuit) for _ in range(5)] == ["peer team: down"] * 5
    clock.pass_(seconds=15)
    message = "peer team: not called, because 5 calls in a row failed, the last with: down; tried again in 45 s"
    assert failed(circuit) == message
    assert peer.calls == 5
    clock.pass_(seconds=45)
    peer.failing = False
    assert circuit.search("q", 5, "work") == [PeerHit("here")]
    peer.failing = True
    assert [failed(circuit) for _ in range(5)] == ["peer team: down"] * 5


def test_four_errors_and_a_success_begin_anew() -> None:
    peer = Flaky()
    circuit = watched(peer, FakeClock())
    for _ in range(3):
        for _ in range(4):
            assert failed(circuit) == "peer team: down"
        peer.failing = False
        circuit.search("q", 5, "work")
        peer.failing = True


def test_a_failed_trial_begins_the_next_cool_down() -> None:
    peer, clock = Flaky(), FakeClock()
    circuit = watched(peer, clock)
    for _ in range(5):
        failed(circuit)
    clock.pass_(seconds=60)
    assert failed(circuit) == "peer team: down"
    assert "tried again in 60 s" in failed(circuit)
    assert peer.calls == 6


def test_only_one_call_is_the_trial() -> None:
    peer, clock = Flaky(), FakeClock()
    circuit = watched(peer, clock)
    for _ in range(5):
        failed(circuit)
    clock.pass_(seconds=61)
    peer.failing, peer.waits_for = False, threading.Event()
    peer.entered.clear()
    trial = peer_threads()(lambda: circuit.search("q", 5, "work"))
    assert peer.entered.wait(90)
    assert "not called" in failed(circuit)
    peer.waits_for.set()
    assert trial.result(90) == [PeerHit("here")]
    assert circuit.search("q", 5, "work") == [PeerHit("here")]


def test_threads_are_few_and_never_keep_the_program() -> None:
    hold, started = threading.Event(), [threading.Event(), threading.Event()]
    start = peer_threads(2)

    def work(place: int) -> bool:
        started[place].set()
        assert threading.current_thread().daemon
        return hold.wait(90)

    first, second = start(lambda: work(0)), start(lambda: work(1))
    assert all(each.wait(90) for each in started)
    refused = start(lambda: True)
    assert isinstance(refused.exception(90), ModelError)
    hold.set()
    assert (first.result(90), second.result(20)) == (True, True)
    assert start(lambda: "again").result(90) == "again"


def test_a_machine_without_threads_to_give_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(self: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    start = peer_threads(1)
    with monkeypatch.context() as patch:
        patch.setattr(threading.Thread, "start", refused)
        assert "can't start new thread" in str(start(lambda: 1).exception(90))
    assert start(lambda: 1).result(90) == 1


def test_what_the_work_raises_is_in_the_future() -> None:
    def fails() -> None:
        raise ValueError("no")

    with pytest.raises(ValueError, match="no"):
        peer_threads()(fails).result(90)
