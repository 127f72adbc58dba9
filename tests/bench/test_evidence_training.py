"""Training of the model of evidence: it learns, its signs hold, and stores are not divided between folds."""

from __future__ import annotations

import numpy as np

from bench.evidence import training
from bench.evidence.collecting import Seen
from combray.recall.answer_features import FEATURES, GLOBAL, Evidence


def seen(store: str, kind: str, family: str = "own") -> Seen:
    hits = np.zeros((2, len(FEATURES)))
    found = Evidence(hits, np.zeros(len(GLOBAL)), np.zeros((0, 2)), (), None, turns=family == "locomo")
    return Seen(store, family, kind, "?", hits, found, np.array([True, False]), 1, False, False)


def test_evidence_that_harms_in_training_weighs_nothing() -> None:
    random = np.random.default_rng(3)
    rows = random.uniform(0, 1, (400, 2))
    right = (rows[:, 0] > 0.5).astype(float)
    # "confidence" and "missing" of `WHOLE` have fixed signs: the second column speaks the wrong way.
    rows[:, 1] = 0.8 * right + 0.2 * rows[:, 1]
    model = training.fit(("confidence", "missing"), rows, right, np.ones(400))
    assert model.weights[0] > 0
    assert model.weights[1] == 0


def test_questions_of_a_store_are_in_one_fold() -> None:
    every = [seen(f"store {number // 5}", "answer") for number in range(60)]
    folds = training.folds(every)
    assert all(len({int(fold) for fold in folds[at : at + 5]}) == 1 for at in range(0, 60, 5))


def test_both_labels_of_a_family_weigh_the_same() -> None:
    kinds = ["answer"] * 3 + ["near"] * 5 + ["far"]
    every = [seen("a", kind, "locomo") for kind in kinds]
    weights = training.weights(every)
    np.testing.assert_allclose([weights[:3].sum(), weights[3:8].sum(), weights[8]], [4.5, 2.25, 2.25])


def test_the_cut_counts_precision_and_recall_of_the_list() -> None:
    each = seen("a", "answer")
    each.hits[:, FEATURES.index("ratio")] = (1.0, 0.6)
    assert training.listed(each, np.array([2.0, 1.5]), 1.0) == (0.5, 1.0)
    assert training.listed(each, np.array([2.0, 0.5]), 1.0) == (1.0, 1.0)
