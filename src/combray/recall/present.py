"""Current facts: superseded memories lead to what replaced them, and later statements stand behind older ones.

Nothing is sorted by age. Measurements: bench/results/truth.md; reasons: docs/explanation/current-facts.md.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from dataclasses import replace

import msgspec
import numpy as np
from numpy.typing import NDArray

from combray.language.states import states_of
from combray.language.tense import TENSE_BITS, Tense
from combray.language.tokens import term_set
from combray.pipeline import stage
from combray.recall.state import Recalling, aligned
from combray.runtime import Found, Keys, Link, Ranked, Rows, Runtime
from combray.scoring.scratch import ascending
from combray.types import STATUSES

MARK_FROM = 0.25
"""Least probability of a `may_revise` edge that marks a hit where no stage weighs it for the question."""
_SUPERSEDED = STATUSES.index("superseded")
_HEDGES = sum(TENSE_BITS.values())
_LONGEST_CHAIN = 64
SLIPPED_FROM = 0.15
"""Probability of a `may_revise` edge that puts a plan in doubt, if the text is from before the plan's day."""
_TINY = 1e-6


@stage
class FollowRevisions:
    """Replaces each superseded candidate by the live memory at the end of its chain, with the better evidence.

    "Big news: I moved! Porto it is" shares no word with "Which city do I live in?". The memory that it superseded
    ("I live in Leipzig") does: the question finds the old one, and the answer is the new one. A chain that ends
    in a memory which is forgotten, or which the filters exclude, gives nothing.
    """

    needs = ("found", "candidates")

    def __call__(self, state: Recalling, _runtime: Runtime) -> Recalling:
        if state.found is None or state.keeps_superseded or not len(state.keys):
            return state
        rows = state.columns()
        # What a plan replaced stays live until the plan's day, and is outdated from then on.
        ended = (rows.valid_to <= state.now) & ((rows.cues & TENSE_BITS["past"]) == 0)
        outdated = (rows.status == _SUPERSEDED) | ended
        if outdated.any():
            heads = _heads(state, state.keys[outdated])
            state.found = _instead(state.found, heads)
            known = set(state.keys[~outdated].tolist())
            state.keys = state.found.keys
            for head in set(heads.values()) - known:
                state.via[head] = "revision"
        return state


def _heads(state: Recalling, outdated: Keys) -> dict[int, int]:
    """Return the end of each memory's chain; -1 where it is not to be shown."""
    newer: dict[int, int] = {}
    frontier = outdated.tolist()
    for _ in range(_LONGEST_CHAIN):
        if not frontier:
            break
        links = state.reader.links_to(frontier, ("supersedes",))
        found = {link.target: link.source for link in links}
        newer |= found
        frontier = sorted(set(found.values()) - newer.keys())
    ends: dict[int, int] = {}
    for key in outdated.tolist():
        end, steps = key, 0
        while end in newer and steps < _LONGEST_CHAIN:
            end, steps = newer[end], steps + 1
        ends[key] = end
    every = np.array(sorted(set(ends.values())), dtype=np.int64)
    shown = set(every[state.reader.eligible(every, state.where)].tolist())
    return {key: end if end in shown else -1 for key, end in ends.items()}


def _instead(found: Found, heads: dict[int, int]) -> Found:
    """Return what was found with the heads in place of the outdated keys: the better rank, the higher scores."""

    known = np.array(sorted(heads), dtype=np.int64)
    ends = np.array([heads[key] for key in known.tolist()], dtype=np.int64)

    def renamed(keys: Keys) -> Keys:
        at = np.minimum(np.searchsorted(known, keys), len(known) - 1)
        return np.where(known[at] == keys, ends[at], keys)

    places = renamed(found.keys)
    stays = places >= 0
    keys = ascending(places[stays])
    place = np.searchsorted(keys, places[stays])
    scores = {}
    for name, values in found.scores.items():
        scores[name] = np.full(len(keys), -np.inf)
        np.maximum.at(scores[name], place, values[stays])
    lists = {}
    for name, ranked in found.lists.items():
        mine = renamed(ranked.keys)
        # The first place of each key, in the order of the list.
        order = np.argsort(mine, kind="stable")
        first = order[np.append(True, mine[order[1:]] != mine[order[:-1]])] if len(order) else order
        kept = np.sort(first[mine[first] >= 0])
        lists[name] = Ranked(mine[kept], ranked.scores[kept])
    return replace(found, keys=keys, lists=lists, scores=scores)


def hedged(rows: Rows, now: float, allowed: Sequence[Tense] = ()) -> NDArray[np.bool_]:
    """Return which texts do not say how things are at `now` (unix seconds).

    That is: past, planned, hypothetical, quoted, asked, or no longer valid. A plan whose date has come does.
    `allowed` are tenses that count as present, because the question asks for them.
    """
    bits = _HEDGES - sum(TENSE_BITS[each] for each in allowed)
    due = ((rows.cues & TENSE_BITS["planned"]) > 0) & (rows.valid_from <= now)
    said = (rows.cues & bits) > 0
    return (said & ~due) | ((rows.valid_to <= now) & ("past" not in allowed))


@stage
class LeadWithPresent:
    """Moves a statement about the present in front of a first hit that is about the past, a plan or a rumour.

    "I used to live in Lisbon" then does not lead over "I live in Berlin". The statement is one of the next three
    and is about the same: it has at least `share` of the first score, as many words of the question, and both
    hold at least the share `alike` of the words of the shorter text. A later plan whose date has come leads over
    a statement about the present if it has `share_of_topic` of the score, and a topic that the two and the
    question have in common (`language.states`).

    Texts of more than `longest` words say many things and stay. Questions about the past or a plan are left as
    they are. Measured: bench/results/truth.md.
    """

    needs = ("sorted", "question")
    among: int = 4
    share: float = 0.6
    share_of_topic: float = 0.5
    alike: float = 0.4
    longest: int = 60

    def __call__(self, state: Recalling, _runtime: Runtime) -> Recalling:
        if len(state.keys) < 2 or state.found is None or state.asks_past:
            return state
        asks_plan = state.question is not None and state.question.asks_plan
        rows = state.columns()
        yields = hedged(rows, state.now, ("planned",) if asks_plan else ())[: self.among]
        if rows.words[0] > self.longest:
            return state
        shares = state.scores[: self.among] / max(float(state.scores[0]), _TINY)
        if yields[0]:
            place = self._about_the_same(state, ~yields, shares)
        else:
            # What is planned and does not yield is due.
            plans = ((rows.cues & TENSE_BITS["planned"]) > 0)[: self.among] & ~yields
            later = rows.moment[: self.among] > rows.moment[0]
            near = plans & later & (shares >= self.share_of_topic)
            if near.any() and not plans[0]:
                doubted = slipped(state, state.keys[: self.among][near].tolist())
                near &= ~np.isin(state.keys[: self.among], doubted)
                place = self._of_a_topic(state, near)
            else:
                place = 0
        if place:
            order = np.arange(len(state.keys))
            order[: place + 1] = np.roll(order[: place + 1], 1)
            best = state.scores[0]
            state.take(order)
            # A score never rises down the list.
            state.scores[0] = best
        return state

    def _about_the_same(self, state: Recalling, told: NDArray[np.bool_], shares: NDArray[np.float64]) -> int:
        """Return the first of the places whose text is about the same as the first hit; 0 for none."""
        if state.found is None:
            return 0
        held = aligned(state.keys[: self.among], *_by_key(state.found, "held"))
        told = told & (held > 0)
        places = np.flatnonzero(told & (held >= held[0]) & (shares >= self.share))
        if len(places):
            first, *texts = state.reader.contents(state.keys[[0, *places]])
            said = term_set(first)
            for place, text in zip(places.tolist(), texts, strict=True):
                mine = term_set(text)
                if len(said & mine) >= self.alike * max(1, min(len(said), len(mine))):
                    return int(place)
        return 0

    def _of_a_topic(self, state: Recalling, told: NDArray[np.bool_]) -> int:
        """Return the first of the places that shares a topic with the first hit and the question; 0 for none."""
        places = np.flatnonzero(told)
        if not len(places):
            return 0
        first, *texts = state.reader.contents(state.keys[[0, *places]])
        wanted = states_of(state.query).topics & states_of(first).topics
        found = (
            place for place, text in zip(places.tolist(), texts, strict=True) if states_of(text).topics & wanted
        )
        return int(next(found, 0))


def _by_key(found: Found, name: str) -> tuple[Keys, NDArray[np.float64]]:
    order = np.argsort(found.keys)
    scores = found.scores.get(name, np.zeros(len(found.keys)))
    return found.keys[order], scores[order]


@stage
class ShowLater:
    """Puts the later memory that may revise a hit directly behind it, even if the two share no word.

    Reads the open `may_revise` edges of the first hits. An edge counts if its probability of mattering to this
    question is at least `mark_from`: 1 / (1 + exp(-z)), z = bias + edge · ln(p / (1 - p)) + first + share · s,
    where p is the edge's own probability, `first` counts for the first hit alone, and s is the hit's share of the
    first score. Source of the weights: `python -m bench.truth.showing`.

    A plan whose date has come stands before the hit that it revises; a plan that is not due is not shown for it.
    Nothing moves for a question about the past. `Assemble` marks the hits.
    """

    needs = ("sorted", "question")
    mark_from: float = 0.07
    bias: float = -4.7
    edge: float = 0.93
    first: float = 2.18
    share: float = 2.17
    sure_from: float = 0.35
    """Probability of an edge that counts for every question."""
    due_from: float = 0.02
    """Probability of an edge from a plan whose date has come that counts for every question."""
    depth: int = 10
    """Hits whose edges are read, at most."""

    def __call__(self, state: Recalling, _runtime: Runtime) -> Recalling:
        if not len(state.keys):
            return state
        head = state.keys[: min(self.depth, state.limit)].tolist()
        links = open_revisions(state, head, 0.0)
        if not links:
            state.revisions = []
            return state
        keys = np.array(sorted({link.source for link in links}), dtype=np.int64)
        rows = state.reader.rows(keys)
        says_now = ~hedged(rows, state.now)
        told = set(keys[says_now].tolist())
        # A plan that says how things are is one whose date has come.
        due = set(keys[says_now & ((rows.cues & TENSE_BITS["planned"]) > 0)].tolist())
        due -= set(slipped(state, sorted(due)))
        state.revisions = [link for link in self._that_matter(links, state, due) if link.source in told]
        if state.revisions and not state.asks_past:
            self._place(state, state.revisions, due)
        return state

    def _that_matter(self, links: Sequence[Link], state: Recalling, due: Collection[int]) -> list[Link]:
        """Return the edges that matter to this question, each with that probability as its weight."""
        scores = dict(zip(state.keys.tolist(), state.scores.tolist(), strict=True))
        first, best = int(state.keys[0]), max(float(state.scores[0]), _TINY)
        found = []
        for link in links:
            p = min(max(link.weight, _TINY), 1.0 - _TINY)
            z = self.bias + self.edge * math.log(p / (1.0 - p)) + self.first * (link.target == first)
            z += self.share * scores[link.target] / best
            chance = round(1.0 / (1.0 + math.exp(-z)), 6)
            is_due = link.source in due and link.weight >= self.due_from
            if chance >= self.mark_from or link.weight >= self.sure_from or is_due:
                found.append(msgspec.structs.replace(link, weight=chance))
        return found

    def _place(self, state: Recalling, links: Sequence[Link], due: Collection[int]) -> None:
        """Arrange the candidates so that the most probable later memory stands at each one it may revise."""
        later: dict[int, Link] = {}
        for link in sorted(links, key=lambda each: (-each.weight, each.source)):
            later.setdefault(link.target, link)
        scores = dict(zip(state.keys.tolist(), state.scores.tolist(), strict=True))
        order = list(state.keys.tolist())
        place = 0
        while place < len(order):
            old = order[place]
            revision = later.get(old)
            if revision is not None and revision.source not in order[:place]:
                new = revision.source
                if new in order:
                    order.remove(new)
                order.insert(place if new in due else place + 1, new)
                scores[new] = scores[old]
                state.via.setdefault(new, "revision")
            place += 1
        state.arrange(np.array(order, dtype=np.int64), np.array([scores[key] for key in order]))


def slipped(state: Recalling, plans: Sequence[int]) -> list[int]:
    """Return the plans that a text from before their day may have put off or cancelled."""
    links = open_revisions(state, plans, SLIPPED_FROM)
    if not links:
        return []
    sources, targets = ([link.source for link in links], [link.target for link in links])
    told = state.reader.rows(np.array(sources, dtype=np.int64)).moment
    begins = state.reader.rows(np.array(targets, dtype=np.int64)).valid_from
    return [target for target, before in zip(targets, (told < begins).tolist(), strict=True) if before]


def open_revisions(state: Recalling, keys: Sequence[int], least: float) -> list[Link]:
    """Return the open `may_revise` edges to the memories from later ones that the filters let through."""
    if not keys:
        return []
    links = [
        link for link in state.reader.links_to(keys, ("may_revise",)) if not link.subtype and link.weight >= least
    ]
    if not links:
        return []
    sources = np.array(sorted({link.source for link in links}), dtype=np.int64)
    shown = set(sources[state.reader.eligible(sources, state.where)].tolist())
    return [link for link in links if link.source in shown]
