"""How much of a question a memory meets: each word by itself or by the nearest word of the memory.

Source of the measure: Kusner et al., "From Word Embeddings to Document Distances", ICML 2015 (relaxed word
mover's distance), with the words weighted by their cosine with the question.
"""

from __future__ import annotations

import functools
from collections.abc import Collection, Sequence
from datetime import UTC, datetime
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from combray.errors import ModelError
from combray.forms.recalling import Part, Recalling
from combray.language import dates
from combray.language.caches import keyed_by_text
from combray.language.questions import AskedWord, asked_words, read
from combray.language.scripts import language
from combray.language.text import candidate_of
from combray.language.tokens import all_terms, split
from combray.language.trivial import asks_what_happened
from combray.recall.passages import unrelated
from combray.recall.ranges import without
from combray.runtime import Runtime
from combray.scoring.alignment import aligned_words

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
