"""Filters and scores of retrieval arms, written out from their definitions: loops, no matrices."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from combray.errors import InvalidInputError
from combray.language.scopes import GLOBAL, scope_set
from combray.runtime import EntityArm, Filter, KeywordArm, MomentArm, VectorArm
from combray.scoring.ranking import DECIMALS
from combray.testing.reference.state import Row, seconds
from combray.types import STATUSES, Memory
from combray.where import matches

ByKey = dict[int, float]


def passes(row: Row, where: Filter) -> bool:
    """Return whether the filter accepts a row."""
    memory, statuses = row.memory, where.statuses or STATUSES
    if where.as_of is not None:
        statuses = (*statuses, "superseded", "merged")
    choices = (
        (where.kinds, memory.kind),
        (where.categories, memory.category),
        (where.sources, memory.source),
        (where.authors, memory.author),
        (where.sessions, memory.session),
        (where.tiers, memory.tier),
        (where.trusts, memory.trust),
    )
    return (
        memory.status in statuses
        and all(not wanted or value in wanted for wanted, value in choices)
        and (not where.tags or bool(row.tags & {tag.casefold() for tag in where.tags}))
        and (where.within is None or scope_set(memory.tags) == where.within)
        and (not where.scopes or _in_scope(memory, where.scopes))
        and memory.confidence >= where.min_confidence
        and memory.importance >= where.min_importance
        and ((where.since is None and where.until is None) or _in_time(row, where.since, where.until))
        and (where.now is None or memory.expires_at is None or seconds(memory.expires_at) > where.now)
        and (where.as_of is None or _held_true(memory, where.as_of))
        and matches(where.condition, memory)
    )


def _in_time(row: Row, since: float | None, until: float | None) -> bool:
    """Return whether it was said, or happened as its text says, in [since, until)."""
    first, last = -math.inf if since is None else since, math.inf if until is None else until
    memory = row.memory
    if first <= row.moment < last:
        return True
    if memory.said_at is None or memory.occurred_from is None or memory.occurred_to is None:
        return False
    return seconds(memory.occurred_from) < last and seconds(memory.occurred_to) > first


def _in_scope(memory: Memory, scopes: Sequence[str]) -> bool:
    return not {scope.casefold() for scope in scopes}.isdisjoint(scope_set(memory.tags) or (GLOBAL,))


def _held_true(memory: Memory, at: float) -> bool:
    return (
        seconds(memory.recorded_at) <= at
        and (memory.valid_from is None or seconds(memory.valid_from) <= at)
        and (memory.valid_to is None or seconds(memory.valid_to) > at)
    )


def moments(rows: Sequence[Row], arm: MomentArm) -> ByKey:
    """Return the highest score of the windows that contain each row's moment."""
    return {
        row.key: max((s for since, until, s in arm.windows if _in_time(row, since, until)), default=0.0)
        for row in rows
    }


def naming(rows: Sequence[Row], arm: EntityArm) -> ByKey:
    """Return the share of the arm's entities that each row names."""
    wanted = {name.casefold() for name in arm.entities}
    return {row.key: len(row.entities & wanted) / max(len(wanted), 1) for row in rows}


def recency(rows: Sequence[Row], eligible: set[int]) -> ByKey:
    """Return 1 for the newest eligible row, 1/2 for the next, and so on; 0 for ineligible rows."""
    newest = sorted((row for row in rows if row.key in eligible), key=lambda row: (-row.moment, -row.key))
    return {row.key: 0.0 for row in rows} | {row.key: 1 / (1 + rank) for rank, row in enumerate(newest)}


def conversation(rows: Sequence[Row], row: Row) -> list[Row]:
    """Return the turns of the row's session in order; the row alone without a session or in quarantine."""
    if row.memory.session is None or not row.shown:
        return [row]
    turns = [each for each in rows if each.memory.session == row.memory.session and each.shown]
    positions = {turn.key: -1 if turn.memory.position is None else turn.memory.position for turn in turns}
    return sorted(turns, key=lambda turn: (positions[turn.key], turn.key))


def session_gain(turns: Sequence[Row], limit: int) -> float:
    """Return the weight of context expansion among the turns of a session: 1 up to `limit` words a turn."""
    mean = sum(turn.entry.words for turn in turns) / len(turns)
    return min(1.0, (limit / max(mean, 1.0)) ** 2) if limit > 0 else 1.0


def neighbours(rows: Sequence[Row], arm: KeywordArm | VectorArm) -> dict[int, list[tuple[int, float]]]:
    """Return the keys of the turns around each row, each with its weight in context expansion."""
    found: dict[int, list[tuple[int, float]]] = {}
    for row in rows:
        turns = conversation(rows, row)
        place, gain = turns.index(row), session_gain(turns, arm.shape_words)
        found[row.key] = []
        for weights, step in ((arm.before, -1), (arm.after, 1)):
            for distance, weight in enumerate(weights, start=1):
                there = place + step * distance
                if 0 <= there < len(turns):
                    boost = arm.question_boost if there == place - 1 and turns[there].entry.asks else 1.0
                    found[row.key].append((turns[there].key, weight * boost * gain))
    return found


def keyword(rows: Sequence[Row], arm: KeywordArm, stored: Sequence[Row]) -> ByKey:
    """Return BM25F or coverage of every row. The posting budget counts the postings of all `stored` rows."""
    own = {
        term: {
            row.key: sum(w * f.count(term) for w, f in zip(arm.fields, row.entry.fields, strict=True))
            for row in rows
        }
        for term, _ in arm.terms
    }
    for term, phrase, weight in arm.lends:
        for row in rows if term in own else ():
            counts = [
                sum(w * field.count(each) for w, field in zip(arm.fields, row.entry.fields, strict=True))
                for each in phrase
            ]
            own[term][row.key] = max(own[term][row.key], weight * min(counts, default=0.0))
    read = _affordable(stored, arm)
    if arm.scoring == "coverage":
        scores = {row.key: sum(own[term][row.key] > 0 for term in read) / len(arm.terms) for row in rows}
    else:
        scores = _bm25f(rows, arm, [(weight, own[term]) for term, weight in arm.terms if term in read])
    if arm.mode == "all":
        scores = {
            key: score if all(own[term][key] > 0 for term, _ in arm.terms) else 0.0
            for key, score in scores.items()
        }
    return scores


def _affordable(rows: Sequence[Row], arm: KeywordArm) -> list[str]:
    """Return the arm's rarest terms until the budget is spent, never fewer than three; all for "all"."""
    terms = [term for term, _ in arm.terms]
    if arm.mode == "all":
        return terms
    counts = {term: sum(any(term in field for field in row.entry.fields) for row in rows) for term in terms}
    chosen: set[str] = set()
    spent = 0
    for term in sorted(counts, key=lambda each: (counts[each], each)):
        spent += counts[term]
        if len(chosen) < 3 or spent <= arm.posting_budget:
            chosen.add(term)
    return [term for term in terms if term in chosen]


def _bm25f(rows: Sequence[Row], arm: KeywordArm, terms: Sequence[tuple[float, ByKey]]) -> ByKey:
    around = neighbours(rows, arm)

    def expanded(values: Mapping[int, float], key: int) -> float:
        return values[key] + sum(weight * values[other] for other, weight in around[key])

    written = {row.key: float(row.entry.length) for row in rows}
    lengths = {key: expanded(written, key) for key in written}
    average = max(sum(lengths.values()) / max(len(rows), 1), 1e-9)
    scores = {row.key: 0.0 for row in rows}
    possible = 0.0
    for weight, own in terms:
        holding = sum(frequency > 0 for frequency in own.values())
        idf = math.log(1 + (len(rows) - holding + 0.5) / (holding + 0.5))
        possible += weight * idf * (arm.k1 + 1)
        for key in scores:
            frequency = expanded(own, key)
            if frequency > 0:
                norm = arm.k1 * (1 - arm.b + arm.b * lengths[key] / average)
                scores[key] += weight * idf * (arm.k1 + 1) * frequency / (frequency + norm)
    if arm.normalise:
        return {key: score / max(possible, 1e-9) for key, score in scores.items()}
    return scores


def coded(vector: NDArray[np.float32]) -> bytes:
    """Return the int8 code of a vector: its largest component becomes 127."""
    if not np.isfinite(vector).all():
        raise InvalidInputError("vector", "holds NaN or infinite components.")
    peak = np.abs(vector).max(initial=0.0)
    return np.rint(vector / (peak if peak > 0 else np.float32(1)) * 127.0).astype(np.int8).tobytes()


def decoded(code: bytes) -> NDArray[np.float32]:
    """Return the unit vector of a code; zeros for a code of zeros."""
    whole = memoryview(code).cast("b").tolist()
    length = math.sqrt(sum(x * x for x in whole))
    return np.array(whole, dtype=np.float32) / np.float32(length or 1.0)


def check_dimensions(model: str, known: int, given: int) -> None:
    """Raise InvalidInputError for a vector whose length differs from the model's."""
    if known != given:
        raise InvalidInputError("vector", f"has {given} dimensions, those of {model!r} have {known}.")


def cosine(left: bytes, right: bytes) -> float:
    """Return the cosine of two int8 codes; 0 if one is zero."""
    a, b = memoryview(left).cast("b").tolist(), memoryview(right).cast("b").tolist()
    lengths = math.sqrt(sum(x * x for x in a)) * math.sqrt(sum(x * x for x in b))
    return sum(x * y for x, y in zip(a, b, strict=True)) / lengths if lengths else 0.0


def vector(rows: Sequence[Row], arm: VectorArm, codes: Mapping[int, bytes]) -> ByKey:
    """Return the cosine of each row, smoothed over its neighbours; 0 below the minimum and without a vector."""
    query = coded(arm.vector)
    own = {row.key: cosine(codes[row.key], query) for row in rows if any(codes.get(row.key, b""))}
    average = sum(own.values()) / max(len(own), 1)
    around = neighbours(rows, arm)
    scores = {row.key: 0.0 for row in rows}
    for key in own:
        smoothed = own[key] + sum(weight * (own[each] - average) for each, weight in around[key] if each in own)
        if round(smoothed, DECIMALS) >= arm.minimum:
            scores[key] = max(smoothed, 0.0)
    return scores
