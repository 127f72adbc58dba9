"""Imports and transcripts through the real engine: diffed, linked, embedded, restored."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import combray
from combray.runtime import Filter
from combray.testing.fakes import FakeClock, FakeEmbedder
from combray.transfer import export_to, import_from, ingest


def opened(place: str | Path = ":memory:", namespace: str = "default") -> combray.Engine:
    return combray.open(str(place), namespace=namespace, embedder=FakeEmbedder(), clock=FakeClock())


def exported(engine: combray.Engine) -> str:
    stream = io.StringIO()
    export_to(engine.runtime.store, engine.namespace, stream)
    return stream.getvalue()


def test_items_are_remembered_and_come_back_from_their_export(tmp_path: Path) -> None:
    items: list[dict[str, Any]] = [
        {"text": "Ann works at Acme.", "created_at": "2022-03-01", "id": "job"},
        {"text": "Ann moved to Rome because of the weather.", "created_at": "2021-03-01", "edges": ["job"]},
        {"text": "Ann works at Acme", "created_at": "2023-03-01"},
    ]
    with opened(tmp_path / "a.db") as engine:
        lines = [json.dumps(item) for item in items]
        promised = import_from(engine, "default", lines)
        done = import_from(engine, "default", lines, dry_run=False)
        assert (promised.memories, promised.skipped, promised.edges) == (2, 1, 1)
        assert (done.memories, done.skipped, done.edges) == (2, 1, 1)
        assert [hit.memory.content for hit in engine.recall("Rome weather", limit=1)] == [items[1]["text"]]
        rome, acme = engine.reader.memories(engine.reader.scan(Filter()))
        backbone = [edge for edge in engine.reader.edges(["temporal"]) if edge.subtype == "precedes"]
        assert [(edge.source, edge.target) for edge in backbone] == [(rome.id, acme.id)]
        engine.forget(acme.id)
        text = exported(engine)
    with opened(tmp_path / "b.db") as other:
        report = import_from(other, "default", text.splitlines(keepends=True), dry_run=False)
        assert (report.memories, report.versions) == (2, 1)
        assert exported(other) == text
        assert other.get(acme.id).status == "forgotten"
        assert [hit.memory.id for hit in other.recall("Rome weather", limit=1)] == [rome.id]
        assert other.runtime.store.check() == []


def test_what_a_later_item_replaces_is_counted() -> None:
    with opened() as engine:
        engine.remember("The staging server runs PostgreSQL 14.")
        line = json.dumps({"text": "The staging server runs PostgreSQL 16."})
        before = len(engine.reader.scan(Filter()))
        report = import_from(engine, "default", [line], dry_run=False)
        after = len(engine.reader.scan(Filter()))
        assert report.memories - report.replaced == after - before


def test_a_transcript_is_kept_turn_by_turn(tmp_path: Path) -> None:
    path = tmp_path / "talk.jsonl"
    turns = [{"author": name, "text": "Yes.", "session": "s", "id": at} for at, name in enumerate("abab")]
    path.write_text("\n".join(map(json.dumps, turns)), encoding="utf-8")
    with opened(namespace="talks") as engine:
        report = ingest(engine, path)
        assert (report.turns, report.memories, report.namespaces) == (4, 4, ("talks",))
        stored = engine.conversation("s").turns()
        assert [(each.author, each.position, each.metadata["id"]) for each in stored] == [
            ("a", 0, 0),
            ("b", 1, 1),
            ("a", 2, 2),
            ("b", 3, 3),
        ]


def test_several_conversations_become_namespaces(tmp_path: Path) -> None:
    path = tmp_path / "set.json"
    conversation = {"session_1": [{"speaker": "Ann", "dia_id": "D1:1", "text": "Hello."}]}
    sets = [{"sample_id": name, "conversation": conversation} for name in ("one", "two")]
    path.write_text(json.dumps(sets), encoding="utf-8")
    with opened() as engine:
        ingest(engine, path)
        assert len(engine.within("two").conversation("session_1").turns()) == 1
        assert engine.reader.scan(Filter()).size == 0
