"""Lookup of known facts, so that the same statement or a paraphrase does not become a second fact."""

from __future__ import annotations

from collections import defaultdict

import numpy as np
from numpy.typing import NDArray

from combray.consolidate.candidates import Candidate
from combray.consolidate.state import Planning
from combray.consolidate.steps import FACTS
from combray.language.claims import compare
from combray.language.indexing import normalised
from combray.language.tokens import term_set
from combray.runtime import Filter, Reader
from combray.types import LIVE_STATUSES, Memory

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
            self._hidden[normalised(memory.content)].append(memory)

    def add(self, key: int, fact: Memory) -> None:
        """Add a fact to the index."""
        self._by_text[normalised(fact.content)].append(key)
        self._by_terms[term_set(fact.content)].append(key)

    def find(self, candidate: Candidate, vector: NDArray[np.float32] | None) -> int | None:
        """Return the most confident fact that says the same, or into which such a fact was merged."""
        text = candidate.stated.text
        keys = dict.fromkeys(self._by_text.get(normalised(text), ()))
        keys |= dict.fromkeys(self._by_terms.get(term_set(text), ()))
        if vector is not None:
            near = self._reader.nearest(
                self._state.model, vector[None, :], Filter(kinds=FACTS), _NEAREST, _SIMILAR_FROM
            )[0]
            keys |= dict.fromkeys(near.keys.tolist())
        keys |= dict.fromkeys(self._winners(candidate))
        same = [key for key in keys if self._says(key, candidate)]
        facts = self._state.facts
        return min(same, key=lambda key: (-facts[key].confidence, key), default=None)

    def is_hidden(self, candidate: Candidate) -> bool:
        """Return whether the same statement was forgotten, or belongs to a fact that was replaced since."""
        said = {each.episode.id for each in candidate.said}
        return any(
            memory.status == "forgotten" or said & set(memory.evidence)
            for memory in self._hidden.get(normalised(candidate.stated.text), ())
            if (memory.author or "") == (candidate.author or "")
        )

    def _says(self, key: int, candidate: Candidate) -> bool:
        fact = self._state.facts.get(key)
        if fact is None or fact.status not in (*LIVE_STATUSES, "deprecated"):
            return False
        authors = {fact.author, candidate.author} - {None}
        if len(authors) > 1 or (candidate.stated.as_said and fact.author != candidate.author):
            return False
        return compare(fact.content, candidate.stated.text).verdict in _SAME

    def _winners(self, candidate: Candidate) -> list[int]:
        ids = [each.merged_into for each in self._hidden.get(normalised(candidate.stated.text), ())]
        return list(self._reader.keys_of([each for each in ids if each is not None]).values())
