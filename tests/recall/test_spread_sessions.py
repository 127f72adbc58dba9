"""A session's further turns count less where turns are long (the default preset)."""

from __future__ import annotations

from typing import Any, cast

import numpy as np
import pytest

from combray.recall.signals import SpreadSessions
from combray.recall.state import Recalling
from combray.runtime import Reader, Rows, Runtime

NOBODY = cast(Reader, None)
RUNTIME = cast(Runtime, None)


def candidates(scores: list[float], session: list[int], gain: float, *, vectors: bool = True) -> Recalling:
    """Candidates with keys 0, 1, 2, … of those sessions, all of them with one gain."""
    count = len(scores)
    zeros: Any = np.zeros(count)
    whole: Any = np.zeros(count, dtype=np.int64)
    flags: Any = np.zeros(count, dtype=np.bool_)
    keys = np.arange(count, dtype=np.int64)
    sessions = np.array(session, dtype=np.int64)
    columns = (zeros, zeros, zeros, zeros, whole, flags, flags, whole, whole, zeros, zeros)
    state = Recalling("q", "default", NOBODY, now=0.0, keys=keys, scores=np.array(scores))
    state.rows = Rows(keys, whole, (), sessions, whole, whole, *columns, np.full(count, gain))
    state.vector = np.ones(2, dtype=np.float32) if vectors else None
    return state


def test_each_better_turn_of_the_session_takes_its_share_behind_the_first_places() -> None:
    """keep 1, weight 0.04, most 2: behind the first, 0, 1, 2, 2 better turns take 0, .04, .08, .08, times .75."""
    state = candidates([1.0, 0.9, 0.8, 0.7, 0.6], [4, 4, 4, 4, 9], gain=0.25)
    SpreadSessions(weight=0.04, keep=1, most=2)(state, RUNTIME)
    assert state.scores.tolist() == pytest.approx([1.0, 0.87, 0.74, 0.64, 0.6])
    assert state.signals["spread"].tolist() == pytest.approx([0.0, -0.375, -0.75, -0.75, 0.0])


def test_the_first_places_stay_and_are_counted() -> None:
    state = candidates([1.0, 0.9, 0.8], [4, 4, 4], gain=0.0)
    SpreadSessions(weight=0.1, keep=2, most=3)(state, RUNTIME)
    assert state.scores.tolist() == pytest.approx([1.0, 0.9, 0.6])


@pytest.mark.parametrize("change", ["short turns", "no session", "no vectors"])
def test_nothing_is_taken_elsewhere(change: str) -> None:
    state = candidates(
        [1.0, 0.9, 0.8],
        [-1, -1, -1] if change == "no session" else [4, 4, 4],
        gain=1.0 if change == "short turns" else 0.0,
        vectors=change != "no vectors",
    )
    SpreadSessions(weight=0.1, keep=1)(state, RUNTIME)
    assert state.scores.tolist() == [1.0, 0.9, 0.8]
