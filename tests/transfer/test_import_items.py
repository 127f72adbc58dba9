"""Items of other tools: dates kept, edges by id or place, the backbone mended, errors named."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from itertools import pairwise
from typing import Any

import pytest
from rememberer import SmallEngine

from combray.errors import InvalidInputError
from combray.runtime import Filter, Link
from combray.testing.reference import ReferenceStore
from combray.transfer import ImportReport, import_from
from combray.types import Edge, Memory

UUID = "0190c2a4-0000-7000-8000-000000000001"


def run(engine: SmallEngine, *items: Any, dry_run: bool = False, **options: Any) -> ImportReport:
    lines = [item if isinstance(item, str | bytes) else json.dumps(item) for item in items]
    return import_from(engine, engine.namespace, lines, dry_run=dry_run, **options)


def memories(engine: SmallEngine) -> dict[str, Memory]:
    """By content, oldest first."""
    reader = engine.store.reader(engine.namespace)
    return {each.content: each for each in reader.memories(reader.scan(Filter()))}


def edges(engine: SmallEngine, *types: str) -> set[tuple[str, str, str, float]]:
    names = {memory.id: content for content, memory in memories(engine).items()}
    found: list[Edge] = engine.store.reader(engine.namespace).edges(types)
    return {(names[each.source], names[each.target], each.subtype or each.reason, each.weight) for each in found}


def test_a_dry_run_says_what_would_come_and_writes_nothing() -> None:
    engine = SmallEngine()
    run(engine, {"text": "known"})
    revision = engine.store.reader("default").revision()
    report = run(
        engine,
        {"text": "new", "edges": [1]},
        {"text": "Known."},
        {"text": "new"},
        {"text": "said", "kind": "episode"},
        {"text": "said", "kind": "episode"},
        "",
        {"text": "bad", "importance": 9},
        dry_run=True,
    )
    assert (report.shape, report.dry_run) == ("items", True)
    assert (report.memories, report.skipped, report.edges) == (3, 2, 1)
    assert [str(each) for each in report.problems] == ["line 7: importance: 9 is out of range. Use 1 to 5."]
    assert engine.store.reader("default").revision() == revision


def test_a_dry_run_promises_what_the_run_does() -> None:
    engine = SmallEngine()
    items = [{"text": "a", "edges": [{"target": 1, "type": "causal"}]}, {"text": "b"}, {"text": "A"}]
    promised, done = run(engine, *items, dry_run=True), run(engine, *items)
    counts = [(each.memories, each.skipped, each.edges) for each in (promised, done)]
    assert counts == [(2, 1, 1), (2, 1, 1)]
    assert not done.dry_run


def test_every_field_and_date_arrives() -> None:
    engine = SmallEngine()
    run(
        engine,
        {
            "text": "Chose Qdrant",
            "category": "decision",
            "importance": 5,
            "tags": ["db"],
            "entities": ["Qdrant"],
            "source": "agent",
            "author": "Ann",
            "session": "s",
            "created_at": "2021-03-04T05:06:07.000008+02:00",
            "occurred_at": "8 May 2020",
            "metadata": {"n": 1},
            "id": "m1",
        },
        {"content": "b", "timestamp": "2020-05-09", "id": UUID.upper(), "created_at": None},
    )
    found = memories(engine)
    first = found["Chose Qdrant"]
    assert (first.category, first.importance, first.tags, first.entities) == (
        "decision",
        5,
        ("db",),
        ("Qdrant",),
    )
    assert (first.source, first.author, first.session) == ("agent", "Ann", "s")
    assert first.recorded_at == datetime(2021, 3, 4, 3, 6, 7, 8, tzinfo=UTC)
    assert first.occurred_from == datetime(2020, 5, 8, tzinfo=UTC)
    assert first.metadata == {"id": "m1", "n": 1}
    assert found["b"].id == UUID
    assert found["b"].occurred_from == datetime(2020, 5, 9, tzinfo=UTC)


def test_edges_by_id_by_place_and_to_what_is_stored() -> None:
    engine = SmallEngine()
    run(engine, {"text": "stored", "id": UUID, "source": "other"})
    run(
        engine,
        {"text": "a", "id": "m1", "source": "x", "edges": [{"id": "m3", "type": "causal", "reason": "so"}]},
        {"text": "b", "source": "y", "edges": [0, {"index": 2, "weight": 1, "reason": "r"}, UUID]},
        {"text": "c", "id": "m3", "source": "z"},
    )
    assert edges(engine, "causal") == {("a", "c", "so", 0.5)}
    assert edges(engine, "semantic") == {("b", "a", "", 0.5), ("b", "c", "r", 1.0), ("b", "stored", "", 0.5)}


def test_an_edge_of_a_repeat_goes_to_what_it_repeats() -> None:
    engine = SmallEngine()
    run(engine, {"text": "old", "source": "x"})
    report = run(engine, {"text": "Old"}, {"text": "new", "edges": [{"target": 0, "type": "causal"}]})
    assert (report.memories, report.skipped) == (1, 1)
    assert edges(engine, "causal") == {("new", "old", "", 0.5)}


def test_an_id_that_is_stored_is_known() -> None:
    engine = SmallEngine()
    run(engine, {"text": "old", "id": UUID})
    report = run(engine, {"text": "another text", "id": UUID}, {"text": "b", "edges": [UUID]}, diff=False)
    assert (report.memories, report.skipped, report.edges) == (1, 1, 1)


def test_the_backbone_is_in_order_of_time_whatever_the_order_of_the_file() -> None:
    engine = SmallEngine()
    run(engine, *({"text": f"day {day}", "timestamp": f"2024-01-0{day}"} for day in (2, 8)))
    with engine.store.transaction("default") as tx:
        tx.link([Link(1, 2, "temporal", 0.25, "proximity")], 0.0)
    run(engine, *({"text": f"day {day}", "timestamp": f"2024-01-0{day}"} for day in (9, 5, 1, 4)))
    run(engine, {"text": "elsewhere", "timestamp": "2024-01-03", "source": "mail"})
    order = [f"day {day}" for day in (1, 2, 4, 5, 8, 9)]
    backbone = {(a, b, "precedes", 1.0) for a, b in pairwise(order)}
    assert edges(engine, "temporal") == backbone | {("day 2", "day 8", "proximity", 0.25)}


DRAFT = {
    "schema_version": "1",
    "source": "agent",
    "insights": [
        {"content": "a", "category": "fact", "importance": 4, "created_at": "2023-01-02T03:04:05Z"},
        {
            "content": "b",
            "tags": ["t"],
            "entities": ["E"],
            "source": "user",
            "created_at": "2022-01-01T00:00:00Z",
        },
    ],
    "edges": [{"source_index": 1, "target_index": 0, "edge_type": "causal", "weight": 0.75, "reason": "so"}],
}


@pytest.mark.parametrize("indent", [None, 2])
def test_a_mnemon_draft(indent: int | None) -> None:
    engine = SmallEngine()
    report = run(engine, *json.dumps(DRAFT, indent=indent).splitlines())
    assert (report.shape, report.memories, report.edges, report.problems) == ("mnemon", 2, 1, ())
    found = memories(engine)
    assert list(found) == ["b", "a"]
    assert (found["a"].source, found["b"].source, found["a"].importance) == ("agent", "user", 4)
    assert found["a"].recorded_at == datetime(2023, 1, 2, 3, 4, 5, tzinfo=UTC)
    assert edges(engine, "causal") == {("b", "a", "so", 0.75)}


def test_a_draft_names_what_is_wrong_by_its_place() -> None:
    bad = {
        "schema_version": "2",
        "insights": [{"content": " "}, {"content": "b", "created_at": "someday"}, 7, {"content": "d"}],
        "edges": [
            {"source_index": 3, "target_index": 9},
            {"source_index": "x", "target_index": 3},
            {"source_index": 3, "target_index": 3},
            {"source_index": 3, "target_index": 0, "edge_type": "likes"},
            {"source_index": 3, "target_index": 0, "weight": 2},
            {"source_index": 3, "target_index": 0},
            None,
        ],
    }
    report = run(SmallEngine(), json.dumps(bad), dry_run=True)
    said = [str(each) for each in report.problems]
    expected = [
        ("insights 3:", "7 is not a JSON object"),
        ("edges 7:", "None is not a JSON object"),
        ("insights 1:", "content: is empty"),
        ("insights 2:", "someday"),
        ("the file:", "'2'"),
        ("edges 2:", "got x"),
        ("edges 4:", "likes"),
        ("edges 5:", "2"),
        ("edges 1:", "item 9 does not exist"),
        ("edges 3:", "linked to itself"),
    ]
    assert len(said) == len(expected)
    for line, (place, what) in zip(said, expected, strict=True):
        assert line.startswith(place)
        assert what in line
    assert (report.memories, report.edges) == (1, 0)


def test_bad_lines_are_all_found_and_nothing_is_written() -> None:
    engine = SmallEngine()
    lines = [
        b"\xef\xbb\xbf" + b'{"text": "fine"}',
        b"{broken",
        b"[1]",
        b'{"text": "caf\xe9"}',
        b'{"text": "x", "colour": "red"}',
        b'{"text": "x", "content": "y"}',
        b'{"text": "' + b"x" * 8001 + b'"}',
        b'{"text": "a\\u0000b"}',
        b'{"text": "x", "edges": ["nobody"]}',
        b'{"text": "x", "edges": [{"target": 0, "kind": "causal"}]}',
        json.dumps({"text": "p", "id": UUID}).encode(),
        json.dumps({"text": "q", "id": UUID}).encode(),
    ]
    with pytest.raises(InvalidInputError, match="10 problems and nothing was written"):
        run(engine, *lines)
    assert engine.store.namespaces() == []
    report = run(engine, *lines, dry_run=True)
    assert sorted(each.line for each in report.problems) == [0, 2, 3, 4, 5, 6, 7, 8, 9, 10]
    said = " ".join(map(str, report.problems))
    for what in ("{broken", "[1]", "0xe9", "colour", "'content'", "8001", "NUL", "nobody", "'kind'", UUID):
        assert what in said
    done = run(engine, *lines, skip_bad=True)
    assert (done.memories, done.problems) == (3, report.problems)
    assert set(memories(engine)) == {"fine", "x", "p"}


def test_one_json_array_is_a_list_of_items() -> None:
    engine = SmallEngine()
    report = run(engine, *json.dumps([{"text": "a"}, {"text": "b", "edges": [0]}], indent=1).splitlines())
    assert (report.memories, report.edges) == (2, 1)


def test_a_broken_document_is_one_problem() -> None:
    report = run(SmallEngine(), *json.dumps(DRAFT, indent=1)[:-9].splitlines(), dry_run=True)
    assert len(report.problems) == 1


def test_an_empty_file_brings_nothing() -> None:
    report = import_from(ReferenceStore(), "default", ["", " \n"], dry_run=False)
    assert (report.shape, report.memories, report.problems) == ("empty", 0, ())


def test_items_need_an_engine_of_that_namespace() -> None:
    with pytest.raises(InvalidInputError, match=r"combray\.open"):
        import_from(ReferenceStore(), "default", ['{"text": "a"}'], dry_run=False)
    with pytest.raises(InvalidInputError, match="'other'"):
        import_from(SmallEngine(), "other", ['{"text": "a"}'])
