import math

import numpy as np
import pytest

from combray.scoring.bm25f import ContextExpansion, Posting, bm25f, coverage, idf
from combray.scoring.ranking import Scratch
from combray.scoring.turns import Chain, link


def slots(*values: int) -> np.ndarray:
    return np.array(values, dtype=np.int64)


def floats(*values: float) -> np.ndarray:
    return np.array(values, dtype=np.float64)


def expansion(chain: Chain, *before: float) -> ContextExpansion:
    count = len(chain.next)
    return ContextExpansion(chain, before, (), 1.0, np.ones(count).__getitem__, np.zeros(count, dtype=np.bool_))


def alone(count: int, *before: float) -> ContextExpansion:
    return expansion(link(np.full(count, -1), np.zeros(count, dtype=np.int64)), *before)


def test_idf_is_never_negative() -> None:
    assert idf(10, 1) == math.log(1 + 9.5 / 1.5)
    assert idf(10, 10) == math.log(1 + 0.5 / 10.5) > 0


@pytest.mark.parametrize("rows", [4, 400])
def test_terms_are_saturated_one_by_one_and_added(rows: int) -> None:
    """With few and with many rows around, which are gathered in two ways."""
    postings = [Posting(slots(0, 1), floats(1, 3), 1.0), Posting(slots(1), floats(2), 0.5)]
    chain = link(np.zeros(rows, dtype=np.int64), np.arange(rows))
    lengths = np.full(rows, 5.0).__getitem__
    found = bm25f(postings, rows, lengths, 5.0, expansion(chain, 0.5), 1.2, 0.75, Scratch()).scores
    first, second = idf(rows, 2) * 2.2, 0.5 * idf(rows, 1) * 2.2
    assert found[0] == pytest.approx(first / 2.2)
    assert found[1] == pytest.approx(first * 3.5 / (3.5 + 1.2) + second * 2 / 3.2)
    assert found[2] == pytest.approx(first * 1.5 / 2.7 + second * 1 / 2.2)
    assert not found[3:].any()


def test_long_rows_score_less() -> None:
    posting = [Posting(slots(0, 1), floats(1, 1), 1.0)]
    found = bm25f(posting, 2, floats(2, 6).__getitem__, 4.0, alone(2), 1.2, 0.75, Scratch()).scores
    assert found.tolist() == pytest.approx(
        [idf(2, 2) * 2.2 / (1 + 1.2 * (0.25 + 0.75 * length / 4)) for length in (2, 6)]
    )


def test_rows_of_no_length_score_without_a_division_by_zero() -> None:
    posting = [Posting(slots(0), floats(1), 1.0)]
    with np.errstate(all="raise"):
        found = bm25f(posting, 50, np.zeros(50).__getitem__, 0.0, alone(50, 0.5), 1.2, 1.0, Scratch()).scores
    assert found[0] == pytest.approx(idf(50, 1) * 2.2)


def test_coverage() -> None:
    postings = [Posting(slots(0, 1), floats(9, 1), 5.0), Posting(slots(1), floats(1), 1.0)]
    assert coverage(postings, 3, 4, Scratch()).scores.tolist() == [0.25, 0.5, 0.0]
    assert coverage([], 2, 0, Scratch()).scores.tolist() == [0.0, 0.0]
