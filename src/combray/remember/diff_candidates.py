"""What a draft is compared with: stored memories, and earlier drafts of its batch."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from datetime import UTC

import numpy as np
from numpy.typing import NDArray

from combray.forms.remembering import Draft
from combray.language.indexing import same_text
from combray.language.scopes import scope_set
from combray.language.tokens import query_terms, terms
from combray.records import dataclass
from combray.types import DEFAULT_TRUST, Memory

EDITABLE = ("fact", "insight")
"""Kinds that can replace one another. Episodes are originals and do not change."""


@dataclass(frozen=True, slots=True)
class DiffCandidate:
    """A stored memory, or an earlier draft of the batch, that a draft is compared with."""

    text: str
    author: str | None
    cosine: float
    key: int | None = None
    twin: Draft | None = None
    trust: str = DEFAULT_TRUST
    names: tuple[str, ...] = ()
    place: tuple[int, int] = (0, 0)
    """Its place among what was remembered: stored memories by key, then the drafts of the batch."""


def on_another_day(one: Memory, other: Memory) -> bool:
    """Whether two memories are the same words about two days, which `content_hash` distinguishes too."""
    if one.occurred_from is None or other.occurred_from is None:
        return False
    if one.occurred_from.astimezone(UTC).date() == other.occurred_from.astimezone(UTC).date():
        return False
    return same_text(one.content) == same_text(other.content)


@dataclass(frozen=True, slots=True)
class Bounds:
    """Which candidates a draft has: near ones from a cosine on, so many, and so many by so many of its words."""

    cosine: float
    vectors: int
    words: int
    terms: int


@dataclass(frozen=True, slots=True)
class Batch:
    """Which drafts of a batch are near which: a batch gives the same result as its texts one by one."""

    drafts: Sequence[Draft]
    cosines: NDArray[np.float32]
    close: Mapping[int, Sequence[int]]
    """Earlier drafts whose cosine is near enough, by draft."""
    holding: Mapping[str, Sequence[int]]
    by_words: Sequence[bool]
    """Which drafts are searched by words."""
    bounds: Bounds

    @classmethod
    def of(cls, drafts: Sequence[Draft], by_words: Sequence[bool], bounds: Bounds) -> Batch:
        """Compute the cosines of all pairs, and the drafts with each term if a draft is searched by words."""
        if len(drafts) == 1:
            return cls(drafts, np.zeros((1, 1), dtype=np.float32), {}, {}, by_words, bounds)
        size = next((len(draft.vector) for draft in drafts if draft.vector is not None), 1)
        rows = np.zeros((len(drafts), size), dtype=np.float32)
        for place, draft in enumerate(drafts):
            if draft.vector is not None:
                rows[place] = draft.vector
        holding: dict[str, list[int]] = defaultdict(list)
        # Only a later draft that is searched by words needs them, and only its terms.
        looking = [place for place, looks in enumerate(by_words) if looks]
        wanted = {term for place in looking for term in query_terms(drafts[place].memory.content)[: bounds.terms]}
        for place in range(max(looking, default=0)):
            for term in wanted.intersection(terms(drafts[place].memory.content)):
                holding[term].append(place)
        cosines = rows @ rows.T
        close: dict[int, list[int]] = defaultdict(list)
        pairs = np.nonzero(np.tril(cosines >= bounds.cosine, -1))
        for place, other in zip(*(each.tolist() for each in pairs), strict=True):
            close[place].append(other)
        return cls(drafts, cosines, close, holding, by_words, bounds)

    def near(self, place: int) -> list[DiffCandidate]:
        """Earlier drafts that would be candidates if they were stored already, the nearest first."""
        by_cosine = [other for other in self.close.get(place, ()) if self._stands(other, place)]
        by_cosine.sort(key=lambda other: (-self.cosines[place, other], other))
        close = by_cosine[: self.bounds.vectors]
        found = dict.fromkeys((*close, *self._by_words(place)))
        return [
            DiffCandidate(
                draft.memory.content,
                draft.memory.author,
                float(self.cosines[place, other]),
                twin=draft,
                trust=draft.memory.trust,
                names=draft.memory.entities,
                place=(1, other),
            )
            for other in found
            for draft in (self.drafts[other],)
            if not on_another_day(draft.memory, self.drafts[place].memory)
        ]

    def _by_words(self, place: int) -> list[int]:
        draft = self.drafts[place]
        if not place or not self.by_words[place]:
            return []
        shared: Counter[int] = Counter()
        for term in query_terms(draft.memory.content)[: self.bounds.terms]:
            shared.update(other for other in self.holding.get(term, ()) if other < place)
        best = sorted((other for other in shared if self._stands(other, place)), key=lambda at: (-shared[at], at))
        return best[: self.bounds.words]

    def _stands(self, place: int, later: int) -> bool:
        draft = self.drafts[place]
        if draft.skipped or draft.quarantined or draft.memory.kind not in EDITABLE:
            return False
        return scope_set(draft.memory.tags) == scope_set(self.drafts[later].memory.tags)
