"""Nearest memories of many facts, computed in blocks instead of a full matrix."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from combray.consolidate.state import Planning
from combray.consolidate.steps import FACTS
from combray.runtime import Filter, Keys, Ranked, Reader, Runtime, Scores

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
            yield from self._batch(keys[start : start + BATCH])

    def _batch(self, keys: Sequence[int]) -> Iterator[tuple[int, Ranked | None]]:
        if not self.model:
            yield from ((key, None) for key in keys)
            return
        vectors, has = self.reader.vectors(self.model, np.array(keys, dtype=np.int64))
        lists: Iterator[Ranked] = iter(())
        if has.any():
            lists = iter(self.reader.nearest(self.model, vectors[has], self.where, self.limit + 1, self.minimum))
        for key, there in zip(keys, has, strict=True):
            if not there:
                yield key, None
                continue
            found = next(lists)
            others = found.keys != key
            yield key, Ranked(found.keys[others][: self.limit], found.scores[others][: self.limit])


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
        """Fill `near` for every fact with a vector. Facts of the plan count like stored ones."""
        live = state.live()
        nearness = Nearness(
            runtime.store.reader(state.namespace), state.model, Filter(kinds=FACTS), self.similar_from, self.most
        )
        for done, (key, near) in enumerate(nearness.near(live)):
            if near is not None:
                state.near[key] = near
            if done % BATCH == 0:
                state.tell(self, done, len(live))
        for key, found in _among_fresh(state, nearness).items():
            state.near[key] = Ranked(found.keys[: self.most], found.scores[: self.most])
        return state


def _among_fresh(state: Planning, stored: Nearness) -> dict[int, Ranked]:
    """Return the neighbours of the plan's new facts, and updated lists of the stored facts near them."""
    having = [key for key, made in state.fresh.items() if state.model in made.vectors]
    if not having:
        return {}
    vectors = np.stack([state.fresh[key].vectors[state.model] for key in having])
    keys = np.array(having, dtype=np.int64)
    lists = stored.reader.nearest(state.model, vectors, stored.where, stored.limit, stored.minimum)
    found: dict[int, Ranked] = {}
    added: dict[int, list[tuple[int, float]]] = {}
    for key, vector, near in zip(having, vectors, lists, strict=True):
        cosines = (vectors @ vector).astype(np.float64)
        others = (keys != key) & (cosines >= stored.minimum)
        found[key] = _sorted(
            np.concatenate((near.keys, keys[others])), np.concatenate((near.scores, cosines[others]))
        )
        for other, score in zip(near.keys.tolist(), near.scores.tolist(), strict=True):
            added.setdefault(other, []).append((key, score))
    for other, more in added.items():
        if other in state.near:
            before = state.near[other]
            found[other] = _sorted(
                np.append(before.keys, [key for key, _ in more]),
                np.append(before.scores, [score for _, score in more]),
            )
    return found


def _sorted(keys: Keys, scores: Scores) -> Ranked:
    """Best first, ties by key."""
    order = np.lexsort((keys, -scores))
    return Ranked(keys[order], scores[order])
