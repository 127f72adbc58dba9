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
from combray.records import dataclass, field
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


_BLOCK = 256
"""Drafts whose cosines with all earlier ones are held at once: a batch may have 100,000."""


@dataclass(slots=True)
class Batch:
    """Which drafts of a batch are near which: a batch gives the same result as its texts one by one.

    `near` is asked about each draft in turn, when it is decided what becomes of the earlier ones.
    """

    drafts: Sequence[Draft]
    rows: NDArray[np.float32]
    """The vectors; zeros for a draft without one."""
    scopes: NDArray[np.int64]
    """A number for the scope of each draft."""
    holding: Mapping[str, Sequence[int]]
    by_words: Sequence[bool]
    """Which drafts are searched by words."""
    bounds: Bounds
    _stands: NDArray[np.bool_] = field(init=False)
    _decided: int = 0
    _block: NDArray[np.float32] = field(init=False)
    _first: int = -1

    def __post_init__(self) -> None:
        self._stands = np.zeros(len(self.drafts), dtype=np.bool_)
        self._block = self.rows[:0]

    @classmethod
    def of(cls, drafts: Sequence[Draft], by_words: Sequence[bool], bounds: Bounds) -> Batch:
        """Read the vectors and scopes, and the drafts with each term if a draft is searched by words."""
        size = next((len(draft.vector) for draft in drafts if draft.vector is not None), 1)
        rows = np.zeros((len(drafts), size), dtype=np.float32)
        for place, draft in enumerate(drafts):
            if draft.vector is not None:
                rows[place] = draft.vector
        codes: dict[tuple[str, ...], int] = {}
        scopes = [codes.setdefault(scope_set(draft.memory.tags), len(codes)) for draft in drafts]
        holding: dict[str, list[int]] = defaultdict(list)
        # Only a later draft that is searched by words needs them, and only its terms.
        looking = [place for place, looks in enumerate(by_words) if looks]
        wanted = {term for place in looking for term in query_terms(drafts[place].memory.content)[: bounds.terms]}
        for place in range(max(looking, default=0)):
            for term in wanted.intersection(terms(drafts[place].memory.content)):
                holding[term].append(place)
        return cls(drafts, rows, np.array(scopes, dtype=np.int64), holding, by_words, bounds)

    def near(self, place: int) -> list[DiffCandidate]:
        """Earlier drafts that would be candidates if they were stored already, the nearest first."""
        if not place:
            return []
        cosines, stands = self._cosines(place), self._standing(place)
        close = np.flatnonzero((cosines >= self.bounds.cosine) & stands)
        nearest = close[np.lexsort((close, -cosines[close]))[: self.bounds.vectors]].tolist()
        found = dict.fromkeys((*nearest, *self._by_words(place, stands)))
        return [
            DiffCandidate(
                draft.memory.content,
                draft.memory.author,
                float(cosines[other]),
                twin=draft,
                trust=draft.memory.trust,
                names=draft.memory.entities,
                place=(1, other),
            )
            for other in found
            for draft in (self.drafts[other],)
            if not on_another_day(draft.memory, self.drafts[place].memory)
        ]

    def _cosines(self, place: int) -> NDArray[np.float32]:
        """Return the cosines of a draft with the earlier ones."""
        first = place - place % _BLOCK
        if first != self._first:
            end = first + _BLOCK
            self._block, self._first = self.rows[first:end] @ self.rows[:end].T, first
        return self._block[place - first, :place]

    def _standing(self, place: int) -> NDArray[np.bool_]:
        """Return which earlier drafts are stored, in the scope of this one, and can be replaced."""
        for other in range(self._decided, place):
            draft = self.drafts[other]
            self._stands[other] = not (draft.skipped or draft.quarantined) and draft.memory.kind in EDITABLE
        self._decided = place
        stands: NDArray[np.bool_] = self._stands[:place] & (self.scopes[:place] == self.scopes[place])
        return stands

    def _by_words(self, place: int, stands: NDArray[np.bool_]) -> list[int]:
        if not self.by_words[place]:
            return []
        shared: Counter[int] = Counter()
        for term in query_terms(self.drafts[place].memory.content)[: self.bounds.terms]:
            shared.update(other for other in self.holding.get(term, ()) if other < place)
        best = sorted((other for other in shared if stands[other]), key=lambda at: (-shared[at], at))
        return best[: self.bounds.words]
