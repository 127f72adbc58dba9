"""Columns in memory of every memory of a namespace. Filters and scores read them; texts stay in the database.

About 150 bytes per memory. `NamespaceCache` catches up by revision when the database has changed.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from combray.language.scopes import GLOBAL
from combray.runtime import Filter, Keys, KeywordArm, VectorArm
from combray.scoring.context_expansion import ContextExpansion
from combray.scoring.neighbours import Chain, Slots, extend, hop, link
from combray.scoring.session_gain import gains, plus, turns
from combray.stores.memo import Memo
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

_MOST_COMPARISONS = 8
_FIXED: dict[str, tuple[str, ...]] = {"status": STATUSES, "tier": TIERS}


_ANY = frozenset({"mask", "profile", "expiry", "authors"})
_DERIVED: dict[str, frozenset[str]] = {
    "session": _ANY | {"spoken", "chain", "hop", "turns", "gain", "expanded"},
    "trust": _ANY | {"shown", "hides", "spoken", "chain", "hop", "turns", "gain", "expanded"},
    "position": _ANY | {"chain", "hop", "expanded"},
    "words": _ANY | {"turns", "gain"},
    "length": _ANY | {"expanded"},
    "asks": _ANY | {"expanded"},
}
"""Column -> the kinds of kept values that a change of the column invalidates; `_ANY` for other columns."""


@dataclass(frozen=True, slots=True)
class Snapshot:
    """The columns at one revision: safe to read during writes."""

    count: int
    revision: int
    epoch: int
    reindexed: int
    columns: dict[str, NDArray[Any]]
    names: dict[str, list[str]]
    codes: dict[str, dict[str, int]]
    memo: Memo

    def __getattr__(self, name: str) -> NDArray[Any]:
        try:
            column: NDArray[Any] = self.columns[name]
        except KeyError:
            raise AttributeError(name) from None
        return column

    def _grown(self, name: Hashable, since: Callable[[int], NDArray[Any]]) -> NDArray[Any]:
        """Return the kept value with one entry per row; `since(n)` computes the entries from row n on."""
        return self.memo.get(
            name, self.count, lambda: since(0), lambda old, rows: np.concatenate((old, since(rows)))
        )

    @property
    def shown(self) -> NDArray[np.bool_]:
        """Which rows are not quarantined. No arm returns the quarantined rows, and they affect no score."""
        hidden = self.codes["trust"].get("quarantined", -1)
        return self._grown(("shown",), lambda start: self.columns["trust"][start:] != hidden)

    @property
    def shown_count(self) -> int:
        """Number of rows that are not quarantined."""
        shown = self.shown
        return self.memo.get(
            ("hides",), self.count, lambda: int(shown.sum()), lambda old, rows: old + int(shown[rows:].sum())
        )

    @property
    def hides(self) -> bool:
        """Whether any row is quarantined; usually none is, and then nothing need be masked."""
        return self.shown_count < self.count

    @property
    def spoken(self) -> NDArray[np.int32]:
        """Session codes; -1 also for quarantined rows, which are no neighbours of other rows."""
        session: NDArray[np.int32] = self.columns["session"]
        if not self.hides:
            return session
        shown = self.shown
        return self._grown(("spoken",), lambda start: np.where(shown[start:], session[start:], np.int32(-1)))

    @property
    def author_names(self) -> tuple[str, ...]:
        """Names by author code; empty for an author of quarantined rows only."""
        names = self.names["author"]
        if not self.hides:
            return tuple(names)

        def of(start: int) -> frozenset[int]:
            return frozenset(np.unique(self.columns["author"][start:][self.shown[start:]]).tolist())

        heard = self.memo.get(("authors",), self.count, lambda: of(0), lambda old, rows: old | of(rows))
        return tuple(name if code in heard else "" for code, name in enumerate(names))

    @property
    def chain(self) -> Chain:
        """Pointers to the turns around each turn."""
        session, position = self.spoken, self.columns["position"]
        return self.memo.get(
            ("chain",), self.count, lambda: link(session, position), lambda old, _: extend(old, session, position)
        )

    def hops(self, direction: Literal["previous", "next"], distance: int) -> Slots:
        """Return for every row the slot of the turn at that distance; -1 beyond the end of the session."""
        pointers: Slots = getattr(self.chain, direction)
        if distance == 1:
            return pointers

        def fresh() -> Slots:
            return hop(pointers, pointers, distance - 1)

        return self.memo.get(("hop", direction, distance), self.count, fresh, lambda _, __: fresh())

    def gain(self, limit: int) -> NDArray[np.float64]:
        """Return the gain of every row's session; a new turn changes only the rows of its session."""
        session, words = self.spoken, self.columns["words"]
        of = self.memo.get(
            ("turns",),
            self.count,
            lambda: turns(session, words),
            lambda old, rows: plus(old, turns(session[rows:], words[rows:])),
        )

        def at(rows: Slots) -> NDArray[np.float64]:
            return gains(session, words, of, rows, limit)

        def fresh() -> NDArray[np.float64]:
            return at(np.arange(self.count, dtype=np.int64))

        def grown(old: NDArray[np.float64], rows: int) -> NDArray[np.float64]:
            new = np.unique(session[rows:])
            kin = np.flatnonzero(_among(session[:rows], new[new >= 0].tolist()))
            result = np.concatenate((old, at(np.arange(rows, self.count, dtype=np.int64))))
            result[kin] = at(kin)
            return result

        return self.memo.get(("gain", limit), self.count, fresh, grown)

    def expansion(self, arm: KeywordArm | VectorArm) -> ContextExpansion:
        """Return the context expansion of an arm."""
        gain = self.gain(arm.shape_words)
        return ContextExpansion(self.chain, arm.before, arm.after, arm.question_boost, gain, self.columns["asks"])

    @property
    def keys(self) -> Keys:
        """All keys, ascending. A memory's slot is its place here."""
        result: Keys = self.columns["key"]
        return result

    def slots(self, keys: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the slots of the keys; -1 for keys not in this namespace."""
        if not self.count:
            return np.full(len(keys), -1, dtype=np.int64)
        places = np.searchsorted(self.keys, keys)
        clipped = np.minimum(places, self.count - 1)
        return np.where(self.keys[clipped] == keys, clipped, -1)

    def keeps_apart(self, *keys: int) -> bool:
        """Return whether one of the keys is quarantined."""
        if not self.hides:
            return False
        slots = self.slots(np.array(keys, dtype=np.int64))
        return not self.shown[slots[slots >= 0]].all()

    def mask(self, where: Filter) -> NDArray[np.bool_]:
        """Return which rows the filter accepts; the store adds tags and conditions. Read only."""
        lasting = replace(where, now=None, tags=(), condition=None)
        eligible = self._grown(("mask", lasting), lambda start: self._mask(lasting, start))
        if where.now is None:
            return eligible
        # `now` differs in every call, so expiry is not part of the kept mask.
        expires = self.columns["expires"]
        first = self.memo.get(
            ("expiry",),
            self.count,
            lambda: float(np.fmin.reduce(expires, initial=np.inf)),
            lambda old, rows: float(np.fmin.reduce(expires[rows:], initial=old)),
        )
        return eligible & ~(expires <= where.now) if where.now >= first else eligible

    def _mask(self, where: Filter, start: int) -> NDArray[np.bool_]:
        """Return the filter without expiry and tags for the rows from `start` on."""
        columns = {name: column[start:] for name, column in self.columns.items()}
        statuses = set(where.statuses or STATUSES)
        if where.as_of is not None:
            # What has been superseded or merged since was still current at that time.
            statuses |= {"superseded", "merged"}
        eligible = _among(columns["status"], [code for code, each in enumerate(STATUSES) if each in statuses])
        if where.as_of is not None:
            eligible &= columns["recorded"] <= where.as_of
            eligible &= ~(columns["valid_from"] > where.as_of)
            eligible &= ~(columns["valid_to"] <= where.as_of)
        for name, wanted in (
            ("kind", where.kinds),
            ("category", where.categories),
            ("source", where.sources),
            ("author", where.authors),
            ("session", where.sessions),
            ("trust", where.trusts),
        ):
            if wanted:
                known = self.codes[name]
                eligible &= _among(columns[name], [known[text] for text in wanted if text in known])
        if where.within is not None:
            eligible &= columns["scope"] == self._scope_code(where.within)
        if where.scopes:
            eligible &= _among(columns["scope"], self._scope_codes(where.scopes))
        if where.tiers:
            eligible &= _among(columns["tier"], [TIERS.index(tier) for tier in TIERS if tier in where.tiers])
        if where.since is not None:
            eligible &= columns["moment"] >= where.since
        if where.until is not None:
            eligible &= columns["moment"] < where.until
        if where.min_confidence > 0:
            eligible &= columns["confidence"] >= where.min_confidence
        if where.min_importance > 1:
            eligible &= columns["importance"] >= where.min_importance
        return eligible

    def _scope_code(self, scopes: tuple[str, ...]) -> int:
        """Return the code of exactly these scopes; -1 for the global one, another number for unknown ones."""
        name = scope_name(scopes)
        return -1 if name is None else self.codes["scope"].get(name, len(self.names["scope"]))

    def _scope_codes(self, scopes: tuple[str, ...]) -> list[int]:
        """Return the codes of the rows that are in one of the scopes."""
        wanted = {scope.casefold() for scope in scopes}
        known = [code for code, name in enumerate(self.names["scope"]) if not wanted.isdisjoint(name.split("\n"))]
        return [-1, *known] if GLOBAL in wanted else known


def scope_name(scopes: Sequence[str]) -> str | None:
    """Return the text that the column `scope` holds for scopes as `scope_set` returns them; None for global."""
    return "\n".join(scopes) or None


def _among(column: NDArray[Any], codes: Sequence[int]) -> NDArray[np.bool_]:
    """Return the rows with one of the codes. One comparison per code is far cheaper than a lookup per row."""
    if len(codes) > _MOST_COMPARISONS:
        return np.isin(column, codes)
    found = np.zeros(len(column), dtype=np.bool_)
    for code in codes:
        found |= column == code
    return found


_RANGES = {"key": (0, np.inf), "words": (0, np.inf), "length": (0, np.inf), "importance": (1, 5)}
"""Valid ranges: a value outside was never written by Combray."""


@dataclass(slots=True)
class Columns:
    """Growing columns of one namespace. `snapshot` returns an unchanging view of the absorbed rows."""

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

    def absorb(self, rows: Sequence[Sequence[Any]]) -> None:
        """Append new rows and replace known ones; rows are ascending by key, values in the order of COLUMNS."""
        if not rows:
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
        for value in values:
            if value is not None and value not in codes:
                codes[value] = len(names)
                names.append(value)
        return tuple(-1 if value is None else codes[value] for value in values)

    def _append(self, arrays: dict[str, NDArray[Any]]) -> None:
        more = len(arrays["key"])
        needed = self.count + more
        for name, array in arrays.items():
            column = self.columns[name]
            if needed > len(column):
                grown = np.zeros(max(1024, needed, 2 * len(column)), dtype=column.dtype)
                grown[: self.count] = column[: self.count]
                self.columns[name] = column = grown
            column[self.count : needed] = array
        self.count = needed

    def snapshot(self) -> Snapshot:
        """Return a view of all rows absorbed so far."""
        views = {name: column[: self.count] for name, column in self.columns.items()}
        return Snapshot(
            self.count, self.revision, self.epoch, self.reindexed, views, self.names, self.codes, self._memo
        )
