"""Training of the model of evidence: it learns, its signs hold, and stores are not divided between folds."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from bench.evidence import training
from bench.evidence.collecting import Seen
from combray.recall.answer_features import FEATURES, GLOBAL, WHOLE, AnswerEvidence


def seen(store: str, kind: str, family: str = "own") -> Seen:
    hits = np.zeros((2, len(FEATURES)))
    found = AnswerEvidence(
        hits, np.zeros(len(GLOBAL)), np.zeros((0, 2)), (), None, False, turns=family == "locomo"
    )
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


def test_questions_of_a_conversation_are_in_one_fold() -> None:
    every = [seen(f"store {number // 5}", "answer", "locomo") for number in range(60)]
    folds = training.folds(every)
    assert all(len({int(fold) for fold in folds[at : at + 5]}) == 1 for at in range(0, 60, 5))


def test_questions_of_an_author_of_notes_are_in_one_fold() -> None:
    every = [
        seen(f"store {number}", "answer", family) for number in range(4) for family in ("a", "b", "two-hundred")
    ]
    every.append(seen("another store", "answer", "small"))
    folds = training.folds(every)
    of = [training.author(each) for each in every]
    assert sorted(set(of)) == ["a", "b", "small"]
    assert len(set(zip(of, folds.tolist(), strict=True))) == len(set(folds.tolist())) == 3


def test_small_and_large_stores_weigh_by_the_root_of_their_questions() -> None:
    every = [replace(seen("s", kind, "a"), large=large) for large in (False, True) for kind in ("answer", "near")]
    # Small: 1 answer of 2 questions, so root 2 / 1 each. Large: 7 answers of 8, so root 8 / 7 and root 8 / 1.
    every += [replace(seen("s", "answer", "a"), large=True)] * 6
    weights = training.weights(every)
    expected = np.array([2**0.5, 2**0.5, 8**0.5 / 7, 8**0.5, *[8**0.5 / 7] * 6])
    np.testing.assert_allclose(weights, expected * len(every) / expected.sum())


def test_small_and_large_stores_are_refused_alike() -> None:
    random = np.random.default_rng(5)
    every = [replace(seen("s", "answer", "a"), large=number % 2 == 1) for number in range(400)]
    large = np.array([each.large for each in every])
    rows = np.zeros((400, len(WHOLE)))
    rows[:, WHOLE.index("store")] = np.where(large, 0.7, 0.4)
    rows[:, WHOLE.index("confidence")] = random.uniform(0, 1, 400) + large
    weights = np.zeros(len(WHOLE))
    weights[WHOLE.index("confidence")] = 1.0
    odds = training.calibrated(every, rows, training.Model(WHOLE, weights, 0.0))(rows)
    low = [np.quantile(odds[group], training.CALIBRATED) for group in (large, ~large)]
    assert abs(low[0] - low[1]) < 1e-9


def test_the_gap_of_notes_replaces_the_share_of_the_best_score() -> None:
    each = seen("a", "answer", "a")
    each.hits[:, FEATURES.index("ratio")] = (1.0, 0.4)
    # The second hit, by its share of the best score, is dropped, and the right one is the first.
    assert training.listed(each, np.array([2.0, 1.5]), 1.0) == (1.0, 1.0)
    assert training.listed(each, np.array([2.0, 1.5]), 1.0, 0.0) == (0.5, 1.0)
    scores = training.Scores(np.zeros(1), np.zeros(1), [np.array([2.0, 1.5])])
    assert training.gap_of([each], scores, "static", "notes") == training.GAPS[0]


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
