"""Reads of the store: facts, earlier decisions, and the nearest memories of many facts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Literal

import numpy as np

from combray.consolidate.relation import Pair, pair
from combray.consolidate.runs import BOTH, by_key
from combray.consolidate.state import Planning
from combray.consolidate.steps import FACTS
from combray.language.scopes import scope_set
from combray.records import dataclass
from combray.runtime import Doubt, Filter, KeywordArm, Ranked, Reader, Runtime
from combray.types import LIVE_STATUSES

_AT_ONCE = 5_000


def same_scope(state: Planning, one: int, other: int) -> bool:
    """Return whether two facts are known and in the same scope."""
    known = one in state.facts and other in state.facts
    return known and scope_set(state.facts[one].tags) == scope_set(state.facts[other].tags)


def by_words(
    reader: Reader,
    terms: Iterable[str],
    where: Filter,
    limit: int,
    *,
    mode: Literal["any", "all"] = "any",
    posting_budget: int = 20_000,
) -> list[int]:
    """Return the keys of the memories whose content has the most of some terms; with mode "all", every term."""
    wanted = tuple((term, 1.0) for term in dict.fromkeys(terms))
    fields = (1.0, 0.0, 0.0, 0.0)
    arm = KeywordArm(wanted, mode=mode, scoring="coverage", fields=fields, posting_budget=posting_budget)
    found: list[int] = reader.search({"words": arm}, where, limit).lists["words"].keys.tolist() if wanted else []
    return found


@dataclass(frozen=True)
class LoadFacts:
    """Reads every live or deprecated fact, insight and summary, without quarantined ones."""

    needs = ()
    gives = ("facts",)

    def __call__(self, state: Planning, runtime: Runtime) -> Planning:
        reader = runtime.store.reader(state.namespace)
        keys = reader.scan(Filter(kinds=FACTS, statuses=(*LIVE_STATUSES, "deprecated")))
        for start in range(0, len(keys), _AT_ONCE):
            some = keys[start : start + _AT_ONCE]
            state.facts.update(by_key(reader, some.tolist()))
            state.report(self, min(start + _AT_ONCE, len(keys)), len(keys))
        state.settled = {(doubt.first, doubt.second): doubt for doubt in reader.doubts()}
        asked: dict[Pair, float] = {}
        for link in reader.links(state.facts, ("may_revise",)):
            both = pair(link.source, link.target)
            if link.subtype == BOTH and not state.answered(*both):
                # A caller said that both hold: no rule and no judge decides otherwise.
                state.settled[both] = Doubt(*both, "settled by a caller", "KEEP_BOTH")
            elif not link.subtype and all(key in state.facts for key in both) and same_scope(state, *both):
                asked[link.source, link.target] = link.weight
        state.questions = sorted(asked, key=lambda each: (-asked[each], each))
        if runtime.embedder is not None:
            state.model = runtime.embedder.name
        else:
            # Without an embedder: the model with the most vectors.
            stored: dict[str, int] = reader.status()["vectors"]
            state.model = min(stored, key=lambda name: (-stored[name], name), default="")
        return state


BATCH = 256
"""Facts per block: their cosines with every memory take a few megabytes."""


@dataclass(frozen=True, slots=True)
class Nearness:
    """Finds the `limit` nearest memories that pass a filter, with a cosine of at least `minimum`."""

    reader: Reader
    model: str
    where: Filter
    minimum: float
    limit: int

    def near(self, keys: Sequence[int]) -> Iterator[tuple[int, Ranked | None]]:
        """Yield each fact's neighbours, best first and without itself. None for a fact without a vector."""
        for start in range(0, len(keys), BATCH):
            some = np.array(keys[start : start + BATCH], dtype=np.int64)
            lists: dict[int, Ranked] = {}
            if self.model:
                vectors, has = self.reader.vectors(self.model, some)
                nearest = (self.model, vectors[has], self.where, self.limit + 1, self.minimum)
                found = self.reader.nearest(*nearest) if has.any() else []
                lists = dict(zip(some[has].tolist(), found, strict=True))
            for key in some.tolist():
                near = lists.get(key)
                if near is not None:
                    others = near.keys != key
                    near = Ranked(near.keys[others][: self.limit], near.scores[others][: self.limit])
                yield key, near


@dataclass(frozen=True)
class FindNear:
    """Looks up the `most` nearest facts of each fact, once for merging and contradictions.

    `similar_from` is the lower bound for updates in the diff (docs/reference/presets.md): a changed value moves
    a vector further than a paraphrase does. Identical texts are found without it.
    """

    needs = ("facts",)
    gives = ("near",)
    similar_from: float = 0.65
    most: int = 256

    def __call__(self, state: Planning, runtime: Runtime) -> Planning:
        live = state.live()
        nearness = Nearness(
            runtime.store.reader(state.namespace), state.model, Filter(kinds=FACTS), self.similar_from, self.most
        )
        for done, (key, near) in enumerate(nearness.near(live)):
            if near is not None:
                # Facts of other scopes take no place among the nearest few.
                inside = np.array([same_scope(state, key, other) for other in near.keys.tolist()], dtype=np.bool_)
                state.near[key] = Ranked(near.keys[inside], near.scores[inside])
            if done % BATCH == 0:
                state.report(self, done, len(live))
        return state
