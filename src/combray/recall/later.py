"""Later statements behind older ones: open `may_revise` edges, weighed for the question.

Measurements: bench/results/truth.md; reasons: docs/explanation/current-facts.md.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence, Set
from typing import TYPE_CHECKING

import msgspec
import numpy as np

from combray.language.entities import share_a_name
from combray.language.named_days import first_ahead, lies_behind
from combray.language.tense import LEAD
from combray.pipeline import stage
from combray.recall.open_pairs import CALLER, open_revisions
from combray.recall.put_off import on_the_new_day, outright, put_off
from combray.recall.state import Recalling
from combray.recall.times import Times, times_of
from combray.runtime import Link, Runtime

if TYPE_CHECKING:
    from combray.language.revisions import WordSets

DOUBTED_FROM = 0.5
"""Probability of mattering to the question from which a later memory marks a hit as perhaps outdated. Of such
marks four in five are right; by the edge's own probability no bound reaches that (bench/results/truth.md)."""
_TINY = 1e-6


@stage
class ShowLater:
    """Puts the later memory that may revise a hit directly behind it, even if the two share no word.

    Reads the open `may_revise` edges of the first hits, and of what these edges pull in. An edge counts if its
    probability of mattering to this question is at least `shown_from`: 1 / (1 + exp(-z)), z = bias + edge ·
    ln(p / (1 - p)) + first + share · s + own · o + found + ahead + rival · ln(p / best), where p is the own
    probability and best the highest of the hit's edges; `first` counts for the first hit alone, `found` if the
    question finds the later memory as well, `ahead` if it finds it before the hit; s and o are the shares of the
    hit and of the later memory of the first score. Source of the weights: `python -m bench.truth.showing`.
    A later memory of less probability than `place_from` takes none of the first `kept` places from what the
    question finds: it stands behind them.

    The order makes no claim. `Assemble` marks a hit as perhaps outdated from `DOUBTED_FROM` on, and where a
    caller left the pair open.

    A plan whose date has come stands before the hit that it revises; one that is not due is shown only for a hit
    that holds a time itself, as another date of the same event. A text that puts a plan off, or drops it, stands
    before it (`put_off`). Of several later memories of one hit the last may replace the others too. Nothing moves
    for a question about the past. Texts of more than `longest` words say many things and stay where they are.
    """

    needs = ("sorted", "question")
    shown_from: float = 0.085
    bias: float = -6.0
    edge: float = 0.5
    first: float = 0.93
    share: float = 4.07
    own: float = 2.32
    found: float = -1.2
    ahead: float = 0.36
    rival: float = 0.53
    due: float = 1.56
    sure_from: float = 0.35
    """Probability of an edge that counts for every question."""
    due_from: float = 0.02
    """Probability of an edge from a plan whose date has come that counts for every question it answers."""
    announced_from: float = 0.1
    """Probability of an edge from a text whose words do not make it a plan but name a day that has come since."""
    place_from: float = 0.15
    """Probability of mattering from which a later memory stands among the first `kept` places."""
    kept: int = 3
    """Places that a later memory of less probability does not take from what the question finds."""
    depth: int = 10
    """Hits whose edges are read, at most."""
    longest: int = 60

    def __call__(self, state: Recalling, runtime: Runtime) -> Recalling:
        if not len(state.keys):
            return state
        if state.question is not None and state.question.asks_past:
            state.revisions = []
            return state
        head = state.keys[: min(self.depth, state.limit)].tolist()
        links = self._short(state, open_revisions(state, head, 0.0))
        if not links:
            state.revisions = []
            return state
        known = set(head)
        links += self._short(state, open_revisions(state, sorted({each.source for each in links} - known), 0.0))
        times = times_of(state, known.union(*((each.source, each.target) for each in links)))
        times = self._with_days_that_came(state, links, times, runtime)
        slips = put_off(state, links, times)
        off = {each.target for each in slips}
        # What was put off changes nothing on its old day, and is marked itself.
        telling = [each for each in links if each.source not in off and tells(each, times)]
        telling += on_the_new_day(links, slips, times)
        found = _without_plans_behind(state, self._that_matter(telling, state, known, times), times, runtime)
        found = _with_slips(found, [each for each in slips if each.target in known])
        state.revisions = _doubted_less([*found, *siblings(found, times)], state)
        if state.revisions and not state.asks_past:
            leads = {(each.source, each.target) for each in found if self._leads(each, state, times)}
            self._place(state, state.revisions, leads, outright(state, telling, slips, times))
        return state

    def _short(self, state: Recalling, links: Sequence[Link]) -> list[Link]:
        """Return the edges between texts of at most `longest` words, and those that a caller left open."""
        keys = np.array(sorted({key for each in links for key in (each.source, each.target)}), dtype=np.int64)
        short = set(keys[state.reader.rows(keys).words <= self.longest].tolist()) if len(keys) else set()
        return [each for each in links if {each.source, each.target} <= short or each.created_by == CALLER]

    def _with_days_that_came(
        self, state: Recalling, links: Sequence[Link], times: Times, runtime: Runtime
    ) -> Times:
        """Count as plans that came due what named a day ahead when it was said, and that day has come.

        `language.validity` knows a plan by its words alone, and dates six in ten that a new author writes. Here
        the text may change an earlier memory: "The railway takes him on 4 August" is as good as a plan.
        """
        most = {each.source: each.weight for each in sorted(links, key=lambda each: each.weight)}
        told = (times.told - times.due - times.plans) & times.dated
        keys = sorted(key for key in told if most.get(key, 0.0) >= self.announced_from)
        days = {}
        for key, text in zip(keys, state.contents(keys) if keys else (), strict=True):
            said_at = runtime.local(times.moment[key])
            day = first_ahead(text[:LEAD], said_at)
            if day is not None and day.timestamp() <= state.present:
                days[key] = day.timestamp()
        return times._replace(due=times.due | days.keys(), since={**times.since, **days})

    def weigh(self, evidence: Mapping[str, float]) -> float:
        """Return the probability that an edge with this evidence matters to the question."""
        z = self.bias + sum([getattr(self, name) * value for name, value in evidence.items()])
        return round(1.0 / (1.0 + math.exp(-z)), 6)

    def _that_matter(self, links: Sequence[Link], state: Recalling, hits: set[int], times: Times) -> list[Link]:
        """Return the edges that matter to this question, each with that probability as its weight."""
        evidence = EdgeEvidence(state, links, times)
        found: list[Link] = []
        pulled: dict[int, float] = {}
        for of_hits in (True, False):
            for each in links:
                if (each.target in hits) is not of_hits or not (of_hits or each.target in pulled):
                    continue
                # What is pulled in stands as high as the hit that it is shown for.
                share = evidence.shares[each.target] if of_hits else pulled[each.target]
                chance = self.weigh(evidence.of(each, share))
                weighed = msgspec.structs.replace(each, weight=chance)
                is_due = each.weight >= self.due_from and self._leads(weighed, state, times)
                sure = each.weight >= self.sure_from or each.created_by == CALLER
                if chance >= self.shown_from or sure or is_due:
                    found.append(weighed)
                    if of_hits and each.source not in hits:
                        pulled[each.source] = max(share, pulled.get(each.source, 0.0))
        return found

    def _leads(self, link: Link, state: Recalling, times: Times) -> bool:
        """Return whether the later memory of a weighed edge is a plan that came due for this question.

        It does if the edge is probable, or if the question finds the plan and both memories hold a name: "Biscuit
        moves in with us on 21 April" is about the dog that the question finds.
        """
        if link.source not in times.due:
            return False
        if link.weight >= self.place_from:
            return True
        return link.source in state.keys and share_a_name(*state.contents([link.source, link.target]))

    def _place(
        self, state: Recalling, links: Sequence[Link], leads: Set[tuple[int, int]], off: Set[tuple[int, int]]
    ) -> None:
        """Arrange the candidates: at each hit the plan that came due, and the most probable later memory.

        What says that a plan is `off` stands before it, whatever another plan would change.
        """
        before: dict[int, int] = {}
        behind: dict[int, int] = {}
        sure: dict[tuple[int, int], float] = {}
        leads = leads | off
        for link in sorted(
            links, key=lambda each: ((each.source, each.target) not in off, -each.weight, each.source)
        ):
            (before if (link.source, link.target) in leads else behind).setdefault(link.target, link.source)
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


class EdgeEvidence:
    """What speaks for an edge, by the name of its weight in `ShowLater`."""

    def __init__(self, state: Recalling, links: Sequence[Link], times: Times) -> None:
        best = max(float(state.scores[0]), _TINY)
        self.shares = dict(zip(state.keys.tolist(), (state.scores / best).tolist(), strict=True))
        """The share of each candidate of the first score."""
        self.first = int(state.keys[0])
        self._most: dict[int, float] = {}
        for each in links:
            self._most[each.target] = max(each.weight, self._most.get(each.target, _TINY))
        self._due = times.due

    def of(self, link: Link, share: float) -> dict[str, float]:
        """Return the evidence for an edge to a memory with this share of the first score."""
        p = min(max(link.weight, _TINY), 1.0 - _TINY)
        own = self.shares.get(link.source, 0.0)
        return {
            "edge": math.log(p / (1.0 - p)),
            "first": float(link.target == self.first),
            "share": share,
            "own": own,
            "found": float(link.source in self.shares),
            "ahead": float(own > share),
            "rival": math.log(p / self._most[link.target]),
            "due": float(link.source in self._due),
        }


def tells(link: Link, times: Times) -> bool:
    """Return whether the later text of an edge says how things are: of an event, also which day it is put to."""
    moves_a_day = link.source in times.plans and link.target in times.dated
    return link.source in times.told or moves_a_day


def _without_plans_behind(state: Recalling, links: Sequence[Link], times: Times, runtime: Runtime) -> list[Link]:
    """Drop the edges from a plan that is not due to a text whose time lies behind: "I moved last week"."""
    ahead = [each for each in links if each.source not in times.told and each.target not in times.plans]
    olds = sorted({each.target for each in ahead})
    said = (runtime.local(times.moment[key]) for key in olds)
    past = {key for key, at, text in zip(olds, said, state.contents(olds), strict=True) if lies_behind(text, at)}
    return [each for each in links if each.target not in past or each.source in times.told]


def _with_slips(links: Sequence[Link], slips: Sequence[Link]) -> list[Link]:
    """Add the edges of what puts a plan off: of all that is later than the plan, it is shown first."""
    pairs = {(each.source, each.target) for each in slips}
    most = {each.target: each.weight for each in sorted(links, key=lambda each: each.weight)}
    firm = [
        msgspec.structs.replace(each, weight=max(each.weight, round(most.get(each.target, 0.0) + _TINY, 6)))
        for each in slips
    ]
    return [each for each in links if (each.source, each.target) not in pairs] + firm


def _doubted_less(links: Sequence[Link], state: Recalling) -> list[Link]:
    """Return the edges, those between statements about two things with too little probability for a mark."""
    doubted = [each for each in links if each.weight >= DOUBTED_FROM and each.created_by != CALLER]
    if not doubted:
        return list(links)
    # What compares texts is loaded for the few questions that have something to doubt.
    from combray.language.revisions import said

    keys = sorted({key for each in doubted for key in (each.source, each.target)})
    texts = dict(zip(keys, map(said, state.contents(keys)), strict=True))
    asked = said(state.query)
    apart = {each for each in doubted if of_two_things(asked, texts[each.source], texts[each.target])}
    below = round(DOUBTED_FROM - _TINY, 6)
    return [msgspec.structs.replace(each, weight=below) if each in apart else each for each in links]


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
