"""The parts of a query that are searched for: the whole, and in a whole message its passages."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from combray.errors import ModelError
from combray.forms.recalling import Part, Recalling
from combray.language.caches import from_tables
from combray.language.questions import read
from combray.language.scripts import language
from combray.language.sentences import LONG_FROM, sentences
from combray.language.tables import default, section
from combray.language.tokens import query_terms
from combray.pipeline import stage
from combray.runtime import Embedder, Runtime

_ASKS = ("?", "？", "؟")


@stage
class SplitQuery:
    """Splits a long query into passages, embeds them, and measures the cosine of unrelated text for each.

    A message says many things and asks for one of them. Divided by all its words, the evidence for that one is
    weak; its own sentence is as good a query as a question. A query of more than `long_from` terms is split into
    sentences, and sentences of fewer than `least_terms` terms are joined to the next. At most `most` passages are
    searched for: those that ask, then the last ones.

    Cosines have no zero of their own: two unrelated Chinese texts have 0.5 with the default embedder, two English
    ones 0.0. `unrelated` of a part is its mean cosine with everyday sentences of its language
    (`<code>/samples.json`).
    """

    needs = ("terms",)
    gives = ("parts",)
    leaves_process = True
    long_from: int = LONG_FROM
    least_terms: int = 4
    most: int = 3
    most_terms: int = 32
    """As in `ReadQuestion`."""
    most_characters: int = 4000
    """Characters of a query that are read."""

    def __call__(self, state: Recalling, runtime: Runtime) -> Recalling:
        whole = state.query[: self.most_characters]
        texts = self._passages(whole) if len(state.terms) > self.long_from else []
        found = [Part(state.terms, state.embedded.vector)]
        authors = state.reader.profile().authors if texts else ()
        questions = [read(text, authors) for text in texts]
        vectors: Sequence[NDArray[np.float32] | None] = [None] * len(texts)
        embedder = _of_vector(state, runtime)
        if embedder is not None:
            try:
                if texts:
                    vectors = list(embedder.embed([each.spoken for each in questions], query=True))
            except ModelError as error:
                state.degraded.append(f"passages by keyword only: {error}")
        for text, question, vector in zip(texts, questions, vectors, strict=True):
            terms = query_terms(question.bare or text)[: self.most_terms]
            found.append(Part(tuple(terms), vector, text=text))
        state.parts = tuple(
            replace(part, unrelated=_unrelated(embedder, part.vector, language(text)))
            for part, text in zip(found, [whole, *texts], strict=True)
        )
        return state

    def _passages(self, text: str) -> list[str]:
        passages: list[str] = []
        held = 0
        for sentence in sentences(text):
            if passages and held < self.least_terms:
                passages[-1] = f"{passages[-1]} {sentence}"
            else:
                passages.append(sentence)
            held = len(query_terms(passages[-1]))
        if len(passages) > 1 and held < self.least_terms:
            short = passages.pop()
            passages[-1] = f"{passages[-1]} {short}"
        if len(passages) < 2:
            return []
        best = sorted(range(len(passages)), key=lambda at: (not passages[at].endswith(_ASKS), -at))
        return [passages[at] for at in sorted(best[: self.most])]


def unrelated(state: Recalling, runtime: Runtime, vector: NDArray[np.float32], code: str) -> float:
    """Return the mean cosine of a vector with everyday sentences of a language, in [0, 1)."""
    return _unrelated(_of_vector(state, runtime), vector, code)


def whole(state: Recalling, runtime: Runtime) -> Part:
    """Return the whole query as a part, for presets that do not split it."""
    text = state.query[: SplitQuery.most_characters]
    return Part(
        (), state.embedded.vector, _unrelated(_of_vector(state, runtime), state.embedded.vector, language(text))
    )


def _of_vector(state: Recalling, runtime: Runtime) -> Embedder | None:
    """The embedder that made the query's vector; None if it has none."""
    if state.embedded.vector is None:
        return None
    return next(
        (each for each in (runtime.embedder, runtime.before) if each and each.name == state.embedded.model), None
    )


samples = section("samples", list[str])
"""Everyday sentences about unrelated things by language: what a text without a connection looks like."""


@from_tables
def _means() -> dict[tuple[str, int, str], NDArray[np.float32]]:
    """Mean vector of the sample sentences by embedder and language, filled as they are needed."""
    return {}


def _unrelated(embedder: Embedder | None, vector: NDArray[np.float32] | None, code: str) -> float:
    """Return the mean cosine with unrelated text, in [0, 1); 0 if the embedder fails."""
    if embedder is None or vector is None:
        return 0.0
    place = embedder.name, embedder.dimensions, code
    mean = _means().get(place)
    if mean is None:
        try:
            mean = embedder.embed(samples().get(code) or samples()[default()]).mean(axis=0)
        except ModelError:
            return 0.0
        _means()[place] = mean
    return min(max(float((mean @ vector).round(6)), 0.0), 0.99)
