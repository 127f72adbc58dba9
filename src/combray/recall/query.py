"""Reading the query: intent, keywords, entities, vectors, the passages of a long message."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from combray.errors import ModelError
from combray.forms.recalling import Part, Recalling
from combray.language.caches import from_tables
from combray.language.entities import extract
from combray.language.intent import detect
from combray.language.questions import asks_about_speaker, read
from combray.language.scripts import language
from combray.language.sentences import LONG_FROM, sentences
from combray.language.tables import default, section
from combray.language.tokens import query_terms
from combray.pipeline import stage
from combray.runtime import Embedder, Runtime
from combray.types import LIVE_STATUSES

INTENTS = ("WHY", "WHEN", "ENTITY", "GENERAL")


@stage
class DetectIntent:
    """Detects the intent by patterns in English, Chinese and Vietnamese, unless the caller set it."""

    needs = ("query",)
    gives = ("intent",)

    def __call__(self, state: Recalling, _runtime: Runtime) -> Recalling:
        if state.asked.intent_source != "override":
            state.intent = str(detect(state.query).value)
        return state


@stage
class ReadQuery:
    """Extracts keywords (stemmed, without stop and question words) and the entities that the query names."""

    needs = ("query",)
    gives = ("terms", "entities")
    most_terms: int = 32
    """Distinct terms a query may use: a pasted page must not cost a thousand index look-ups."""
    authors: bool = False
    """Whether the known authors that the query names are entities of it. Mnemon's patterns find no people in a
    question ("What does Ana paint?"), and `ScoreFourSignals` counts who said a memory as its entity."""

    def __call__(self, state: Recalling, _runtime: Runtime) -> Recalling:
        state.terms = tuple(query_terms(state.query)[: self.most_terms])
        # Without punctuation around a word and without the possessive.
        bare = (word.strip(".,;:!?\"'()[]？！。，") for word in state.query.split())
        candidates = [word.removesuffix("'s").removesuffix("’s") for word in bare]
        known = state.reader.known_entities(candidates[: self.most_terms])
        found = dict.fromkeys((*extract(state.query, known), *(word for word in candidates if word in known)))
        if self.authors:
            found |= dict.fromkeys(read(state.query, state.reader.profile().authors).named)
        state.entities = tuple(found)
        return state


@stage
class ReadQuestion:
    """Reads whom the query is about and what it asks for, and its keywords without names of known authors.

    With `speaker` it reads too whether everything about the speaker is asked for (`RequireSpeaker`).
    """

    needs = ("query",)
    gives = ("question", "terms")
    most_terms: int = 32
    """As in `ReadQuery`."""
    speaker: bool = False

    def __call__(self, state: Recalling, _runtime: Runtime) -> Recalling:
        state.question = read(state.query, state.reader.profile().authors)
        state.names.speaker = self.speaker and asks_about_speaker(state.query)
        state.times.past = state.question.asks_past
        terms = query_terms(state.question.bare) if state.question.bare else []
        state.terms = tuple((terms or query_terms(state.query))[: self.most_terms])
        return state


KEYWORD_ONLY = "keyword only: "
"""Prefix of the reason why a query could not be embedded."""


@stage
class EmbedQuery:
    """Embeds the query, worded as its subject would have said it.

    "What does Ana paint?" is embedded as "What do I paint?" if Ana is a known author: her turns seldom
    name her. This nearly doubles dense recall (bench/results/quality.md).

    After a change of embedder, the previous one is used until few memories lack a vector of the new one. Without
    an embedder, or when it fails, recall uses keywords, entities and the graph, and the answer reports it.
    """

    needs = ("query",)
    gives = ("vector",)
    leaves_process = True
    most_characters: int = 4000
    """Characters of a query that are embedded."""
    lacking: float = 0.1
    """Share of memories without a vector of the embedder above which the previous embedder is used."""
    most_lacking: float = 0.5
    """Share above which, without a previous embedder, only words are used: the few memories with a vector would
    displace the rest (docs/explanation/vectors.md)."""

    def __call__(self, state: Recalling, runtime: Runtime) -> Recalling:
        state.embedded.lacking = self.lacking
        embedder = None if runtime.embedder is None else self._serving(state, runtime.embedder, runtime.before)
        if embedder is None:
            return state
        question = state.question or read(state.query, state.reader.profile().authors)
        try:
            (vector,) = embedder.embed([question.spoken[: self.most_characters]], query=True)
        except ModelError as error:
            state.degraded.append(f"{KEYWORD_ONLY}{error}")
            return state
        if np.any(vector):
            state.embedded.vector, state.embedded.model = vector, embedder.name
            state.embedded.trust = embedder.knows(language(state.query))
            state.embedded.contextual = state.details["contextual"] = embedder.contextual
        return state

    def _serving(self, state: Recalling, own: Embedder, before: Embedder | None) -> Embedder | None:
        """The embedder to compare vectors of; None if too few memories have one."""
        where = state.where
        if where.statuses == LIVE_STATUSES:
            # Memories that wait for their first vector are found by words with either embedder.
            where = replace(where, statuses=("active",))
        has, asked = state.reader.covered(own.name, where)
        lacking = asked - has
        if lacking <= self.lacking * asked:
            return own
        missing = f"{lacking} of {asked} memories have no vector of {own.name} yet"
        missing += " ('combray worker --once --reembed' makes them)"
        if before is not None and state.reader.covered(before.name, where)[0] > has:
            state.details["moving"] = f"{missing}, so {before.name} answers"
            return before
        if lacking <= self.most_lacking * asked:
            return own
        state.degraded.append(f"{KEYWORD_ONLY}{missing}")
        return None


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
            replace(part, unrelated=unrelated(state, runtime, part.vector, language(text)))
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


def whole(state: Recalling, runtime: Runtime) -> Part:
    """Return the whole query as a part, for presets that do not split it."""
    text, vector = state.query[: SplitQuery.most_characters], state.embedded.vector
    return Part((), vector, unrelated(state, runtime, vector, language(text)))


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


def unrelated(state: Recalling, runtime: Runtime, vector: NDArray[np.float32] | None, code: str) -> float:
    """Return the mean cosine of a vector with everyday sentences of a language, in [0, 1).

    It is 0 without a vector, and if the embedder fails.
    """
    embedder = _of_vector(state, runtime)
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
