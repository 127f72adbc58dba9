import numpy as np
import pytest
from numpy.typing import NDArray

from combray.runtime import Scores
from combray.scoring.ranking import ranked
from combray.stores.columns import COLUMNS, Columns
from combray.stores.scored import Cosines, Products, Windows
from combray.stores.snapshot import Snapshot

ROWS = 50_000


def dense(own: Scores, has: NDArray[np.bool_] | None = None) -> Products:
    """Cosines of all rows, as codes of length 1 have them."""
    return Products(own, np.ones(len(own)), 1.0, np.ones(len(own), dtype=np.bool_) if has is None else has)


def turns_of(sessions: int) -> Snapshot:
    """Rows in as many sessions, one after the other; every fourth turn asks."""
    columns = Columns()
    text = {"status": "active", "tier": "working", "kind": "episode", "category": "general", "trust": "direct"}
    number = {
        "importance": 3,
        "words": 9,
        "length": 9,
        "confidence": 1.0,
        "moment": 0.0,
        "recorded": 0.0,
        "cues": 0,
    }
    rows = []
    for place in range(ROWS):
        own = {
            "key": place,
            "session": f"s{place * sessions // ROWS}",
            "position": place,
            "asks": place % 4 == 0,
            "times": False,
        }
        rows.append([{**text, **number, **own}.get(name) for name in COLUMNS])
    columns.absorb(rows)
    return columns.snapshot()


@pytest.mark.parametrize("share", [1.0, 0.3, 0.002])
@pytest.mark.parametrize("limit", [1, 200, 5000])
def test_the_leading_rows_hold_the_best_and_their_equals(share: float, limit: int) -> None:
    """Of 50,000 values with two decimals, where many are equal, as of 50,000 that are all different."""
    random = np.random.default_rng(1)
    eligible = random.random(ROWS) < share
    for values in (np.round(random.normal(size=ROWS), 2), random.normal(size=ROWS)):
        keys = np.arange(ROWS)
        wanted = ranked(keys[eligible], np.round(values[eligible], 6), limit)
        found = dense(values).leading(eligible, limit)
        assert ranked(keys[found], np.round(values[found], 6), limit).keys.tolist() == wanted.keys.tolist()
        assert eligible[found].all()


def test_few_rows_are_read_to_find_the_best_of_many() -> None:
    values = np.random.default_rng(2).normal(size=ROWS)
    assert len(dense(values).leading(np.ones(ROWS, dtype=np.bool_), 200)) < 2_000


def test_windows_agree_with_the_windows_of_all_rows() -> None:
    """In sessions of 25 turns: of the best 10 at least 99 in 100 are the same as with a pass over all rows."""
    snapshot, random = turns_of(2_000), np.random.default_rng(3)
    has, eligible, same = random.random(ROWS) < 0.95, random.random(ROWS) < 0.9, 0
    for _ in range(20):
        own = np.where(has, np.clip(random.normal(0.1, 0.12, size=ROWS), -1, 1), 0.0)
        windows = Windows(
            snapshot,
            dense(own, has),
            0.0,
            (0.5, 0.3),
            (0.3, 0.2),
            1.5,
            snapshot.gain_of_turns(40),
        )
        every = np.flatnonzero(eligible)
        near = windows.leading(eligible, 200)
        assert len(near) < ROWS / 2
        found, wanted = (ranked(snapshot.keys[slots], windows.at(slots), 10) for slots in (near, every))
        same += len(set(found.keys.tolist()) & set(wanted.keys.tolist()))
    assert same >= 198


def test_cosines_below_the_minimum_and_rows_without_a_vector_count_nothing() -> None:
    """At a minimum of 0.3: 0.2999996 rounds to 0.3 and counts; 0.2999994 rounds to 0.299999 and does not."""
    own, has = np.array([0.9, 0.2999996, 0.2999994, -0.5, 0.8]), np.array([True, True, True, True, False])
    assert Cosines(dense(own, has), 0.3).at(np.arange(5)).tolist() == [0.9, 0.3, 0.0, 0.0, 0.0]
