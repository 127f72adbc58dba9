"""Candidates for facts, and lookup of known facts."""

from __future__ import annotations

from collections import defaultdict
from datetime import datetime

import numpy as np
from numpy.typing import NDArray

from combray.consolidate.state import Planning
from combray.consolidate.steps import FACTS
from combray.language.claims import compare
from combray.language.indexing import same_text
from combray.language.scopes import scope_set
from combray.language.tokens import term_set
from combray.records import dataclass
from combray.runtime import Filter, Reader
from combray.types import LIVE_STATUSES, Memory


@dataclass(frozen=True, slots=True)
class Episode:
    """An episode with its key."""

    key: int
    episode: Memory


USER = "User"
_USER_NAMES = frozenset(("", "user", "human", "me", "owner", "customer", "用户"))


def speaker(author: str | None) -> str:
    """Return the name that replaces "I"; "User" for an author without name or with the role of a user."""
    name = " ".join((author or "").split())
    return USER if name.casefold() in _USER_NAMES else name


@dataclass(frozen=True, slots=True)
class FactCandidate:
    """A fact in the third person, and the episodes that state it, at least one; all have the same scopes.

    `attribute` and `value` are "" if there is none; `single`: the subject has one value of it at a time. `since`:
    the time that the episodes name, aware; None if they name none.
    """

    text: str
    subject: str
    said: list[Episode]
    attribute: str = ""
    value: str = ""
    single: bool = False
    since: datetime | None = None

    @property
    def first(self) -> Episode:
        """The earliest episode."""
        return self.said[0]

    @property
    def scope(self) -> tuple[str, ...]:
        """The scopes of its episodes, as `scope_set` returns them."""
        return scope_set(self.first.episode.tags)

    @property
    def begins(self) -> datetime:
        """The start of validity: the time in the text, else when it was first said."""
        return self.since or min(each.episode.moment for each in self.said)

    @property
    def latest(self) -> datetime:
        """When it was last said."""
        return max(each.episode.moment for each in self.said)


_SAME = ("identical", "paraphrase")
_SIMILAR_FROM = 0.85
"""Cosine from which two facts may be paraphrases. Source: docs/explanation/consolidation.md."""
_NEAREST = 5
_HIDDEN = ("forgotten", "merged", "superseded")


class KnownFacts:
    """The facts of a namespace and of the plan, indexed by words and by meaning."""

    def __init__(self, state: Planning, reader: Reader) -> None:
        self._state = state
        self._reader = reader
        self._by_text: dict[str, list[int]] = defaultdict(list)
        self._by_terms: dict[frozenset[str], list[int]] = defaultdict(list)
        for key, fact in state.facts.items():
            self.add(key, fact)
        self._hidden: dict[str, list[Memory]] = defaultdict(list)
        keys = reader.scan(Filter(kinds=FACTS, statuses=_HIDDEN, sources=("consolidation",), trusts=()))
        for memory in reader.memories(keys.tolist()):
            self._hidden[same_text(memory.content)].append(memory)

    def add(self, key: int, fact: Memory) -> None:
        """Add a fact to the index."""
        self._by_text[same_text(fact.content)].append(key)
        self._by_terms[term_set(fact.content)].append(key)

    def find(self, candidate: FactCandidate, vector: NDArray[np.float32] | None) -> int | None:
        """Return the most confident duplicate, or the fact that a duplicate was merged into."""
        text = candidate.text
        keys = dict.fromkeys(self._by_text.get(same_text(text), ()))
        keys |= dict.fromkeys(self._by_terms.get(term_set(text), ()))
        if vector is not None:
            near = self._reader.nearest(
                self._state.model,
                vector[None, :],
                Filter(kinds=FACTS, within=candidate.scope),
                _NEAREST,
                _SIMILAR_FROM,
            )[0]
            keys |= dict.fromkeys(near.keys.tolist())
        winners = [each.merged_into for each in self._hidden.get(same_text(text), ()) if each.merged_into]
        keys |= dict.fromkeys(self._reader.keys_of(winners).values())
        same = [key for key in keys if self._says(key, candidate)]
        facts = self._state.facts
        return min(same, key=lambda key: (-facts[key].confidence, key), default=None)

    def is_hidden(self, candidate: FactCandidate) -> bool:
        """Return whether the same statement was forgotten, or belongs to a fact that was replaced since."""
        said = {each.episode.id for each in candidate.said}
        return any(
            memory.status == "forgotten" or said & set(memory.evidence)
            for memory in self._hidden.get(same_text(candidate.text), ())
            if scope_set(memory.tags) == candidate.scope
        )

    def _says(self, key: int, candidate: FactCandidate) -> bool:
        fact = self._state.facts.get(key)
        if fact is None or fact.status not in (*LIVE_STATUSES, "deprecated"):
            return False
        if scope_set(fact.tags) != candidate.scope:
            return False
        return compare(fact.content, candidate.text).verdict in _SAME
