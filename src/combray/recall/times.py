"""How statements stand to the present: plans and whether their day has come, the past, rumours."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from combray.language.tense import TENSE_BITS, Tense
from combray.recall.state import Recalling
from combray.runtime import Rows

_HEDGES = sum(TENSE_BITS.values())


def planned(rows: Rows) -> NDArray[np.bool_]:
    """Return which texts are plans: their words say so, or they hold from a moment after they were stated.

    "He stays in the flat until next year" holds until then.
    """
    lasts = np.isnan(rows.valid_from) & (rows.valid_to > rows.moment)
    return (((rows.cues & TENSE_BITS["planned"]) > 0) & ~lasts) | (rows.valid_from > rows.moment)


def hedged(rows: Rows, now: float, allowed: Sequence[Tense] = ()) -> NDArray[np.bool_]:
    """Return which texts do not say how things are at `now` (unix seconds).

    That is: past, planned, hypothetical, quoted, asked, or no longer valid. A plan whose date has come does.
    `allowed` are tenses that count as present, because the question asks for them.
    """
    bits = _HEDGES - TENSE_BITS["planned"] - TENSE_BITS["past"]
    plans, past = planned(rows), (rows.cues & TENSE_BITS["past"]) > 0
    due = plans & (rows.valid_from <= now)
    said = (rows.cues & bits) > 0
    if "planned" not in allowed:
        said |= plans | (rows.valid_from > now)
    if "past" not in allowed:
        # "Fixed until 2029", said in 2025, holds.
        said |= past & ~(rows.valid_to > rows.moment)
    return (said & ~due) | ((rows.valid_to <= now) & ("past" not in allowed))


class Times(NamedTuple):
    """How statements stand to the present, by key."""

    told: frozenset[int]
    """Those that say how things are."""
    due: frozenset[int]
    """Plans among them: their day has come."""
    plans: frozenset[int]
    dated: frozenset[int]
    """Those that hold a time expression."""
    since: Mapping[int, float]
    """From when a statement holds: the day of a plan that came due, else when it was stated. Unix seconds."""
    begins: Mapping[int, float]
    """From when a statement holds, as it says; nan if it does not."""
    moment: Mapping[int, float]


def times_of(state: Recalling, keys: Iterable[int]) -> Times:
    """Read how these memories stand to the present."""
    known = np.array(sorted(set(keys)), dtype=np.int64)
    rows = state.reader.rows(known)
    told, plans = ~hedged(rows, state.present), planned(rows)
    due = told & plans & (rows.valid_from <= state.present)
    listed, moments, begins = known.tolist(), rows.moment.tolist(), rows.valid_from.tolist()
    return Times(
        told=frozenset(known[told].tolist()),
        due=frozenset(known[due].tolist()),
        plans=frozenset(known[plans].tolist()),
        dated=frozenset(known[rows.times].tolist()),
        since=dict(zip(listed, np.where(due, rows.valid_from, rows.moment).tolist(), strict=True)),
        begins=dict(zip(listed, begins, strict=True)),
        moment=dict(zip(listed, moments, strict=True)),
    )
