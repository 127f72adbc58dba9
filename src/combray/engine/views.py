"""The store as pages need it: a graph with positions, a timeline, a recall that changes nothing.

Graph and timeline are columns of equal length, not objects.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, tzinfo
from typing import TYPE_CHECKING, Literal, Unpack

import numpy as np
from numpy.typing import NDArray

from combray import presets
from combray.audit.audited import audited, found
from combray.engine.namespace import Namespace
from combray.errors import InvalidInputError
from combray.presets.tuning import tuned
from combray.records import dataclass
from combray.runtime import Filter, Keys, Reader
from combray.types import EDGE_TYPES, STATUSES, Answer, EdgeType, Memory, Moment, RecallOptions, Where
from combray.values import as_seconds, at_seconds, fraction, one_of, whole
from combray.where import parse

if TYPE_CHECKING:
    from combray.engine.graph import Network


MOST_NODES = 10_000
MOST_BUCKETS = 2_000
MOST_LISTED = 1_000
TEXT = 400
Seconds = NDArray[np.float64]
CLOCKS = ("happened", "learnt", "true")
Clock = Literal["happened", "learnt", "true"]
SHOWN = tuple(each for each in STATUSES if each not in ("merged", "forgotten"))
"""Statuses that views show. What was forgotten is in no read, what was merged is in the memory it restates."""


class Views:
    """`engine.views`: the store as a graph, as a timeline and searched as one types, for pictures and pages."""

    def __init__(self, at: Namespace) -> None:
        self._at = at

    @audited("graph")
    def graph(
        self,
        memory_id: str = "",
        *,
        depth: int = 2,
        types: Sequence[EdgeType] = (),
        min_weight: float = 0.0,
        where: Where | None = None,
        as_of: Moment | None = None,
        strongest: int = 3,
        limit: int = 1_000,
    ) -> Network:
        """Return memories and edges with positions: around one memory up to `depth` steps, or the newest ones.

        `types` and `min_weight` select edges; the walk follows only these. Each memory keeps its `strongest`
        edges of each type, so an edge is dropped only if both ends have stronger ones. `as_of` takes what was
        known and valid then. Raises NotFoundError, InvalidInputError.
        """
        from combray.engine.graph import GraphRequest, network

        wanted = GraphRequest(
            start=memory_id,
            depth=whole("depth", depth, 1, 10),
            types=tuple(one_of("types", each, EDGE_TYPES) for each in types),
            min_weight=fraction("min_weight", min_weight),
            strongest=whole("strongest", strongest, 1, 1_000),
            limit=whole("limit", limit, 1, MOST_NODES),
        )
        drawn = network(self._at, wanted, self._filter(where, as_of))
        found().ids.update(dict.fromkeys(drawn.ids[:MOST_LISTED]))
        return drawn

    @audited("timeline")
    def timeline(
        self,
        since: Moment | None = None,
        until: Moment | None = None,
        *,
        clock: Clock = "happened",
        true_on: Moment | None = None,
        known_by: Moment | None = None,
        where: Where | None = None,
        buckets: int = 200,
        limit: int = 200,
    ) -> Timeline:
        """Count what happened, was learnt and was true over time, and list the memories of a window.

        `since` and `until` bound the buckets and the list; without them everything is counted. `clock` says by
        which time the list is bounded and sorted, latest first: when it happened, when it was learnt, or when it
        was true. `true_on` lists only what was true at that time, `known_by` only what was learnt until then; an
        end that was learnt later does not count. A memory without `valid_from` is true from when it happened or
        was said. Raises InvalidInputError.
        """
        now, zone = self._at.runtime.clock(), self._at.runtime.zone
        wanted = TimelineRequest(
            since=as_seconds("since", since, now, zone),
            until=as_seconds("until", until, now, zone),
            clock=one_of("clock", clock, CLOCKS),
            true_on=as_seconds("true_on", true_on, now, zone),
            known_by=as_seconds("known_by", known_by, now, zone),
            buckets=whole("buckets", buckets, 1, MOST_BUCKETS),
            limit=whole("limit", limit, 0, MOST_LISTED),
        )
        if wanted.since is not None and wanted.until is not None and wanted.since >= wanted.until:
            raise InvalidInputError("until", "is not later than since.", "Swap them, or widen the range.")
        with self._at.runtime.store.view(self._at.namespace) as reader:
            shown = _counted_and_listed(reader, wanted, self._filter(where, None), zone)
        found().ids.update(dict.fromkeys(each.id for each in shown.memories))
        return shown

    @audited("look", asks=True)
    def recall(
        self, query: str, *, limit: int = 10, preset: str | None = None, **options: Unpack[RecallOptions]
    ) -> Answer:
        """Recall as `engine.recall` does, and count nothing: for pages that search at every key.

        Hits do not become more important because somebody looked at them, and half a word is no question that
        found nothing. The audit records it as `look`. Raises InvalidInputError.
        """
        at = self._at
        chosen = at.preset if preset is None else tuned(presets.load(preset), at.settings)
        return at.asking().answer(query, chosen.recall, chosen.name, limit=limit, basic=False, options=options)

    def _filter(self, where: Where | None, as_of: Moment | None) -> Filter:
        now, zone = self._at.runtime.clock(), self._at.runtime.zone
        at = as_seconds("as_of", as_of, now, zone)
        condition = parse(where, now, zone)
        return Filter(statuses=SHOWN, trusts=self._at.trusts, as_of=at, condition=condition)


# -- two clocks: when something was true, and when the engine knew it --------------------------------


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


def _counted_and_listed(reader: Reader, wanted: TimelineRequest, where: Filter, zone: tzinfo) -> Timeline:
    """Return counts and a list, as `Views.timeline` describes."""
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
        first=at_seconds(first, zone),
        last=at_seconds(last, zone),
        since=at_seconds(since, zone),
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
    from combray.picture import shortened

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
