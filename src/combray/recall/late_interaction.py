"""Late interaction: each token of the question against the tokens of the best candidates."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from combray.errors import ModelError
from combray.forms.recalling import Recalling
from combray.language.scripts import language
from combray.pipeline import stage
from combray.recall.keep import sort
from combray.runtime import Runtime, Scores
from combray.scoring.ranking import DECIMALS, minmax
from combray.scoring.similarity import maxsim

_STEP = 10.0**-DECIMALS


@stage
class MatchTokens:
    """Adds the MaxSim of the question's tokens to the scores of the first `first` candidates, min-max scaled.

    Does nothing without a model of tokens (setting `late_interaction`). Nothing moves unless nearly all of those
    candidates have token vectors: one without would sink for that alone. `lacking` is the share that may lack
    them; these get the mean of the others.

    A later statement that stood before one that it may revise, or replaces, stays before it: the match of words
    prefers the outdated one as often as not.

    Source: Khattab and Zaharia 2020 (models/onnx_tokens.py). Measurements: bench/results/quality.md.
    """

    needs = ("sorted", "question")
    leaves_process = True
    weight: float = 0.3
    first: int = 50
    lacking: float = 0.1
    most_characters: int = 1000
    """Characters of a question whose tokens are matched."""

    def __call__(self, state: Recalling, runtime: Runtime) -> Recalling:
        if runtime.tokens is None or not len(state.keys) or state.question is None:
            return state
        weight = self.weight * runtime.tokens.knows(language(state.query))
        if not weight:
            return state
        try:
            spoken = state.question.spoken[: self.most_characters]
            (asked,) = runtime.tokens.embed_tokens([spoken], query=True)
        except ModelError as error:
            state.degraded.append(f"without late interaction: {error}")
            return state
        keys = state.keys[: self.first].tolist()
        scores = self._scores(state, runtime.tokens.name, asked, keys)
        if scores is None:
            return state
        late = np.zeros(len(state.keys))
        late[: len(keys)] = minmax(scores)
        state.signals["late"] = late
        state.scores = np.round(state.scores + weight * late, DECIMALS)
        self._keep_order(state, keys)
        sort(state)
        return state

    def _scores(
        self, state: Recalling, model: str, asked: NDArray[np.int8], keys: Sequence[int]
    ) -> Scores | None:
        """Return the score of each candidate; None if too many have no token vectors."""
        found = state.reader.tokens(model, np.array(keys, dtype=np.int64))
        has = np.array([rows is not None and len(rows) > 0 for rows in found], dtype=np.bool_)
        if not len(asked) or not has.any() or (~has).sum() > self.lacking * len(keys):
            return None
        known = [rows for rows in found if rows is not None and len(rows)]
        scores = np.zeros(len(keys))
        scores[has] = [best.mean() for best in maxsim(asked, known)]
        scores[~has] = scores[has].mean()
        return scores

    @staticmethod
    def _keep_order(state: Recalling, keys: Sequence[int]) -> None:
        """Lift each later statement that stood before an earlier one to that one's score, if it is below now."""
        place = {key: at for at, key in enumerate(keys)}
        links = state.reader.links_to(keys, ("may_revise", "supersedes"))
        pairs = {(place[each.source], place[each.target]) for each in links if each.source in place}
        # From the first place down: what is lifted may lift another.
        for later, earlier in sorted(pair for pair in pairs if pair[0] < pair[1]):
            if state.scores[later] <= state.scores[earlier]:
                state.scores[later] = round(float(state.scores[earlier]) + _STEP, DECIMALS)
