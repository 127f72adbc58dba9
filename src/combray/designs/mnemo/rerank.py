"""Reranking by a cross-encoder."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from combray.errors import ModelError
from combray.forms.recalling import Recalling
from combray.pipeline import stage
from combray.recall.weigh import sort
from combray.runtime import Runtime, Scores

KEEP: tuple[tuple[float, float, float], ...] = ((0.75, 0.95, 1.0), (0.60, 0.90, 0.95), (0.0, 0.50, 0.80))
"""BM25 from which a row holds; share of the old score that is kept, where the model scored the text and where
it did not. Source: Mnemo, see docs/reference/presets.md."""

_DIGITS = 9


@stage
class Rerank:
    """Blends a reranker's relevance with the score of the first `most` candidates: 0.6 new + 0.4 old (Mnemo 6).

    The old score is a share of the best (of a range that starts at 0, or at the lowest score if that is
    negative): min-max scaling would make the last of twenty near-equal candidates worthless. A text that the
    model omits gets `missing` times its old score. `keep` protects keyword hits; it applies if there is a signal
    `bm25` or `keyword`. Candidates after the first `most` keep their order and proportions, below the lowest
    reranked one and at most at `missing` times their old score.

    The model reads a text of a known author as "Ana, 8 May 2023: …". Alone a turn does not say who speaks or
    when: with bare texts the model gains nothing on conversations (bench/results/models.md).

    Without a reranker nothing changes. If it fails, the order stays and the answer reports it (Mnemo falls back
    to a cosine blend, which replaces a better order).
    """

    needs = ("score",)
    leaves_process = True
    most: int = 20
    weight: float = 0.6
    missing: float = 0.8
    keep: tuple[tuple[float, float, float], ...] = KEEP

    def __call__(self, state: Recalling, runtime: Runtime) -> Recalling:
        if runtime.reranker is None or not len(state.keys):
            return state
        sort(state)
        texts = self._texts(state, runtime)
        try:
            given = runtime.reranker.rerank(state.query, texts)
        except ModelError as error:
            state.degraded.append(f"not reranked: {error}")
            return state
        known = np.array([each is not None for each in given])
        relevance = np.array([each if each is not None else 0.0 for each in given])
        # Shares of the best; the scores are sorted.
        low = min(0.0, float(state.scores[-1]))
        best = float(state.scores[0]) - low
        old = (state.scores - low) / best if best else np.ones(len(state.scores))
        state.scores = np.round(self._blended(old, relevance, known, state.signals), _DIGITS)
        state.signals["rerank"] = np.append(relevance, np.zeros(len(state.keys) - len(given)))
        state.details["reranked"] = int(known.sum())
        sort(state)
        return state

    def _texts(self, state: Recalling, runtime: Runtime) -> list[str]:
        """Return the texts of the first candidates, with speaker and date in front if there is an author."""
        texts = state.reader.contents(state.keys[: self.most])
        rows = state.columns()
        found = []
        for text, code, moment in zip(texts, rows.author.tolist(), rows.moment.tolist(), strict=False):
            day = runtime.local(moment)
            front = f"{rows.author_names[code]}, {day.day} {day:%B %Y}: " if code >= 0 else ""
            found.append(front + text)
        return found

    def _blended(
        self, old: Scores, relevance: Scores, known: NDArray[np.bool_], signals: Mapping[str, Scores]
    ) -> Scores:
        asked = len(relevance)
        first = old[:asked]
        blended = np.where(known, self.weight * relevance + (1 - self.weight) * first, self.missing * first)
        keyword = signals.get("bm25", signals.get("keyword"))
        if keyword is not None:
            # A candidate keeps the share of the first row whose BM25 it reaches.
            reached = [keyword[:asked] >= least for least, _, _ in self.keep]
            shares = [np.where(known, scored, silent) for _, scored, silent in self.keep]
            blended = np.maximum(blended, first * np.select(reached, shares, 0.0))
        last = float(first[-1])
        kept = min(self.missing, float(blended.min()) / last) if last else 0.0
        return np.append(blended, kept * old[asked:])
