"""Filters and scores of retrieval arms, written out from their definitions: loops, no matrices."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from combray.runtime import EntityArm, Filter, KeywordArm, MomentArm, VectorArm
from combray.scoring.ranking import DECIMALS
from combray.stores.matrix import encode
from combray.testing.reference.state import Row, seconds
from combray.types import STATUSES
from combray.where import matches

ByKey = dict[int, float]


def passes(row: Row, where: Filter) -> bool:
    """Whether the filter lets a row through."""
    memory = row.memory
    statuses = set(where.statuses or STATUSES)
    if where.as_of is not None:
        statuses |= {"superseded", "merged"}
        if seconds(memory.recorded_at) > where.as_of:
            return False
        if memory.valid_from is not None and seconds(memory.valid_from) > where.as_of:
            return False
        if memory.valid_to is not None and seconds(memory.valid_to) <= where.as_of:
            return False
    if where.now is not None and memory.expires_at is not None and seconds(memory.expires_at) <= where.now:
        return False
    if where.since is not None and row.moment < where.since:
        return False
    if where.until is not None and row.moment >= where.until:
        return False
    return (
        memory.status in statuses
        and (not where.kinds or memory.kind in where.kinds)
        and (not where.categories or memory.category in where.categories)
        and (not where.sources or memory.source in where.sources)
        and (not where.authors or memory.author in where.authors)
        and (not where.sessions or memory.session in where.sessions)
        and (not where.tiers or memory.tier in where.tiers)
        and (not where.trusts or memory.trust in where.trusts)
        and (not where.tags or bool(row.tags & {tag.casefold() for tag in where.tags}))
        and memory.confidence >= where.min_confidence
        and memory.importance >= where.min_importance
        and matches(where.condition, memory)
    )


def moments(rows: Sequence[Row], arm: MomentArm) -> ByKey:
    """The highest score of the windows that hold each row's moment."""
    return {
        row.key: max((s for since, until, s in arm.windows if since <= row.moment < until), default=0.0)
        for row in rows
    }


def conversation(rows: Sequence[Row], row: Row) -> list[Row]:
    """The turns of the row's session in order; the row alone if it has none, or is in quarantine."""
    if row.memory.session is None or not row.shown:
        return [row]
    turns = [each for each in rows if each.memory.session == row.memory.session and each.shown]
    return sorted(turns, key=lambda turn: (_position(turn), turn.key))


def _position(row: Row) -> int:
    return -1 if row.memory.position is None else row.memory.position


def lenders(rows: Sequence[Row], arm: KeywordArm | VectorArm) -> dict[int, list[tuple[Row, float]]]:
    """For each key the turns around it that lend to it, each with its weight, gain included."""
    found: dict[int, list[tuple[Row, float]]] = {}
    for row in rows:
        turns = conversation(rows, row)
        place = [turn.key for turn in turns].index(row.key)
        gain = session_gain(rows, row, arm.shape_words)
        found[row.key] = []
        for weights, step in ((arm.before, -1), (arm.after, 1)):
            for distance, weight in enumerate(weights, start=1):
                there = place + step * distance
                if 0 <= there < len(turns):
                    boosted = step * distance == -1 and turns[there].entry.asks
                    boost = arm.question_boost if boosted else 1.0
                    found[row.key].append((turns[there], weight * boost * gain))
    return found


def session_gain(rows: Sequence[Row], row: Row, limit: int) -> float:
    """How far the turns of the row's session are each other's context; fully up to `limit` words a turn."""
    if limit <= 0:
        return 1.0
    words = [turn.entry.words for turn in conversation(rows, row)]
    mean = sum(words) / len(words)
    return min(1.0, (limit / max(mean, 1.0)) ** 2)


def keyword(rows: Sequence[Row], arm: KeywordArm, stored: Sequence[Row]) -> ByKey:
    """BM25F with lending, or coverage, of every row; the budget is spent on what all `stored` rows hold."""
    chosen = _affordable(stored, arm)
    own = {term: _frequencies(rows, term, arm.fields) for term, _ in arm.terms}
    if arm.scoring == "coverage":
        read = [term for term, _ in arm.terms if term in chosen]
        scores = {row.key: sum(own[term][row.key] > 0 for term in read) / len(arm.terms) for row in rows}
    else:
        scores = _bm25f(rows, arm, chosen, own)
    if arm.mode == "all":
        for row in rows:
            if not all(own[term][row.key] > 0 for term, _ in arm.terms):
                scores[row.key] = 0.0
    return scores


def _frequencies(rows: Sequence[Row], term: str, fields: Sequence[float]) -> ByKey:
    return {
        row.key: sum(weight * field.count(term) for weight, field in zip(fields, row.entry.fields, strict=True))
        for row in rows
    }


def _affordable(rows: Sequence[Row], arm: KeywordArm) -> set[str]:
    """The rarest terms until the budget is spent, never fewer than three; all for "all"."""
    terms = {term for term, _ in arm.terms}
    if arm.mode == "all":
        return terms
    holding = {term: sum(any(term in field for field in row.entry.fields) for row in rows) for term in terms}
    chosen: set[str] = set()
    spent = 0
    for term in sorted(terms, key=lambda each: (holding[each], each)):
        spent += holding[term]
        if len(chosen) >= 3 and spent > arm.posting_budget:
            break
        chosen.add(term)
    return chosen


def _bm25f(rows: Sequence[Row], arm: KeywordArm, chosen: set[str], own: Mapping[str, ByKey]) -> ByKey:
    around = lenders(rows, arm)

    def lent(values: ByKey, row: Row) -> float:
        return values[row.key] + sum(weight * values[giver.key] for giver, weight in around[row.key])

    written = {row.key: float(row.entry.length) for row in rows}
    lengths = {row.key: lent(written, row) for row in rows}
    average = max(sum(lengths.values()) / len(rows), 1e-9) if rows else 1.0
    scores = {row.key: 0.0 for row in rows}
    possible = 0.0
    for term, weight in arm.terms:
        if term not in chosen:
            continue
        holding = sum(frequency > 0 for frequency in own[term].values())
        idf = math.log(1 + (len(rows) - holding + 0.5) / (holding + 0.5))
        possible += weight * idf * (arm.k1 + 1)
        for row in rows:
            frequency = lent(own[term], row)
            if frequency > 0:
                norm = arm.k1 * (1 - arm.b + arm.b * lengths[row.key] / average)
                scores[row.key] += weight * idf * (arm.k1 + 1) * frequency / (frequency + norm)
    if arm.normalise:
        return {key: score / max(possible, 1e-9) for key, score in scores.items()}
    return scores


def coded(vector: NDArray[np.float32]) -> bytes:
    """The int8 code of a vector, as stores keep it."""
    return encode(np.asarray(vector, dtype=np.float32)[None, :])[0]


def cosine(left: bytes, right: bytes) -> float:
    """Cosine of two int8 codes; 0 if one is zero."""
    a, b = memoryview(left).cast("b").tolist(), memoryview(right).cast("b").tolist()
    lengths = math.sqrt(sum(x * x for x in a)) * math.sqrt(sum(x * x for x in b))
    return sum(x * y for x, y in zip(a, b, strict=True)) / lengths if lengths else 0.0


def vector(rows: Sequence[Row], arm: VectorArm, codes: Mapping[int, bytes]) -> ByKey:
    """Cosine, smoothed over neighbours if the arm says so; 0 below the minimum and without a vector."""
    query = coded(arm.vector)
    own = {row.key: cosine(codes[row.key], query) for row in rows if row.key in codes and any(codes[row.key])}
    scores = dict(own)
    if own and (arm.before or arm.after):
        average = sum(own.values()) / len(own)
        for key, givers in lenders(rows, arm).items():
            if key in own:
                scores[key] += sum(
                    weight * (own[giver.key] - average) for giver, weight in givers if giver.key in own
                )
    return {
        row.key: max(scores[row.key], 0.0)
        if row.key in scores and round(scores[row.key], DECIMALS) >= arm.minimum
        else 0.0
        for row in rows
    }


def naming(rows: Sequence[Row], arm: EntityArm) -> ByKey:
    """Share of the arm's entities that each row names."""
    wanted = {name.casefold() for name in arm.entities}
    return {row.key: len(row.entities & wanted) / max(len(wanted), 1) for row in rows}


def recency(rows: Sequence[Row], eligible: set[int]) -> ByKey:
    """1 for the newest eligible row, 1/2 for the next, and so on; 0 for the others."""
    newest = sorted((row for row in rows if row.key in eligible), key=lambda row: (-row.moment, -row.key))
    return {row.key: 0.0 for row in rows} | {row.key: 1 / (1 + rank) for rank, row in enumerate(newest)}
