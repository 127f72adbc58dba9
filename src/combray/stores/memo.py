"""Values computed from the columns of a namespace, kept and grown as rows are appended.

An added memory must not make the next recall compute everything for 100,000 rows again: a value of the
first n rows is the start for the value of n + k rows.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import TypeVar, cast

T = TypeVar("T")

MOST_KEPT = 64
"""Values kept at once: filters can be of endless variety, and each mask costs a byte a memory."""


class Memo:
    """Values by name, each with the number of rows it was computed for.

    Kept values are never changed in place: a reader of fewer rows may still hold them.
    """

    def __init__(self) -> None:
        self._kept: dict[Hashable, tuple[int, object]] = {}

    def get(self, name: Hashable, rows: int, fresh: Callable[[], T], grown: Callable[[T, int], T]) -> T:
        """The value for `rows` rows: as kept, or `grown(value, its rows)` from fewer, or `fresh()`."""
        kept = self._kept.get(name)
        if kept is not None and kept[0] == rows:
            return cast(T, kept[1])
        value = fresh() if kept is None or kept[0] > rows else grown(cast(T, kept[1]), kept[0])
        if kept is None or kept[0] < rows:
            if len(self._kept) >= MOST_KEPT and kept is None:
                self._kept = {}
            self._kept[name] = (rows, value)
        return value

    def without(self, kinds: frozenset[str]) -> Memo:
        """A copy that has lost the values of some kinds. A name's kind is its first part."""
        copy = Memo()
        copy._kept = {
            name: kept
            for name, kept in list(self._kept.items())
            if not (isinstance(name, tuple) and name[0] in kinds)
        }
        return copy
