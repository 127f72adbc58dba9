import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from combray.scoring.turns import gains, plus, turns

SESSION = np.array([0, 1, 0, -1, 1, -1])
WORDS = np.array([10, 90, 30, 80, 70, 0])


def all_gains(limit: int) -> list[float]:
    return [float(gain) for gain in gains(SESSION, WORDS, turns(SESSION, WORDS), np.arange(6), limit)]


def test_the_mean_of_the_session_decides() -> None:
    """Session 0: mean 20, within 40. Session 1: mean 80, (40/80)². Without session: by their own words."""
    assert all_gains(40) == [1.0, 0.25, 1.0, 0.25, 0.25, 1.0]


def test_no_limit_is_gain_1() -> None:
    assert all_gains(0) == [1.0] * 6


def test_rows_may_be_few_and_empty_ones_divide_nothing() -> None:
    with np.errstate(all="raise"):
        assert gains(SESSION, WORDS, turns(SESSION, WORDS), np.array([4, 0]), 10).tolist() == [0.015625, 0.25]
        nothing = np.zeros(1, dtype=np.int64)
        assert gains(nothing, nothing, turns(nothing, nothing), nothing, 40).tolist() == [1.0]


@given(st.lists(st.tuples(st.integers(-1, 3), st.integers(0, 9))), st.integers(0, 9))
def test_turns_add_up(rows: list[tuple[int, int]], cut: int) -> None:
    session, words = (np.array([row[i] for row in rows], dtype=np.int32) for i in (0, 1))
    whole = turns(session, words)
    grown = plus(turns(session[:cut], words[:cut]), turns(session[cut:], words[cut:]))
    assert (grown.count.tolist(), grown.words.tolist()) == (whole.count.tolist(), whole.words.tolist())
