"""Damaged exports: every bad line is named, and nothing of the file is written."""

from __future__ import annotations

import io
import json
from collections.abc import Sequence
from typing import Any

import pytest

from combray.errors import InvalidInputError
from combray.runtime import Arrival, Link, Vectors
from combray.testing.fakes import FakeEmbedder, memory
from combray.testing.reference import ReferenceStore
from combray.transfer import export_to, import_from


@pytest.fixture
def lines() -> list[dict[str, Any]]:
    """Header, two memories, a version, an edge."""
    store = ReferenceStore()
    with store.transaction("default") as tx:
        a, b = tx.insert([Arrival(memory("a")), Arrival(memory("b", 1))])
        tx.change(a, "x", "y", 0.0, importance=5)
        tx.link([Link(a, b, "causal", 0.5)], 0.0)
    stream = io.StringIO()
    export_to(store, "default", stream)
    return [json.loads(line) for line in stream.getvalue().splitlines()]


def problems(lines: list[dict[str, Any]], store: ReferenceStore | None = None) -> list[str]:
    target = store or ReferenceStore()
    text = [json.dumps(line) for line in lines]
    report = import_from(target, "default", text)
    if report.problems:
        with pytest.raises(InvalidInputError, match="nothing was written"):
            import_from(target, "default", text, dry_run=False)
    return [str(each) for each in report.problems]


@pytest.mark.parametrize(
    ("place", "name", "value", "said"),
    [
        (1, "importance", 9, "importance: 9 is out of range"),
        (1, "importance", "high", "importance"),
        (1, "status", "lost", "lost"),
        (1, "recorded_at", "2024-01-01T00:00:00", "no time zone"),
        (1, "recorded_at", "someday", "recorded_at"),
        (1, "content", "", "content: must not be empty"),
        (1, "access_count", -1, "access_count"),
        (1, "position", 2**60, "position"),
        (1, "colour", "red", "colour"),
        (1, "record", "thing", "got thing"),
        (1, "tags", "x", "tags"),
        (3, "before", {"content": "b"}, "'content'"),
        (3, "before", {"importance": "b"}, "importance"),
        (3, "memory_id", "nobody", "nobody"),
        (3, "number", 0, "number"),
        (4, "weight", 1.5, "weight"),
        (4, "type", "likes", "likes"),
        (4, "target", "nobody", "nobody"),
    ],
)
def test_a_bad_value_is_named_with_its_line(
    lines: list[dict[str, Any]], place: int, name: str, value: Any, said: str
) -> None:
    lines[place][name] = value
    found = [each for each in problems(lines) if each.startswith(f"line {place + 1}:")]
    assert len(found) == 1
    assert said in found[0]


def test_a_sound_file_has_no_problems(lines: list[dict[str, Any]]) -> None:
    assert problems(lines) == []


def test_a_file_that_was_cut_off_is_told_by_its_header(lines: list[dict[str, Any]]) -> None:
    assert problems(lines[:-1]) == [
        "line 1: edges: the header counts 1, but the file has 0. The file is truncated; export it again."
    ]


def test_a_newer_format_is_refused_whole(lines: list[dict[str, Any]]) -> None:
    lines[0]["version"] = 2
    (said,) = problems(lines)
    assert said.startswith("line 1: version: 2 of the export format is not supported; this")


def test_an_id_twice_or_with_another_text(lines: list[dict[str, Any]]) -> None:
    (twice,) = problems([*lines[:2], *lines[1:]])
    assert "occurs twice in the file" in twice
    store = ReferenceStore()
    with store.transaction("default") as tx:
        tx.insert([Arrival(memory("another", id=lines[1]["id"]))])
    (other,) = problems(lines, store)
    assert "already stored with another text: another" in other


@pytest.mark.parametrize("tags", [(), ("user:ann",)])
def test_an_edge_to_a_memory_that_is_erased_meanwhile_is_omitted(
    lines: list[dict[str, Any]], tags: tuple[str, ...]
) -> None:
    store = ReferenceStore()
    with store.transaction("default") as tx:
        (known,) = tx.insert([Arrival(memory("b", 1))])

    class Erasing(FakeEmbedder):
        def embed(self, texts: Sequence[str], *, query: bool = False) -> Vectors:
            with store.transaction("default") as tx:
                tx.erase([known], 0.0)
            return super().embed(texts, query=query)

    lines[1]["tags"] = list(tags)
    text = [json.dumps(line) for line in lines]
    report = import_from(store, "default", text, dry_run=False, embedder=Erasing())
    assert (report.memories, report.edges) == (1, 0)


def test_versions_out_of_order_are_refused(lines: list[dict[str, Any]]) -> None:
    (said,) = problems([*lines[:4], lines[3], lines[4]])
    assert "number: 1 must be greater" in said


def test_skipping_bad_lines_keeps_the_rest(lines: list[dict[str, Any]]) -> None:
    lines[2]["importance"] = 9
    store = ReferenceStore()
    report = import_from(store, "default", [json.dumps(line) for line in lines], dry_run=False, skip_bad=True)
    assert (report.memories, report.versions, report.edges) == (1, 1, 0)
    assert [each.line for each in report.problems] == [3, 5]
    assert [each.content for each in store.reader("default").memories([1, 2])] == ["a"]


def test_a_line_written_by_hand_needs_little(lines: list[dict[str, Any]]) -> None:
    plain = {"record": "memory", "id": "x", "content": "a", "recorded_at": "2024-05-01T14:00:00+02:00"}
    store = ReferenceStore()
    text = [json.dumps({"format": "combray", "version": 1}), json.dumps(plain)]
    assert import_from(store, "default", text, dry_run=False).memories == 1
    (found,) = store.reader("default").memories([1])
    assert found == memory("a", id="x")
