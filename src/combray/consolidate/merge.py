"""Merging: paraphrases become one fact with the evidence of all (Semantic facts, section 4; SEEDS.md 19, 21)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from combray.consolidate.state import Planning, ranked
from combray.consolidate.steps import Merge
from combray.language.tokens import term_set
from combray.runtime import Runtime
from combray.scoring.leaders import clusters_by_leader


@dataclass(frozen=True)
class MergeFacts:
    """Merges facts that say the same: cosine of at least `similar_from` to the winner, and no other claim.

    The winner is the most confident one (then more evidence, then the newer, then the id). Each loser is near
    the winner itself; chains do not count. Same category, author and trust; at least one confidence above
    `sure_above`. Facts without vector need the same content terms. Near facts whose words do not settle it,
    and paraphrases that nobody is sure of, wait for the judge.
    """

    needs: ClassVar[tuple[str, ...]] = ("facts", "confidence", "near")
    gives: ClassVar[tuple[str, ...]] = ("merged", "doubts")
    similar_from: float = 0.85
    sure_above: float = 0.6

    def __call__(self, state: Planning, _runtime: Runtime) -> Planning:
        """Plan the merges, and note the doubts."""
        keys = ranked(state.facts, state.live())
        if len(keys) < 2:
            return state
        around = _Around.of(state, keys, self.similar_from)
        doubts: list[tuple[int, int, str]] = []

        def joins(leader: int, member: int) -> bool:
            one, other = keys[leader], keys[member]
            reason = self._refusal(state, one, other)
            if reason:
                doubts.append((one, other, reason))
            return reason is None

        for group in clusters_by_leader(len(keys), around.near, joins):
            winner, *losers = (keys[place] for place in group)
            # More paraphrases than the cap allows are merged over several runs.
            fitting = losers[: max(state.most - state.weight, 0)]
            state.skipped += len(losers) - len(fitting)
            state.take(Merge(winner, tuple(fitting)), f"into {state.facts[winner].id}: the same")
        for one, other, reason in doubts:
            state.doubt(one, other, reason)
        return state

    def _refusal(self, state: Planning, one: int, other: int) -> str | None:
        """None if the two may be merged; "" if they are two facts; else why that is in doubt."""
        first, second = state.facts[one], state.facts[other]
        if first.trust != second.trust or state.answered(one, other):
            return ""
        relation = state.relations.of(one, first, other, second)
        if relation.kind == "same":
            sure = max(first.confidence, second.confidence) > self.sure_above
            return None if sure else "the same, but neither is sure"
        return relation.reason if relation.kind == "unsure" else ""


@dataclass(frozen=True, slots=True)
class _Around:
    """Who may say the same as whom, by places in the ranking."""

    state: Planning
    keys: list[int]
    places: dict[int, int]
    minimum: float
    same: dict[str, list[int]]
    by_terms: dict[frozenset[str], list[int]]

    @classmethod
    def of(cls, state: Planning, keys: list[int], minimum: float) -> _Around:
        """Index the facts by text, and by terms as far as somebody has no vector."""
        same: dict[str, list[int]] = defaultdict(list)
        by_terms: dict[frozenset[str], list[int]] = defaultdict(list)
        for place, key in enumerate(keys):
            same[state.facts[key].content_hash].append(place)
            if len(state.near) < len(keys):
                by_terms[term_set(state.facts[key].content)].append(place)
        return cls(state, keys, {key: place for place, key in enumerate(keys)}, minimum, same, by_terms)

    def near(self, place: int) -> Iterator[int]:
        """Places near one place."""
        key = self.keys[place]
        fact, near = self.state.facts[key], self.state.near.get(key)
        yield from self.same[fact.content_hash]
        if near is not None:
            close = near.keys[near.scores >= self.minimum].tolist()
            yield from (self.places[other] for other in close if other in self.places)
        if self.by_terms:
            alike = self.by_terms[term_set(fact.content)]
            yield from (other for other in alike if near is None or self.keys[other] not in self.state.near)
