"""Memories over two clocks: when something was true, and when the engine knew it."""

from __future__ import annotations

from datetime import datetime, tzinfo

import numpy as np
from numpy.typing import NDArray

from combray.engine.namespace import Namespace
from combray.picture import shortened
from combray.records import dataclass
from combray.runtime import Filter, Keys, Reader
from combray.types import STATUSES, Memory

TEXT = 400
Seconds = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class TimelineRequest:
    """What a timeline is asked for, checked. Lifetimes are unix seconds."""

    since: float | None
    until: float | None
    clock: str
    true_on: float | None
    known_by: float | None
    buckets: int
    limit: int


@dataclass(frozen=True, slots=True)
class Lifetimes:
    """The times of memories as columns, in unix seconds. An end that is open is infinite."""

    keys: Keys
    happened: Seconds
    happened_to: Seconds
    learnt: Seconds
    start: Seconds
    end: Seconds
    end_learnt: Seconds
    superseded: NDArray[np.bool_]

    def at(self, places: NDArray[np.bool_]) -> Lifetimes:
        """Return these memories."""
        return Lifetimes(
            self.keys[places],
            self.happened[places],
            self.happened_to[places],
            self.learnt[places],
            self.start[places],
            self.end[places],
            self.end_learnt[places],
            self.superseded[places],
        )

    def known(self, by: float | None) -> Lifetimes:
        """Return what was learnt until then. An end that was learnt later is open."""
        if by is None:
            return self
        some = self.at(self.learnt <= by)
        end = np.where(some.end_learnt <= by, some.end, np.inf)
        superseded = some.superseded & (some.end_learnt <= by)
        return Lifetimes(
            some.keys, some.happened, some.happened_to, some.learnt, some.start, end, some.end_learnt, superseded
        )


@dataclass(frozen=True, slots=True)
class Dated:
    """A memory and its times.

    `happened` is when it happened or was said, `recorded` when the engine learnt it. It was true from `true_from`
    until `true_to`; `ended_recorded` is when the engine learnt of that end, from the memory `superseded_by`.
    """

    id: str
    text: str
    kind: str
    category: str
    status: str
    happened: datetime
    happened_to: datetime | None
    recorded: datetime
    true_from: datetime
    true_to: datetime | None
    ended_recorded: datetime | None
    superseded_by: str | None


@dataclass(frozen=True, slots=True)
class Timeline:
    """What happened, what was learnt and what was true, counted in buckets of equal width, and a list.

    Bucket i begins at `since` + i * `width` seconds. `happened`, `learnt` and `ended` count events in the
    bucket; `ended` are memories that were superseded. `true` and `believed` count memories at the end of the
    bucket: those true by what is known (by `known_by`), and those held true then, by what was known then.
    `first` and `last` are the earliest and the latest time of any memory that matches. `total` memories match
    the list, `memories` are the latest of them.
    """

    first: datetime | None
    last: datetime | None
    since: datetime | None
    width: float
    happened: list[int]
    learnt: list[int]
    ended: list[int]
    true: list[int]
    believed: list[int]
    total: int
    memories: list[Dated]


def timeline(at: Namespace, wanted: TimelineRequest, where: Filter) -> Timeline:
    """Return counts and a list, as `Views.timeline` describes."""
    with at.runtime.store.view(at.namespace) as reader:
        return _counted_and_listed(reader, wanted, where, at.runtime.zone)


def _counted_and_listed(reader: Reader, wanted: TimelineRequest, where: Filter, zone: tzinfo) -> Timeline:
    every = times(reader, where)
    known = every.known(wanted.known_by)
    first, last = _extent(every)
    since = first if wanted.since is None else wanted.since
    # The latest memory belongs to the last bucket.
    until = (None if last is None else last + 1) if wanted.until is None else wanted.until
    if since is None or until is None or first is None or last is None:
        return Timeline(None, None, None, 0.0, [], [], [], [], [], 0, [])
    until = max(until, since + 1)
    edges = np.linspace(since, until, wanted.buckets + 1)
    listed = _listed(known, wanted)
    return Timeline(
        first=datetime.fromtimestamp(first, zone),
        last=datetime.fromtimestamp(last, zone),
        since=datetime.fromtimestamp(since, zone),
        width=(until - since) / wanted.buckets,
        happened=_counted(known.happened, edges),
        learnt=_counted(known.learnt, edges),
        ended=_counted(known.end[known.superseded], edges),
        true=_standing(known.start, known.end, edges),
        believed=_standing(np.maximum(known.start, known.learnt), np.maximum(known.end, known.end_learnt), edges),
        total=len(listed),
        memories=_dated(reader, listed[: wanted.limit]),
    )


def times(reader: Reader, where: Filter) -> Lifetimes:
    """Return the times of all memories that pass the filter."""
    keys = reader.scan(where)
    rows = reader.rows(keys)
    happened = np.where(np.isnan(rows.happened), rows.moment, rows.happened)
    happened_to = np.where(np.isnan(rows.happened_to), happened, rows.happened_to)
    start = np.where(np.isnan(rows.valid_from), np.minimum(happened, rows.moment), rows.valid_from)
    end = np.where(np.isnan(rows.valid_to), np.inf, rows.valid_to)
    superseded = rows.status == STATUSES.index("superseded")
    end_learnt = _end_learnt(reader, keys, rows.recorded, superseded | np.isfinite(end))
    # A superseded memory without an end ended when that was learnt.
    end = np.where(superseded & np.isinf(end), end_learnt, end)
    return Lifetimes(keys, happened, happened_to, rows.recorded, start, end, end_learnt, superseded)


def _end_learnt(reader: Reader, keys: Keys, recorded: Seconds, ended: NDArray[np.bool_]) -> Seconds:
    """Return when the end of each memory was learnt: with what first superseded it, else with itself."""
    found = recorded.copy()
    old = keys[ended]
    pairs = (
        [(new, earlier) for new, earlier, _ in reader.joined(old.tolist(), ("supersedes",))] if len(old) else []
    )
    if not pairs:
        return found
    news, earlier = np.array(pairs, dtype=np.int64).T
    ours = np.isin(earlier, old)
    news, earlier = news[ours], earlier[ours]
    order = np.argsort(keys)
    places = order[np.searchsorted(keys, earlier, sorter=order)]
    at = np.full(len(keys), np.inf)
    np.minimum.at(at, places, reader.rows(news).recorded)
    return np.where(np.isinf(at), found, np.maximum(at, found))


def _extent(every: Lifetimes) -> tuple[float | None, float | None]:
    if not len(every.keys):
        return None, None
    early = min(float(every.happened.min()), float(every.learnt.min()), float(every.start.min()))
    late = max(float(every.happened.max()), float(every.learnt.max()))
    ends = every.end[np.isfinite(every.end)]
    return early, max(late, float(ends.max(initial=-np.inf)))


def _counted(moments: Seconds, edges: Seconds) -> list[int]:
    inside = moments[(moments >= edges[0]) & (moments < edges[-1])]
    counts: list[int] = np.histogram(inside, edges)[0].tolist()
    return counts


def _standing(start: Seconds, end: Seconds, edges: Seconds) -> list[int]:
    """Return how many memories stand at the end of each bucket."""
    lasting = end > start
    started = np.searchsorted(np.sort(start[lasting]), edges[1:], "right")
    ended = np.searchsorted(np.sort(end[lasting]), edges[1:], "right")
    counts: list[int] = (started - ended).tolist()
    return counts


def _listed(known: Lifetimes, wanted: TimelineRequest) -> Keys:
    """Return the keys of the list, latest first by the clock."""
    since = -np.inf if wanted.since is None else wanted.since
    until = np.inf if wanted.until is None else wanted.until
    by = {"happened": known.happened, "learnt": known.learnt, "true": known.start}[wanted.clock]
    until_when = {"happened": known.happened_to, "learnt": known.learnt, "true": known.end}[wanted.clock]
    inside = (by < until) & ((until_when >= since) if wanted.clock != "true" else (until_when > since))
    if wanted.true_on is not None:
        inside &= (known.start <= wanted.true_on) & (known.end > wanted.true_on)
    order = np.lexsort((known.keys[inside], by[inside]))[::-1]
    found: Keys = known.keys[inside][order]
    return found


def _dated(reader: Reader, keys: Keys) -> list[Dated]:
    memories = reader.memories(keys.tolist())
    named = sorted({each.superseded_by for each in memories if each.superseded_by})
    by_id = reader.keys_of(named)
    later = {each.id: each.recorded_at for each in reader.memories(sorted(by_id.values()))}
    return [_one(each, later) for each in memories]


def _one(memory: Memory, later: dict[str, datetime]) -> Dated:
    happened = memory.occurred_from or memory.moment
    ended = later.get(memory.superseded_by or "")
    return Dated(
        id=memory.id,
        text=shortened(memory.content, TEXT),
        kind=memory.kind,
        category=memory.category,
        status=memory.status,
        happened=happened,
        happened_to=memory.occurred_to,
        recorded=memory.recorded_at,
        true_from=memory.valid_from or min(happened, memory.moment),
        true_to=memory.valid_to or ended,
        ended_recorded=max(ended, memory.recorded_at) if ended else None,
        superseded_by=memory.superseded_by if ended else None,
    )
