"""The evidence floor, for every preset: a question that nothing in the store supports has no hits.

`evidence`, from 0 to 1, measures how much of the question a memory meets: each word by itself or by the nearest
word of the memory (`best_share`). Its best value is compared with a floor that rises with the size of the
store, and the confidence of the answer is read from it (`confidence_of`).
Figures: bench/results/evidence.md; reasons: docs/decisions/0029-one-floor.md.

Sources: Kusner et al., "From Word Embeddings to Document Distances", ICML 2015 (relaxed word mover's distance),
with the words weighted by their cosine with the question; Platt, "Probabilistic outputs for support vector
machines", 1999.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Collection, Mapping, Sequence
from datetime import UTC, datetime
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from combray.errors import ModelError
from combray.forms.recalling import Level, Part, Recalling, aligned
from combray.language import dates
from combray.language.caches import keyed_by_text
from combray.language.questions import AskedWord, asked_words, read
from combray.language.scripts import language
from combray.language.text import candidate_of
from combray.language.tokens import all_terms, query_terms, split
from combray.language.trivial import asks_what_happened
from combray.pipeline import stage
from combray.recall.day_or_speaker import without
from combray.recall.query import unrelated, whole
from combray.recall.search import MET, context_arm, met_arm
from combray.records import field
from combray.runtime import Arm, Found, Runtime, VectorArm
from combray.scoring.similarity import aligned_words
from combray.values import counted

WEIGHTS: Mapping[Level, tuple[float, float, float]] = {
    "none": (-2.80, 6.39, -0.145),
    "static": (-3.62, 6.24, -0.129),
    "contextual": (-3.58, 9.09, -0.151),
}
"""Bias, and weights of the share of the question that the best hit meets and of ln n.

Fitted on questions with and without an answer, each set with the same weight: an author's notes at four sizes,
the read sets of notes, LoCoMo, and small conversations in Chinese and Vietnamese. `python -m bench.judge` prints
the share of answers at .8 and more that are right (bench/results/evidence.md)."""


def confidence_of(level: Level, met: float, trials: int) -> float:
    """Return how probable it is that one of the first three hits answers, rounded to four decimals.

    `met` is in [0, 1], `trials` at least 1.
    """
    bias, by_met, by_size = WEIGHTS[level]
    return round(1.0 / (1.0 + math.exp(-(bias + by_met * met + by_size * math.log(trials)))), 4)


FLOOR: Mapping[Level, tuple[float, float]] = {
    "none": (0.0, 0.006),
    "static": (0.13, 0.006),
    "contextual": (0.10, 0.007),
}
"""The floor up to `FEW` memories, and what it rises by with the square of ln (n / FEW).

Chosen so that at most one in two hundred ordinary questions of an author who had not seen the code is refused
(bench/results/evidence.md). The .10 is Mnemon's least cosine (docs/reference/presets.md)."""
FEW = 10
COSINE: Mapping[Level, float] = {"none": 1.0, "static": 0.10, "contextual": 0.10}
"""Cosine from which a memory that shares no word has evidence of its own. Source: Mnemon's page."""
NOTHING = "nothing here matches: no shared words, names or meaning"
_ROUNDED = 5e-7
"""More than rounding to six decimals takes from a cosine."""


@stage
class RequireEvidence:
    """Empties the answer if no memory meets enough of the question, and says how sure the answer is.

    A memory meets a word of the question that it holds, under any of its declared names, or, with vectors of
    words, as far as the cosine of its nearest word goes. The words count by their cosine with the question,
    without vectors of words by their idf; then the cosine of the whole question counts too. Question words, stop
    words and expressions of time never have to be met. The best of the first `most` candidates counts, and of a
    long query the best of its passages.

    The best must reach the floor: `floor[0] + floor[1] · (ln(n / 10))²`, where n is the number of memories, 10 at
    least, because the best of many meets more by chance. Nothing is required of a question that names a declared
    entity or asks for a date alone, or that has no other word, nor where the notes of an author who is asked
    about are candidates. A memory whose text is the query always stays; the floor then applies to the others.

    With `own` a candidate also needs evidence of its own: a met word, a matched entity or day, a chain of edges
    (signal `reached`), words around it (`context`, `text`), or a cosine of `cosine` and more. A candidate with
    only a rank, a recent date or an edge is dropped.

    `details["confidence"]` is the probability that one of the first three hits answers (`confidence_of`). A
    caller who wants silence below a confidence sets `caution`.
    """

    needs = ("candidates",)
    floor: Mapping[Level, tuple[float, float]] = field(default_factory=lambda: FLOOR)
    caution: float = 0.0
    """Least confidence of an answer."""
    most: int = 12
    own: bool = True
    cosine: Mapping[Level, float] = field(default_factory=lambda: COSINE)
    weak_below: float = 0.1
    """Confidence below which the evidence is weak, and `think` answers nothing."""
    by_words: float = 0.3
    """What the share of words counts where the embedder has no vectors of words; the cosine of the whole question
    counts the rest."""
    pool: int = 200
    most_terms: int = 32

    def __call__(self, state: Recalling, runtime: Runtime) -> Recalling:
        if not len(state.keys):
            state.details["confidence"] = 0.0
            return state
        found = self._found(state, runtime)
        level = level_of(state)
        best, asks = self._best(state, runtime, found)
        trials = max(1, found.eligible) * max(1, len(state.parts))
        least, rise = self.floor[level]
        bound = round(least + rise * math.log(max(1.0, trials / FEW)) ** 2, 6)
        confidence = confidence_of(level, best, trials)
        state.details["confidence"], state.details["evidence"] = confidence, round(best, 4)
        exact = state.signal("exact") >= 1.0
        named = self._names_entity(state, found)
        if not asks or state.times.alone or named or "author" in state.via.values():
            return self._with_own(state, found)
        if confidence < self.weak_below:
            state.weak = state.details["weak"] = f"confidence {confidence:.2f} is below {self.weak_below:.2f}"
        if best < bound or confidence < self.caution:
            among = counted(found.eligible, "memory", "memories")
            state.reason = f"{NOTHING} (evidence {best:.2f} of {bound:.2f} in {among})"
            state.take(exact)
            return state
        return self._with_own(state, found)

    def _found(self, state: Recalling, runtime: Runtime) -> Found:
        """Return what a search by words and vectors finds: that of the preset, if it was one."""
        dense, aligns = state.embedded.vector is not None and state.embedded.trust > 0, runtime.words is not None
        wanted = {"context", "own"} if dense and aligns else {MET, "own"} if dense else {MET}
        if state.found is not None and wanted <= state.found.scores.keys():
            return state.found
        bare = state.question.bare if state.question is not None else state.query
        terms = (query_terms(bare) or query_terms(state.query))[: self.most_terms]
        arms: dict[str, Arm] = {}
        if MET in wanted:
            arms[MET] = met_arm(terms, state.names.lends)
        if "context" in wanted:
            arms["context"] = context_arm(terms, normalise=True, lends=state.names.lends)
        if state.embedded.vector is not None and dense:
            arms["own"] = VectorArm(state.embedded.vector, state.embedded.model)
        return state.reader.search(arms | dict(state.names.arms), state.where, self.pool)

    def _best(self, state: Recalling, runtime: Runtime, found: Found) -> tuple[float, bool]:
        """Return the evidence of the best memory, and whether the question asks for any word.

        A question without one is met by whatever it finds: by the memories of a day, or of a person.
        """
        parts = state.parts or (whole(state, runtime),)
        passages = [(part, words) for part in parts if (words := wanted_words(state, part.text or state.query))]
        if not passages:
            return 1.0, False
        if not len(found.keys):
            return 0.0, True
        if MET in found.scores:
            share = float(found.scores[MET].max())
            if "own" not in found.scores:
                return share, True
            unrelated = 0.0 if state.parts else parts[0].unrelated
            cosine = max(0.0, float(found.scores["own"].max()) - unrelated) / (1.0 - unrelated)
            return max(cosine, self.by_words * share + (1.0 - self.by_words) * cosine), True
        order = np.argsort(-(found.scores["context"] + found.scores["own"]), kind="stable")[: self.most]
        texts = state.contents(found.keys[order].tolist())
        return max(best_share(state, runtime, words, part, texts) for part, words in passages), True

    @staticmethod
    def _names_entity(state: Recalling, found: Found) -> bool:
        """Return whether a candidate holds a declared or learned name which the question names."""
        if "entity" in state.signals and state.found is found:
            return bool((state.signals["entity"] >= 1.0).any())
        return any((found.scores[name] > 0).any() for name in state.names.arms if name in found.scores)

    def _with_own(self, state: Recalling, found: Found) -> Recalling:
        """Drop the candidates without evidence of their own."""
        if not self.own or state.times.alone:
            return state
        evident = np.zeros(len(state.keys), dtype=np.bool_)
        for name in (MET, "context"):
            if name in found.scores:
                evident |= aligned(state.keys, found.keys, found.scores[name]) > 0
        if state.embedded.vector is not None:
            cosines = state.reader.similarity(state.embedded.model, state.embedded.vector, state.keys)
            evident |= cosines * state.embedded.trust >= self.cosine[level_of(state)] - _ROUNDED
        for name in ("entity", "reached", "graph", "date", "context", "text", "exact"):
            if name in state.signals:
                evident |= state.signals[name] > 0
        state.take(evident)
        if not len(state.keys):
            state.reason = NOTHING
        return state


def level_of(state: Recalling) -> Level:
    """Return the level of the embedder that embedded the question."""
    if state.embedded.vector is None or state.embedded.trust <= 0:
        return "none"
    return "contextual" if state.embedded.contextual else "static"


_READ = 1200
"""Characters of a memory that are read."""
_SLIGHT = 0.05
"""Least weight of a word. A word that moves the question's vector little says little: "thing", "use"."""
_KEPT = 2048
_DECIMALS = 6


class _Held(NamedTuple):
    """The index terms of a memory, and its words."""

    terms: frozenset[str]
    words: tuple[str, ...]


@keyed_by_text
@functools.lru_cache(maxsize=_KEPT)
def _held(text: str) -> _Held:
    read_text = candidate_of(text)
    return _Held(frozenset(all_terms(read_text)), split(read_text).words)


def wanted_words(state: Recalling, text: str) -> list[AskedWord]:
    """Return the words of a question that a memory may meet: no names of authors, no expressions of time.

    None if nothing but what happened is asked for.
    """
    bare = read(text, state.reader.profile().authors).bare or text
    if dates.has_time_expression(bare):
        bare = without(bare, dates.resolve(bare, datetime.fromtimestamp(state.now, UTC)))
    return [] if state.names.speaker or asks_what_happened(bare) else asked_words(bare)


def best_share(
    state: Recalling, runtime: Runtime, wanted: Sequence[AskedWord], part: Part, texts: Sequence[str]
) -> float:
    """Return the largest share of the wanted words that one of the texts meets, in [0, 1].

    Cosines count from what unrelated text has with the question on. Without vectors of words a word is met by
    itself alone.
    """
    held = [_held(text[:_READ]) for text in texts]
    lent = _lent(state)
    table = np.array(
        [[_holds(word.term, each.terms, lent) for each in held] for word in wanted], dtype=np.float64
    ).reshape(len(wanted), len(held))
    weights = np.ones(len(wanted))
    by_words = float(_shares(weights, table).max(initial=0.0))
    if runtime.words is None or part.vector is None:
        return by_words
    try:
        asked = tuple(each.word for each in wanted)
        known, own = runtime.words.rows(asked)
        (_, *sizes), vectors = runtime.words.of_texts([asked, *(each.words for each in held)])
    except ModelError:
        # The embedder's failure was reported where the question was embedded.
        return by_words
    if not known.any():
        return by_words
    if own.shape[1:] == part.vector.shape:
        weights = np.full(len(wanted), _SLIGHT)
        weights[known] = np.maximum(own @ part.vector, _SLIGHT)
    near = aligned_words(own, vectors[int(known.sum()) :], sizes)

    def shares(zero: float, places: slice = slice(None)) -> NDArray[np.float64]:
        with_near = table[:, places].copy()
        with_near[known] = np.maximum(with_near[known], np.maximum(near[:, places] - zero, 0.0) / (1.0 - zero))
        return _shares(weights, with_near)

    # Text in another language has a zero of its own, which is no lower: with the question's a share is a bound.
    best, bounds = 0.0, shares(part.unrelated)
    for place in np.argsort(-bounds, kind="stable").tolist():
        if bounds[place] <= best:
            break
        zero = unrelated(state, runtime, part.vector, language(texts[place][:_READ]))
        lower = zero > part.unrelated
        best = max(best, float(shares(zero, slice(place, place + 1))[0] if lower else bounds[place]))
    return best


def _shares(weights: NDArray[np.float64], table: NDArray[np.float64]) -> NDArray[np.float64]:
    shares: NDArray[np.float64] = (weights @ table / weights.sum()).round(_DECIMALS)
    return shares


def _lent(state: Recalling) -> dict[str, list[frozenset[str]]]:
    """Return, by term of the question, the terms of each other name of what it names."""
    found: dict[str, list[frozenset[str]]] = {}
    for term, phrase, _ in state.names.lends:
        found.setdefault(term, []).append(frozenset(phrase))
    return found


def _holds(term: str, held: Collection[str], lent: dict[str, list[frozenset[str]]]) -> bool:
    return term in held or any(phrase <= held for phrase in lent.get(term, ()))  # type: ignore[operator]
