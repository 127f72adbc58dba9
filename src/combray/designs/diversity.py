"""Order of the hits: near-duplicates last, causes before effects."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

import numpy as np

from combray.forms.recalling import Recalling
from combray.language.tokens import words
from combray.pipeline import stage
from combray.recall.weigh import sort
from combray.runtime import Runtime, Scores
from combray.scoring.jaccard import Overlaps
from combray.scoring.minmax import minmax
from combray.scoring.mmr import marginal_order
from combray.scoring.ranking import DECIMALS

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
