"""The slots of keys: a memory's place among the ascending keys of its namespace."""

from contextlib import closing
from pathlib import Path

import numpy as np
import pytest

from combray.runtime import Arrival
from combray.stores.sqlite import SqliteStore
from combray.testing.fakes import START, memory


@pytest.mark.parametrize("erased", [[], [0], [9], [3, 4, 7]])
def test_slots_are_places_among_the_keys(tmp_path: Path, erased: list[int]) -> None:
    """With and without gaps; -1 for an erased key, one of another namespace, and one beyond the last."""
    with closing(SqliteStore(str(tmp_path / "a.db"))) as store:
        with store.transaction("other") as tx:
            (strange,) = tx.insert([Arrival(memory("elsewhere", 0), {})])
        with store.transaction("default") as tx:
            keys = tx.insert([Arrival(memory(f"plum {n}", n), {}) for n in range(10)])
        if erased:
            with store.transaction("default") as tx:
                tx.erase([keys[n] for n in erased], START.timestamp())
        left = [key for place, key in enumerate(keys) if place not in erased]
        with store.reader("default")._view() as (_, snapshot):
            asked = [strange, *keys, keys[-1] + 1, 0]
            found = snapshot.slots(np.array(asked, dtype=np.int64))
            assert found.dtype == np.int64
            assert found.tolist() == [left.index(key) if key in left else -1 for key in asked]
