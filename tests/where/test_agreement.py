"""On any memories and any condition, SQL selects what evaluation says."""

from __future__ import annotations

from contextlib import closing
from datetime import timedelta
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from combray.runtime import Arrival, Filter, Order
from combray.stores.sqlite import SqliteStore
from combray.testing.fakes import START, memory
from combray.testing.reference.store import ReferenceStore
from combray.where import matches, parse

pytestmark = pytest.mark.slow("tries hundreds of drawn conditions")

NAMES = ("a", "b.c", 'q"', "é", "$", "\t", "", "a\x00b")
TEXTS = ("", "x", "X", "straße", "STRASSE", "é", "'; --", "%", "1", "true", "\U0001f642", 'a"b', "a\\b", "/")
NUMBERS = (0, 1, -1, 1.0, 0.1, 1e300, 2**53 + 1, 2**63 - 1, -(2**63))

texts = st.sampled_from(TEXTS)
scalars = st.one_of(texts, st.sampled_from(NUMBERS), st.booleans())
data = st.recursive(
    st.one_of(scalars, st.none(), st.just(2**64 - 1), st.just("x\x00y")),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3), st.dictionaries(st.sampled_from(NAMES), inner, max_size=3)
    ),
    max_leaves=6,
)
moments = st.none() | st.integers(-3, 3).map(lambda days: START + timedelta(days=days, microseconds=days))
labels = st.lists(texts.filter(bool), max_size=3).map(tuple)
FIELDS = st.fixed_dictionaries(
    {
        "kind": st.sampled_from(("fact", "episode", "insight")),
        "category": st.sampled_from(("general", "decision")),
        "importance": st.integers(1, 5),
        "confidence": st.sampled_from((0.0, 0.1, 0.7, 1.0)),
        "status": st.sampled_from(("active", "forgotten", "superseded")),
        "tags": labels,
        "entities": labels,
        "author": st.none() | texts,
        "session": st.none() | texts,
        "position": st.none() | st.integers(0, 3),
        "trust": st.sampled_from(("owner", "untrusted", "quarantined")),
        "occurred_from": moments,
        "valid_to": moments,
        "superseded_by": st.none() | texts,
        "metadata": st.dictionaries(st.sampled_from(NAMES), data, max_size=4),
    }
)


def _compared(values: st.SearchStrategy[Any], *, ordered: bool = False) -> st.SearchStrategy[Any]:
    operators = ("eq", "ne", "gt", "gte", "lt", "lte") if ordered else ("eq", "ne")
    return st.one_of(
        values,
        st.dictionaries(st.sampled_from(operators), values, min_size=1, max_size=2),
        st.fixed_dictionaries({"in": st.lists(values, min_size=1, max_size=4)}),
        st.fixed_dictionaries({"exists": st.booleans()}),
    )


def _quoted(name: str) -> str:
    import json

    return json.dumps(name)


paths = st.lists(st.sampled_from(NAMES), min_size=1, max_size=3).map(
    lambda names: "metadata." + ".".join(_quoted(name) for name in names)
)
ordered_scalars = st.one_of(texts, st.sampled_from(NUMBERS))
comparisons = st.one_of(
    st.tuples(st.sampled_from(("tags", "entities", "author", "session", "superseded_by")), _compared(texts)),
    st.tuples(st.just("importance"), _compared(st.sampled_from((0, 2, 3, 3.5)), ordered=True)),
    st.tuples(st.just("confidence"), _compared(st.sampled_from((0.1, 0.7, 1)), ordered=True)),
    st.tuples(st.just("position"), _compared(st.integers(0, 3), ordered=True)),
    st.tuples(st.sampled_from(("status",)), _compared(st.sampled_from(("active", "merged")))),
    st.tuples(
        st.sampled_from(("recorded_at", "moment", "occurred_from", "valid_to")),
        _compared(moments.filter(bool), ordered=True),
    ),
    st.tuples(paths, _compared(scalars)),
    st.tuples(paths, _compared(ordered_scalars, ordered=True)),
).map(lambda pair: {pair[0]: pair[1]})
wheres = st.recursive(
    comparisons,
    lambda inner: st.one_of(
        st.fixed_dictionaries({"not": inner}),
        st.fixed_dictionaries({"and": st.lists(inner, min_size=1, max_size=3)}),
        st.fixed_dictionaries({"or": st.lists(inner, min_size=1, max_size=3)}),
    ),
    max_leaves=5,
)


@settings(max_examples=150)
@given(st.lists(FIELDS, min_size=1, max_size=8), st.lists(wheres, min_size=1, max_size=6))
def test_sql_and_evaluation_agree(fields: list[dict[str, Any]], asked: list[dict[str, Any]]) -> None:
    made = [memory(f"tea {at}", at, **each) for at, each in enumerate(fields)]
    reference = ReferenceStore()
    with closing(SqliteStore(":memory:")) as store:
        for each in (store, reference):
            with each.transaction("default") as tx:
                tx.insert([Arrival(one) for one in made])
        reader, slow = store.reader("default"), reference.reader("default")
        for where in asked:
            condition = parse(where, START.timestamp())
            expected = {each.id for each in made if matches(condition, each)}
            keys = reader.page(condition, Order(), 100)
            assert {each.id for each in reader.memories(keys)} == expected, where
            assert reader.count(condition) == len(expected)
            selected = Filter(statuses=(), trusts=(), condition=condition)
            assert reader.scan(selected).tolist() == slow.scan(selected).tolist()


@settings(max_examples=60)
@given(
    st.lists(FIELDS, min_size=1, max_size=8), st.sampled_from(("recorded_at", "author", "valid_to", "importance"))
)
def test_pages_agree_in_every_order(fields: list[dict[str, Any]], field: str) -> None:
    made = [memory(f"tea {at}", at % 3, **each) for at, each in enumerate(fields)]
    reference = ReferenceStore()
    with closing(SqliteStore(":memory:")) as store:
        for each in (store, reference):
            with each.transaction("default") as tx:
                tx.insert([Arrival(one) for one in made])
        for order in (Order(field), Order(field, descending=False)):
            ours = store.reader("default").page(None, order, 100)
            assert ours == reference.reader("default").page(None, order, 100)
