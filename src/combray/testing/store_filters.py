"""Every filter and every condition, in every arm, in scan and nearest, in pages and counts."""
# ruff: noqa: S101

from __future__ import annotations

from datetime import timedelta
from typing import Any

import numpy as np
import pytest

from combray.runtime import Arm, EntityArm, Filter, KeywordArm, Order, Place, Reader, RecencyArm, Store, VectorArm
from combray.testing.fakes import START, memory
from combray.testing.store_cases import MODEL, T0, StoreCases, X, add, order, search
from combray.types import STATUSES, Memory
from combray.where import matches, parse

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

DAY = timedelta(days=1)
HAPPENED = {"occurred_from": START - 2 * DAY, "occurred_to": START}
"""Two days before START. What was said at another time is found by both."""

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
    ("scope", {"tags": ("Scope:user:Ann",)}, {"tags": ("scope:user:bob",)}, Filter(scopes=("scope:user:ann",))),
    ("one of two scopes", {"tags": ("scope:user:a", "scope:user:b")}, {}, Filter(scopes=("scope:user:b",))),
    ("no scope is global", {"tags": ("work",)}, {"tags": ("scope:user:a",)}, Filter(scopes=("scope:global",))),
    ("within a scope", {"tags": ("scope:user:a",)}, {}, Filter(within=("scope:user:a",))),
    (
        "within one scope",
        {"tags": ("scope:user:a",)},
        {"tags": ("scope:user:a", "scope:user:b")},
        Filter(within=("scope:user:a",)),
    ),
    ("within global", {"tags": ("scope:global",)}, {"tags": ("scope:user:a",)}, Filter(within=())),
    (
        "within an unknown scope",
        {"tags": ("scope:x:1",)},
        {"tags": ("scope:x:2",)},
        Filter(within=("scope:x:1",)),
    ),
    ("trust", {"trust": "untrusted"}, {"trust": "quarantined"}, Filter()),
    ("one trust", {"trust": "owner"}, {"trust": "agent"}, Filter(trusts=("owner",))),
    ("any trust", {"trust": "untrusted"}, {"status": "merged"}, Filter(trusts=())),
    ("since", {"occurred_from": START}, {"occurred_from": START - timedelta(microseconds=1)}, Filter(since=T0)),
    ("since, as its words say", {**HAPPENED, "said_at": START - 3 * DAY}, HAPPENED, Filter(since=T0 - 86_400.0)),
    (
        "until, as its words say",
        {**HAPPENED, "said_at": START + 3 * DAY},
        {"occurred_from": START},
        Filter(until=T0),
    ),
    (
        "between, as its words say",
        {**HAPPENED, "said_at": START + 3 * DAY},
        {"occurred_from": START, "said_at": START + DAY},
        Filter(since=T0 - 86_400.0, until=T0),
    ),
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


ANY: dict[str, Any] = {"statuses": (), "trusts": ()}

# where, fields of a memory that meets it, fields of one that does not
MEETING: list[tuple[dict[str, Any], dict[str, Any], dict[str, Any]]] = [
    ({"category": "decision"}, {"category": "decision"}, {"category": "general"}),
    ({"category": {"ne": "decision"}}, {"category": "general"}, {"category": "decision"}),
    ({"kind": {"in": ["fact", "insight"]}}, {"kind": "insight"}, {"kind": "episode"}),
    ({"importance": {"gte": 4}}, {"importance": 4}, {"importance": 3}),
    ({"confidence": {"lt": 0.5}}, {"confidence": 0.4}, {"confidence": 0.5}),
    ({"slot": "Ana.City"}, {"slot": "ana.city"}, {"slot": "ana.city.district"}),
    ({"slot": {"ne": "ana.city"}}, {"slot": None}, {"slot": "ana.city"}),
    ({"position": {"exists": True}}, {"position": 0}, {"position": None}),
    ({"author": {"exists": False}}, {"author": None}, {"author": "Ann"}),
    ({"author": {"ne": "Ann"}}, {"author": None}, {"author": "Ann"}),
    ({"not": {"author": "Ann"}}, {"author": None}, {"author": "Ann"}),
    ({"not": {"valid_to": {"gt": START}}}, {"valid_to": None}, {"valid_to": START + timedelta(days=1)}),
    ({"tags": "WORK"}, {"tags": ("Work", "x")}, {"tags": ("home",)}),
    ({"tags": {"in": ["a", "b"]}}, {"tags": ("B",)}, {"tags": ("c",)}),
    ({"tags": {"ne": "x"}}, {"tags": ()}, {"tags": ("X",)}),
    ({"entities": {"exists": True}}, {"entities": ("Ann",)}, {"entities": ()}),
    ({"recorded_at": {"gte": START}}, {"recorded_at": START}, {"recorded_at": START - timedelta(microseconds=1)}),
    ({"moment": {"lt": "2020-01-01"}}, {"occurred_from": START - timedelta(days=9999)}, {}),
    ({"content": "tea"}, {}, {"content": "tea "}),
    ({"metadata.user": "ann"}, {"metadata": {"user": "ann"}}, {"metadata": {"user": "bob", "x": "ann"}}),
    ({"metadata.a.b": 1}, {"metadata": {"a": {"b": 1.0}}}, {"metadata": {"a": {"b": True}}}),
    ({"metadata.n": {"lte": 2}}, {"metadata": {"n": -1}}, {"metadata": {"n": "1"}}),
    ({"metadata.flag": True}, {"metadata": {"flag": True}}, {"metadata": {"flag": 1}}),
    ({"metadata.list": "x"}, {"metadata": {"list": ["y", "x"]}}, {"metadata": {"list": ["y", ["x"]]}}),
    ({"metadata.none": {"exists": False}}, {"metadata": {"none": None}}, {"metadata": {"none": 0}}),
    ({"metadata.gone": {"ne": 1}}, {"metadata": {}}, {"metadata": {"gone": 1}}),
    ({'metadata."a.b\\"c"': "é"}, {"metadata": {'a.b"c': "é"}}, {"metadata": {"a": {'b"c': "é"}}}),
    ({"metadata.nul": "a"}, {"metadata": {"nul": "a"}}, {"metadata": {"nul": "a\x00b"}}),
    ({"metadata.big": {"gt": 2**62}}, {"metadata": {"big": 2**63}}, {"metadata": {"big": 2**62}}),
    ({"or": [{"tier": "core"}, {"importance": 5}]}, {"importance": 5}, {"importance": 4}),
    ({"and": [{"tier": "core"}, {"importance": 5}]}, {"importance": 5, "tier": "core"}, {"importance": 5}),
    ({"source": "'; DROP TABLE memory; --"}, {"source": "'; DROP TABLE memory; --"}, {"source": "user"}),
    ({"metadata.') OR 1=1 --": "x"}, {"metadata": {"') OR 1=1 --": "x"}}, {"metadata": {"y": "x"}}),
]


class Conditions(StoreCases):
    """What a caller's `where` selects."""

    @pytest.mark.parametrize(("where", "meeting", "other"), MEETING, ids=[str(each[0]) for each in MEETING])
    def test_a_condition_holds_in_every_arm_and_in_scan_nearest_and_page(
        self, store: Store, reader: Reader, where: dict[str, Any], meeting: dict[str, Any], other: dict[str, Any]
    ) -> None:
        condition = parse(where, T0)
        assert condition is not None
        made = [
            memory(**{"content": "tea", "minutes": at, "entities": ("Ann",), "recorded_at": START, **fields})
            for at, fields in enumerate((meeting, other))
        ]
        assert [matches(condition, each) for each in made] == [True, False]
        seen, unseen = add(store, *((each, X) for each in made))
        selected = Filter(condition=condition, **ANY)
        for _ in range(2):  # what is kept for the next read is looked at too
            assert order(reader.scan(selected)) == [seen]
            found = reader.search(ARMS, selected, 10)
            assert set(order(found.keys)) <= {seen}
            assert found.eligible == 1
        nearest = reader.nearest(MODEL, X[None, :], selected, 10, 0.0)
        assert [order(each.keys) for each in nearest] == [[seen]]
        assert (reader.page(condition, Order(), 10), reader.count(condition)) == ([seen], 1)
        assert (reader.count(None), sorted(reader.page(None, Order(), 10))) == (2, [seen, unseen])

    def test_a_condition_follows_changes_additions_and_erasures(self, store: Store, reader: Reader) -> None:
        where = Filter(condition=parse({"metadata.user": "ann"}, T0))
        first, second = add(
            store, memory("one", 1, metadata={"user": "ann"}), memory("two", 2, metadata={"user": "bob"})
        )
        assert order(reader.scan(where)) == [first]
        with store.transaction("default") as tx:
            tx.change(second, "update", "test", T0, metadata={"user": "ann"})
            tx.change(first, "update", "test", T0, metadata={})
        assert order(reader.scan(where)) == [second]
        (third,) = add(store, memory("three", 3, metadata={"user": "ann"}))
        assert order(reader.scan(where)) == [second, third]
        with store.transaction("default") as tx:
            tx.erase([second], T0)
        assert order(reader.scan(where)) == [third]

    def test_a_condition_on_use_follows_every_access(self, store: Store, reader: Reader) -> None:
        (key,) = add(store, memory("tea", 1))
        where = Filter(condition=parse({"access_count": {"gte": 1}}, T0))
        assert order(reader.scan(where)) == []
        with store.transaction("default") as tx:
            tx.touch({key: (2, T0)})
        assert order(reader.scan(where)) == [key]

    def test_no_condition_reaches_into_another_namespace(self, store: Store, reader: Reader) -> None:
        add(store, memory("tea", 1, tags=("x",), metadata={"user": "ann"}))
        add(store, memory("tea", 2, tags=("x",), metadata={"user": "ann"}, namespace="other"), namespace="other")
        for where in ({"tags": "x"}, {"metadata.user": "ann"}, {"not": {"tags": "y"}}):
            condition = parse(where, T0)
            assert store.reader("other").count(condition) == 1
            assert len(reader.page(condition, Order(), 10)) == 1
            assert store.reader("nobody").count(condition) == 0

    @pytest.mark.parametrize("descending", [False, True])
    @pytest.mark.parametrize("field", ["recorded_at", "importance", "author", "valid_to", "confidence", "id"])
    def test_pages_are_the_sorted_list_in_pieces(
        self, store: Store, reader: Reader, field: str, descending: bool
    ) -> None:
        add(store, *_various(23))
        ordered = Order(field, descending)
        whole = reader.page(None, ordered, 100)
        every = dict(zip(whole, reader.memories(whole), strict=True))
        assert [each.id for each in every.values()] == [
            each.id for each in _by_hand(list(every.values()), ordered)
        ]
        paged: list[int] = []
        after: Place | None = None
        while some := reader.page(None, ordered, 4, after):
            paged += some
            after = _place(every[some[-1]], ordered)
        assert paged == whole
        at = Place(after.value, after.id, inclusive=True) if after else None
        assert reader.page(None, ordered, 4, at) == whole[-1:]

    def test_pages_are_stable_while_memories_come_and_go(self, store: Store, reader: Reader) -> None:
        first = add(store, *(memory(f"tea {at}", at) for at in range(6)))
        some = reader.page(None, Order(), 3)
        assert some == first[:2:-1]
        after = _place(reader.memories(some[-1:])[0], Order())
        add(store, memory("newer", 99))
        with store.transaction("default") as tx:
            tx.change(first[0], "update", "test", T0, importance=5)
            tx.erase([some[-1]], T0)
        assert reader.page(None, Order(), 10, after) == first[2::-1]


def _various(count: int) -> list[Memory]:
    return [
        memory(
            f"tea {at}",
            at // 3,
            importance=1 + at % 5,
            author=(None, "Ann", "Émile", "ann")[at % 4],
            valid_to=None if at % 3 else START + timedelta(days=at % 2),
            confidence=(at % 7) / 10,
        )
        for at in range(count)
    ]


def _by_hand(memories: list[Memory], ordered: Order) -> list[Memory]:
    def of(each: Memory) -> Any:
        return getattr(each, ordered.field)

    given = [each for each in memories if of(each) is not None]
    missing = [each for each in memories if of(each) is None]
    given.sort(key=lambda each: (of(each), each.id), reverse=ordered.descending)
    return [*given, *sorted(missing, key=lambda each: each.id, reverse=ordered.descending)]


def _place(last: Memory, ordered: Order) -> Place:
    value = getattr(last, ordered.field)
    if hasattr(value, "timestamp"):
        value = (value - START) // timedelta(microseconds=1) + round(T0) * 1_000_000
    return Place(value, last.id)
