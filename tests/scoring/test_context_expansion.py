from collections.abc import Sequence

import numpy as np
import pytest

from combray.scoring.bm25f import ContextExpansion
from combray.scoring.turns import link

IN_A_ROW = link(np.zeros(4, dtype=np.int64), np.arange(4))


def expansion(
    before: Sequence[float],
    after: Sequence[float],
    boost: float = 1.0,
    gain: Sequence[float] = (1, 1, 1, 1),
    asks: Sequence[int] = (),
) -> ContextExpansion:
    asking = np.isin(np.arange(4), asks)
    return ContextExpansion(IN_A_ROW, before, after, boost, np.array(gain, dtype=np.float64).__getitem__, asking)


def spread(by: ContextExpansion, place: int, value: float) -> list[float]:
    into = np.zeros(4)
    touched = by.spread(np.array([place]), np.array([value]), into)
    assert set(np.flatnonzero(into)) <= set(np.concatenate(touched).tolist())
    return into.tolist()


def test_words_travel_on_with_before_and_back_with_after() -> None:
    """Turn 1 holds 2. Its next takes ½·2, the one after ¼·2, its previous 0.1·2."""
    assert spread(expansion((0.5, 0.25), (0.1,)), 1, 2.0) == [0.2, 2.0, 1.0, 0.5]


def test_the_same_weights_both_ways_lend_both_ways() -> None:
    assert spread(expansion((0.5,), (0.5,)), 1, 2.0) == [1.0, 2.0, 1.0, 0.0]


def test_the_gain_is_the_takers() -> None:
    assert spread(expansion((0.5,), (), gain=(1, 0, 0.25, 1)), 1, 2.0) == [0.0, 2.0, 0.25, 0.0]


def test_only_a_question_just_before_counts_more() -> None:
    """Turn 1 asks: the next takes 1.5·½·2, the one after ¼·2 as ever, the previous 0.1·2 as ever."""
    assert spread(expansion((0.5, 0.25), (0.1,), 1.5, asks=(1,)), 1, 2.0) == [0.2, 2.0, 1.5, 0.5]
    assert spread(expansion((0.5, 0.25), (0.1,), 1.5, asks=(0, 2)), 1, 2.0) == [0.2, 2.0, 1.0, 0.5]
    assert spread(expansion((), (0.1,), 1.5, asks=(1,)), 1, 2.0) == [0.2, 2.0, 0.0, 0.0]


@pytest.mark.parametrize("asks", [(), (0,), (0, 1, 2, 3)])
def test_taking_is_lending_seen_from_the_other_side(asks: Sequence[int]) -> None:
    """Values 1, 2, 4, 8 spread one by one, less each turn's own, are what each takes before its gain of ½."""
    by = expansion((0.5, 0.25), (0.1,), 1.5, gain=(0.5,) * 4, asks=asks)
    values = np.array([1.0, 2.0, 4.0, 8.0])
    into = np.zeros(4)
    by.spread(np.arange(4), values, into)
    assert (values + 0.5 * by.around(np.arange(4), values)).tolist() == pytest.approx(into.tolist())
    # Turn 2 alone: ½ of 2 (¾ if that asks), ¼ of 1, a tenth of 8.
    wanted = (0.75 if 1 in asks else 0.5) * 2 + 0.25 + 0.8
    assert by.around(np.array([2]), values).tolist() == pytest.approx([wanted])
