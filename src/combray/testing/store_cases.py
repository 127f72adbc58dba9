"""What the parts of the store suite share: writing a few memories, naming what came back."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from combray.runtime import Arm, Arrival, Filter, Found, Store
from combray.types import Memory

MODEL = "toy:4"
Given = Memory | tuple[Memory, NDArray[np.float32]]


class StoreCases:
    """Base of the suite's parts."""

    @pytest.fixture
    def store(self) -> Store:
        """The store under test, empty. Override it."""
        raise NotImplementedError("override the fixture `store`")


def add(store: Store, *given: Given, namespace: str = "default") -> list[int]:
    """Insert memories, each alone or with its vector; their keys."""
    arrivals = [
        Arrival(each[0], {MODEL: each[1]}) if isinstance(each, tuple) else Arrival(each) for each in given
    ]
    with store.transaction(namespace) as tx:
        return tx.insert(arrivals)


def keys(*values: int) -> NDArray[np.int64]:
    """Keys as the protocol takes them."""
    return np.array(values, dtype=np.int64)


def search(
    store: Store, arm: Arm, where: Filter | None = None, limit: int = 50, namespace: str = "default"
) -> Found:
    """One arm, called "arm"."""
    return store.reader(namespace).search({"arm": arm}, where or Filter(), limit)


def scores(found: Found, name: str = "arm") -> dict[int, float]:
    """The list of an arm as key -> score, best first."""
    ranked = found.lists[name]
    return dict(zip(ranked.keys.tolist(), ranked.scores.tolist(), strict=True))


def near(wanted: Mapping[int, float]) -> dict[int, Any]:
    """Scores worked by hand, as a store rounds them; compares floats to the sixth decimal."""
    return {key: pytest.approx(score, abs=1.01e-6) for key, score in wanted.items()}


def order(values: Iterable[int]) -> list[int]:
    """Plain integers."""
    return [int(value) for value in values]


def texts(store: Store, found: Sequence[int] | NDArray[np.int64], namespace: str = "default") -> list[str]:
    """The contents behind keys."""
    return store.reader(namespace).contents(order(found))
