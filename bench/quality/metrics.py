"""Ranking metrics of one question, and their means with bootstrap intervals.

Binary relevance throughout. `ranked` is best first; None in it is a place that can hold no gold (a session
already seen). All values are in [0, 1].
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

CUTS = (5, 10, 20, 50)
RESAMPLES = 1000
Ranked = Sequence[str | None]


def recall(ranked: Ranked, gold: Collection[str], k: int) -> float:
    """Share of the gold among the first k."""
    return len(set(ranked[:k]) & set(gold)) / len(gold)


def hit(ranked: Ranked, gold: Collection[str], k: int) -> float:
    """1 if any gold is among the first k."""
    return float(bool(set(ranked[:k]) & set(gold)))


def complete(ranked: Ranked, gold: Collection[str], k: int) -> float:
    """1 if all gold is among the first k ("all@k")."""
    return float(set(gold) <= set(ranked[:k]))


def reciprocal_rank(ranked: Ranked, gold: Collection[str], k: int) -> float:
    """1 / place of the first gold among the first k, else 0; its mean is MRR@k."""
    return next((1 / place for place, ref in enumerate(ranked[:k], 1) if ref in gold), 0.0)


def ndcg(ranked: Ranked, gold: Collection[str], k: int) -> float:
    """Discounted gain 1/log2(place + 1) of the gold found, over that of the best order possible."""
    gain = sum(1 / math.log2(place + 1) for place, ref in enumerate(ranked[:k], 1) if ref in gold)
    best = sum(1 / math.log2(place + 1) for place in range(1, min(k, len(gold)) + 1))
    return gain / best


MEASURES = {"recall": recall, "hit": hit, "mrr": reciprocal_rank, "ndcg": ndcg, "all": complete}


def scores(ranked: Ranked, gold: Collection[str]) -> dict[str, float]:
    """Every measure at every cut, named like "recall@10". Raises ValueError without gold."""
    if not gold:
        raise ValueError("a question without gold has no recall; leave it out or use it for abstention")
    return {f"{name}@{k}": measure(ranked, gold, k) for name, measure in MEASURES.items() for k in CUTS}


def summary(rows: Sequence[Mapping[str, float]], seed: int = 0) -> dict[str, dict[str, float]]:
    """Mean, 95 % interval ("low", "high") and count of each measure over questions.

    Percentile bootstrap: the questions are drawn with replacement 1,000 times by a seeded generator.
    """
    if not rows:
        return {}
    names = list(rows[0])
    table = np.array([[row[name] for name in names] for row in rows], dtype=np.float64)
    low, high = interval(table, seed)
    return {
        name: {"mean": float(mean), "low": float(lo), "high": float(hi), "questions": len(rows)}
        for name, mean, lo, hi in zip(names, table.mean(axis=0), low, high, strict=True)
    }


def interval(table: NDArray[np.float64], seed: int = 0) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The 2.5 and 97.5 percentiles of bootstrapped column means; table is (questions, measures)."""
    generator = np.random.default_rng(seed)
    count = len(table)
    means = np.stack([table[generator.integers(0, count, count)].mean(axis=0) for _ in range(RESAMPLES)])
    return np.percentile(means, 2.5, axis=0), np.percentile(means, 97.5, axis=0)
