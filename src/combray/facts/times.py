"""How statements stand to the present: plans and whether their day has come, the past, rumours."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from combray.forms.recalling import Recalling
from combray.language.tense import TENSE_BITS
from combray.runtime import Rows

_HEDGES = sum(TENSE_BITS.values())


def planned(rows: Rows) -> NDArray[np.bool_]:
    """Return which texts are plans: their words say so, or they hold from a moment after they were stated.

    "He stays in the flat until next year" holds until then.
    """
    lasts = np.isnan(rows.valid_from) & (rows.valid_to > rows.moment)
    return (((rows.cues & TENSE_BITS["planned"]) > 0) & ~lasts) | (rows.valid_from > rows.moment)


def hedged(rows: Rows, now: float) -> NDArray[np.bool_]:
    """Return which texts do not say how things are at `now` (unix seconds).

    That is: past, planned, hypothetical, quoted, asked, or no longer valid. A plan whose date has come does.
    """
    plans, past = planned(rows), (rows.cues & TENSE_BITS["past"]) > 0
    said = (rows.cues & (_HEDGES - TENSE_BITS["planned"] - TENSE_BITS["past"])) > 0
    # "Fixed until 2029", said in 2025, holds.
    said |= plans | (rows.valid_from > now) | (past & ~(rows.valid_to > rows.moment))
    due = plans & (rows.valid_from <= now)
    return (said & ~due) | (rows.valid_to <= now)


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


def times_of(state: Recalling, keys: Iterable[int]) -> Times:
    """Read how these memories stand to the present."""
    known = np.array(sorted(set(keys)), dtype=np.int64)
    rows = state.reader.rows(known)
    told, plans = ~hedged(rows, state.present), planned(rows)
    due = told & plans & (rows.valid_from <= state.present)
    return Times(
        told=frozenset(known[told].tolist()),
        due=frozenset(known[due].tolist()),
        plans=frozenset(known[plans].tolist()),
        dated=frozenset(known[rows.times].tolist()),
        since=dict(zip(known.tolist(), np.where(due, rows.valid_from, rows.moment).tolist(), strict=True)),
    )
