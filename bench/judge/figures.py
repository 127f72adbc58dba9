"""Figures of rows: each is a ratio of two sums over questions, so that means and shares have paired intervals."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from bench.judge.sets import Question, Store
from bench.truth import stories
from bench.truth.measures import Shown, Write, measures, of_writes
from combray.types import LIVE_STATUSES

Row = Mapping[str, Any]
Parts = dict[str, tuple[float, float]]
"""Measure -> numerator and denominator that one row adds."""
RESAMPLES = 1000
MARKED_WITHIN, SURE = 5, 0.8
BINS = tuple(f"right at confidence {low / 5:.1f}-{(low + 1) / 5:.1f}" for low in range(5))
ORDER = (
    "recall@5",
    "recall@10",
    "first hit right",
    "empty though known",
    "empty when unknown: far",
    "empty when unknown: near",
    "empty when unknown",
    "marks in 100 questions",
    "marks right",
    "right first hits marked",
    "current top 3",
    "current first",
    "right behind, marked",
    "right behind",
    "due plans",
    "present holds",
    "plain top 1",
    "write: right among three",
    "write: right suggested",
    "write: false suggestions",
    "write: false changes",
    "write: harm",
    f"answers of confidence {SURE}",
    f"right at confidence {SURE}",
    *BINS,
)


def parts_of(store: Store, rows: Sequence[Row]) -> Iterator[tuple[str, Parts]]:
    """Yield what each question and each write of a store adds to the measures, with the id it is paired by."""
    questions = {each.id: each for each in store.questions}
    for row in rows:
        if row["id"] in questions:
            yield row["id"], _of_question(row, questions[row["id"]], store.story)
    if store.story is None:
        return
    writes = [
        Write(row["write"], row["replaced"], tuple(row["raised"]), tuple(row["candidates"]))
        for row in rows
        if "write" in row
    ]
    statuses: dict[str, str] = next((row["statuses"] for row in rows if "statuses" in row), {})
    live = {str(each) for each in LIVE_STATUSES}
    lost = {ref for ref in store.story.keep if ref in statuses and statuses[ref] not in live}
    for number, found in enumerate(of_writes(writes, store.story, lost)):
        yield f"{store.name}/w{number}", {f"write: {name}": (value, 1.0) for name, value in found.items()}


def _of_question(row: Row, question: Question, story: stories.Story | None) -> Parts:
    refs = list(dict.fromkeys(row["refs"]))
    empty, gold = float(not refs), question.gold
    marks = row["marks"][:MARKED_WITHIN]
    found: Parts = {"marks in 100 questions": (float(marks.count("m")), 1.0)}
    right = bool(gold & set(refs[:3]))
    if gold:
        for k in (5, 10):
            found[f"recall@{k}"] = (len(gold & set(refs[:k])) / len(gold), 1.0)
        first = float(bool(refs) and refs[0] in gold)
        found["first hit right"] = (first, 1.0)
        found["empty though known"] = (empty, 1.0)
        found["right first hits marked"] = (first * float(marks[:1] in ("m", "o")), first)
    else:
        found["empty when unknown"] = (empty, 1.0)
        if question.near is not None:
            found[f"empty when unknown: {'near' if question.near else 'far'}"] = (empty, 1.0)
    if question.truth and story:
        found |= _of_story(row, question.truth, story)
    confidence = row.get("confidence")
    if confidence is not None:
        sure = float(confidence >= SURE)
        found[f"answers of confidence {SURE}"] = (sure, 1.0)
        found[f"right at confidence {SURE}"] = (sure * right, sure)
        found[BINS[min(4, max(0, int(confidence * 5)))]] = (float(right), 1.0)
    return found


def _of_story(row: Row, truth: stories.Question, story: stories.Story) -> Parts:
    shown = [Shown(ref, mark != "-") for ref, mark in zip(row["refs"], row["marks"], strict=True)]
    found: Parts = {name: (value, 1.0) for name, value in measures(truth, shown).items()}
    if truth.stale:
        found["right behind, marked"] = found["right behind"]
        # Without the condition of a mark: only outdated statements stand before the current one.
        alike = measures(truth, [Shown(ref, marked=True) for ref in row["refs"]])
        found["right behind"] = (alike["right behind"], 1.0)
    outdated = truth.stale | _revised(story, truth.at)
    doubted = [ref for ref, mark in zip(row["refs"], row["marks"][:MARKED_WITHIN], strict=False) if mark == "m"]
    wrong = sum(ref in truth.current or ref not in outdated for ref in doubted)
    found["marks right"] = (float(len(doubted) - wrong), float(len(doubted)))
    return found


def _revised(story: stories.Story, at: float) -> set[str]:
    """Refs of what any statement until then made outdated, for whatever question."""
    when = {each.ref: each.at for each in story.statements}
    changes = story.revisions.items()
    return {old for new, earlier in changes if when[new] <= at for old in earlier}


@dataclass(frozen=True, slots=True)
class Figure:
    """One measure before and after in per cent, with the difference and its paired interval."""

    before: float
    after: float
    low: float
    high: float
    count: int

    @property
    def difference(self) -> float:
        """After minus before."""
        return self.after - self.before

    @property
    def clear(self) -> bool:
        """Whether the interval of the difference excludes 0."""
        return self.low > 0 or self.high < 0


def compare(
    before: Mapping[str, Parts], after: Mapping[str, Parts], order: Sequence[str] = ORDER, scale: float = 100.0
) -> dict[str, Figure]:
    """Return every measure of the ids that both sides have. Ids are drawn with replacement, the same for both."""
    ids = sorted(before.keys() & after.keys())
    found: dict[str, Figure] = {}
    for name in order:
        # An id may have a measure on one side only, such as the mark on a hit that is not right on the other.
        table = np.array(
            [[side[each].get(name, (0, 0)) for each in ids] for side in (before, after)], dtype=float
        )
        if not ids or not table[:, :, 1].any():
            continue
        used = table[:, table[:, :, 1].any(axis=0)]
        count = used.shape[1]
        draws = np.random.default_rng(0).multinomial(count, np.full(count, 1 / count), RESAMPLES)
        with np.errstate(invalid="ignore", divide="ignore"):
            drawn = [scale * (draws @ side[:, 0]) / (draws @ side[:, 1]) for side in used]
            means = [scale * float(np.divide(*side.sum(axis=0))) for side in used]
        differences = (drawn[1] - drawn[0])[np.isfinite(drawn[1] - drawn[0])]
        low, high = np.percentile(differences, (2.5, 97.5)) if len(differences) else (math.nan, math.nan)
        found[name] = Figure(means[0], means[1], float(low), float(high), count)
    return found
