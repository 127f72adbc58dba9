"""An export of an import of an export is the same bytes, whatever was stored."""

from __future__ import annotations

import io
from contextlib import closing
from datetime import UTC, datetime, timedelta
from typing import Any

import msgspec
import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from combray.errors import StoreBusyError
from combray.runtime import Arrival, Filter, Link, Store, VectorArm
from combray.stores.sqlite import SqliteStore
from combray.testing.fakes import START, FakeEmbedder, memory
from combray.testing.reference import ReferenceStore
from combray.transfer import export_to, import_from
from combray.types import EDGE_TYPES, KINDS, STATUSES, TIERS, TRUSTS

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
texts = st.text(st.characters(codec="utf-8"), max_size=30)
written = texts.filter(bool)
moments = st.datetimes(datetime(1, 1, 2), datetime(9999, 12, 30)).map(lambda each: each.replace(tzinfo=UTC))
seconds = st.integers(0, 2**32 * 10**6).map(lambda micro: micro / 10**6)
names = st.none() | texts
lists = st.lists(texts, max_size=3).map(tuple)
json = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**70), 2**70)
    | st.floats(allow_nan=False, allow_infinity=False)
    | texts,
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(texts, inner, max_size=2),
    max_leaves=4,
)
changeable: dict[str, st.SearchStrategy[Any]] = {
    "kind": st.sampled_from(KINDS),
    "category": texts,
    "importance": st.integers(1, 5),
    "confidence": st.floats(0, 1),
    "tier": st.sampled_from(TIERS),
    "status": st.sampled_from(STATUSES),
    "tags": lists,
    "entities": lists,
    "source": texts,
    "author": names,
    "session": names,
    "position": st.none() | st.integers(-5, 2**53),
    "trust": st.sampled_from(TRUSTS),
    "occurred_from": st.none() | moments,
    "occurred_to": st.none() | moments,
    "valid_from": st.none() | moments,
    "valid_to": st.none() | moments,
    "expires_at": st.none() | moments,
    "last_accessed_at": st.none() | moments,
    "access_count": st.integers(0, 2**40),
    "context": texts,
    "evidence": lists,
    "supersedes": names,
    "superseded_by": names,
    "merged_into": names,
    "slot": names,
    "metadata": st.dictionaries(texts, json, max_size=3),
}
memories: st.SearchStrategy[dict[str, Any]] = st.fixed_dictionaries(
    {"content": written, "recorded_at": moments}, optional={**changeable, "content_hash": texts}
)
changes = st.fixed_dictionaries({}, optional=changeable).filter(bool)
picks = st.integers(0, 5)


@st.composite
def stores(draw: st.DrawFn) -> ReferenceStore:
    store = ReferenceStore()
    given: list[dict[str, Any]] = draw(st.lists(memories, max_size=5))
    # Ids that do not sort as they were written: the order of an export is that of writing.
    made = [memory(each.pop("content"), id=f"{9 - place}-{place}é", **each) for place, each in enumerate(given)]
    with store.transaction("default") as tx:
        keys = tx.insert([Arrival(each) for each in made])
        for pick, at, each in draw(st.lists(st.tuples(picks, seconds, changes), max_size=4)) if keys else []:
            tx.change(keys[pick % len(keys)], draw(texts), draw(texts), at, **each)
        for source, target, at in draw(st.lists(st.tuples(picks, picks, seconds), max_size=5)) if keys else []:
            link = Link(
                keys[source % len(keys)],
                keys[target % len(keys)],
                draw(st.sampled_from(EDGE_TYPES)),
                draw(st.floats(0, 1)),
                draw(texts),
                draw(texts),
                draw(st.just("combray") | written),
            )
            tx.link([link], at)
    return store


def exported(store: Store) -> str:
    stream = io.StringIO()
    export_to(store, "default", stream)
    return stream.getvalue()


def imported(text: str, store: Store) -> Store:
    import_from(store, "default", text.encode().split(b"\n"), dry_run=False)
    return store


@settings(max_examples=60, derandomize=True, suppress_health_check=list(HealthCheck))
@given(stores())
def test_every_store_comes_back_byte_for_byte(original: ReferenceStore) -> None:
    text = exported(original)
    again = imported(text, ReferenceStore())
    assert exported(again) == text
    with closing(SqliteStore(":memory:")) as store:
        imported(text, store)
        assert exported(store) == text
        assert store.check() == []
    reader, other = original.reader("default"), again.reader("default")
    everything = Filter(statuses=(), trusts=())
    assert other.memories(sorted(other.scan(everything))) == reader.memories(sorted(reader.scan(everything)))
    assert other.edges() == reader.edges()


def test_the_lines_are_what_the_format_says() -> None:
    store = ReferenceStore()
    with store.transaction("default") as tx:
        a, b = tx.insert([Arrival(memory("b\u2028ü", 1, tags=("x",))), Arrival(memory("a"))])
        tx.change(a, "forget", "ann", START.timestamp() + 0.000001, status="forgotten")
        tx.link([Link(b, a, "causal", 0.5, "causes", "why")], START.timestamp())
    lines = exported(store).split("\n")
    assert (
        lines[0] == '{"edges":1,"format":"combray","memories":2,"namespace":"default","version":1,"versions":1}'
    )
    first = msgspec.json.decode(lines[1])
    assert list(first) == sorted(first)
    assert (first["record"], first["content"], first["status"]) == ("memory", "b\u2028ü", "forgotten")
    assert first["recorded_at"] == "2024-05-01T12:01:00Z"
    assert msgspec.json.decode(lines[2])["content"] == "a"
    assert lines[3] == (
        '{"actor":"ann","before":{"status":"active"},"changed_at":"2024-05-01T12:00:00.000001Z",'
        f'"memory_id":"{first["id"]}","number":1,"operation":"forget","record":"version"}}'
    )
    edge = msgspec.json.decode(lines[4])
    assert (edge["record"], edge["type"], edge["weight"], edge["target"]) == (
        "edge",
        "causal",
        0.5,
        first["id"],
    )
    assert lines[5:] == [""]


def test_an_empty_namespace_is_a_header() -> None:
    text = exported(ReferenceStore())
    assert text.count("\n") == 1
    report = import_from(ReferenceStore(), "default", [text], dry_run=False)
    assert (report.shape, report.memories, report.problems) == ("combray", 0, ())


def test_vectors_are_made_by_the_embedder_given() -> None:
    store, embedder = ReferenceStore(), FakeEmbedder()
    with store.transaction("default") as tx:
        tx.insert([Arrival(memory("the kettle boils")), Arrival(memory("…", 1))])
    again = ReferenceStore()
    done: list[int] = []
    report = import_from(
        again, "default", exported(store).splitlines(), dry_run=False, embedder=embedder, progress=done.append
    )
    assert (report.memories, done) == (2, [2])
    query = embedder.embed(["kettle boils"])[0]
    found = again.reader("default").search({"v": VectorArm(query, embedder.name)}, Filter(), 5)
    assert [again.reader("default").contents([key]) for key in found.keys] == [["the kettle boils"]]
    assert again.reader("default").vectors(embedder.name, np.array([1, 2]))[1].tolist() == [True, False]


def test_a_second_import_of_the_same_file_changes_nothing() -> None:
    store = ReferenceStore()
    with store.transaction("default") as tx:
        a, b = tx.insert([Arrival(memory("a")), Arrival(memory("b", 1))])
        tx.change(a, "x", "y", 0.0, importance=5)
        tx.link([Link(a, b, "causal", 0.5)], 0.0)
    text = exported(store)
    report = import_from(store, "default", text.splitlines(), dry_run=False)
    assert (report.memories, report.versions, report.edges, report.skipped) == (0, 0, 0, 2)
    assert exported(store) == text


def test_what_is_missing_is_added_between_what_is_there() -> None:
    full, part = ReferenceStore(), ReferenceStore()
    with full.transaction("default") as tx:
        a, b = tx.insert([Arrival(memory("a")), Arrival(memory("b", 1))])
        tx.link([Link(a, b, "causal", 0.5)], START.timestamp())
    with part.transaction("default") as tx:
        tx.insert([Arrival(memory("a"))])
    report = import_from(part, "default", exported(full).splitlines(), dry_run=False)
    assert (report.memories, report.edges, report.skipped) == (1, 1, 1)
    assert exported(part) == exported(full)


def test_a_store_that_never_rests_is_not_exported_in_two_halves() -> None:
    class Restless(ReferenceStore):
        def reader(self, namespace: str) -> Any:
            reader = super().reader(namespace)
            counts = iter(range(10**6))
            reader.revision = lambda: next(counts)  # type: ignore[method-assign]
            return reader

    with pytest.raises(StoreBusyError, match="'default'"):
        exported(Restless())


def test_time_keeps_its_microsecond() -> None:
    store = ReferenceStore()
    moment = EPOCH + timedelta(days=20_000, microseconds=1)
    with store.transaction("default") as tx:
        tx.insert([Arrival(memory("a", valid_from=moment))])
    (found,) = imported(exported(store), ReferenceStore()).reader("default").memories([1])
    assert found.valid_from == moment
