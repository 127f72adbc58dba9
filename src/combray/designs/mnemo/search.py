"""Mnemo's search: scopes, the reading of the query, and three paths (vector, BM25, graph) for the fusion."""

from __future__ import annotations

import math
import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, date, datetime, tzinfo

import numpy as np

from combray.forms.recalling import Recalling, aligned
from combray.language import dates
from combray.language.caches import from_tables
from combray.language.folding import is_unspaced
from combray.language.lexicon import word_lists
from combray.language.scopes import GLOBAL, is_scope, scopes_of
from combray.language.tokens import terms
from combray.pipeline import stage
from combray.recall.aliases import entity_arm
from combray.runtime import Arm, Filter, Found, KeywordArm, Ranked, Reader, Runtime, VectorArm
from combray.scoring.ranking import DECIMALS


def scoped(where: Filter) -> Filter:
    """Return the filter with its scope tags as scopes, and scope:global if it names none.

    Another tag opens no scope: a memory then needs one of the scopes and one of the other tags.
    """
    others = tuple(tag for tag in where.tags if not is_scope(tag))
    return replace(where, scopes=where.scopes or scopes_of(where.tags) or (GLOBAL,), tags=others)


@stage
class ReadScope:
    """Makes the scopes that a question names among its tags its scopes: every read of the recall obeys them.

    Without one it is asked of `scope:global`.
    """

    needs = ("query",)

    def __call__(self, state: Recalling, _runtime: Runtime) -> Recalling:
        state.where = scoped(state.where)
        return state


@stage
class FilterScope:
    """Drops candidates outside the scopes asked for, or outside any other filter (Mnemo, stage 8).

    A memory's scopes are its tags `scope:…`; one without any is global. A question names the scopes it wants
    among its tags, and a memory with one of them passes; without a scope it is asked of `scope:global`. The
    search paths obey the same filter before they fill their pools, so nothing is dropped here unless that is
    switched off. A namespace is never left, whatever the scope.
    """

    needs = ("score",)

    def __call__(self, state: Recalling, _runtime: Runtime) -> Recalling:
        if not len(state.keys):
            return state
        state.take(state.reader.eligible(state.keys, scoped(state.where)))
        if not len(state.keys):
            state.reason = "nothing that matches is in the scopes and has the tags asked for"
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

    def __call__(self, state: Recalling, runtime: Runtime) -> Recalling:
        state.words.days = tuple(dict.fromkeys(date_forms(state.query, state.now, runtime.zone)))
        fresh = [term for term in synonyms(state.terms) if term not in state.terms][: self.most]
        state.words.expansion = state.details["expansion"] = dict.fromkeys(fresh, self.weight)
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


def date_forms(query: str, now: float, zone: tzinfo = UTC) -> list[str]:
    """Every day that the query names, in the forms in which texts write days, as seen from `now` in `zone`.

    "3月5日", "March 5", "2024/3/5", "前天" or "yesterday" all give X月Y日, m/d, YYYY-MM-DD, MM-DD, the month's
    name with the day, and the first two with zeros. Months, weeks and vague times are no day and give none.
    """
    # The grammar's tables take 50 ms to build: a question without a date must not pay for them.
    if not dates.has_time_expression(query):
        return []
    found = dates.resolve(query, datetime.fromtimestamp(now, zone))
    days = dict.fromkeys(each.start.date() for each in found if each.kind == "date" and each.explicit)
    return [form for day in days for form in forms_of(day)]


def forms_of(day: date) -> tuple[str, ...]:
    """A day as texts write it, with zeros and without, the year in the ISO form alone."""
    month = f"{day.month}月{day.day}日", f"{day.month}/{day.day}"
    forms = (*month, day.isoformat(), f"{day:%m-%d}", f"{day:%B} {day.day}", f"{day:%m/%d}", f"{day:%m月%d日}")
    return tuple(dict.fromkeys(forms))


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


_WALKED = ("entity", "causal", "semantic")
"""Edges of the graph path. Temporal edges are not followed: they do not relate subjects."""


@stage
class SearchPaths:
    """Searches by vector, BM25 and graph, the best `pool` of each (Mnemo, stage 3). Each path works alone.

    BM25 runs over the query's words and their expansion; tags are filters, so `fields` omits them. Graph path: up
    to `named` memories that name an entity of the query score 0.65, up to `neighbours` with an edge from those
    0.45. Each gets 0.01 for every place before the last and min(0.15, 0.03 · ln(1 + edges met at it)). Memories
    that neither vectors nor words have found get round((1 - third best local score) · `graph_slots`) places.

    Names of known authors start no graph path. Every filter acts inside every path. `push_down` off leaves
    scopes, tags, sources and sessions to FilterScope; a scope then competes for the pool with all others.
    """

    needs = ("terms", "entities", "expansion")
    gives = ("found",)
    pool: int = 20
    minimum_cosine: float = 0.10
    fields: tuple[float, float, float, float] = (1.0, 1.0, 1.0, 0.0)
    k1: float = 1.2
    b: float = 0.75
    named: int = 10
    neighbours: int = 10
    graph_slots: int = 5
    named_score: float = 0.65
    neighbour_score: float = 0.45
    per_rank: float = 0.01
    per_degree: float = 0.03
    most_by_degree: float = 0.15
    most_forms: int = 24
    """Forms of days that are searched."""
    date_score: float = 0.5
    """Score of what names a day of the query, as an expansion of stage 1."""
    push_down: bool = True

    def __call__(self, state: Recalling, _runtime: Runtime) -> Recalling:
        where = scoped(state.where)
        if not self.push_down:
            where = replace(where, scopes=(), tags=(), sources=(), sessions=())
        found = state.reader.search(self._arms(state), where, max(self.pool, state.asked.limit))
        lists = {name: found.lists[name] for name in ("vector", "bm25") if name in found.lists}
        dated = self._dated(state, found)
        if len(dated.keys):
            lists["date"] = dated
        graph = self._graph(state.reader, found, where)
        if len(graph.keys):
            lists["graph"] = graph
        listed = [each.keys for each in lists.values()]
        keys = np.unique(np.concatenate(listed)) if listed else np.zeros(0, dtype=np.int64)
        scores = {name: aligned(keys, found.keys, found.scores[name]) for name in lists if name in found.scores}
        for name in ("graph", "date"):
            if name in lists:
                order = np.argsort(lists[name].keys)
                scores[name] = aligned(keys, lists[name].keys[order], lists[name].scores[order])
        state.found = Found(keys, lists, scores, found.eligible, found.vectorless)
        state.keys, state.signals = keys, dict(scores)
        return state

    def _arms(self, state: Recalling) -> dict[str, Arm]:
        arms: dict[str, Arm] = {}
        if state.embedded.vector is not None:
            arms["vector"] = VectorArm(state.embedded.vector, state.embedded.model, self.minimum_cosine)
        words = (*((term, 1.0) for term in state.terms), *state.words.expansion.items())
        if words:
            arms["bm25"] = KeywordArm(
                words, fields=self.fields, k1=self.k1, b=self.b, normalise=True, lends=state.names.lends
            )
        for place, form in enumerate(state.words.days[: self.most_forms]):
            every = tuple((term, 1.0) for term in terms(form))
            arms[f"day {place}"] = KeywordArm(every, mode="all", scoring="coverage", fields=(1.0, 0.0, 0.0, 0.0))
        # A speaker's name is linked to everything, so the graph starts from other entities.
        speakers = {name.casefold() for name in state.reader.profile().authors}
        topics = tuple(name for name in state.entities if name.casefold() not in speakers)
        # "Marta Klein" asks for nobody else called Marta.
        spelt = [f" {name.casefold()} " for name in topics]
        topics = tuple(
            name
            for name, own in zip(topics, spelt, strict=True)
            if not any(own in other and own != other for other in spelt)
        )
        meant = {name for group in state.names.named.values() for name in group} - speakers
        named = entity_arm(state, {name.casefold() for name in topics} | meant)
        if named is not None:
            arms["entity"] = named
        return arms

    def _dated(self, state: Recalling, found: Found) -> Ranked:
        """Memories that name one of the days, whole: "3月5日" is neither "5月3日" nor "13月5日"."""
        listed = [each.keys for name, each in found.lists.items() if name.startswith("day ")]
        keys = np.unique(np.concatenate(listed)) if listed else np.zeros(0, dtype=np.int64)
        if len(keys):
            written = re.compile(
                "|".join(rf"(?<!\d){re.escape(form)}(?!\d)" for form in state.words.days), re.IGNORECASE
            )
            named = [written.search(text) is not None for text in state.reader.contents(keys)]
            keys = keys[np.array(named, dtype=np.bool_)]
        return Ranked(keys, np.full(len(keys), self.date_score))

    def _graph(self, reader: Reader, found: Found, where: Filter) -> Ranked:
        """Memories that name an entity and what their edges lead to, best first, ties by key."""
        # The better of cosine and BM25 share of every candidate, in [0, 1].
        local = np.zeros(len(found.keys))
        for name in ("vector", "bm25"):
            local = np.maximum(local, found.scores.get(name, local))
        naming = found.scores.get("entity", np.zeros(len(found.keys)))
        places = np.flatnonzero(naming > 0)
        # Of many memories that name it: those with the best score of the other paths, then the newest.
        order = np.lexsort((-found.keys[places], -local[places], -naming[places]))
        named = [int(key) for key in found.keys[places[order]][: self.named]]
        if not named:
            return Ranked(np.zeros(0, dtype=np.int64), np.zeros(0))
        weights: dict[int, float] = {}
        degree = dict.fromkeys(named, 0)
        for link in reader.links(named, _WALKED):
            for here, there in ((link.source, link.target), (link.target, link.source)):
                if here in degree and there not in named:
                    weights[there] = max(weights.get(there, 0.0), link.weight)
            for end in (link.source, link.target):
                degree[end] = degree.get(end, 0) + 1
        around = np.array(sorted(weights), dtype=np.int64)
        allowed = around[reader.eligible(around, where)].tolist()
        reached = sorted(allowed, key=lambda key: (-weights[key], key))[: self.neighbours]
        scores = self._scores(named, self.named_score, degree, self.named)
        scores |= self._scores(reached, self.neighbour_score, degree, self.neighbours)
        ranked = sorted(scores, key=lambda key: (-scores[key], key))
        known = {int(key) for name in ("vector", "bm25") if name in found.lists for key in found.lists[name].keys}
        third = float(np.sort(local)[-3]) if len(local) >= 3 else 0.0
        slots = round((1.0 - min(third, 1.0)) * self.graph_slots)
        alone = [key for key in ranked if key not in known][:slots]
        kept = [key for key in ranked if key in known or key in alone]
        return Ranked(np.array(kept, dtype=np.int64), np.array([scores[key] for key in kept]))

    def _scores(self, keys: list[int], basis: float, degree: dict[int, int], most: int) -> dict[int, float]:
        return {
            key: round(
                basis
                + self.per_rank * (most - rank - 1)
                + min(self.most_by_degree, self.per_degree * math.log1p(degree.get(key, 0))),
                DECIMALS,
            )
            for rank, key in enumerate(keys)
        }
