"""Columns in memory of every memory of a namespace. Filters and scores read them; texts stay in the database.

About 150 bytes per memory. `NamespaceCache` catches up by revision when the database has changed. The profile of
the namespace is counted over the columns once, then updated with the added rows.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from combray.records import dataclass, field, fields
from combray.runtime import Filter, Profile
from combray.scoring.ranking import Scratch, ascending
from combray.scoring.turns import Chain, Turns
from combray.stores.memo import Memo
from combray.stores.snapshot import Lent, Snapshot
from combray.types import STATUSES, TIERS

COLUMNS: dict[str, type] = {
    "key": np.int64,
    "status": np.int8,
    "tier": np.int8,
    "kind": np.int32,
    "category": np.int32,
    "source": np.int32,
    "trust": np.int32,
    "author": np.int32,
    "session": np.int32,
    "scope": np.int32,
    "position": np.int64,
    "words": np.int32,
    "length": np.int32,
    "importance": np.int8,
    "confidence": np.float64,
    "moment": np.float64,
    "recorded": np.float64,
    "happened": np.float64,
    "happened_to": np.float64,
    "valid_from": np.float64,
    "valid_to": np.float64,
    "expires": np.float64,
    "asks": np.bool_,
    "times": np.bool_,
    "cues": np.int16,
}
"""Column name -> type, in the order `absorb` takes its rows."""

CODED = ("kind", "category", "source", "trust", "author", "session", "scope")
"""Text columns, stored as indexes into a list of the distinct texts; -1 for none. `scope` is of `scope_name`."""

_FIXED: dict[str, tuple[str, ...]] = {"status": STATUSES, "tier": TIERS}

_ANY = frozenset({"mask", "profile", "expiry", "authors"})
_DERIVED: dict[str, frozenset[str]] = {
    "session": _ANY | {"spoken", "chain", "linked", "turns", "expanded"},
    "trust": _ANY | {"shown", "hides", "spoken", "chain", "linked", "turns", "expanded", "total"},
    "position": _ANY | {"chain", "expanded"},
    "words": _ANY | {"turns"},
    "length": _ANY | {"expanded", "total"},
    "asks": _ANY | {"expanded"},
}
"""Column -> the kinds of kept values that a change of the column invalidates; `_ANY` for other columns."""
_MANY = 1000


@dataclass(frozen=True, slots=True)
class Tally:
    """Counts over live rows, as arrays, so that the file beside the store can hold them.

    sums: memories, and those in a session; authors: their codes, ascending.
    """

    sums: NDArray[np.int64]
    authors: NDArray[np.int64]

    def plus(self, other: Tally) -> Tally:
        """Return the counts over the rows of both."""
        return Tally(self.sums + other.sums, ascending(np.concatenate((self.authors, other.authors))))


_SHAPES: dict[str, type[Any]] = {"chain": Chain, "turns": Turns, "expanded": Lent, "profile": Tally}
_PACKED = frozenset(_SHAPES)
"""Kept values that take a pass over all rows to compute."""

_RANGES = {"key": (0, np.inf), "words": (0, np.inf), "length": (0, np.inf), "importance": (1, 5)}
"""Valid ranges: a value outside was never written by Combray."""


@dataclass(slots=True)
class Columns:
    """Growing columns of one namespace. `snapshot` returns an unchanging view of the absorbed rows."""

    plain: Callable[[str], str] = str
    """Makes a text out of what the database gave for it."""
    count: int = 0
    revision: int = -1
    epoch: int = -1
    reindexed: int = -1
    columns: dict[str, NDArray[Any]] = field(
        default_factory=lambda: {name: np.zeros(0, dtype=kind) for name, kind in COLUMNS.items()}
    )
    names: dict[str, list[str]] = field(default_factory=lambda: {name: [] for name in CODED})
    codes: dict[str, dict[str, int]] = field(default_factory=lambda: {name: {} for name in CODED})
    _memo: Memo = field(default_factory=Memo)
    _scratch: Scratch = field(default_factory=Scratch)
    _last: Snapshot | None = None

    def absorb(self, rows: Sequence[Sequence[Any]]) -> None:
        """Append new rows and replace known ones; rows are ascending by key, values in the order of COLUMNS."""
        if not rows:
            return
        self._last = None
        if len(rows) == 1 and self.count and rows[0][0] > self.columns["key"][self.count - 1]:
            self._append_row(rows[0])
            return
        arrays = self._arrays(rows)
        keys = arrays["key"]
        known = keys <= (int(self.columns["key"][self.count - 1]) if self.count else -1)
        if known.any():
            self._replace(np.flatnonzero(known), arrays)
        if not known.all():
            self._append({name: array[~known] for name, array in arrays.items()})

    def _replace(self, places: NDArray[np.int64], arrays: dict[str, NDArray[Any]]) -> None:
        """Replace known rows; only columns that differ are copied."""
        slots = np.searchsorted(self.columns["key"][: self.count], arrays["key"][places])
        wrong: frozenset[str] = frozenset()
        for name, array in arrays.items():
            column, values = self.columns[name], array[places]
            if np.array_equal(column[slots], values, equal_nan=array.dtype.kind == "f"):
                continue
            # A copy: earlier snapshots must not change.
            column = column.copy()
            column[slots] = values
            self.columns[name] = column
            wrong |= _DERIVED.get(name, _ANY)
        if wrong:
            self._memo = self._memo.without(wrong)

    def _arrays(self, rows: Sequence[Sequence[Any]]) -> dict[str, NDArray[Any]]:
        arrays: dict[str, NDArray[Any]] = {}
        for (name, kind), values in zip(COLUMNS.items(), zip(*rows, strict=True), strict=True):
            if name in CODED:
                values = self._encode(name, values)
            elif name in _FIXED:
                order = {text: index for index, text in enumerate(_FIXED[name])}
                values = tuple(order[value] for value in values)
            elif kind is np.float64:
                values = tuple(np.nan if value is None else value for value in values)
            elif name == "position":
                values = tuple(-1 if value is None else value for value in values)
            arrays[name] = np.array(values, dtype=kind)
        for name, (least, most) in _RANGES.items():
            if arrays[name].min() < least or arrays[name].max() > most:
                raise ValueError(f"{name} out of range")
        return arrays

    def _encode(self, name: str, values: Sequence[str | None]) -> tuple[int, ...]:
        codes, names = self.codes[name], self.names[name]
        coded: dict[str | None, int] = {None: -1}
        for value in dict.fromkeys(values):
            if value is not None:
                text = self.plain(value)
                if text not in codes:
                    codes[text] = len(names)
                    names.append(text)
                coded[value] = codes[text]
        return tuple(map(coded.__getitem__, values))

    def _append(self, arrays: dict[str, NDArray[Any]]) -> None:
        needed = self.count + len(arrays["key"])
        for name, array in arrays.items():
            self._roomy(name, needed)[self.count : needed] = array
        self.count = needed

    def _append_row(self, row: Sequence[Any]) -> None:
        """Append one row, as each single write does: without an array for each column it takes a tenth."""
        for (name, kind), value in zip(COLUMNS.items(), row, strict=True):
            if name in CODED:
                (value,) = self._encode(name, (value,))
            elif name in _FIXED:
                value = _FIXED[name].index(value)
            elif value is None and kind is np.float64:
                value = np.nan
            elif value is None and name == "position":
                value = -1
            if name in _RANGES and not _RANGES[name][0] <= value <= _RANGES[name][1]:
                raise ValueError(f"{name} out of range")
            self._roomy(name, self.count + 1)[self.count] = value
        self.count += 1

    def _roomy(self, name: str, needed: int) -> NDArray[Any]:
        """Return a column with room for so many rows."""
        column = self.columns[name]
        if needed > len(column):
            grown = np.zeros(max(1024, needed, 2 * len(column)), dtype=column.dtype)
            grown[: self.count] = column[: self.count]
            self.columns[name] = column = grown
        return column

    def packed(self) -> tuple[dict[str, Any], dict[str, tuple[NDArray[Any], int]]]:
        """Return what `restore` takes: facts about the columns, and arrays with their room."""
        room = self.count + self.count // 8 + 4096
        arrays = {f"column/{name}": (column[: self.count], room) for name, column in self.columns.items()}
        derived = []
        for place, (name, (rows, value)) in enumerate(sorted(self._memo.kept(_PACKED).items(), key=repr)):
            parts = (getattr(value, each.name) for each in fields(value))  # type: ignore[arg-type]
            arrays |= {f"derived/{place}/{at}": (part, len(part)) for at, part in enumerate(parts)}
            derived.append([name, rows])
        about = {"epoch": self.epoch, "revision": self.revision, "count": self.count}
        return {**about, "names": self.names, "derived": derived}, arrays

    def restore(self, about: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]) -> None:
        """Take over what `packed` returned. Arrays may be changed in the rows beyond the count."""
        # Kept values may hold codes, which another process has numbered differently.
        self._last, self._memo = None, Memo()
        self.count, self.epoch, self.revision = about["count"], about["epoch"], about["revision"]
        self.columns = {name: arrays[f"column/{name}"] for name in COLUMNS}
        self.names = about["names"]
        self.codes = {name: {text: code for code, text in enumerate(texts)} for name, texts in self.names.items()}
        for place, ((kind, *rest), rows) in enumerate(about["derived"]):
            shape = _SHAPES[kind]
            parts = (arrays[f"derived/{place}/{at}"] for at in range(len(fields(shape))))
            name = (kind, *(tuple(each) if isinstance(each, list) else each for each in rest))
            self._memo.put(name, rows, shape(*parts))

    def snapshot(self) -> Snapshot:
        """Return a view of all rows absorbed so far; the same one while nothing has changed."""
        last = self._last
        state = (self.count, self.revision, self.epoch, self.reindexed)
        if last is not None and (last.count, last.revision, last.epoch, last.reindexed) == state:
            return last
        views = {name: column[: self.count] for name, column in self.columns.items()}
        self._last = Snapshot(
            self.count,
            self.revision,
            self.epoch,
            self.reindexed,
            views,
            self.names,
            self.codes,
            self._memo,
            self._scratch,
        )
        return self._last


def profile(snapshot: Snapshot) -> Profile:
    """Return counts and speakers of the live memories; authors sorted by name."""
    return snapshot.once("profile", lambda: _profile(snapshot))


def _profile(snapshot: Snapshot) -> Profile:
    tally = snapshot.summed(("profile",), lambda start: _count(snapshot, start), Tally.plus)
    names = snapshot.names["author"]
    memories, in_session = tally.sums.tolist()
    return Profile(
        memories=memories,
        authors=tuple(sorted(names[code] for code in tally.authors.tolist())),
        with_session=in_session / memories if memories else 0.0,
    )


def _count(snapshot: Snapshot, start: int) -> Tally:
    live: slice | NDArray[np.int64]
    if start:
        # A mask of all rows is worth its time only once.
        added = np.arange(start, snapshot.count)
        live = added[snapshot.accepts(Filter(), added)]
        count = len(live)
    else:
        mask = snapshot.mask(Filter())
        count = int(np.count_nonzero(mask))
        # Mostly all are live, and copies of their columns take longer to make than to count.
        live = slice(0, snapshot.count) if count == snapshot.count else np.flatnonzero(mask)
    in_session = np.count_nonzero(snapshot.session[live] >= 0)
    return Tally(np.array([count, in_session], dtype=np.int64), _codes(snapshot.author[live]))


def _codes(authors: NDArray[np.int32]) -> NDArray[np.int64]:
    """Return the distinct codes, ascending; -1 is none. Counting many of them is faster than sorting."""
    if len(authors) > _MANY:
        return np.flatnonzero(np.bincount(authors + 1)[1:])
    return ascending(authors[authors >= 0].astype(np.int64))
