"""Candidates for links, listed after the write for a model or a person."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from combray.language.causality import read_signals, signal
from combray.language.tokens import query_terms, term_set
from combray.remember.state import Draft, Remembering
from combray.runtime import Filter, KeywordArm, Reader, Runtime


@dataclass(frozen=True)
class SuggestSemantic:
    """Lists memories with a cosine in [0.40, 0.80): near, but not linked automatically.

    Without an embedder: token overlap of at least 0.10. Source: Mnemon design, see docs/reference/presets.md.
    """

    needs = ("written", "nearest")
    gives = ()
    minimum: float = 0.40
    minimum_overlap: float = 0.10
    most: int = 5
    most_terms: int = 30
    posting_budget: int = 5_000

    def __call__(self, state: Remembering, runtime: Runtime) -> Remembering:
        if not state.suggest:
            return state
        reader, where = runtime.store.reader(state.namespace), Filter(trusts=state.trusts)
        for draft in state.written:
            if draft.nearest is not None:
                draft.semantic_candidates = self._by_cosine(draft, reader, where, state.linked_from)
            else:
                draft.semantic_candidates = self._by_words(draft, reader, where)
        return state

    def _by_cosine(
        self, draft: Draft, reader: Reader, where: Filter, linked_from: float
    ) -> tuple[dict[str, Any], ...]:
        if draft.nearest is None:
            return ()
        pairs = [
            (int(key), float(score))
            for key, score in zip(draft.nearest.keys, draft.nearest.scores, strict=True)
            if self.minimum <= score < linked_from
        ]
        # The list is from before the write: what was replaced since is no candidate.
        live = set(_passing(reader, [key for key, _ in pairs], where))
        pairs = [(key, score) for key, score in pairs if key in live][: self.most]
        memories = reader.memories(key for key, _ in pairs)
        return tuple(
            {
                "id": memory.id,
                "content": memory.content,
                "cosine": score,
                "auto_linked": False,
            }
            for memory, (_, score) in zip(memories, pairs, strict=True)
        )

    def _by_words(self, draft: Draft, reader: Reader, where: Filter) -> tuple[dict[str, Any], ...]:
        terms = tuple((term, 1.0) for term in query_terms(draft.memory.content)[: self.most_terms])
        if not terms:
            return ()
        arm = KeywordArm(
            terms, scoring="coverage", fields=(1.0, 0.0, 0.0, 0.0), posting_budget=self.posting_budget
        )
        found = reader.search({"keyword": arm}, where, self.most + 1).lists["keyword"]
        mine = term_set(draft.memory.content)
        listed = []
        for memory in reader.memories(int(key) for key in found.keys):
            theirs = term_set(memory.content)
            overlap = len(mine & theirs) / max(len(mine | theirs), 1)
            if memory.id != draft.memory.id and overlap >= self.minimum_overlap:
                listed.append(
                    {
                        "id": memory.id,
                        "content": memory.content,
                        "cosine": None,
                        "overlap": round(overlap, 6),
                        "auto_linked": False,
                    }
                )
        return tuple(listed[: self.most])


@dataclass(frozen=True)
class SuggestCausal:
    """Lists memories within two hops in the graph that may be cause or effect, ten at most (Mnemon 5.1)."""

    needs = ("written",)
    gives = ()
    hops: int = 2
    most: int = 10

    def __call__(self, state: Remembering, runtime: Runtime) -> Remembering:
        if not state.suggest:
            return state
        reader, where = runtime.store.reader(state.namespace), Filter(trusts=state.trusts)
        for draft in state.written:
            if draft.key is not None:
                draft.causal_candidates = self._around(draft, draft.key, reader, where)
        return state

    def _around(self, draft: Draft, key: int, reader: Reader, where: Filter) -> tuple[dict[str, Any], ...]:
        hop_of: dict[int, int] = {}
        via: dict[int, str] = {}
        seen, frontier = {key}, [key]
        for hop in range(1, self.hops + 1):
            reached: dict[int, str] = {}
            for link in reader.links(frontier):
                for end in (link.source, link.target):
                    if end not in seen:
                        reached.setdefault(end, link.type)
            frontier = sorted(reached)
            seen.update(frontier)
            hop_of.update(dict.fromkeys(frontier, hop))
            via.update(reached)
        live = _passing(reader, list(hop_of), where)[: self.most]
        keys = np.array(live, dtype=np.int64)
        said = signal(draft.memory.content)
        candidates = []
        for other, known, text in zip(live, reader.ids(keys), reader.contents(keys), strict=True):
            read = read_signals(said, None if said else signal(text))
            candidates.append(
                {
                    "id": known,
                    "content": text,
                    "hop": hop_of[other],
                    "via_edge": via[other],
                    "causal_signal": read is not None,
                    "suggested_sub_type": read.sub_type if read else "causes",
                }
            )
        return tuple(candidates)


def _passing(reader: Reader, keys: list[int], where: Filter) -> list[int]:
    wanted = np.array(keys, dtype=np.int64)
    return [int(key) for key in wanted[reader.eligible(wanted, where)]]
