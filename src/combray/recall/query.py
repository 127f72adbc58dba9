"""Reading the query: intent, trivial queries, keywords, entities, expansion, vector."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, date, datetime

import numpy as np

from combray.errors import ModelError
from combray.forms.recalling import Recalling
from combray.language import dates
from combray.language.caches import from_tables
from combray.language.entities import extract
from combray.language.folding import is_unspaced
from combray.language.intent import detect
from combray.language.lexicon import word_lists
from combray.language.questions import read
from combray.language.scripts import language
from combray.language.tokens import query_terms, terms
from combray.language.trivial import letters, says_nothing
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
        if state.intent_source != "override":
            state.intent = str(detect(state.query).value)
        return state


@stage
class SkipTrivial:
    """Ends recall for acknowledgements and greetings ("ok", "cảm ơn", "再见") before anything is searched.

    Only whole queries count: "no problem with the build?" is searched. A query that is the name of a known entity
    is never trivial. Engram stage 1; see docs/reference/presets.md.
    """

    needs = ("query",)
    fewest_letters: int = 3
    """Letters and digits; a Chinese character counts three. Engram names a threshold and no number."""

    def __call__(self, state: Recalling, _runtime: Runtime) -> Recalling:
        if says_nothing(state.query):
            reason = "an acknowledgement, a greeting or the like"
        elif letters(state.query) < self.fewest_letters:
            reason = f"fewer than {self.fewest_letters} letters"
        else:
            return state
        name = state.query.strip(" \t\n.,;:!?\"'()？！。，")
        if not name or not state.reader.known_entities([name]):
            state.reason = f"trivial query ({reason}): nothing was searched"
            state.done = True
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
    """Reads whom the query is about and what it asks for, and its keywords without names of known authors."""

    needs = ("query",)
    gives = ("question", "terms")
    most_terms: int = 32
    """As in `ReadQuery`."""

    def __call__(self, state: Recalling, _runtime: Runtime) -> Recalling:
        state.question = read(state.query, state.reader.profile().authors)
        state.asks_past = state.question.asks_past
        state.keeps_superseded = state.asks_past or state.where.statuses != LIVE_STATUSES
        terms = query_terms(state.question.bare) if state.question.bare else []
        state.terms = tuple((terms or query_terms(state.query))[: self.most_terms])
        return state


_WORD = re.compile(r"[\w@#./+-]*\w")


@stage
class ReadNames:
    """Adds entities of several words that the query names and the namespace knows ("Marta Klein").

    Up to `longest` words side by side are looked up, or as many characters of a script without spaces
    and one more; letter case does not matter. Names within a longer name that was found are omitted.
    """

    needs = ("entities",)
    longest: int = 3
    most_characters: int = 300
    """Characters of a query that are read: a pasted page must not cost a second."""

    def __call__(self, state: Recalling, _runtime: Runtime) -> Recalling:
        candidates = _side_by_side(state.query[: self.most_characters], self.longest)
        known = state.reader.known_entities(candidates)
        found = [name for name in candidates if name in known]
        whole = [name for name in found if not any(name != other and name in other for other in found)]
        state.entities = tuple(dict.fromkeys((*state.entities, *whole)))
        return state


@stage
class ExpandQuery:
    """Adds to the keyword query synonyms of its words, and the forms of the days it names (Mnemo, stage 1).

    A synonym counts `weight` of a word that the caller wrote, and at most `most` are added. Forms of days are
    searched whole: "3月5日" is not found by its characters. The query's vector is made of the query alone.
    """

    needs = ("terms",)
    gives = ("expansion",)
    weight: float = 0.5
    most: int = 24

    def __call__(self, state: Recalling, _runtime: Runtime) -> Recalling:
        state.days = tuple(dict.fromkeys(date_forms(state.query, state.now)))
        fresh = [term for term in synonyms(state.terms) if term not in state.terms][: self.most]
        state.expansion = state.details["expansion"] = dict.fromkeys(fresh, self.weight)
        return state


def _side_by_side(text: str, longest: int) -> list[str]:
    """Distinct runs of two to `longest` words, and of characters of an unspaced script, one longer, in order."""
    words = _WORD.findall(text)
    runs = [
        " ".join(words[at : at + size]) for size in range(2, longest + 1) for at in range(len(words) - size + 1)
    ]
    for word in words:
        if is_unspaced(word):
            runs += [word[at : at + size] for size in range(2, longest + 2) for at in range(len(word) - size + 1)]
    return list(dict.fromkeys(runs))


def date_forms(query: str, now: float) -> list[str]:
    """Every day that the query names, in the forms in which texts write days, as seen from `now` (UTC).

    "3月5日", "March 5", "2024/3/5", "前天" or "yesterday" all give X月Y日, m/d, YYYY-MM-DD, MM-DD and the month's
    name with the day. Months, weeks and vague times give none: they are not one day.
    """
    # The grammar's tables take 50 ms to build: a question without a date must not pay for them.
    if not dates.has_time_expression(query):
        return []
    found = dates.resolve(query, datetime.fromtimestamp(now, UTC))
    days = dict.fromkeys(each.start.date() for each in found if each.kind == "date" and each.explicit)
    return [form for day in days for form in forms_of(day)]


def forms_of(day: date) -> tuple[str, ...]:
    """A day as texts write it, the year in the ISO form alone."""
    month = f"{day.month}月{day.day}日", f"{day.month}/{day.day}"
    return (*month, day.isoformat(), f"{day:%m-%d}", f"{day:%B} {day.day}")


def synonyms(wanted: Sequence[str]) -> list[str]:
    """Terms of the words that mean the same as words among `wanted`, in order, by the language tables."""
    held = set(wanted)
    found: list[str] = []
    for term in wanted:
        for phrase, others in _groups().get(term, ()):
            if phrase <= held:
                found += others
    return [term for term in dict.fromkeys(found) if term not in held]


@from_tables
def _groups() -> dict[str, list[tuple[frozenset[str], list[str]]]]:
    """First term -> the phrases that begin with it, each with the terms of its synonyms (`claims.synonyms`)."""
    found: dict[str, list[tuple[frozenset[str], list[str]]]] = defaultdict(list)
    for table in word_lists().values():
        for group in table.claims.synonyms:
            phrases = [_phrase(text) for text in group]
            for place, phrase in enumerate(phrases):
                every = dict.fromkeys(term for each in phrases[:place] + phrases[place + 1 :] for term in each)
                others = [term for term in every if term not in phrase]
                if phrase and others:
                    found[phrase[0]].append((frozenset(phrase), others))
    return dict(found)


def _phrase(text: str) -> list[str]:
    """The terms of a word; in a script without spaces its pairs, since its single characters mean too much."""
    found = terms(text)
    return [term for term in found if len(term) > 1] or found if is_unspaced(text) else found


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
        state.vectorless_from = self.lacking
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
            state.vector, state.model = vector, embedder.name
            state.trust = embedder.knows(language(state.query))
            state.contextual = state.details["contextual"] = embedder.contextual
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
            state.moving = state.details["moving"] = f"{missing}, so {before.name} answers"
            return before
        if lacking <= self.most_lacking * asked:
            return own
        state.degraded.append(f"{KEYWORD_ONLY}{missing}")
        return None
