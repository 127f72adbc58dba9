"""Helpers of the store suite: write a few memories, read the results."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from combray.runtime import Arm, Arrival, Filter, Found, Reader, Store, Writer
from combray.testing.fakes import START, memory, vector
from combray.types import Memory

MODEL = "toy:4"
T0 = START.timestamp()
"""The moment 0 of `memory` in unix seconds."""
X, Y, Z = vector(1, 0, 0, 0), vector(0, 1, 0, 0), vector(0, 0, 1, 0)
"""Unit vectors of MODEL."""
Given = Memory | tuple[Memory, NDArray[np.float32]]


class StoreCases:
    """Base of the suite's parts."""

    @pytest.fixture
    def store(self) -> Store:
        """The store under test, empty. Override it."""
        raise NotImplementedError("override the fixture `store`")

    @pytest.fixture
    def reader(self, store: Store) -> Reader:
        """A reader of the namespace "default"."""
        return store.reader("default")


def add(store: Store, *given: Given, namespace: str = "default") -> list[int]:
    """Insert memories, each alone or with its vector. Return their keys."""
    arrivals = [
        Arrival(each[0], {MODEL: each[1]}) if isinstance(each, tuple) else Arrival(each) for each in given
    ]
    with store.transaction(namespace) as tx:
        return tx.insert(arrivals)


def turn(content: str, position: int) -> Memory:
    """Return a turn of the session "s", as many minutes after START as its position."""
    return memory(content, position, session="s", position=position)


@contextmanager
def rolled_back(store: Store) -> Iterator[Writer]:
    """Open a transaction on the namespace "default" that fails at the end of the block."""
    with pytest.raises(ZeroDivisionError), store.transaction("default") as tx:  # noqa: PT012
        yield tx
        raise ZeroDivisionError


def keys(*values: int) -> NDArray[np.int64]:
    """Return keys as the protocol takes them."""
    return np.array(values, dtype=np.int64)


def search(
    store: Store, arm: Arm, where: Filter | None = None, limit: int = 50, namespace: str = "default"
) -> Found:
    """Search with one arm, named "arm"."""
    return store.reader(namespace).search({"arm": arm}, where or Filter(), limit)


def scores(found: Found, name: str = "arm") -> dict[int, float]:
    """Return the list of an arm as key -> score, best first."""
    ranked = found.lists[name]
    return dict(zip(ranked.keys.tolist(), ranked.scores.tolist(), strict=True))


def near(wanted: Mapping[int, float]) -> dict[int, Any]:
    """Return expected scores that compare to the sixth decimal, as stores round them."""
    return {key: pytest.approx(score, abs=1.01e-6) for key, score in wanted.items()}


def order(values: Iterable[int]) -> list[int]:
    """Return plain integers."""
    return [int(value) for value in values]


def texts(store: Store, found: Sequence[int] | NDArray[np.int64], namespace: str = "default") -> list[str]:
    """Return the contents of keys."""
    return store.reader(namespace).contents(order(found))
