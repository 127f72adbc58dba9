"""Requests of a caller against a rate."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from combray.server import access
from combray.server.access import Rates


class Time:
    now = 0.0

    def monotonic(self) -> float:
        return self.now


@pytest.fixture
def time(monkeypatch: pytest.MonkeyPatch) -> Time:
    made = Time()
    monkeypatch.setattr(access, "time", made)
    return made


def test_no_rate_is_no_limit(time: Time) -> None:
    rates = Rates(0)
    assert {rates.wait("ann") for _ in range(10_000)} == {0.0}


def test_a_burst_of_ten_seconds_then_the_rate(time: Time) -> None:
    rates = Rates(2)
    assert [rates.wait("ann") for _ in range(20)] == [0.0] * 20
    assert rates.wait("ann") == pytest.approx(0.5)
    assert rates.wait("bob") == 0.0
    time.now += 0.25
    assert rates.wait("ann") == pytest.approx(0.25)
    time.now += 0.25
    assert rates.wait("ann") == 0.0
    assert rates.wait("ann") == pytest.approx(0.5)
    time.now += 1000
    assert [rates.wait("ann") for _ in range(21)][-2:] == [0.0, pytest.approx(0.5)]


def test_a_rate_below_one_a_second_lets_one_through(time: Time) -> None:
    rates = Rates(0.01)
    assert rates.wait("ann") == 0.0
    wait = rates.wait("ann")
    assert wait == pytest.approx(100)
    time.now += wait
    assert rates.wait("ann") == 0.0


def test_callers_that_were_not_seen_for_longest_are_forgotten(
    time: Time, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(access, "MOST_CALLERS", 2)
    rates = Rates(0.1)
    for each in ("ann", "bob", "ann", "eve"):
        rates.wait(each)
    assert rates.wait("ann") > 0
    assert rates.wait("bob") == 0.0


@given(st.lists(st.floats(0, 5), min_size=1, max_size=200), st.floats(0.1, 10))
def test_no_stretch_of_time_has_more_than_a_burst_and_the_rate(gaps: list[float], rate: float) -> None:
    with pytest.MonkeyPatch.context() as patched:
        time = Time()
        patched.setattr(access, "time", time)
        rates = Rates(rate)
        let_in = 0
        for gap in gaps:
            time.now += gap
            wait = rates.wait("ann")
            let_in += wait == 0
            assert wait <= 1 / rate + 1e-6
        assert let_in <= max(1.0, 10 * rate) + time.now * rate + 1e-6
