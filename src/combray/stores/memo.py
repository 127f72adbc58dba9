"""Values computed from the columns of a namespace, kept and extended as rows are appended.

After one added memory the next recall must not recompute 100,000 rows: the value of the first n rows is extended
to n + k rows.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import TypeVar, cast

T = TypeVar("T")

MOST_KEPT = 64
"""Maximum number of kept values. The number of filters is unlimited, and each mask costs a byte per memory."""


class Memo:
    """Values by name, each with its number of rows. Never changed in place: a reader may still hold one."""

    def __init__(self) -> None:
        self._kept: dict[Hashable, tuple[int, object]] = {}

    def get(self, name: Hashable, rows: int, fresh: Callable[[], T], grown: Callable[[T, int], T]) -> T:
        """Return the value for `rows` rows: the kept one, `grown(value, its rows)` from fewer, or `fresh()`."""
        kept = self._kept.get(name)
        if kept is not None and kept[0] == rows:
            return cast(T, kept[1])
        value = fresh() if kept is None or kept[0] > rows else grown(cast(T, kept[1]), kept[0])
        if kept is None or kept[0] < rows:
            if len(self._kept) >= MOST_KEPT and kept is None:
                self._kept = {}
            self._kept[name] = (rows, value)
        return value

    def kept(self, kinds: frozenset[str]) -> dict[tuple[Hashable, ...], tuple[int, object]]:
        """Return the values of some kinds by name, each with its number of rows."""
        return {
            name: kept for name, kept in list(self._kept.items()) if isinstance(name, tuple) and name[0] in kinds
        }

    def put(self, name: Hashable, rows: int, value: object) -> None:
        """Keep a value that was computed before."""
        self._kept[name] = (rows, value)

    def without(self, kinds: frozenset[str]) -> Memo:
        """Return a copy without the values of some kinds. The kind is the first part of a name."""
        copy = Memo()
        copy._kept = {
            name: kept
            for name, kept in list(self._kept.items())
            if not (isinstance(name, tuple) and name[0] in kinds)
        }
        return copy
