"""Retrieval arms over columns, shared by every store that keeps columns in memory.

The store supplies posting lists, vectors and entity lists.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
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
    """The data that an arm reads from its store. A slot is a row's place in the snapshot."""

    def postings(self, arm: KeywordArm, snapshot: Snapshot) -> list[Posting | None]:
        """Return one posting list per term of the arm; None for a term that exceeds the posting budget."""

    def cosines(
        self, model: str, vector: NDArray[np.float32], snapshot: Snapshot
    ) -> tuple[Scores, NDArray[np.bool_]]:
        """Return the cosine of every row (0 without a vector) and which rows have a vector."""

    def naming(self, entities: Sequence[str], snapshot: Snapshot) -> Scores:
        """Return how many of the entities each row names."""

    def tagged(self, tags: Sequence[str], snapshot: Snapshot) -> NDArray[np.bool_]:
        """Return the rows with at least one of the tags."""

    def meeting(self, condition: Condition, snapshot: Snapshot) -> NDArray[np.bool_]:
        """Return the rows that meet the caller's condition."""


def search(evidence: Evidence, snapshot: Snapshot, arms: Mapping[str, Arm], where: Filter, limit: int) -> Found:
    """Return the best `limit` rows of every arm, and every arm's score for the union of them.

    No arm returns or counts quarantined rows, whatever the filter says.
    """
    eligible = findable_rows(evidence, snapshot, where)
    full: dict[str, Scores] = {}
    lists: dict[str, Ranked] = {}
    cosines: dict[int, tuple[Scores, NDArray[np.bool_]]] = {}
    for name, arm in arms.items():
        scores = _score(evidence, snapshot, arm, eligible, cosines)
        # Recency scores are exact; rounding would make the thousandth and the next equal.
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
    """Return the rows that the filter accepts, tags and the caller's condition included."""
    eligible = snapshot.mask(where)
    if where.tags:
        eligible = eligible & evidence.tagged(where.tags, snapshot)
    if where.condition is not None:
        eligible = eligible & evidence.meeting(where.condition, snapshot)
    return eligible


def findable_rows(evidence: Evidence, snapshot: Snapshot, where: Filter) -> NDArray[np.bool_]:
    """Return the rows that the filter accepts and that are not quarantined."""
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
            own, has = evidence.cosines(arm.model, arm.vector, snapshot)
            if snapshot.hides:
                own, has = np.where(snapshot.shown, own, 0.0), has & snapshot.shown
            cosines[id(arm.vector)] = own, has
        return _vector(snapshot, arm, *cosines[id(arm.vector)])
    if isinstance(arm, EntityArm):
        distinct = {each.casefold() for each in arm.entities}
        return evidence.naming(sorted(distinct), snapshot) / max(len(distinct), 1)
    scores = np.zeros(snapshot.count)
    if isinstance(arm, MomentArm):
        for since, until, score in arm.windows:
            inside = (snapshot.moment >= since) & (snapshot.moment < until)
            scores[inside] = np.maximum(scores[inside], score)
    else:
        places = np.flatnonzero(eligible)
        newest = places[np.lexsort((-snapshot.keys[places], -snapshot.moment[places]))]
        scores[newest] = 1.0 / (1.0 + np.arange(len(newest)))
    return scores


def _keyword(evidence: Evidence, snapshot: Snapshot, arm: KeywordArm) -> Scores:
    if not arm.terms or not snapshot.count:
        return np.zeros(snapshot.count)
    read = evidence.postings(arm, snapshot)
    if arm.lends:
        read = _lent(evidence, snapshot, arm, read)
    postings = [_shown(each, snapshot) for each in read if each is not None]
    if arm.scoring == "coverage":
        scores = coverage(postings, snapshot.count, len(arm.terms))
    else:
        lengths, average = spread_lengths(snapshot, arm)
        rows, expansion = snapshot.shown_count, snapshot.expansion(arm)
        scores = bm25f(postings, rows, lengths, average, expansion, arm.k1, arm.b)
        if arm.normalise:
            scores = np.minimum(scores / max(best_possible(postings, rows, arm.k1, arm.strongest), 1e-9), 1.0)
    if arm.mode == "all":
        held = coverage(postings, snapshot.count, len(read))
        scores[held < 1.0 - 1e-9] = 0.0
    return scores


def _lent(
    evidence: Evidence, snapshot: Snapshot, arm: KeywordArm, read: Sequence[Posting | None]
) -> list[Posting | None]:
    """Return the posting lists of the arm's terms with the rows that hold another name."""
    own = {term: posting for (term, _), posting in zip(arm.terms, read, strict=True) if posting is not None}
    for term, phrase, weight in arm.lends:
        before = own.get(term)
        if before is None or not phrase:
            continue
        asked = replace(arm, terms=tuple((each, 1.0) for each in phrase), mode="all", lends=())
        held = np.full(snapshot.count, np.inf)
        for posting in evidence.postings(asked, snapshot):
            here = np.zeros(snapshot.count)
            if posting is not None:
                here[posting.slots] = posting.frequencies
            held = np.minimum(held, here)
        held *= weight
        held[before.slots] = np.maximum(held[before.slots], before.frequencies)
        slots = np.flatnonzero(held)
        own[term] = Posting(slots, held[slots], before.weight)
    return [own.get(term) for term, _ in arm.terms]


def _shown(posting: Posting, snapshot: Snapshot) -> Posting:
    """Return the posting list without quarantined rows, which must not count for idf or for neighbours."""
    if not snapshot.hides:
        return posting
    kept = snapshot.shown[posting.slots]
    return Posting(posting.slots[kept], posting.frequencies[kept], posting.weight)


def spread_lengths(snapshot: Snapshot, arm: KeywordArm) -> tuple[Scores, float]:
    """Return lengths in terms with context expansion, and their mean over rows that are not quarantined."""
    expansion, own = snapshot.expansion(arm), snapshot.length

    def fresh() -> Scores:
        return expansion.around(np.arange(snapshot.count, dtype=np.int64), own)

    def grown(old: Scores, rows: int) -> Scores:
        new = np.arange(rows, snapshot.count, dtype=np.int64)
        added = np.concatenate((old, np.zeros(len(new))))
        changed = around(snapshot.chain, new, max(len(arm.before), len(arm.after)))
        added[changed] = expansion.around(changed, own)
        return added

    # Kept without the gain: a new turn changes the gain of its whole session, but the lengths of few turns.
    name = ("expanded", arm.before, arm.after, arm.question_boost)
    lengths: Scores = own + expansion.gain * snapshot.memo.get(name, snapshot.count, fresh, grown)
    counted = lengths[snapshot.shown] if snapshot.hides else lengths
    return lengths, float(counted.mean()) if len(counted) else 0.0


def _vector(snapshot: Snapshot, arm: VectorArm, own: Scores, has: NDArray[np.bool_]) -> Scores:
    scores = smoothed(snapshot, arm, own, has) if arm.before or arm.after else own
    if arm.minimum <= 0.0:
        return np.maximum(scores, 0.0) if has.all() else np.where(has, np.maximum(scores, 0.0), 0.0)
    # Rounded before it is compared, so that every machine decides alike at the minimum.
    enough = np.round(scores, DECIMALS) >= arm.minimum
    return np.where(has & enough, np.maximum(scores, 0.0), 0.0)


def smoothed(snapshot: Snapshot, arm: VectorArm, own: Scores, has: NDArray[np.bool_]) -> Scores:
    """Return each turn's cosine plus, at lower weight, its neighbours' differences from the mean cosine.

    Approximates embedding the window around a turn (equal within half a point: bench/results/quality.md) at the
    cost of one vector per memory instead of two. Not divided by the sum of weights: sessions of different gain
    must stay comparable.
    """
    # Without two turns of one session there are no neighbours.
    if not has.any() or not (snapshot.chain.next >= 0).any():
        return own
    average = float(own.sum() / has.sum())
    # One extra place with 0, which the pointer -1 of a turn without neighbour reads.
    centred = np.append(np.where(has, own - average, 0.0), 0.0)
    boosted = centred * np.append(np.where(snapshot.asks, arm.question_boost, 1.0), 1.0)
    added = np.zeros(snapshot.count)
    for distance, weight in enumerate(arm.before, start=1):
        added += weight * (boosted if distance == 1 else centred)[snapshot.hops("previous", distance)]
    for distance, weight in enumerate(arm.after, start=1):
        added += weight * centred[snapshot.hops("next", distance)]
    return own + snapshot.gain(arm.shape_words) * added
