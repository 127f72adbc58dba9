"""Stages and sums that several of the designs use: rank fusion, diversity, shares, the mode as a reason."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

import numpy as np

from combray.forms.recalling import Recalling
from combray.language.tokens import words
from combray.pipeline import stage
from combray.recall.score import sort
from combray.runtime import Runtime, Scores
from combray.scoring.ranking import DECIMALS, marginal_order, minmax, reciprocal_rank_fusion
from combray.scoring.similarity import Overlaps

LEAST = 10.0**-DECIMALS
"""The lowest text score of a hit, the smallest number that scores are rounded to. Not a threshold: rounding must
not turn a hit by a very common word into a miss."""


def share_of_best(scores: Scores) -> Scores:
    """Scores of one query as shares of the best of them: in (0, 1], 0 where there was none, order kept."""
    best = float(scores.max(initial=0.0))
    if best <= 0.0:
        return np.zeros(len(scores))
    shares = np.maximum(np.round(scores / best, DECIMALS), LEAST)
    return np.where(scores > 0, shares, 0.0)


@stage
class FuseRRF:
    """Reciprocal rank fusion: sum of 1 / (k + rank + 1), rank from 0, scaled so that the best is 1.

    Cormack, Clarke, Büttcher, SIGIR 2009; k = 60 (docs/reference/presets.md, preset mnemon).
    """

    needs = ("found",)
    gives = ("candidates", "anchor")
    k: int = 60
    tied: bool = False
    """Whether candidates of one score in a list share the rank, so that later stages order them."""

    def __call__(self, state: Recalling, _runtime: Runtime) -> Recalling:
        if state.found is None or not len(state.found.keys):
            return state
        state.keys = state.found.keys
        lists = list(state.found.lists.values())
        fused = reciprocal_rank_fusion(state.keys, lists, self.k, tied=self.tied)
        state.signals["anchor"] = fused / fused.max()
        for name, ranked in state.found.lists.items():
            for key in (int(each) for each in ranked.keys):
                # Being recent too does not make a keyword hit a hybrid one.
                known = state.via.get(key, "time")
                state.via[key] = name if known == "time" else known if name == "time" else "hybrid"
        state.scores = np.zeros(len(state.keys))
        state.details["anchor_count"] = len(state.keys)
        return state


Measure = Literal["vectors", "words"]


@stage
class MMR:
    """Maximal marginal relevance: trade_off · relevance - (1 - trade_off) · greatest similarity to chosen hits.

    Relevance is the score, `stretched` by min-max over the candidates, or else as a share of the best score.
    `similarity` "words" is the Jaccard index of the words of the first 700 characters (Chinese, Japanese and the
    like by characters and pairs; two texts without words are alike only when they are equal), "vectors" the
    cosine, never below 0, and words for pairs without two vectors. The best `most` candidates are reordered; the
    rest follow by score.

    Only the order changes: scores stay, so that a later threshold or cut keeps its meaning, and no later stage
    may sort by score again. Carbonell & Goldstein 1998; OpenClaw stage 5.
    """

    needs = ("score",)
    similarity: Measure = "words"
    trade_off: float = 0.7
    stretched: bool = True
    """Stretched scores of near candidates differ by up to 1, and then no similarity counts against them."""
    enabled: bool = True
    most: int = 200
    snippet: int = 700
    """Characters of a text that its words are taken from. Source: OpenClaw, see docs/reference/presets.md."""

    def __call__(self, state: Recalling, _runtime: Runtime) -> Recalling:
        if not self.enabled or len(state.keys) < 2:
            return state
        sort(state)
        considered = min(self.most, len(state.keys))
        similar_to = similarities(state, considered, self.similarity, self.snippet)
        scores = state.scores[:considered]
        relevance = minmax(scores) if self.stretched or scores[0] <= 0 else np.clip(scores / scores[0], 0.0, 1.0)
        order = marginal_order(relevance, similar_to, self.trade_off)
        state.take(np.concatenate((order, np.arange(considered, len(state.keys)))))
        return state


def similarities(state: Recalling, count: int, measure: Measure, snippet: int) -> Callable[[int], Scores]:
    """How alike one of the first `count` candidates is to each of them, in [0, 1], by its place."""
    keys = state.keys[:count]
    if measure == "words":
        return _by_words(state.reader.contents(keys), snippet)
    vectors, has = state.reader.vectors(state.embedded.model, keys)
    if not has.any():
        return _by_words(state.reader.contents(keys), snippet)
    cosines = np.round(np.clip((vectors @ vectors.T).astype(np.float64), 0.0, 1.0), DECIMALS)
    if has.all():
        return lambda place: cosines[place]
    by_words = _by_words(state.reader.contents(keys), snippet)
    return lambda place: np.where(has & has[place], cosines[place], by_words(place))


def _by_words(texts: list[str], snippet: int) -> Callable[[int], Scores]:
    snippets = [text[:snippet] for text in texts]
    tokens = [words(text) for text in snippets]
    overlaps = Overlaps(tokens)
    silent = np.array([not each for each in tokens])

    def similar_to(place: int) -> Scores:
        index = overlaps.of(place)
        if silent[place]:
            same = [text == snippets[place] for text in snippets]
            index = np.where(silent & np.array(same), 1.0, index)
        return index

    return similar_to


@stage
class NameMode:
    """Writes into the reason which arms answered: keywords and vectors, or keywords only and why."""

    needs = ("top",)

    def __call__(self, state: Recalling, runtime: Runtime) -> Recalling:
        if not len(state.keys) or state.reason:
            return state
        if state.embedded.vector is not None and state.embedded.trust > 0:
            words = any(name != "vector" for name in state.found.lists) if state.found else True
            state.reason = (
                f"hybrid: keywords and {state.embedded.model}"
                if words
                else f"vector only: {state.embedded.model}"
            )
        elif runtime.embedder is None:
            state.reason = "keyword only: no embedder is configured"
        else:
            state.reason = "; ".join(state.degraded) or "keyword only: the query has no vector"
        if state.weak:
            state.reason += f"; weak evidence: {state.weak}"
        return state
