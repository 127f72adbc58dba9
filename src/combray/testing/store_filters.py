"""Every filter, in every arm, and in scan and nearest."""
# ruff: noqa: S101

from __future__ import annotations

from datetime import timedelta
from typing import Any

import numpy as np
import pytest

from combray.runtime import Arm, EntityArm, Filter, KeywordArm, Reader, RecencyArm, Store, VectorArm
from combray.testing.fakes import START, memory
from combray.testing.store_cases import MODEL, StoreCases, X, add, order, search
from combray.types import STATUSES

ARMS: dict[str, Arm] = {
    "keyword": KeywordArm((("tea", 1.0),)),
    "expanded": KeywordArm((("tea", 1.0),), before=(0.5,), after=(0.5,)),
    "coverage": KeywordArm((("tea", 1.0),), scoring="coverage"),
    "all": KeywordArm((("tea", 1.0),), mode="all"),
    "vector": VectorArm(X, MODEL),
    "smoothed": VectorArm(X, MODEL, before=(0.5,), after=(0.5,)),
    "recency": RecencyArm(),
    "entity": EntityArm(("Ann",)),
}
T0 = START.timestamp()

# name, fields of the one that passes, fields of the one that does not, filter
CASES: list[tuple[str, dict[str, Any], dict[str, Any], Filter]] = [
    ("status", {"status": "active"}, {"status": "forgotten"}, Filter()),
    ("one status", {"status": "forgotten"}, {"status": "active"}, Filter(statuses=("forgotten",))),
    ("kind", {"kind": "episode"}, {"kind": "fact"}, Filter(kinds=("episode", "chunk"))),
    ("category", {"category": "decision"}, {"category": "general"}, Filter(categories=("decision",))),
    ("source", {"source": "mail"}, {"source": "user"}, Filter(sources=("mail", "web"))),
    ("author", {"author": "Ann"}, {"author": None}, Filter(authors=("Ann",))),
    ("session", {"session": "s1"}, {"session": "s2"}, Filter(sessions=("s1",))),
    ("no session", {"session": "s1"}, {"session": None}, Filter(sessions=("s1",))),
    ("tier", {"tier": "core"}, {"tier": "peripheral"}, Filter(tiers=("core", "working"))),
    ("tag", {"tags": ("Work", "x")}, {"tags": ("home",)}, Filter(tags=("WORK",))),
    ("trust", {"trust": "untrusted"}, {"trust": "quarantined"}, Filter()),
    ("one trust", {"trust": "owner"}, {"trust": "agent"}, Filter(trusts=("owner",))),
    ("any trust", {"trust": "untrusted"}, {"status": "merged"}, Filter(trusts=())),
    ("since", {"occurred_from": START}, {"occurred_from": START - timedelta(microseconds=1)}, Filter(since=T0)),
    ("until", {"occurred_from": START - timedelta(microseconds=1)}, {"occurred_from": START}, Filter(until=T0)),
    ("confidence", {"confidence": 0.5}, {"confidence": 0.49}, Filter(min_confidence=0.5)),
    ("importance", {"importance": 4}, {"importance": 3}, Filter(min_importance=4)),
    ("expiry", {"expires_at": START + timedelta(seconds=1)}, {"expires_at": START}, Filter(now=T0)),
    ("no expiry", {"expires_at": None}, {"expires_at": START - timedelta(days=1)}, Filter(now=T0)),
    ("valid from", {"valid_from": START}, {"valid_from": START + timedelta(seconds=1)}, Filter(as_of=T0)),
    ("valid to", {"valid_to": START + timedelta(seconds=1)}, {"valid_to": START}, Filter(as_of=T0)),
    ("recorded", {"recorded_at": START}, {"recorded_at": START + timedelta(days=1)}, Filter(as_of=T0)),
    ("unknown values", {"kind": "fact"}, {"kind": "episode"}, Filter(kinds=("fact",), sources=("user", "never"))),
]


class Filters(StoreCases):
    """A memory that passes and one that does not, alike in all that the arms look at."""

    @pytest.mark.parametrize(
        ("passing", "other", "where"), [case[1:] for case in CASES], ids=[c[0] for c in CASES]
    )
    def test_filter_holds_in_every_arm_and_in_scan_and_nearest(
        self, store: Store, reader: Reader, passing: dict[str, Any], other: dict[str, Any], where: Filter
    ) -> None:
        alike = {"entities": ("Ann",)}
        seen, _ = add(
            store,
            (memory("green tea", -1, **(alike | passing)), X),
            (memory("green tea", -2, **(alike | other)), X),
        )
        found = reader.search(ARMS, where, 10)
        assert {name: order(ranked.keys) for name, ranked in found.lists.items()} == {
            name: [seen] for name in ARMS
        }
        assert order(found.keys) == [seen]
        assert found.eligible == 1
        assert order(reader.scan(where)) == [seen]
        nearest = reader.nearest(MODEL, X[None, :], where, 10, 0.0)
        assert [order(each.keys) for each in nearest] == [[seen]]

    def test_no_status_means_any(self, store: Store, reader: Reader) -> None:
        every = add(store, *(memory("tea", i, status=status) for i, status in enumerate(STATUSES)))
        assert order(reader.scan(Filter(statuses=()))) == every

    def test_a_value_nothing_has_lets_nothing_through(self, store: Store, reader: Reader) -> None:
        add(store, memory("tea"))
        for where in (
            Filter(kinds=("never",)),
            Filter(authors=("never",)),
            Filter(tiers=("never",)),
            Filter(tags=("never",)),
            Filter(statuses=("never",)),
        ):
            found = reader.search(ARMS, where, 10)
            assert (found.keys.size, found.eligible) == (0, 0)

    def test_as_of_shows_what_was_held_true_then(self, store: Store, reader: Reader) -> None:
        """The old answer was valid until day 10 and is superseded now; the new one came on day 10."""
        day = timedelta(days=1)
        old = memory(
            "lives in Rome", status="superseded", recorded_at=START, valid_from=START, valid_to=START + 10 * day
        )
        new = memory("lives in Oslo", recorded_at=START + 10 * day, valid_from=START + 10 * day)
        first, second = add(store, old, new)
        scan = reader.scan
        assert order(scan(Filter())) == [second]
        assert order(scan(Filter(as_of=(START + 9 * day).timestamp()))) == [first]
        assert order(scan(Filter(as_of=(START + 10 * day).timestamp()))) == [second]
        assert order(scan(Filter(as_of=(START - day).timestamp()))) == []

    def test_as_of_does_not_bring_back_what_was_forgotten(self, store: Store, reader: Reader) -> None:
        add(store, memory("a", status="forgotten"), memory("b", status="deprecated"))
        merged = add(store, memory("c", status="merged"))
        assert order(reader.scan(Filter(as_of=T0 + 60))) == merged

    def test_filters_join(self, store: Store) -> None:
        both, _, _ = add(
            store,
            memory("tea 1", kind="episode", tags=("x",)),
            memory("tea 2", kind="episode"),
            memory("tea 3", tags=("x",)),
        )
        found = search(store, KeywordArm((("tea", 1.0),)), Filter(kinds=("episode",), tags=("x", "y")))
        assert order(found.keys) == [both]

    def test_a_filter_follows_changes_and_additions(self, store: Store, reader: Reader) -> None:
        """Reads in between: what a store keeps for the next read must not go stale."""
        where = Filter(min_importance=3)
        (first,) = add(store, memory("tea 1", 1, importance=3))
        assert order(reader.scan(where)) == [first]
        second, _ = add(store, memory("tea 2", 2, importance=5), memory("tea 3", 3, importance=1))
        assert order(reader.scan(where)) == [first, second]
        with store.transaction("default") as tx:
            tx.change(first, "revalue", "test", T0, importance=2)
        assert order(reader.scan(where)) == [second]
        assert reader.search(ARMS, where, 10).eligible == 1

    def test_an_added_expiry_is_seen(self, store: Store, reader: Reader) -> None:
        (first,) = add(store, memory("tea", 1))
        assert order(reader.scan(Filter(now=T0))) == [first]
        add(store, memory("old tea", 2, expires_at=START))
        assert order(reader.scan(Filter(now=T0))) == [first]
        assert len(reader.scan(Filter(now=T0 - 1))) == 2

    def test_lists_of_an_empty_filter_result_are_empty_arrays(self, store: Store) -> None:
        add(store, memory("tea"))
        found = search(store, RecencyArm(), Filter(since=T0 + 1e6))
        assert found.keys.dtype == np.int64
        assert found.scores["arm"].dtype == np.float64
        assert found.scores["arm"].size == 0
