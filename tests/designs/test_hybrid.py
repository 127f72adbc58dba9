"""OpenClaw's search and merge on small stores, by hand."""

from __future__ import annotations

import numpy as np
import pytest

import combray
from combray.designs.openclaw.search import MergeHybrid, strict_before_relaxed
from combray.designs.shared import LEAST, share_of_best
from combray.forms.recalling import QueryVector, Recalling
from combray.runtime import Runtime
from combray.testing.fakes import FakeClock


def shares(*scores: float) -> list[float]:
    return list(share_of_best(np.array(scores)))


def test_the_best_hit_is_1_and_the_order_is_kept() -> None:
    """SEEDS.md 1: "normalise BM25 per query to (0, 1], best hit = 1, order kept"."""
    assert shares(2.0, 0.5, 0.0, 4.0) == [0.5, 0.125, 0.0, 1.0]
    assert shares(0.000002, 0.000001) == [1.0, 0.5]
    assert shares(0.0, 0.0) == [0.0, 0.0]
    assert shares() == []


def test_a_hit_stays_a_hit_however_small() -> None:
    assert shares(1e6, 1e-3) == [1.0, LEAST]


def test_rows_with_some_words_stand_below_rows_with_all() -> None:
    """Shares of all words 1 and .4; of some words 4/5 and 5/5 of the .4 that is left, and none."""
    strict = np.array([5.0, 0.0, 2.0, 0.0, 0.0])
    relaxed = np.array([1.0, 4.0, 1.0, 5.0, 0.0])
    assert strict_before_relaxed(strict, relaxed).tolist() == pytest.approx([1.0, 0.32, 0.4, 0.4, 0.0])
    # Without a row that holds all words the best of the others is 1.
    assert strict_before_relaxed(np.zeros(2), np.array([1.0, 4.0])).tolist() == [0.25, 1.0]


@pytest.mark.parametrize(
    ("weights", "trust", "scores"),
    [
        # .7 * .6 + .3 * .5, .7 * .4, .3 * 1.
        ((0.7, 0.3), 1.0, [0.57, 0.28, 0.3]),
        # "Weights are normalized so they always sum to 1.0": 2 and 2 are .5 and .5.
        ((2.0, 2.0), 1.0, [0.55, 0.2, 0.5]),
        # What the embedder knows only half of the language of: .35 and .65.
        ((0.7, 0.3), 0.5, [0.535, 0.14, 0.65]),
    ],
)
def test_the_merge_by_hand(weights: tuple[float, float], trust: float, scores: list[float]) -> None:
    engine = combray.open(":memory:", embedder="none", clock=FakeClock())
    state = Recalling(
        "q", "default", engine.reader, 0.0, embedded=QueryVector(trust=trust), keys=np.array([1, 2, 3])
    )
    state.signals = {"vector": np.array([0.6, 0.4, 0.0]), "text": np.array([0.5, 0.0, 1.0])}
    runtime: Runtime = engine.runtime
    assert MergeHybrid(*weights)(state, runtime).scores.tolist() == pytest.approx(scores)
    del state.signals["vector"]
    assert MergeHybrid(*weights)(state, runtime).scores.tolist() == [0.5, 0.0, 1.0]
