"""Reranking by a cross-encoder."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from combray.errors import ModelError
from combray.recall.state import Recalling
from combray.recall.weigh import sort
from combray.runtime import Runtime, Scores

KEEP: tuple[tuple[float, float, float], ...] = ((0.75, 0.95, 1.0), (0.60, 0.90, 0.95), (0.0, 0.50, 0.80))
"""BM25 from which a row holds; share of the old score that is kept, where the model scored the text and where
it did not. Source: Mnemo, see docs/reference/presets.md."""

_DIGITS = 9


@dataclass(frozen=True)
class Rerank:
    """Blends a reranker's relevance with the score of the first `most` candidates: 0.6 new + 0.4 old (Mnemo 6).

    The old score enters as share of the best (of a range that begins at 0, or at the lowest score where that
    is negative): min-max scaling would make the last of twenty near-equal candidates worthless. A text that
    the model leaves out gets `missing` times its old score. `keep` protects keyword hits from a model that
    does not see why they matter; it applies where there is a signal `bm25` or `keyword`. Candidates behind
    the first `most` follow in their order and old proportions: from the lowest of those the model was asked
    about downwards, none above `missing` times its old score.

    Without a reranker nothing happens; one that fails changes nothing, and the answer says so (Mnemo's
    cosine blend in that case would put another order in the place of a good one).
    """

    needs = ("score",)
    gives = ()
    leaves_process = True
    most: int = 20
    weight: float = 0.6
    missing: float = 0.8
    keep: tuple[tuple[float, float, float], ...] = KEEP

    def __call__(self, state: Recalling, runtime: Runtime) -> Recalling:
        if runtime.reranker is None or not len(state.keys):
            return state
        sort(state)
        texts = state.reader.contents(state.keys[: self.most])
        try:
            given = runtime.reranker.rerank(state.query, texts)
        except ModelError as error:
            state.degraded.append(f"not reranked: {error}")
            return state
        known = np.array([each is not None for each in given])
        relevance = np.array([each if each is not None else 0.0 for each in given])
        state.scores = np.round(self._blended(_shares(state.scores), relevance, known, _keyword(state)), _DIGITS)
        state.signals["rerank"] = np.append(relevance, np.zeros(len(state.keys) - len(given)))
        state.details["reranked"] = int(known.sum())
        sort(state)
        return state

    def _blended(
        self, old: Scores, relevance: Scores, known: NDArray[np.bool_], keyword: Scores | None
    ) -> Scores:
        asked = len(relevance)
        first = old[:asked]
        blended = np.where(known, self.weight * relevance + (1 - self.weight) * first, self.missing * first)
        if keyword is not None:
            blended = np.maximum(blended, first * _kept(self.keep, keyword[:asked], known))
        last = float(first[-1])
        kept = min(self.missing, float(blended.min()) / last) if last else 0.0
        return np.append(blended, kept * old[asked:])


def _shares(scores: Scores) -> Scores:
    """Scores, best first, as shares of the best."""
    low = min(0.0, float(scores[-1]))
    best = float(scores[0]) - low
    return (scores - low) / best if best else np.ones(len(scores))


def _keyword(state: Recalling) -> Scores | None:
    return state.signals.get("bm25", state.signals.get("keyword"))


def _kept(table: Sequence[tuple[float, float, float]], keyword: Scores, known: NDArray[np.bool_]) -> Scores:
    """The share of its old score that each candidate keeps: of the first row whose BM25 it reaches."""
    reached = [keyword >= least for least, _, _ in table]
    shares = [np.where(known, scored, silent) for _, scored, silent in table]
    return np.select(reached, shares, 0.0)
