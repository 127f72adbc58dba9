"""Search by named arms that the store runs in one call, by keywords only, and by substring.

The arms with context expansion and their weights are shared by all presets (`context_arm`).
"""

from __future__ import annotations

from calendar import monthrange
from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

import numpy as np

from combray.forms.recalling import Part, Recalling
from combray.language import dates
from combray.language.dates.statements import is_ahead
from combray.pipeline import stage
from combray.recall.score import sort
from combray.runtime import (
    Arm,
    Filter,
    Found,
    KeywordArm,
    MomentArm,
    Ranked,
    Runtime,
    Scores,
    VectorArm,
)
from combray.scoring.ranking import DECIMALS, ranked
from combray.types import LIVE_STATUSES
from combray.values import at_seconds
from combray.where import And, Compare, Not, joined

if TYPE_CHECKING:
    from combray.language.dates import TimeExpression

MET = "met"
"""Name of the arm that `met_arm` makes."""

FIELDS = (1.0, 1.0, 0.0, 0.3)
"""Weights of the index fields: content, context, author and date, entities and tags.

Authors count nothing: the questions are read without the names of authors (`ReadQuestion`)."""
BEFORE = (0.5, 0.3, 0.2, 0.1, 0.1, 0.1)
"""Weights of the turns before a turn, the adjacent one first. A flat optimum (bench/results/quality.md)."""
AFTER = (0.3, 0.2, 0.1, 0.1, 0.1, 0.1)
"""Weights of the turns after it."""


def context_arm(
    terms: Iterable[str], *, normalise: bool = False, lends: tuple[tuple[str, tuple[str, ...], float], ...] = ()
) -> KeywordArm:
    """BM25F over a turn and, at lower weight, the turns around it in its session.

    A memory without a session has no neighbours, and its score is plain BM25F.
    """
    weighted = tuple((term, 1.0) for term in terms)
    return KeywordArm(weighted, fields=FIELDS, before=BEFORE, after=AFTER, normalise=normalise, lends=lends)


def met_arm(terms: Iterable[str], lends: tuple[tuple[str, tuple[str, ...], float], ...] = ()) -> KeywordArm:
    """Share of the terms that a memory holds, weighted by idf: with k1 = 0 a word counts once."""
    return KeywordArm(tuple((term, 1.0) for term in terms), k1=0.0, normalise=True, lends=lends)


_DAY = 86_400.0
_OF_PARTS = {"context", "own", "window"}
_MOSTLY = 0.5
"""Share of turns of conversations from which a store holds talk more than notes."""
_PART = "/"
"""Between the name of an arm and the number of the part that it searches for."""


@stage
class SearchContext:
    """Searches by words with context expansion, by cosine with and without neighbouring turns, and by date.

    A memory's evidence is that of the query's best part: all of it, or a passage of a long query (`SplitQuery`).
    Keyword scores are a share of a perfect match of the part's `strongest` terms. Cosines are a share of the way
    from unrelated text (0) to equal text (1).

    Weights of the turns around a turn, k1 and b: flat optima (bench/results/quality.md).
    """

    needs = ("terms", "parts")
    gives = ("found", "candidates")
    pool: int = 200
    of_author: int = 20
    """Latest notes of the author who is asked about that are candidates, whatever they say."""
    strongest: int = 8
    before: tuple[float, ...] = BEFORE
    after: tuple[float, ...] = AFTER
    vector_before: tuple[float, ...] = (0.5, 0.3)
    vector_after: tuple[float, ...] = (0.3, 0.2)
    fields: tuple[float, float, float, float] = FIELDS
    shape_words: int = 40
    question_boost: float = 1.5
    k1: float = 1.2
    b: float = 0.75
    same_day: float = 1.0
    """Score of a memory of the day, or within the period, that the query names."""
    days_after: float = 0.6
    """Score of a memory of the `after_days` days after that day: people tell afterwards."""
    after_days: int = 10
    same_month: float = 0.4
    """Score of a memory of the rest of that month."""

    def __call__(self, state: Recalling, runtime: Runtime) -> Recalling:
        arms: dict[str, Arm] = {}
        if state.terms:
            terms = tuple((term, 1.0) for term in state.terms)
            arms["held"] = KeywordArm(
                terms, scoring="coverage", fields=self.fields, listed=False, lends=state.names.lends
            )
            if state.embedded.vector is None or runtime.words is None:
                arms[MET] = replace(met_arm(state.terms, state.names.lends), listed=False)
        for place, part in enumerate(state.parts):
            arms |= {f"{name}{_PART}{place}": arm for name, arm in self._arms(part, state).items()}
        arms |= state.names.arms
        # The grammar's tables take 50 ms to build: a question without a date must not pay for them.
        if dates.has_time_expression(state.query):
            now = runtime.local(state.now)
            # Vague dates and open ranges name no day.
            named = [each for each in dates.resolve(state.query, now) if each.explicit and each.kind != "open"]
            if named:
                state.times.past |= self._lie_behind(state.query, named, now)
                arms["date"] = MomentArm(self._windows(named), minimum=self.days_after)
        found = state.reader.search(arms, self._where(state), self.pool)
        state.found = self._with_authors(_best_of_parts(found, state.parts, self.pool), state)
        state.keys = state.found.keys
        return state

    def _with_authors(self, found: Found, state: Recalling) -> Found:
        """Add the latest notes of the author who is asked about, which may share no word with the question.

        "What does Priya do for a living?" is answered by her "I'm head of chemistry at St Aldhelm's".
        """
        subject = None if state.question is None else state.question.subject
        profile = state.reader.profile()
        if subject is None or subject not in profile.authors or profile.with_session >= _MOSTLY:
            return found
        where = replace(self._where(state), authors=(subject,))
        keys = state.reader.scan(where, newest_first=True, limit=self.of_author)
        added = np.setdiff1d(keys, found.keys)
        every = np.concatenate([found.keys, added])
        order = np.argsort(every)
        every, nothing = every[order], np.zeros(len(added))
        scores = {name: np.concatenate([each, nothing])[order] for name, each in found.scores.items()}
        shares = np.zeros(len(every), dtype=np.bool_)
        for each in scores.values():
            shares |= each > 0
        state.via.update(dict.fromkeys(every[np.isin(every, keys) & ~shares].tolist(), "author"))
        return replace(found, keys=every, scores=scores)

    def _arms(self, part: Part, state: Recalling) -> dict[str, Arm]:
        arms: dict[str, Arm] = {}
        if part.terms:
            arms["context"] = KeywordArm(
                tuple((term, 1.0) for term in part.terms),
                fields=self.fields,
                before=self.before,
                after=self.after,
                k1=self.k1,
                b=self.b,
                shape_words=self.shape_words,
                question_boost=self.question_boost,
                normalise=True,
                lends=tuple(each for each in state.names.lends if each[0] in part.terms),
                strongest=self.strongest,
            )
        if part.vector is not None and state.embedded.trust > 0:
            arms["own"] = VectorArm(part.vector, state.embedded.model)
            arms["window"] = VectorArm(
                part.vector,
                state.embedded.model,
                before=self.vector_before,
                after=self.vector_after,
                shape_words=self.shape_words,
                question_boost=self.question_boost,
            )
        return arms

    @staticmethod
    def _where(state: Recalling) -> Filter:
        """The filter, and outdated memories too: they lead to what replaced them (`FollowRevisions`).

        With `as_of` these are what was outdated by then, of what was known then.
        """
        where = state.where
        if where.statuses != LIVE_STATUSES:
            return where
        outdated = (*LIVE_STATUSES, "superseded", "merged")
        if where.as_of is None:
            return replace(where, statuses=outdated)
        then = (at_seconds(where.as_of),)
        known = And((Compare("recorded_at", "lte", "time", then), Not(Compare("valid_from", "gt", "time", then))))
        return replace(where, statuses=outdated, as_of=None, condition=joined(where.condition, known))

    @staticmethod
    def _lie_behind(query: str, named: Sequence[TimeExpression], now: datetime) -> bool:
        """Return whether a question asks how things were: each date that it names is over, and is no other day.

        "On a Sunday" is last Sunday and the next one: then the verb decides.
        """
        ahead = {each.span: each.start for each in dates.resolve(query, now, forward=True)}
        return all(
            each.end <= now
            and (ahead.get(each.span, each.start) == each.start or is_ahead(query, each.span) is False)
            for each in named
        )

    def _windows(self, named: Sequence[TimeExpression]) -> tuple[tuple[float, float, float], ...]:
        """Return (since, until, score) for every date that the query names."""
        windows: list[tuple[float, float, float]] = []
        for found in named:
            since, until = found.start.timestamp(), found.end.timestamp()
            windows.append((since, until, self.same_day))
            # By the calendar: a day may have 23 or 25 hours.
            if found.end - found.start <= timedelta(days=1):
                windows.append((until, until + self.after_days * _DAY, self.days_after))
                month = found.start.replace(day=1, hour=0, minute=0, second=0, microsecond=0)
                following = month + timedelta(days=monthrange(month.year, month.month)[1])
                windows.append((month.timestamp(), following.timestamp(), self.same_month))
        return tuple(windows)


def _best_of_parts(found: Found, parts: Sequence[Part], pool: int) -> Found:
    """Return one list and one column for each arm: the scores of every memory's best part."""
    scores: dict[str, Scores] = {}
    lists: dict[str, Ranked] = {}
    for full, values in found.scores.items():
        name, _, place = full.partition(_PART)
        if name not in _OF_PARTS:
            name = full
        elif name != "context":
            unrelated = parts[int(place)].unrelated
            values = np.round(np.maximum(values - unrelated, 0.0) / (1.0 - unrelated), DECIMALS)
        scores[name] = np.maximum(scores[name], values) if name in scores else values
        if full in found.lists:
            lists[name] = found.lists[full]
    if len(parts) > 1:
        for name in lists.keys() & _OF_PARTS:
            lists[name] = ranked(found.keys, scores[name], pool)
    return replace(found, scores=scores, lists=lists)


@stage
class SearchKeywords:
    """Scores by the share of the query's words that a memory holds; BM25F orders equals."""

    needs = ("terms",)
    gives = ("found", "score")
    pool: int = 200

    def __call__(self, state: Recalling, _runtime: Runtime) -> Recalling:
        terms = tuple((term, 1.0) for term in state.terms)
        if not terms:
            return state
        arms = {"keyword": KeywordArm(terms, scoring="coverage"), "bm25": KeywordArm(terms, normalise=True)}
        state.found = state.reader.search(arms, state.where, max(self.pool, state.asked.limit))
        state.keys = state.found.keys
        state.signals = dict(state.found.scores)
        # BM25 weighs less than one word's share: it orders equals and never outweighs a word.
        share = 1.0 / (len(terms) + 1)
        state.scores = np.round(
            (1.0 - share) * state.signals["keyword"] + share * state.signals["bm25"], DECIMALS
        )
        state.via = dict.fromkeys((int(key) for key in state.keys), "keyword")
        if len(state.keys):
            state.reason = "keywords only"
        sort(state)
        return state


@stage
class SearchSubstring:
    """Finds memories whose text contains the query, ignoring letter case."""

    needs = ("query",)
    gives = ("top", "score")

    def __call__(self, state: Recalling, _runtime: Runtime) -> Recalling:
        wanted = state.query.casefold().strip()
        keys = state.reader.scan(state.where, newest_first=True)
        found: list[int] = []
        for start in range(0, len(keys), 500):
            some = keys[start : start + 500]
            texts = state.reader.contents(some)
            found += [int(key) for key, text in zip(some, texts, strict=True) if wanted in text.casefold()]
            if len(found) >= state.asked.limit:
                break
        state.keys = np.array(found[: state.asked.limit], dtype=np.int64)
        state.scores = np.ones(len(state.keys))
        state.signals = {"substring": np.ones(len(state.keys))}
        state.via = dict.fromkeys(found, "substring")
        state.reason = "substring search" if found else f"no memory holds {state.query!r}"
        return state
