"""Retrieval arms over columns, shared by every store that keeps columns in memory.

The store supplies posting lists, vectors and entity lists. The cost follows these lists and one scan of the
vectors: rows that no arm finds are not touched.
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
    Scores,
    VectorArm,
)
from combray.scoring.bm25f import Posting, best_possible, bm25f, coverage
from combray.scoring.ranking import Sparse, ascending, ranked
from combray.scoring.turns import Slots
from combray.stores.scored import All, Cosines, Few, HeldShare, Measured, Scored, Windows
from combray.stores.snapshot import Snapshot, inside
from combray.where import Condition


class ArmData(Protocol):
    """The data that an arm reads from its store. A slot is a row's place in the snapshot."""

    def postings(self, arm: KeywordArm, snapshot: Snapshot) -> list[Posting | None]:
        """Return one posting list per term of the arm; None for a term that exceeds the posting budget."""

    def measured(self, model: str, vector: NDArray[np.float32], snapshot: Snapshot) -> Measured:
        """Return the cosines with a vector. A quarantined row has none."""

    def naming(self, entities: Sequence[str], snapshot: Snapshot) -> list[Slots]:
        """Return for each entity the distinct rows that name it."""

    def tagged(self, tags: Sequence[str], snapshot: Snapshot) -> NDArray[np.bool_]:
        """Return the rows with at least one of the tags."""

    def meeting(self, condition: Condition, snapshot: Snapshot) -> NDArray[np.bool_]:
        """Return the rows that meet the caller's condition."""


class _SearchData:
    """Data of one search, each posting list read once and without quarantined rows: arms share terms."""

    def __init__(self, evidence: ArmData) -> None:
        self._evidence = evidence
        self._lists: dict[tuple[object, ...], list[Posting | None]] = {}
        self.measured, self.naming = evidence.measured, evidence.naming

    def postings(self, arm: KeywordArm, snapshot: Snapshot) -> list[Posting | None]:
        name = arm.terms, arm.fields, arm.mode == "all", arm.posting_budget
        if name not in self._lists:
            read = self._evidence.postings(arm, snapshot)
            self._lists[name] = [each and _shown(each, snapshot) for each in read] if snapshot.hides else read
        return self._lists[name]


def search(evidence: ArmData, snapshot: Snapshot, arms: Mapping[str, Arm], where: Filter, limit: int) -> Found:
    """Return the best `limit` rows of every arm, and every arm's score for the union of them.

    No arm returns or counts quarantined rows, whatever the filter says.
    """
    eligible = findable_rows(evidence, snapshot, where)
    cosines: dict[int, Measured] = {}
    kept = _SearchData(evidence)
    scored = {name: _scored(kept, snapshot, arm, eligible, cosines) for name, arm in arms.items()}
    same = _same_vectors(scored)
    lists: dict[str, Ranked] = {}
    for name, arm in arms.items():
        if isinstance(arm, KeywordArm) and not arm.listed:
            continue
        if name in same:
            lists[name] = lists[same[name]]
            continue
        slots = scored[name].leading(eligible, limit)
        lists[name] = ranked(snapshot.keys[slots], scored[name].at(slots), limit)
    keys = ascending(np.concatenate([each.keys for each in lists.values()])) if lists else np.zeros(0, np.int64)
    slots = np.searchsorted(snapshot.keys, keys)
    vectorless = _vectorless(snapshot, arms, eligible, cosines)
    found: dict[str, Scores] = {}
    for name, each in scored.items():
        found[name] = found[same[name]] if name in same else each.at(slots)
    for each in scored.values():
        if isinstance(each, Few):
            snapshot.scratch.take_back(each.found.scores, each.found.touched)
    return Found(keys, lists, found, snapshot.size(eligible), vectorless)


def _same_vectors(scored: Mapping[str, Scored]) -> dict[str, str]:
    """Return the arms that score as an earlier one: without neighbours a window is the turn itself."""
    first: dict[tuple[int, float], str] = {}
    every = {name: each for name, each in scored.items() if isinstance(each, Cosines)}
    earlier = {name: first.setdefault((id(each.measured), each.minimum), name) for name, each in every.items()}
    return {name: other for name, other in earlier.items() if name != other}


def _vectorless(
    snapshot: Snapshot,
    arms: Mapping[str, Arm],
    eligible: NDArray[np.bool_],
    cosines: Mapping[int, Measured],
) -> int:
    """Return how many rows have no vector of the first vector arm's model."""
    first = next((arm for arm in arms.values() if isinstance(arm, VectorArm)), None)
    if first is None:
        return 0
    has = cosines[id(first.vector)].has
    return snapshot.derived_from(eligible, ("vectorless", first.model), lambda: int((eligible & ~has).sum()))


def eligible_rows(evidence: ArmData, snapshot: Snapshot, where: Filter) -> NDArray[np.bool_]:
    """Return the rows that the filter accepts, tags and the caller's condition included."""
    eligible = snapshot.mask(where)
    if where.tags:
        eligible = eligible & evidence.tagged(where.tags, snapshot)
    if where.condition is not None:
        eligible = eligible & evidence.meeting(where.condition, snapshot)
    return eligible


def findable_rows(evidence: ArmData, snapshot: Snapshot, where: Filter) -> NDArray[np.bool_]:
    """Return the rows that the filter accepts and that are not quarantined."""
    eligible = eligible_rows(evidence, snapshot, where)
    if not snapshot.hides:
        return eligible
    return snapshot.derived_from(eligible, "findable", lambda: _read_only(eligible & snapshot.shown))


def _read_only(mask: NDArray[np.bool_]) -> NDArray[np.bool_]:
    mask.setflags(write=False)
    return mask


def _scored(
    evidence: _SearchData,
    snapshot: Snapshot,
    arm: Arm,
    eligible: NDArray[np.bool_],
    cosines: dict[int, Measured],
) -> Scored:
    if isinstance(arm, KeywordArm):
        if arm.scoring == "coverage" and not arm.listed and arm.mode == "any":
            return HeldShare([each.slots for each in _read(evidence, snapshot, arm)], len(arm.terms))
        return Few(_keyword(evidence, snapshot, arm))
    if isinstance(arm, VectorArm):
        # Two arms over one query vector (with and without neighbours) share the scan.
        if id(arm.vector) not in cosines:
            cosines[id(arm.vector)] = evidence.measured(arm.model, arm.vector, snapshot)
        return _vector(snapshot, arm, cosines[id(arm.vector)])
    if isinstance(arm, EntityArm):
        distinct = {each.casefold() for each in arm.entities}
        postings = [
            Posting(slots, np.ones(len(slots)), 1.0) for slots in evidence.naming(sorted(distinct), snapshot)
        ]
        return Few(coverage(postings, snapshot.count, len(distinct), snapshot.scratch))
    scores = np.zeros(snapshot.count)
    if isinstance(arm, MomentArm):
        for since, until, score in arm.windows:
            met = inside(
                snapshot.moment, snapshot.columns["happened"], snapshot.columns["happened_to"], since, until
            )
            scores[met] = np.maximum(scores[met], score)
        return All(scores, arm.minimum)
    places = np.flatnonzero(eligible)
    newest = places[np.lexsort((-snapshot.keys[places], -snapshot.moment[places]))]
    scores[newest] = 1.0 / (1.0 + np.arange(len(newest)))
    return All(scores, exact=True)


def _keyword(evidence: _SearchData, snapshot: Snapshot, arm: KeywordArm) -> Sparse:
    if not arm.terms or not snapshot.count:
        return coverage((), snapshot.count, 1, snapshot.scratch)
    postings = _read(evidence, snapshot, arm)
    if arm.scoring == "coverage":
        found = coverage(postings, snapshot.count, len(arm.terms), snapshot.scratch)
    else:
        lengths, average = snapshot.lengths(arm)
        rows, expansion = snapshot.shown_count, snapshot.expansion(arm)
        found = bm25f(postings, rows, lengths, average, expansion, arm.k1, arm.b, snapshot.scratch)
        if arm.normalise:
            best = max(best_possible(postings, rows, arm.k1, arm.strongest), 1e-9)
            found.scores[found.touched] = np.minimum(found.scores[found.touched] / best, 1.0)
    if arm.mode == "all":
        held = coverage(postings, snapshot.count, len(arm.terms), snapshot.scratch)
        found.scores[found.touched[held.scores[found.touched] < 1.0 - 1e-9]] = 0.0
        snapshot.scratch.take_back(held.scores, held.touched)
    return found


def _read(evidence: _SearchData, snapshot: Snapshot, arm: KeywordArm) -> list[Posting]:
    """Return the posting lists of the arm's terms that were read, with the rows that hold another name."""
    read = evidence.postings(arm, snapshot) if arm.terms and snapshot.count else []
    if arm.lends:
        read = _lent(evidence, snapshot, arm, read)
    return [each for each in read if each is not None]


def _lent(
    evidence: _SearchData, snapshot: Snapshot, arm: KeywordArm, read: Sequence[Posting | None]
) -> list[Posting | None]:
    """Return the posting lists of the arm's terms with the rows that hold another name."""
    own = {term: posting for (term, _), posting in zip(arm.terms, read, strict=True) if posting is not None}
    for term, phrase, weight in arm.lends:
        before = own.get(term)
        if before is None or not phrase:
            continue
        asked = replace(arm, terms=tuple((each, 1.0) for each in phrase), mode="all", lends=())
        holding = _holding_all(evidence.postings(asked, snapshot))
        slots = np.union1d(before.slots, holding.slots)
        frequencies = np.zeros(len(slots))
        frequencies[np.searchsorted(slots, holding.slots)] = holding.frequencies * weight
        known = np.searchsorted(slots, before.slots)
        frequencies[known] = np.maximum(frequencies[known], before.frequencies)
        own[term] = Posting(slots, frequencies, before.weight)
    return [own.get(term) for term, _ in arm.terms]


def _holding_all(postings: Sequence[Posting | None]) -> Posting:
    """Return the rows in every list, with the least of their frequencies."""
    lists = [each for each in postings if each is not None]
    if len(lists) < len(postings):
        return Posting(np.zeros(0, dtype=np.int64), np.zeros(0), 1.0)
    slots, frequencies = lists[0].slots, lists[0].frequencies
    for each in lists[1:]:
        slots, here, there = np.intersect1d(slots, each.slots, assume_unique=True, return_indices=True)
        frequencies = np.minimum(frequencies[here], each.frequencies[there])
    return Posting(slots, frequencies, 1.0)


def _shown(posting: Posting, snapshot: Snapshot) -> Posting:
    """Return the posting list without quarantined rows, which must not count for idf or for neighbours."""
    kept = snapshot.shown[posting.slots]
    return Posting(posting.slots[kept], posting.frequencies[kept], posting.weight)


def _vector(snapshot: Snapshot, arm: VectorArm, measured: Measured) -> Scored:
    # Without two turns of one session there are no neighbours.
    if not (arm.before or arm.after) or not snapshot.linked or not measured.has.any():
        return Cosines(measured, arm.minimum)
    gain = snapshot.gain_of_turns(arm.shape_words)
    return Windows(snapshot, measured, arm.minimum, arm.before, arm.after, arm.question_boost, gain)
