"""Later statements behind older ones: open `may_revise` edges, weighed for the question.

How a statement stands to the present counts: plans and whether their day has come, the past, rumours (`Times`).
Measurements: bench/results/truth.md; reasons: docs/explanation/current-facts.md.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence, Set
from typing import TYPE_CHECKING, NamedTuple

import msgspec
import numpy as np
from numpy.typing import NDArray

from combray.facts.ranker import showing
from combray.facts.successors import CALLER, open_revisions
from combray.forms.recalling import Recalling
from combray.language.tense import TENSE_BITS
from combray.pipeline import stage
from combray.runtime import Link, Rows, Runtime

if TYPE_CHECKING:
    from combray.language.revisions import WordSets


DOUBTED_FROM, ONE_SENTENCE_FROM = 0.7, 0.5
"""Probability of mattering to the question from which a later memory marks a hit as perhaps outdated; the second
for one sentence with another value in its end ("Standup is at 9:30", "Standup is at 10:00") and for its denial.
Nine in ten marks are right; by the edge's own probability no bound reaches that (bench/results/truth.md)."""
_TINY = 1e-6


_HEDGES = sum(TENSE_BITS.values())


def planned(rows: Rows) -> NDArray[np.bool_]:
    """Return which texts are plans: their words say so, or they hold from a moment after they were stated.

    "He stays in the flat until next year" holds until then.
    """
    lasts = np.isnan(rows.valid_from) & (rows.valid_to > rows.moment)
    return (((rows.cues & TENSE_BITS["planned"]) > 0) & ~lasts) | (rows.valid_from > rows.moment)


def hedged(rows: Rows, now: float) -> NDArray[np.bool_]:
    """Return which texts do not say how things are at `now` (unix seconds).

    That is: past, planned, hypothetical, quoted, asked, or no longer valid. A plan whose date has come does.
    """
    plans, past = planned(rows), (rows.cues & TENSE_BITS["past"]) > 0
    said = (rows.cues & (_HEDGES - TENSE_BITS["planned"] - TENSE_BITS["past"])) > 0
    # "Fixed until 2029", said in 2025, holds.
    said |= plans | (rows.valid_from > now) | (past & ~(rows.valid_to > rows.moment))
    due = plans & (rows.valid_from <= now)
    return (said & ~due) | (rows.valid_to <= now)


class Times(NamedTuple):
    """How statements stand to the present, by key."""

    told: frozenset[int]
    """Those that say how things are."""
    due: frozenset[int]
    """Plans among them: their day has come."""
    plans: frozenset[int]
    dated: frozenset[int]
    """Those that hold a time expression."""
    since: Mapping[int, float]
    """From when a statement holds: the day of a plan that came due, else when it was stated. Unix seconds."""


def times_of(state: Recalling, keys: Iterable[int]) -> Times:
    """Read how these memories stand to the present."""
    known = np.array(sorted(set(keys)), dtype=np.int64)
    rows = state.reader.rows(known)
    told, plans = ~hedged(rows, state.present), planned(rows)
    due = told & plans & (rows.valid_from <= state.present)
    return Times(
        told=frozenset(known[told].tolist()),
        due=frozenset(known[due].tolist()),
        plans=frozenset(known[plans].tolist()),
        dated=frozenset(known[rows.times].tolist()),
        since=dict(zip(known.tolist(), np.where(due, rows.valid_from, rows.moment).tolist(), strict=True)),
    )


@stage
class ShowLater:
    """Puts the later memory that may revise a hit directly behind it, even if the two share no word.

    Reads the open `may_revise` edges of the first `depth` hits. An edge counts if its probability of mattering to
    this question (`chance`) is at least `shown_from`, or if a caller left the pair open. A later memory of less
    probability than `place_from` takes none of the first `kept` places from what the question finds: it stands
    behind them. Of several later memories of one hit the last may replace the others too.

    The order makes no claim: `Assemble` marks a hit as perhaps outdated from `DOUBTED_FROM` on, and where a
    caller left the pair open. Only a plan whose date has come stands before the hit that it revises; one that is
    not due is shown only for a hit that holds a time itself, as another date of the same event. Nothing moves for
    a question about the past. Texts of more than `longest` words say many things and stay where they are.
    """

    needs = ("sorted", "question")
    shown_from: float = 0.085
    place_from: float = 0.15
    kept: int = 3
    depth: int = 10
    longest: int = 60

    def __call__(self, state: Recalling, _runtime: Runtime) -> Recalling:
        if not len(state.keys):
            return state
        state.edges.revisions = []
        if state.question is not None and state.question.asks_past:
            return state
        hits = state.keys[: min(self.depth, state.asked.limit)].tolist()
        links = self._short(state, open_revisions(state, hits, 0.0))
        if not links:
            return state
        # What is pulled in may be outdated in its turn.
        links += self._short(state, open_revisions(state, sorted({each.source for each in links} - {*hits}), 0.0))
        times = times_of(state, {key for each in links for key in (each.source, each.target)})
        found = self._that_matter([each for each in links if tells(each, times)], state, times)
        state.edges.revisions = _doubted([*found, *siblings(found, times)], state)
        if state.edges.revisions and not state.times.past:
            self._place(state, state.edges.revisions, times.due)
        return state

    def _short(self, state: Recalling, links: Sequence[Link]) -> list[Link]:
        """Return the edges between texts of at most `longest` words, and those that a caller left open."""
        keys = np.array(sorted({key for each in links for key in (each.source, each.target)}), dtype=np.int64)
        short = set(keys[state.reader.rows(keys).words <= self.longest].tolist()) if len(keys) else set()
        return [each for each in links if {each.source, each.target} <= short or each.created_by == CALLER]

    def _that_matter(self, links: Sequence[Link], state: Recalling, times: Times) -> list[Link]:
        """Return the edges that matter to this question, each with that probability as its weight."""
        found = [
            msgspec.structs.replace(link, weight=chance(row))
            for link, row in zip(links, evidence(state, links, times), strict=True)
        ]
        return [each for each in found if each.weight >= self.shown_from or each.created_by == CALLER]

    def _place(self, state: Recalling, links: Sequence[Link], due: Set[int]) -> None:
        """Arrange the candidates: at each hit the plan that came due, and the most probable later memory."""
        before: dict[int, int] = {}
        behind: dict[int, int] = {}
        sure: dict[tuple[int, int], float] = {}
        for link in sorted(links, key=lambda each: (-each.weight, each.source)):
            leads = link.source in due and link.weight >= self.place_from
            (before if leads else behind).setdefault(link.target, link.source)
            sure.setdefault((link.target, link.source), link.weight)
        scores = dict(zip(state.keys.tolist(), state.scores.tolist(), strict=True))
        order = list(state.keys.tolist())
        place, seen = 0, set[int]()
        while place < len(order):
            old = order[place]
            if old in behind and behind[old] not in order[:place]:
                later, behind_it = behind[old], place + 1
                if sure[old, later] < self.place_from:
                    found_at = order.index(later) if later in order else len(order)
                    behind_it = max(behind_it, min(found_at, self.kept))
                _move(later, behind_it, order)
                # A score never rises down the list.
                scores[later] = min(scores[old], scores[order[order.index(later) - 1]])
                state.via.setdefault(later, "revision")
            plan = before.get(old)
            if plan is not None and plan not in order[:place] and old not in seen:
                _move(plan, place, order)
                scores[plan] = scores[old]
                state.via.setdefault(plan, "revision")
                # What may revise the plan stands behind it.
                seen.add(old)
                continue
            place += 1
        state.arrange(np.array(order, dtype=np.int64), np.array([scores[key] for key in order]))


def _move(key: int, place: int, order: list[int]) -> None:
    if key in order:
        order.remove(key)
    order.insert(place, key)


def chance(row: Mapping[str, float]) -> float:
    """Return the probability, 0-1, that an edge with this evidence matters to the question.

    A logistic regression; the weights come with the ranker's (`python -m bench.truth.showing`).
    """
    weights = showing()
    z = weights["bias"] + sum([weights[name] * value for name, value in row.items()])
    return round(1.0 / (1.0 + math.exp(-z)), 6)


def evidence(state: Recalling, links: Sequence[Link], times: Times) -> list[dict[str, float]]:
    """Return what speaks for each edge to a hit, by the name of its weight.

    edge: the log-odds of the edge; rival: the log of its share of the hit's best edge; first: the hit is the
    first; share, own: shares of the hit and of the later memory of the first score, where what is pulled in has
    that of the hit it is shown for; found: the question finds the later memory as well; ahead: before the hit;
    due: it is a plan whose day has come.
    """
    best = max(float(state.scores[0]), _TINY)
    shares = dict(zip(state.keys.tolist(), (state.scores / best).tolist(), strict=True))
    pulled: dict[int, float] = {}
    most: dict[int, float] = {}
    for each in links:
        most[each.target] = max(each.weight, most.get(each.target, _TINY))
        pulled[each.source] = max(shares.get(each.target, 0.0), pulled.get(each.source, 0.0))
    rows = []
    for each in links:
        p = min(max(each.weight, _TINY), 1.0 - _TINY)
        share = shares.get(each.target, pulled.get(each.target, 0.0))
        own = shares.get(each.source, 0.0)
        rows.append(
            {
                "edge": math.log(p / (1.0 - p)),
                "first": float(each.target == state.keys[0]),
                "share": share,
                "own": own,
                "found": float(each.source in shares),
                "ahead": float(own > share),
                "rival": math.log(p / most[each.target]),
                "due": float(each.source in times.due),
            }
        )
    return rows


def tells(link: Link, times: Times) -> bool:
    """Return whether the later text of an edge says how things are: of an event, also which day it is put to."""
    moves_a_day = link.source in times.plans and link.target in times.dated
    return link.source in times.told or moves_a_day


def _doubted(links: Sequence[Link], state: Recalling) -> list[Link]:
    """Return the edges, those that earn a mark with at least the probability for one, the others with less."""
    near = [each for each in links if each.weight >= ONE_SENTENCE_FROM and each.created_by != CALLER]
    if not near:
        return list(links)
    # What compares texts is loaded for the few questions that have something to doubt.
    from combray.language.restatements import takes_back
    from combray.language.revisions import another_value, said

    keys = sorted({key for each in near for key in (each.source, each.target)})
    contents = dict(zip(keys, state.contents(keys), strict=True))
    texts = {key: said(text) for key, text in contents.items()}
    asked = said(state.query)
    marked = {}
    for each in near:
        new, old = texts[each.source], texts[each.target]
        one_sentence = another_value(new, old) or takes_back(contents[each.target], contents[each.source])
        earned = each.weight >= DOUBTED_FROM or one_sentence
        marked[each] = earned and not of_two_things(asked, new, old)
    below = round(DOUBTED_FROM - _TINY, 6)
    return [
        msgspec.structs.replace(
            each, weight=max(each.weight, DOUBTED_FROM) if marked[each] else min(each.weight, below)
        )
        if each in marked
        else each
        for each in links
    ]


def of_two_things(asked: WordSets, new: WordSets, old: WordSets) -> bool:
    """Return whether a question identifies the earlier statement by what the later one exchanges or lacks.

    "Where is locker 7?" is answered by "Locker 7 is by the door", whatever is said of locker 8; so is a question
    about the Lyon branch, or the upper floor. The later text holds another number or name, or the two share at
    least half of the words of the longer one: it is the same sentence about something else.
    """
    lacking = (asked.terms & old.terms) - new.terms
    marks = (asked.numbers | asked.names) & (old.numbers | old.names) - (new.numbers | new.names)
    if not lacking and not marks:
        return False
    others = (new.numbers | new.names) - (old.numbers | old.names)
    alike = 2 * len(old.terms & new.terms) >= max(len(old.terms), len(new.terms))
    return alike or bool(marks and others)


def siblings(links: Sequence[Link], times: Times) -> list[Link]:
    """Return edges from the last of several later memories of one hit to the others of them."""
    groups: dict[int, list[Link]] = defaultdict(list)
    for each in links:
        groups[each.target].append(each)
    known = {(each.source, each.target) for each in links}
    found: dict[tuple[int, int], Link] = {}
    for group in groups.values():
        last = max(group, key=lambda each: (times.since[each.source], each.source))
        for each in group:
            pair = last.source, each.source
            if pair not in known and times.since[each.source] < times.since[last.source]:
                weight = min(each.weight, last.weight)
                if pair not in found or found[pair].weight < weight:
                    found[pair] = msgspec.structs.replace(last, target=each.source, weight=weight)
    return list(found.values())
