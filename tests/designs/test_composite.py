"""The composite score's parts at their ends, worked by hand."""

from __future__ import annotations

from datetime import timedelta

import pytest

import combray
from combray.designs.engram.results import WEIGHTS
from combray.testing.fakes import START, FakeClock


def only_hit(query: str = "lathe", **fields: object) -> combray.Hit:
    engine = combray.open(":memory:", preset="engram", embedder="none", clock=FakeClock())
    engine.remember("The lathe is broken", **fields)  # type: ignore[arg-type]
    (hit,) = engine.recall(query)
    return hit


def test_the_weights_are_the_pages_and_sum_to_one() -> None:
    """ "vector_similarity x 0.6 … priority_score x 0.2 … confidence_score x 0.1 … recency_score x 0.1"."""
    assert WEIGHTS == {"vector": 0.6, "priority": 0.2, "confidence": 0.1, "recency": 0.1}
    assert sum(WEIGHTS.values()) == pytest.approx(1.0)


def test_without_an_embedder_the_share_of_words_takes_the_vectors_place() -> None:
    """Two words of four: 0.6 · 0.5 + 0.2 · 0.5 + 0.1 · 0.7 + 0.1 · 1 = 0.57."""
    hit = only_hit("lathe broken saw press")
    assert hit.signals["vector"] == hit.signals["keyword"] == 0.5
    assert hit.score == 0.57


@pytest.mark.parametrize(("importance", "priority"), [(1, 0.0), (2, 0.25), (3, 0.5), (4, 0.75), (5, 1.0)])
def test_importance_becomes_priority(importance: int, priority: float) -> None:
    assert only_hit(importance=importance).signals["priority"] == priority


@pytest.mark.parametrize(("days", "recency"), [(0, 1.0), (1, 0.970446), (30, 0.40657), (365, 1.8e-05), (-3, 1.0)])
def test_recency_falls_by_three_percent_a_day(days: float, recency: float) -> None:
    """Notes 5.1.4: "decay_rate 0.03": e^-0.03 = 0.970446, e^-0.9 = 0.40657, e^-10.95 = 0.0000176."""
    assert only_hit(occurred_at=START - timedelta(days=days)).signals["recency"] == recency


def test_the_minimum_score_is_one_of_the_composite() -> None:
    engine = combray.open(":memory:", preset="engram", embedder="none", clock=FakeClock())
    engine.remember("The lathe is broken")
    # 0.6 · 1 + 0.2 · 0.5 + 0.1 · 0.7 + 0.1 · 1 = 0.87
    assert len(engine.recall("lathe", min_score=0.87)) == 1
    assert engine.recall("lathe", min_score=0.871).reason == "no memory scores 0.871 or more"
