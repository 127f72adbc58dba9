"""The columns of a namespace at one revision, and what is derived from them: masks, neighbours, gains."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from itertools import compress
from operator import attrgetter
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from combray.language.scopes import GLOBAL
from combray.records import dataclass, field, fields, replace
from combray.runtime import Filter, Keys, KeywordArm, VectorArm
from combray.scoring.bm25f import ContextExpansion
from combray.scoring.ranking import Scratch, ascending
from combray.scoring.turns import Chain, Slots, Turns, around, extend, gain_of, gains, link, plus, turns
from combray.stores.memo import MOST_KEPT, Memo
from combray.types import STATUSES, TIERS

R = TypeVar("R", bound=Sequence[Any])
V = TypeVar("V")

_MOST_COMPARISONS = 8
_CODED = ("kind", "category", "source", "author", "session", "trust")
_FILLED = ("kind", "category", "source", "trust")
"""Those without an empty value: a filter that names every value of a namespace selects all rows."""
_coded_part = attrgetter("kinds", "categories", "sources", "authors", "sessions", "trusts")
# What a kept mask depends on: cheaper to hash than a copy of the filter is to make.
_lasting_part = attrgetter(*({each.name for each in fields(Filter)} - {"now", "tags", "condition"}))


@dataclass(frozen=True, slots=True)
class Lent:
    """The lengths that neighbours lend each row, before its gain, and their sums by session."""

    each: NDArray[np.float64]
    sums: NDArray[np.float64]


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
    scratch: Scratch
    own: dict[Hashable, Any] = field(default_factory=dict)
    """Values of this state alone, by name: what every question asks for is computed once a state."""

    def __getattr__(self, name: str) -> NDArray[Any]:
        try:
            column: NDArray[Any] = self.columns[name]
        except KeyError:
            raise AttributeError(name) from None
        return column

    def _grown(self, name: Hashable, since: Callable[[int], NDArray[Any]]) -> NDArray[Any]:
        """Return the kept value with one entry per row; `since(n)` computes the entries from row n on.

        It is kept with room: a write does not copy it. What changes a column drops the values that depend on it.
        """

        def grown(room: NDArray[Any], rows: int) -> NDArray[Any]:
            if len(room) < self.count:
                old, room = room, np.empty(self.count + self.count // 8 + 1024, dtype=room.dtype)
                room[:rows] = old[:rows]
            room[rows : self.count] = since(rows)
            return room

        return self.memo.get(name, self.count, lambda: since(0), grown)[: self.count]

    def once(self, name: Hashable, make: Callable[[], V]) -> V:
        """Return a value of this state, computed when it is first asked for."""
        try:
            value: V = self.own[name]
        except KeyError:
            value = make()
            if len(self.own) >= MOST_KEPT:
                self.own.clear()
            self.own[name] = value
        return value

    def summed(self, name: Hashable, of: Callable[[int], V], plus: Callable[[V, V], V]) -> V:
        """Return a kept value that is a sum over rows; `of(n)` computes it for the rows from n on."""
        return self.memo.get(name, self.count, lambda: of(0), lambda old, rows: plus(old, of(rows)))

    @property
    def shown(self) -> NDArray[np.bool_]:
        """Which rows are not quarantined. No arm returns the quarantined rows, and they affect no score."""
        hidden = self.codes["trust"].get("quarantined", -1)
        return self._grown(("shown",), lambda start: self.columns["trust"][start:] != hidden)

    @property
    def shown_count(self) -> int:
        """Number of rows that are not quarantined."""
        return self.summed(("hides",), lambda start: int(self.shown[start:].sum()), int.__add__)

    @property
    def hides(self) -> bool:
        """Whether any row is quarantined; usually none is, and then nothing need be masked."""
        return self.once("hides", lambda: self.shown_count < self.count)

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
        return self.once("authors", self._author_names)

    def _author_names(self) -> tuple[str, ...]:
        names = self.names["author"]
        if not self.hides:
            return tuple(names)

        def of(start: int) -> frozenset[int]:
            return frozenset(ascending(self.columns["author"][start:][self.shown[start:]]).tolist())

        heard = self.summed(("authors",), of, lambda old, new: old | new)
        return tuple(name if code in heard else "" for code, name in enumerate(names))

    @property
    def chain(self) -> Chain:
        """Pointers to the turns around each turn."""

        def made() -> Chain:
            turn = self.spoken, self.columns["position"]
            return self.memo.get(("chain",), self.count, lambda: link(*turn), lambda old, _: extend(old, *turn))

        return self.once("chain", made)

    @property
    def linked(self) -> bool:
        """Whether any two rows are turns of one session."""

        def since(start: int) -> bool:
            return bool(((self.chain.previous[start:] >= 0) | (self.chain.next[start:] >= 0)).any())

        return self.once("linked", lambda: self.summed(("linked",), since, lambda old, new: old or new))

    @property
    def _turns(self) -> Turns:
        session, words = self.spoken, self.columns["words"]
        return self.summed(("turns",), lambda start: turns(session[start:], words[start:]), plus)

    def gain(self, rows: Slots, limit: int) -> NDArray[np.float64]:
        """Return the gains of rows' sessions."""
        return gains(self.spoken, self.columns["words"], self._turns, rows, limit)

    def gain_of_turns(self, limit: int) -> Callable[[Slots], NDArray[np.float64]]:
        """Return the function that gives the gains of turns' sessions; 1 for a row without session."""
        return self.once(("gain", limit), lambda: self._gain_of_turns(limit))

    def _gain_of_turns(self, limit: int) -> Callable[[Slots], NDArray[np.float64]]:
        session = self.spoken
        # A session of quarantined rows only has no turns.
        each = gain_of(self._turns.words / np.maximum(self._turns.count, 1), limit)
        by_code = np.append(each, 1.0)
        return lambda turns: by_code[session[turns]]

    def expansion(self, arm: KeywordArm | VectorArm) -> ContextExpansion:
        """Return the context expansion of an arm."""
        gain = self.gain_of_turns(arm.shape_words)
        # Without two turns of one session there are no neighbours.
        before, after = (arm.before, arm.after) if self.linked else ((), ())
        return ContextExpansion(self.chain, before, after, arm.question_boost, gain, self.columns["asks"])

    def lengths(self, arm: KeywordArm) -> tuple[Callable[[Slots], NDArray[np.float64]], float]:
        """Return the function that gives rows' lengths in terms with context expansion, and their mean.

        The mean is over rows that are not quarantined. It is a sum over sessions: a new turn changes the gain of
        its whole session, but the lengths of few turns.
        """
        name = ("lengths", arm.before, arm.after, arm.question_boost, arm.shape_words)
        return self.once(name, lambda: self._lengths(arm))

    def _lengths(self, arm: KeywordArm) -> tuple[Callable[[Slots], NDArray[np.float64]], float]:
        own, gain = self.columns["length"], self.gain_of_turns(arm.shape_words)
        total = self.summed(
            ("total",), lambda start: int(own[start:][self.shown[start:]].sum(dtype=np.int64)), int.__add__
        )
        if not (self.linked and (arm.before or arm.after)):
            return lambda slots: own[slots].astype(np.float64), total / max(self.shown_count, 1)
        around_each = self._lent_lengths(arm)
        of = self._turns
        lent = float(gain_of(of.words / np.maximum(of.count, 1), arm.shape_words) @ around_each.sums)
        return lambda slots: own[slots] + gain(slots) * around_each.each[slots], (total + lent) / self.shown_count

    def _lent_lengths(self, arm: KeywordArm) -> Lent:
        expansion, session, own = self.expansion(arm), self.spoken, self.columns["length"]
        sessions = len(self._turns.count)

        def fresh() -> Lent:
            lent = expansion.around(np.arange(self.count, dtype=np.int64), own)
            inside = session >= 0
            sums = np.bincount(session[inside], lent[inside], minlength=sessions)
            return Lent(lent, sums.astype(np.float64, copy=False))

        def grown(old: Lent, rows: int) -> Lent:
            new = np.arange(rows, self.count, dtype=np.int64)
            lent, sums = np.concatenate((old.each, np.zeros(len(new)))), np.zeros(sessions)
            changed = around(self.chain, new, max(len(arm.before), len(arm.after)))
            lent[changed] = expansion.around(changed, own)
            sums[: len(old.sums)] = old.sums
            touched = np.unique(session[changed])
            for code in touched[touched >= 0]:
                sums[code] = lent[session == code].sum()
            return Lent(lent, sums)

        return self.memo.get(("expanded", arm.before, arm.after, arm.question_boost), self.count, fresh, grown)

    @property
    def keys(self) -> Keys:
        """All keys, ascending. A memory's slot is its place here."""
        result: Keys = self.columns["key"]
        return result

    def slots(self, keys: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the slots of the keys; -1 for keys not in this namespace."""
        if not self.count:
            return np.full(len(keys), -1, dtype=np.int64)
        first, last = int(self.keys[0]), int(self.keys[-1])
        if last - first == self.count - 1:  # no gaps: a search is ten times slower
            return np.where((keys >= first) & (keys <= last), keys - first, -1)
        places = np.minimum(np.searchsorted(self.keys, keys), self.count - 1)
        return np.where(self.keys[places] == keys, places, -1)

    def joinable(self, rows: Sequence[R]) -> Sequence[R]:
        """Return the rows, which begin with two keys, of which no key is quarantined."""
        if not (rows and self.hides):
            return rows
        slots = self.slots(np.array([row[:2] for row in rows], dtype=np.int64).reshape(-1))
        hidden = (slots >= 0) & ~self.shown[slots]
        return list(compress(rows, (~hidden[::2] & ~hidden[1::2]).tolist()))

    def mask(self, where: Filter) -> NDArray[np.bool_]:
        """Return which rows the filter accepts; the store adds tags and conditions. Read only."""
        eligible = self.once(("mask", _lasting_part(where)), lambda: self._lasting(where))
        if where.now is None:
            return eligible
        # `now` differs in every call, so expiry is not part of the kept mask.
        expires = self.columns["expires"]
        first = self.summed(
            ("expiry",), lambda start: float(np.fmin.reduce(expires[start:], initial=np.inf)), min
        )
        return eligible & ~(expires <= where.now) if where.now >= first else eligible

    def _lasting(self, where: Filter) -> NDArray[np.bool_]:
        where = replace(where, now=None, tags=(), condition=None)
        mask = self._grown(("mask", where), lambda start: self._mask(where, slice(start, None)))
        # Kept for every question: what is derived from it (`derived_from`) may be kept too.
        mask.setflags(write=False)
        return mask

    def newest(self, where: Filter, limit: int) -> Slots:
        """Return the latest rows of a filter without tags, condition and `now`. Kept for later writes."""

        def latest(slots: Slots) -> Slots:
            moments = self.moment[slots]
            if limit < len(slots):
                slots = slots[moments >= np.partition(moments, len(slots) - limit)[-limit]]
            return slots[np.lexsort((self.keys[slots], self.moment[slots]))[::-1]][:limit]

        def since(start: int) -> Slots:
            return start + np.flatnonzero(self._mask(where, slice(start, None)))

        def grown(old: Slots, rows: int) -> Slots:
            return latest(np.concatenate((old, since(rows))))

        # Of the kind "mask": what changes a mask changes this.
        return self.memo.get(("mask", "newest", where, limit), self.count, lambda: latest(since(0)), grown)

    def derived_from(self, mask: NDArray[np.bool_], name: Hashable, make: Callable[[], V]) -> V:
        """Return a value that depends on a mask, kept if the mask is."""
        if mask.flags.writeable:
            return make()
        kept, value = self.once((name, id(mask)), lambda: (mask, make()))
        return value if kept is mask else make()

    def size(self, mask: NDArray[np.bool_]) -> int:
        """Return the number of rows of a mask."""
        return self.derived_from(mask, "size", lambda: int(np.count_nonzero(mask)))

    def accepts(self, where: Filter, slots: Slots) -> NDArray[np.bool_]:
        """Return which of these rows a filter without tags and condition accepts."""
        eligible = self._mask(where, slots)
        return eligible if where.now is None else eligible & ~(self.columns["expires"][slots] <= where.now)

    def _mask(self, where: Filter, rows: slice | Slots) -> NDArray[np.bool_]:
        """Return the filter without expiry, tags and condition for some rows."""

        def column(name: str) -> NDArray[Any]:
            return self.columns[name][rows]

        coded = [
            (name, [self.codes[name][text] for text in wanted if text in self.codes[name]])
            for name, wanted in zip(_CODED, _coded_part(where), strict=True)
            if wanted and not (name in _FILLED and self.codes[name].keys() <= set(wanted))
        ]
        if not all(codes for _, codes in coded):  # as in most namespaces those of derived facts
            return np.zeros(len(column("status")), dtype=np.bool_)
        statuses = set(where.statuses or STATUSES)
        if where.as_of is not None:
            statuses |= {"superseded", "merged"}  # since then
        eligible = _among(column("status"), [code for code, each in enumerate(STATUSES) if each in statuses])
        if where.as_of is not None:
            eligible &= column("recorded") <= where.as_of
            eligible &= ~(column("valid_from") > where.as_of)
            eligible &= ~(column("valid_to") <= where.as_of)
        for name, codes in coded:
            eligible &= _among(column(name), codes)
        if where.within is not None:
            eligible &= column("scope") == self._scope_code(where.within)
        if where.scopes:
            eligible &= _among(column("scope"), self._scope_codes(where.scopes))
        if where.tiers:
            eligible &= _among(column("tier"), [TIERS.index(tier) for tier in TIERS if tier in where.tiers])
        if where.since is not None or where.until is not None:
            since = -np.inf if where.since is None else where.since
            until = np.inf if where.until is None else where.until
            eligible &= inside(column("moment"), column("happened"), column("happened_to"), since, until)
        if where.min_confidence > 0:
            eligible &= column("confidence") >= where.min_confidence
        if where.min_importance > 1:
            eligible &= column("importance") >= where.min_importance
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


def inside(
    moments: NDArray[np.float64],
    starts: NDArray[np.float64],
    ends: NDArray[np.float64],
    since: float,
    until: float,
) -> NDArray[np.bool_]:
    """Return which memories were said, or happened as their text says, in [since, until).

    `starts` and `ends` bound what the text says: [start, end), NaN for nothing.
    """
    found: NDArray[np.bool_] = (moments >= since) & (moments < until)
    found |= (starts < until) & (ends > since)
    return found


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
