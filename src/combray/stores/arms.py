"""Running retrieval arms over columns: shared by every store that keeps columns in memory.

The store supplies what only it can read: posting lists, vectors, entity lists.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from combray.runtime import (
    Arm,
    EntityArm,
    Filter,
    Found,
    KeywordArm,
    MomentArm,
    Ranked,
    RecencyArm,
    Scores,
    VectorArm,
)
from combray.scoring.bm25f import Posting, best_possible, bm25f, coverage
from combray.scoring.neighbours import around
from combray.scoring.ranking import DECIMALS, ranked
from combray.stores.columns import Snapshot
from combray.where import Condition


class Evidence(Protocol):
    """What an arm asks its store for. Slots are places in the snapshot."""

    def postings(self, arm: KeywordArm, snapshot: Snapshot) -> list[Posting | None]:
        """One posting list a term of the arm; None for a term left out by the posting budget."""
        ...

    def cosines(
        self, model: str, vector: NDArray[np.float32], snapshot: Snapshot
    ) -> tuple[Scores, NDArray[np.bool_]]:
        """Cosine of every row (0 where it has no vector) and which rows have one."""
        ...

    def naming(self, entities: Sequence[str], snapshot: Snapshot) -> Scores:
        """How many of the entities each row names."""
        ...

    def tagged(self, tags: Sequence[str], snapshot: Snapshot) -> NDArray[np.bool_]:
        """Rows that carry at least one of the tags."""
        ...

    def meeting(self, condition: Condition, snapshot: Snapshot) -> NDArray[np.bool_]:
        """Rows that meet a caller's condition."""
        ...


def search(evidence: Evidence, snapshot: Snapshot, arms: Mapping[str, Arm], where: Filter, limit: int) -> Found:
    """Best `limit` rows of every arm, and every arm's score for the union of them.

    What is in quarantine is found by no arm, whatever the filter says, and is counted nowhere.
    """
    eligible = findable_rows(evidence, snapshot, where)
    full: dict[str, Scores] = {}
    lists: dict[str, Ranked] = {}
    cosines: dict[int, tuple[Scores, NDArray[np.bool_]]] = {}
    for name, arm in arms.items():
        scores = _score(evidence, snapshot, arm, eligible, cosines)
        # Ranks by recency are exact as they are; rounding would make equals of the thousandth and the next.
        full[name] = scores if isinstance(arm, RecencyArm) else np.round(scores, DECIMALS)
        if isinstance(arm, KeywordArm) and not arm.listed:
            continue
        listed = eligible & (full[name] >= arm.minimum) if isinstance(arm, MomentArm) else eligible
        lists[name] = ranked(snapshot.keys, full[name], limit, listed)
    keys = np.unique(np.concatenate([each.keys for each in lists.values()])) if lists else np.zeros(0, np.int64)
    slots = np.searchsorted(snapshot.keys, keys)
    vectorless = next((int((eligible & ~has).sum()) for _, has in cosines.values()), 0)
    found = {name: scores[slots] for name, scores in full.items()}
    return Found(keys, lists, found, int(eligible.sum()), vectorless)


def eligible_rows(evidence: Evidence, snapshot: Snapshot, where: Filter) -> NDArray[np.bool_]:
    """The filter as a mask over rows, tags and the caller's condition included."""
    eligible = snapshot.mask(where)
    if where.tags:
        eligible = eligible & evidence.tagged(where.tags, snapshot)
    if where.condition is not None:
        eligible = eligible & evidence.meeting(where.condition, snapshot)
    return eligible


def findable_rows(evidence: Evidence, snapshot: Snapshot, where: Filter) -> NDArray[np.bool_]:
    """The filter as a mask, and quarantine kept out."""
    eligible = eligible_rows(evidence, snapshot, where)
    return eligible & snapshot.shown if snapshot.hides else eligible


def _score(
    evidence: Evidence,
    snapshot: Snapshot,
    arm: Arm,
    eligible: NDArray[np.bool_],
    cosines: dict[int, tuple[Scores, NDArray[np.bool_]]],
) -> Scores:
    if isinstance(arm, KeywordArm):
        return _keyword(evidence, snapshot, arm)
    if isinstance(arm, VectorArm):
        # Two arms over one query vector (with and without neighbours) share the scan.
        if id(arm.vector) not in cosines:
            cosines[id(arm.vector)] = _cosines(evidence, snapshot, arm)
        own, has = cosines[id(arm.vector)]
        return _vector(snapshot, arm, own, has)
    if isinstance(arm, EntityArm):
        distinct = {each.casefold() for each in arm.entities}
        return evidence.naming(sorted(distinct), snapshot) / max(len(distinct), 1)
    if isinstance(arm, MomentArm):
        return _moments(snapshot, arm)
    return _recency(snapshot, arm, eligible)


def _cosines(evidence: Evidence, snapshot: Snapshot, arm: VectorArm) -> tuple[Scores, NDArray[np.bool_]]:
    """Cosine of every row that may be found, and which have one."""
    own, has = evidence.cosines(arm.model, arm.vector, snapshot)
    return (np.where(snapshot.shown, own, 0.0), has & snapshot.shown) if snapshot.hides else (own, has)


def _moments(snapshot: Snapshot, arm: MomentArm) -> Scores:
    scores = np.zeros(snapshot.count)
    for since, until, score in arm.windows:
        inside = (snapshot.moment >= since) & (snapshot.moment < until)
        scores[inside] = np.maximum(scores[inside], score)
    return scores


def _keyword(evidence: Evidence, snapshot: Snapshot, arm: KeywordArm) -> Scores:
    if not arm.terms or not snapshot.count:
        return np.zeros(snapshot.count)
    read = evidence.postings(arm, snapshot)
    postings = [_shown(each, snapshot) for each in read if each is not None]
    if arm.scoring == "coverage":
        scores = coverage(postings, snapshot.count, len(arm.terms))
    else:
        lengths, average = spread_lengths(snapshot, arm)
        scores = bm25f(
            postings,
            snapshot.shown_count,
            lengths,
            average,
            snapshot.expansion(arm),
            arm.k1,
            arm.b,
        )
        if arm.normalise:
            scores = scores / max(best_possible(postings, snapshot.shown_count, arm.k1), 1e-9)
    if arm.mode == "all":
        held = coverage(postings, snapshot.count, len(read))
        scores[held < 1.0 - 1e-9] = 0.0
    return scores


def _shown(posting: Posting, snapshot: Snapshot) -> Posting:
    """The posting list without rows in quarantine: it says how rare a word is, and who lends it."""
    if not snapshot.hides:
        return posting
    kept = snapshot.shown[posting.slots]
    return Posting(posting.slots[kept], posting.frequencies[kept], posting.weight)


def spread_lengths(snapshot: Snapshot, arm: KeywordArm) -> tuple[Scores, float]:
    """Lengths in terms, lent to neighbours as the words are, and the mean of those that can be found."""
    expansion, own = snapshot.expansion(arm), snapshot.length

    def fresh() -> Scores:
        return expansion.around(np.arange(snapshot.count, dtype=np.int64), own)

    def grown(old: Scores, rows: int) -> Scores:
        new = np.arange(rows, snapshot.count, dtype=np.int64)
        lent = np.concatenate((old, np.zeros(len(new))))
        changed = around(snapshot.chain, new, max(len(arm.before), len(arm.after)))
        lent[changed] = expansion.around(changed, own)
        return lent

    # Kept without the gain: a new turn changes that of its whole session, but lends to few.
    name = ("lent", arm.before, arm.after, arm.question_boost)
    lengths: Scores = own + expansion.gain * snapshot.memo.get(name, snapshot.count, fresh, grown)
    counted = lengths[snapshot.shown] if snapshot.hides else lengths
    return lengths, float(counted.mean()) if len(counted) else 0.0


def _vector(snapshot: Snapshot, arm: VectorArm, own: Scores, has: NDArray[np.bool_]) -> Scores:
    scores = own
    if arm.before or arm.after:
        scores = smoothed(snapshot, arm, own, has)
    if arm.minimum <= 0.0:
        return np.maximum(scores, 0.0) if has.all() else np.where(has, np.maximum(scores, 0.0), 0.0)
    # Rounded before it is compared: a cosine at the minimum is in or out on every machine alike.
    enough = np.round(scores, DECIMALS) >= arm.minimum
    return np.where(has & enough, np.maximum(scores, 0.0), 0.0)


def smoothed(snapshot: Snapshot, arm: VectorArm, own: Scores, has: NDArray[np.bool_]) -> Scores:
    """A turn's cosine and, at lower weight, its neighbours' differences from the mean cosine of all.

    Stands in for embedding the window around a turn (equal within half a point: bench/results/quality.md)
    at the cost of one vector a memory instead of two. Not divided by the sum of weights: sessions of
    different gain must stay comparable.
    """
    # Facts stand alone: without a single turn next to another nothing is lent.
    if not has.any() or not (snapshot.chain.next >= 0).any():
        return own
    average = float(own.sum() / has.sum())
    # One place more, holding 0: what the pointer -1 of a turn without neighbour reads.
    centred = np.append(np.where(has, own - average, 0.0), 0.0)
    boosted = centred * np.append(np.where(snapshot.asks, arm.question_boost, 1.0), 1.0)
    lent = np.zeros(snapshot.count)
    for distance, weight in enumerate(arm.before, start=1):
        lent += weight * (boosted if distance == 1 else centred)[snapshot.hops("previous", distance)]
    for distance, weight in enumerate(arm.after, start=1):
        lent += weight * centred[snapshot.hops("next", distance)]
    return own + snapshot.gain(arm.shape_words) * lent


def _recency(snapshot: Snapshot, arm: RecencyArm, eligible: NDArray[np.bool_]) -> Scores:
    del arm
    scores = np.zeros(snapshot.count)
    places = np.flatnonzero(eligible)
    newest = places[np.lexsort((-snapshot.keys[places], -snapshot.moment[places]))]
    scores[newest] = 1.0 / (1.0 + np.arange(len(newest)))
    return scores
