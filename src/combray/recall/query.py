"""Reading the query: intent, trivial queries, keywords, entities, expansion, vector."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from combray.errors import ModelError
from combray.forms.recalling import Recalling
from combray.language.entities import extract
from combray.language.intent import detect
from combray.language.questions import asks_about_speaker, read
from combray.language.scripts import language
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
