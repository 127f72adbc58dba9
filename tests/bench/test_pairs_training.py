"""Training of the model of restatements: the shipped weights come from the texts of the repository."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
from rich.console import Console

from bench.pairs import training
from bench.pairs.sources import AUTHORS, author_pairs, situation_pairs


def test_the_same_texts_give_the_shipped_weights(tmp_path: Path) -> None:
    out = tmp_path / "weights.json"
    training.train(Console(quiet=True), out)
    found, shipped = (json.loads(path.read_text(encoding="utf-8")) for path in (out, training.WEIGHTS))
    assert found["features"] == shipped["features"]
    np.testing.assert_allclose(found["weights"], shipped["weights"], atol=2e-3)


def test_a_feature_with_the_wrong_sign_weighs_nothing() -> None:
    random = np.random.default_rng(5)
    rows = random.uniform(0, 1, (300, len(training.SIGNS)))
    right = (rows[:, 2] > 0.5).astype(float)
    rows[:, 4] = 0.8 * right + 0.2 * rows[:, 4]  # words that differ would speak for a restatement
    model = training.fit_signed(rows, right)
    assert model.weights[2] > 0
    assert model.weights[4] == 0


def test_every_author_has_pairs_of_each_relation() -> None:
    for letter in AUTHORS:
        assert {pair.relation for pair in author_pairs([letter])} == {"duplicate", "contradiction", "other"}
        assert {pair.source for pair in author_pairs([letter])} == {f"author {letter}"}


def test_situations_give_every_combination_of_what_was_told() -> None:
    told = [(pair.old, pair.new) for pair in situation_pairs()]
    assert ("I speak Dutch.", "I speak German.") in told
    assert ("I speak German.", "I speak some Finnish as well.") in told
    assert not any("=>" in text or " @ " in text or " | " in text for pair in told for text in pair)
