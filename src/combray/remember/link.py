"""Edges of a new memory (preset mnemon, docs/reference/presets.md).

Each edge is stored once, from the older (or causing) memory to the newer, and walked both ways. None joins two
scopes.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections import defaultdict
from typing import NamedTuple

import numpy as np

from combray.forms.remembering import Draft, Remembering, Surroundings, Survey
from combray.language.intent import SubType, signal
from combray.language.scopes import scope_set
from combray.language.tokens import term_set
from combray.records import dataclass
from combray.runtime import Link, Runtime

_HOUR = 3600.0
_BLOCK = 256
"""Drafts whose cosines with all earlier ones are held at once: a batch may have 100,000."""
_ROUNDED = 1e-6
"""More than rounding to six decimals, in single precision, can add to a cosine near 1. Not a threshold."""


def _survey(state: Remembering) -> Survey:
    if state.survey is None:
        raise AssertionError("TakeSurvey runs before the link stages")
    return state.survey


def _store(state: Remembering, name: str, made: list[tuple[Draft, Link]]) -> None:
    state.writer.link([link for _, link in made], state.now)
    for draft, _ in made:
        draft.edges[name] += 1


def _ends(draft: Draft) -> tuple[int, float]:
    if draft.key is None:
        raise AssertionError("Write runs before the link stages")
    return draft.key, draft.memory.moment.timestamp()


@dataclass(frozen=True)
class LinkTemporal:
    """Links to the latest memory of the same source, and to the newest within 24 hours by 1/(1+hours).

    `kept` memories of a long batch, at least `nearest`, are compared with the next ones.
    Source: docs/reference/presets.md, preset mnemon.
    """

    needs = ("written", "survey")
    gives = ("temporal_edges",)
    advises = True
    window_hours: float = 24.0
    nearest: int = 10
    kept: int = 64

    def __call__(self, state: Remembering, _runtime: Runtime) -> Remembering:
        made: list[tuple[Draft, Link]] = []
        for around, drafts in _survey(state).groups(state.written):
            self._link(around, drafts, made)
        _store(state, "temporal", made)
        return state

    def _link(self, around: Surroundings, drafts: list[Draft], made: list[tuple[Draft, Link]]) -> None:
        recent = sorted(around.recent, key=lambda each: (each[1], each[0]))
        last = dict(around.last_of_source)
        for draft in drafts:
            key, moment = _ends(draft)
            linked = set()
            before = last.get(draft.memory.source)
            if before is not None and before[1] <= moment:
                made.append((draft, Link(before[0], key, "temporal", 1.0, "precedes")))
                linked.add(before[0])
            until = bisect_right(recent, moment, key=lambda each: each[1])
            for other, then in recent[max(0, until - self.nearest) : until]:
                hours = (moment - then) / _HOUR
                if hours <= self.window_hours and other not in linked:
                    made.append((draft, Link(other, key, "temporal", round(1.0 / (1.0 + hours), 6), "proximity")))
            if before is None or before[1] <= moment:
                last[draft.memory.source] = (key, moment)
            recent.append((key, moment))
            if len(recent) > 1 and recent[-2][1] > moment:
                recent.sort(key=lambda each: (each[1], each[0]))
            del recent[: max(0, len(recent) - max(self.kept, self.nearest))]


@dataclass(frozen=True)
class LinkEntities:
    """Links to the newest memories that name the same entity; rare entities weigh more.

    Weight log(N/df)/log(N), at least 0.1; 1.0 while N is at most 5; none for an entity in every memory.
    """

    needs = ("written", "survey", "entities")
    gives = ("entity_edges",)
    advises = True
    per_entity: int = 5
    most: int = 50
    floor: float = 0.1
    small: int = 5

    def __call__(self, state: Remembering, _runtime: Runtime) -> Remembering:
        survey = _survey(state)
        made: list[tuple[Draft, Link]] = []
        for around, drafts in survey.groups(state.written):
            made += self._links(around, drafts, survey.live)
        _store(state, "entity", made)
        return state

    def _links(self, around: Surroundings, drafts: list[Draft], live: int) -> list[tuple[Draft, Link]]:
        made: list[tuple[Draft, Link]] = []
        holders: dict[str, list[int]] = defaultdict(list)
        counts: dict[str, int] = defaultdict(int)
        for name, (count, newest) in around.naming.items():
            counts[name.casefold()] = count
            holders[name.casefold()] = list(reversed(newest))
        for place, draft in enumerate(drafts):
            key, _ = _ends(draft)
            weights: dict[int, float] = {}
            names: dict[int, str] = {}
            for name in draft.memory.entities:
                folded = name.casefold()
                weight = self.weight(live + place + 1, counts[folded] + 1)
                for other in reversed(holders[folded][-self.per_entity :]):
                    if weight > weights.get(other, 0.0):
                        weights[other], names[other] = weight, name
                counts[folded] += 1
                holders[folded].append(key)
            best = sorted(weights, key=lambda other: (-weights[other], -other))[: self.most]
            made += [(draft, Link(other, key, "entity", weights[other], reason=names[other])) for other in best]
        return made

    def weight(self, memories: int, naming: int) -> float:
        """Inverse document frequency of an entity, scaled to 0-1."""
        if memories <= self.small:
            return 1.0
        if naming >= memories:
            return 0.0
        return round(max(self.floor, math.log(memories / naming) / math.log(memories)), 6)


class Stated(NamedTuple):
    """A memory's text. What is read from it is kept with the text (`language.text`)."""

    key: int
    text: str

    @property
    def signal(self) -> SubType | None:
        """What the text signals: causes, enables or prevents."""
        return signal(self.text)


def shared_terms(terms: frozenset[str], others: frozenset[str]) -> float:
    """Return |a∩b| / max(|a|, |b|), in [0, 1]: how much a cause and an effect have in common."""
    return len(terms & others) / max(len(terms), len(others), 1)


@dataclass(frozen=True)
class LinkCausal:
    """Links causes to effects, by signal words and shared words, among the ten most recent memories.

    Overlap |a∩b| / max(|a|, |b|) of at least 0.15 is the weight. The text with the signal is the effect.
    """

    needs = ("written", "survey")
    gives = ("causal_edges",)
    advises = True
    look_back: int = 10
    minimum_overlap: float = 0.15

    def __call__(self, state: Remembering, _runtime: Runtime) -> Remembering:
        made: list[tuple[Draft, Link]] = []
        for around, drafts in _survey(state).groups(state.written):
            recent = [Stated(key, around.recent_texts[key]) for key, _ in reversed(around.recent)]
            for draft in drafts:
                new = Stated(_ends(draft)[0], draft.memory.content)
                near = [each for each in recent[-self.look_back :] if new.signal or each.signal]
                links = [self.between(each, new) for each in near]
                made += [(draft, link) for link in links if link is not None]
                recent.append(new)
        _store(state, "causal", made)
        return state

    def between(self, earlier: Stated, later: Stated) -> Link | None:
        """Return the edge between two texts, from cause to effect; None if they share too few words."""
        found = later.signal or earlier.signal
        if found is None:
            return None
        overlap = shared_terms(term_set(later.text), term_set(earlier.text))
        if overlap < self.minimum_overlap:
            return None
        cause, effect = (earlier.key, later.key) if later.signal else (later.key, earlier.key)
        return Link(cause, effect, "causal", round(overlap, 6), found)


@dataclass(frozen=True)
class LinkSemantic:
    """Links to the three nearest memories with a cosine of at least 0.80.

    Source: docs/reference/presets.md, preset mnemon.
    """

    needs = ("written", "nearest")
    gives = ("semantic_edges",)
    advises = True
    minimum: float = 0.80
    most: int = 3

    def __call__(self, state: Remembering, _runtime: Runtime) -> Remembering:
        state.linked_from = self.minimum
        embedded = [draft for draft in state.written if draft.vector is not None]
        if not embedded:
            return state
        earlier = self._among(embedded) if len(embedded) > 1 else {}
        gone = state.replaced
        made: list[tuple[Draft, Link]] = []
        for place, draft in enumerate(embedded):
            key, _ = _ends(draft)
            near = earlier.get(place, [])
            if draft.nearest is not None:
                near += [(score, other) for other, score in
                         zip(draft.nearest.keys.tolist(), draft.nearest.scores.tolist(), strict=True)
                         if score >= self.minimum and other not in gone]  # fmt: skip
            for score, other in sorted(near, key=lambda each: (-each[0], each[1]))[: self.most]:
                # A vector made later may find memories that are newer.
                older, newer = min(other, key), max(other, key)
                made.append((draft, Link(older, newer, "semantic", min(1.0, round(score, 6)))))
        _store(state, "semantic", made)
        return state

    def _among(self, embedded: list[Draft]) -> dict[int, list[tuple[float, int]]]:
        """Return for the place of a draft the cosines and keys of the nearest drafts before it, of its scope."""
        stacked = np.stack([draft.vector for draft in embedded if draft.vector is not None])
        keys = np.array([_ends(draft)[0] for draft in embedded])
        codes: dict[tuple[str, ...], int] = {}
        scopes = np.array([codes.setdefault(scope_set(each.memory.tags), len(codes)) for each in embedded])
        found: dict[int, list[tuple[float, int]]] = {}
        for first in range(0, len(stacked), _BLOCK):
            block = stacked[first : first + _BLOCK] @ stacked[: first + _BLOCK].T
            for place in range(first, first + len(block)):
                near = block[place - first, :place]
                # Rounded to six decimals before it is compared: a little below the minimum may still be enough.
                others = np.flatnonzero((near >= self.minimum - _ROUNDED) & (scopes[:place] == scopes[place]))
                cosines = np.round(near[others].astype(np.float64), 6)
                others, cosines = others[cosines >= self.minimum], cosines[cosines >= self.minimum]
                best = np.lexsort((keys[others], -cosines))[: self.most]
                found[place] = list(zip(cosines[best].tolist(), keys[others[best]].tolist(), strict=True))
        return found
