"""Merging of paraphrases into one fact with the evidence of all. Source: docs/explanation/consolidation.md."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from combray.consolidate.state import Planning, ranked
from combray.consolidate.steps import Merge
from combray.language.claim_tokens import neutral_terms
from combray.language.tokens import term_set
from combray.records import dataclass
from combray.runtime import Runtime
from combray.scoring.similarity import clusters_by_leader


@dataclass(frozen=True)
class MergeFacts:
    """Merges facts with a cosine of at least `similar_from` to the winner and the same claim.

    The winner has the highest confidence (then more evidence, then the later time, then the id). Each loser is
    near the winner itself, not merely in a chain. Category, author and trust are equal, and at least one
    confidence is above `sure_above`. Facts without vectors need the same content terms. Undecided pairs, and
    paraphrases below `sure_above`, wait for the judge.

    From a cosine of `restated_from`, facts that differ in their predicate alone are the same: "works at Acme",
    "is employed at Acme". With `asks_near` the judge gets all near pairs that words cannot decide. Both are on in
    preset semantic-facts.
    """

    needs = ("facts", "confidence", "near")
    gives = ("merged", "doubts")
    similar_from: float = 0.85
    sure_above: float = 0.6
    restated_from: float | None = None
    asks_near: bool = False

    def __call__(self, state: Planning, _runtime: Runtime) -> Planning:
        keys = ranked(state.facts, state.live())
        if len(keys) < 2:
            return state
        around = _Around(state, keys, self.similar_from)
        doubts: list[tuple[int, int, str]] = []

        def joins(leader: int, member: int) -> bool:
            one, other = keys[leader], keys[member]
            reason = self._refusal(state, one, other)
            if reason:
                doubts.append((one, other, reason))
            return reason is None

        for group in clusters_by_leader(len(keys), around.near, joins):
            winner, *losers = (keys[place] for place in group)
            # A group above the cap is merged over several runs.
            fitting = losers[: max(state.most - state.weight, 0)]
            state.skipped += len(losers) - len(fitting)
            state.take(Merge(winner, tuple(fitting)), f"into {state.facts[winner].id}: the same")
        for one, other, reason in doubts:
            state.doubt(one, other, reason)
        return state

    def _refusal(self, state: Planning, one: int, other: int) -> str | None:
        """Return None if the two may be merged, "" if they are two facts, else why that is undecided."""
        first, second = state.facts[one], state.facts[other]
        if first.trust != second.trust or state.answered(one, other):
            return ""
        relation = state.relations.of(one, other)
        if relation.kind == "same" or self._restates(state, one, other):
            sure = max(first.confidence, second.confidence) > self.sure_above
            return None if sure else "the same, but neither is sure"
        if relation.kind == "apart" and self.asks_near and state.relations.undecided(one, other):
            return "near, and the words do not decide"
        return relation.reason if relation.kind == "unsure" else ""

    def _restates(self, state: Planning, one: int, other: int) -> bool:
        if self.restated_from is None or (near := state.near.get(one)) is None:
            return False
        close = other in near.keys[near.scores >= self.restated_from].tolist()
        return close and state.relations.restates(one, other)


class _Around:
    """Candidate paraphrases by rank: of the same text, near, or without a vector of the same terms."""

    def __init__(self, state: Planning, keys: list[int], minimum: float) -> None:
        self.state = state
        self.keys = keys
        self.places = {key: place for place, key in enumerate(keys)}
        self.minimum = minimum
        self.same: dict[str, list[int]] = defaultdict(list)
        self.by_terms: dict[frozenset[str], list[int]] = defaultdict(list)
        for place, key in enumerate(keys):
            self.same[state.facts[key].content_hash].append(place)
            if len(state.near) < len(keys):
                self.by_terms[_said(state.facts[key].content)].append(place)

    def near(self, place: int) -> Iterator[int]:
        """Yield the ranks of candidates for one rank."""
        key = self.keys[place]
        fact, near = self.state.facts[key], self.state.near.get(key)
        yield from self.same[fact.content_hash]
        if near is not None:
            close = near.keys[near.scores >= self.minimum].tolist()
            yield from (self.places[other] for other in close if other in self.places)
        if self.by_terms:
            alike = self.by_terms[_said(fact.content)]
            yield from (other for other in alike if near is None or self.keys[other] not in self.state.near)


def _said(text: str) -> frozenset[str]:
    """Return a fact's content terms without words that do not change a statement ("still", "really")."""
    return term_set(text) - neutral_terms()
