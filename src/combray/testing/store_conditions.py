"""Conditions in every read, pages and counts: as a memory is evaluated, so a store must select."""
# ruff: noqa: S101

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from combray.runtime import Filter, Order, Place, Reader, Store
from combray.testing.fakes import START, memory
from combray.testing.store_cases import MODEL, StoreCases, X, add, order
from combray.testing.store_filters import ARMS
from combray.types import Memory
from combray.where import matches, parse

NOW = START.timestamp()
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
        condition = parse(where, NOW)
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
        where = Filter(condition=parse({"metadata.user": "ann"}, NOW))
        first, second = add(
            store, memory("one", 1, metadata={"user": "ann"}), memory("two", 2, metadata={"user": "bob"})
        )
        assert order(reader.scan(where)) == [first]
        with store.transaction("default") as tx:
            tx.change(second, "update", "test", NOW, metadata={"user": "ann"})
            tx.change(first, "update", "test", NOW, metadata={})
        assert order(reader.scan(where)) == [second]
        (third,) = add(store, memory("three", 3, metadata={"user": "ann"}))
        assert order(reader.scan(where)) == [second, third]
        with store.transaction("default") as tx:
            tx.erase([second], NOW)
        assert order(reader.scan(where)) == [third]

    def test_a_condition_on_use_follows_every_access(self, store: Store, reader: Reader) -> None:
        (key,) = add(store, memory("tea", 1))
        where = Filter(condition=parse({"access_count": {"gte": 1}}, NOW))
        assert order(reader.scan(where)) == []
        with store.transaction("default") as tx:
            tx.touch({key: (2, NOW)})
        assert order(reader.scan(where)) == [key]

    def test_no_condition_reaches_into_another_namespace(self, store: Store, reader: Reader) -> None:
        add(store, memory("tea", 1, tags=("x",), metadata={"user": "ann"}))
        add(store, memory("tea", 2, tags=("x",), metadata={"user": "ann"}, namespace="other"), namespace="other")
        for where in ({"tags": "x"}, {"metadata.user": "ann"}, {"not": {"tags": "y"}}):
            condition = parse(where, NOW)
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
            tx.change(first[0], "update", "test", NOW, importance=5)
            tx.erase([some[-1]], NOW)
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
        value = (value - START) // timedelta(microseconds=1) + round(START.timestamp()) * 1_000_000
    return Place(value, last.id)
