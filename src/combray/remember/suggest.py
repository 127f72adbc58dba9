"""Candidates for edges that a person or a model may want to make (preset mnemon, docs/reference/presets.md).

The stages look nothing up: what they leave in a draft does so when a caller reads the reply.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from combray.errors import StoreError
from combray.forms.remembering import Draft, LinkCandidates, Remembering
from combray.language.intent import SubType, read_signals, signal
from combray.language.scopes import scope_set
from combray.language.text import passing
from combray.language.tokens import query_terms, term_set
from combray.records import dataclass
from combray.remember.link import shared_terms
from combray.runtime import Filter, Keys, KeywordArm, Reader, Runtime
from combray.runtime.calls import report_failure
from combray.types import GRAPH_EDGES

Found = tuple[dict[str, Any], ...]
"""Candidates as a reply shows them."""


@dataclass(frozen=True)
class SuggestSemantic:
    """Lists memories with a cosine in [0.40, 0.80): near, but not linked automatically.

    Without an embedder: token overlap of at least 0.10. Source: Mnemon design, see docs/reference/presets.md.
    """

    needs = ("written", "nearest")
    advises = True
    minimum: float = 0.40
    minimum_overlap: float = 0.10
    most: int = 5
    most_terms: int = 30
    posting_budget: int = 5_000

    def __call__(self, state: Remembering, runtime: Runtime) -> Remembering:
        for draft in state.written if state.suggest else ():
            find = partial(self._near, draft, state.linked_from)
            draft.semantic_candidates = _on_reading("SuggestSemantic", find, draft, state, runtime)
        return state

    def _near(self, draft: Draft, linked_from: float, reader: Reader, where: Filter) -> Found:
        if draft.nearest is None:
            return self._by_words(draft, reader, where)
        scores = dict(zip(draft.nearest.keys.tolist(), draft.nearest.scores, strict=True))
        near = [key for key, score in scores.items() if self.minimum <= score < linked_from]
        # The list is from before the write: a memory that was replaced since is not a candidate.
        near = _passing(reader, near, where)[: self.most]
        return tuple(
            {"id": known, "content": content, "cosine": float(scores[key]), "auto_linked": False}
            for key, known, content in zip(near, reader.ids(_keys(near)), reader.contents(near), strict=True)
        )

    def _by_words(self, draft: Draft, reader: Reader, where: Filter) -> Found:
        terms = tuple((term, 1.0) for term in query_terms(draft.memory.content)[: self.most_terms])
        if not terms:
            return ()
        arm = KeywordArm(
            terms, scoring="coverage", fields=(1.0, 0.0, 0.0, 0.0), posting_budget=self.posting_budget
        )
        keys = reader.search({"keyword": arm}, where, self.most + 1).lists["keyword"].keys
        mine = term_set(draft.memory.content)
        listed: list[dict[str, Any]] = []
        for memory in reader.memories(keys.tolist()):
            theirs = term_set(memory.content)
            overlap = len(mine & theirs) / max(len(mine | theirs), 1)
            if memory.id != draft.memory.id and overlap >= self.minimum_overlap:
                found = {"id": memory.id, "content": memory.content, "cosine": None}
                listed.append(found | {"overlap": round(overlap, 6), "auto_linked": False})
        return tuple(listed[: self.most])


class _Near(NamedTuple):
    """A memory around a new one: how many edges away, and the type of the edge that reached it."""

    key: int
    hop: int
    via: str


@dataclass(frozen=True)
class SuggestCausal:
    """Lists memories within two hops in the graph that may be cause or effect, ten at most.

    Those with a signal word in either text come first, then by shared words (|a∩b| / max(|a|, |b|)), cosine, hops
    and key. A pair that a causal edge joins already is none. Of a large neighbourhood the `looked_at` closest and
    newest are compared. Source: docs/reference/presets.md, preset mnemon.
    """

    needs = ("written",)
    advises = True
    hops: int = 2
    most: int = 10
    looked_at: int = 100

    def __call__(self, state: Remembering, runtime: Runtime) -> Remembering:
        model = runtime.embedder.name if runtime.embedder is not None else ""
        for draft in state.written if state.suggest else ():
            find = partial(self._causal, draft, model)
            draft.causal_candidates = _on_reading("SuggestCausal", find, draft, state, runtime)
        return state

    def _causal(self, draft: Draft, model: str, reader: Reader, where: Filter) -> Found:
        near = self._around(draft.key, reader, where) if draft.key is not None else []
        return self._ranked(draft, near, reader, model)

    def _around(self, key: int, reader: Reader, where: Filter) -> list[_Near]:
        found: dict[int, _Near] = {}
        seen, frontier, linked = {key}, [key], set()
        for hop in range(1, self.hops + 1):
            reached: dict[int, str] = {}
            for source, target, type_ in reader.joined(frontier, GRAPH_EDGES):
                if type_ == "causal" and key in (source, target):
                    linked |= {source, target}
                for end in (source, target):
                    if end not in seen:
                        reached.setdefault(end, type_)
            frontier = sorted(reached)
            seen.update(frontier)
            found.update((end, _Near(end, hop, via)) for end, via in reached.items())
        live = _passing(reader, [end for end in found if end not in linked], where)
        return sorted((found[end] for end in live), key=lambda each: (each.hop, -each.key))[: self.looked_at]

    def _ranked(self, draft: Draft, near: list[_Near], reader: Reader, model: str) -> Found:
        said, mine = signal(draft.memory.content), term_set(draft.memory.content)
        compared: list[tuple[tuple[bool, float], _Near, str, SubType | None]] = []
        for each, text in zip(near, reader.contents([each.key for each in near]), strict=True):
            # Not kept: next to none of these is read by the next write too.
            read = passing(text)
            theirs = None if said else signal(read)
            words = (not (said or theirs), -round(shared_terms(mine, term_set(read)), 6))
            compared.append((words, each, text, theirs))
        # Vectors and ids are read for those alone that can be among the best: words decide first.
        compared.sort(key=lambda each: each[0])
        last = [words for words, *_ in compared[: self.most]][-1:]
        compared = [each for each in compared if [each[0]] <= last]
        keys = _keys([each.key for _, each, *_ in compared])
        cosines: list[float | None] = [None] * len(compared)
        if draft.vector is not None and len(keys):
            scores = reader.similarity(model, draft.vector, keys)
            cosines = [float(score) for score in scores]
            # A memory without a vector is scored 0; next to none with a vector is.
            for place in np.flatnonzero(scores == 0.0).tolist():
                if not reader.vectors(model, keys[[place]])[1][0]:
                    cosines[place] = None
        ranked: list[tuple[tuple[bool, float, float, int, int], dict[str, Any]]] = []
        for (words, each, text, theirs), known, cosine in zip(compared, reader.ids(keys), cosines, strict=True):
            link = read_signals(said, theirs)
            found = {"id": known, "content": text, "hop": each.hop, "via_edge": each.via, "cosine": cosine}
            found |= {"overlap": -words[1], "causal_signal": link is not None}
            found |= {"suggested_sub_type": link.sub_type if link else "causes"}
            ranked.append(((*words, -(cosine or 0.0), each.hop, each.key), found))
        return tuple(found for _, found in sorted(ranked, key=lambda each: each[0])[: self.most])


def _on_reading(
    stage: str,
    find: Callable[[Reader, Filter], Found],
    draft: Draft,
    state: Remembering,
    runtime: Runtime,
) -> LinkCandidates:
    """Return what finds the candidates of a draft when its reply is read.

    It is advice and never raises: a failure is logged, and without a store to read there are no candidates.
    """
    namespace, trusts = state.namespace, state.trusts

    def found() -> Found:
        of_store: tuple[type[Exception], ...] = (StoreError, *runtime.store.errors)
        try:
            with runtime.store.view(namespace) as reader:
                return find(reader, Filter(trusts=trusts, within=scope_set(draft.memory.tags)))
        except of_store:
            return ()
        except Exception as failure:  # noqa: BLE001 - advice: it is logged, and the text is stored
            report_failure(stage, draft.memory.content_hash, failure)
            return ()

    return found


def _keys(keys: list[int]) -> Keys:
    return np.array(keys, dtype=np.int64)


def _passing(reader: Reader, keys: list[int], where: Filter) -> list[int]:
    wanted = _keys(keys)
    return [int(key) for key in wanted[reader.eligible(wanted, where)]]
