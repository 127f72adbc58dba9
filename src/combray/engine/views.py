"""The store as pages need it: a graph with positions, a timeline, a recall that changes nothing.

Graph and timeline are columns of equal length, not objects.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal, Unpack

from combray import presets
from combray.audit.audited import audited
from combray.audit.verb import found
from combray.engine.namespace import Namespace
from combray.errors import InvalidInputError
from combray.presets.tuning import tuned
from combray.runtime import Filter
from combray.types import EDGE_TYPES, STATUSES, Answer, EdgeType, Moment, RecallOptions, Where
from combray.values import as_seconds, fraction, one_of, whole
from combray.where import parse

if TYPE_CHECKING:
    from combray.engine.network import Network
    from combray.engine.timeline import Timeline

MOST_NODES = 10_000
MOST_BUCKETS = 2_000
MOST_LISTED = 1_000
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
        from combray.engine import network

        wanted = network.GraphRequest(
            start=memory_id,
            depth=whole("depth", depth, 1, 10),
            types=tuple(one_of("types", each, EDGE_TYPES) for each in types),
            min_weight=fraction("min_weight", min_weight),
            strongest=whole("strongest", strongest, 1, 1_000),
            limit=whole("limit", limit, 1, MOST_NODES),
        )
        drawn = network.network(self._at, wanted, self._filter(where, as_of))
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
        from combray.engine import timeline

        now, zone = self._at.runtime.clock(), self._at.runtime.zone
        wanted = timeline.TimelineRequest(
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
        shown = timeline.timeline(self._at, wanted, self._filter(where, None))
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
