"""The examples that the five pages print, on the default configuration of each preset (seeds/*)."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

import combray
from combray import Engine
from combray.testing.fakes import FakeClock, FakeLanguageModel


def opened(preset: str, **options: Any) -> Engine:
    """An engine with the default embedder."""
    return combray.open(":memory:", preset=preset, clock=FakeClock(), **options)


def texts(found: Any) -> list[str]:
    return [hit.memory.content for hit in found]


# -- mnemon -------------------------------------------------------------------------------------------

QDRANT = "Chose Qdrant as the vector database"
POSTGRES = "Chose PostgreSQL to replace SQLite as the primary database"


def test_mnemon_remembers_its_first_example() -> None:
    """ "mnemon remember "Chose Qdrant …" --cat decision --imp 5 --entities "Qdrant,Milvus""."""
    engine = opened("mnemon")
    done = engine.remember(QDRANT, category="decision", importance=5, entities=["Qdrant", "Milvus"])
    assert (done.action, done.diff_suggestion, done.embedded) == ("added", "ADD", True)
    assert done.quality_warnings == ()
    assert engine.get(done.id).entities == ("Qdrant", "Milvus")
    assert list(done.as_json()) == [
        "id", "action", "diff_suggestion", "replaced_id", "edges_created", "semantic_candidates",
        "causal_candidates", "quality_warnings", "embedded", "effective_importance", "auto_pruned",
    ]  # fmt: skip


def test_mnemon_runs_its_typical_workflow() -> None:
    """ "auto-replaces old insight … If duplicate: returns action="skipped". If new: returns action="added""."""
    engine = opened("mnemon")
    qdrant = engine.remember(QDRANT, category="decision")
    old = engine.remember("Chose SQLite as storage", category="decision")
    done = engine.remember(POSTGRES, category="decision", importance=5, source="agent")
    assert [qdrant.action, old.action, done.action, done.replaced_id] == ["added", "added", "replaced", old.id]
    assert engine.remember(POSTGRES, category="decision", source="agent").action == "skipped"
    assert engine.get(qdrant.id).status == "active"


def test_mnemon_keeps_what_its_example_does_not_name() -> None:
    engine = opened("mnemon")
    first = engine.remember(QDRANT, category="decision")
    second = engine.remember(POSTGRES, category="decision")
    assert (second.action, second.replaced_id) == ("added", None)
    assert engine.get(first.id).status == "active"


@pytest.mark.parametrize(
    "text",
    [
        "The index runs on i-0123456789abcdef0",
        "Deployed version 1.2.3 to production",
        "Server is currently running",
    ],
)
def test_mnemon_warns_of_its_three_transient_patterns(text: str) -> None:
    """ "e.g., AWS instance IDs, deployment receipts, state observations"."""
    done = opened("mnemon").remember(text)
    assert (done.action, len(done.quality_warnings)) == ("added", 1)


# -- mnemo --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("query", ["What happens on 03/05?", "3月5日有什么？", "March 5 meeting", "2026年3月5日"])
def test_mnemo_reads_chinese_and_english_dates(query: str) -> None:
    """ "Date format normalization (supports Chinese and English date formats)"."""
    engine = opened("mnemo")
    both = ["会议在3月5日举行", "The meeting is on 2026-03-05"]
    engine.remember_many([*both, "Lunch with Bob is on 2026-04-07", "The piano is tuned in May"])
    assert set(texts(engine.recall(query))[:2]) == set(both)


# -- openclaw -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("options", [{}, {"embedder": "none"}])
def test_openclaw_finds_what_its_example_asks_for(options: dict[str, str]) -> None:
    """ "Input: "that thing we discussed about the API". Output: ["discussed", "API"]"."""
    engine = opened("openclaw", **options)
    engine.remember_many(["We discussed the API with Ana.", "That thing is about us.", "Lunch is at noon."])
    assert texts(engine.recall("that thing we discussed about the API")) == ["We discussed the API with Ana."]


@pytest.mark.parametrize("options", [{}, {"embedder": "none"}])
def test_openclaw_puts_hello_and_world_before_one_of_them(options: dict[str, str]) -> None:
    """ ""hello world" -> '"hello" AND "world"'"."""
    engine = opened("openclaw", **options)
    engine.remember_many(["world tour", "hello there", "hello world"])
    assert texts(engine.recall("hello world"))[0] == "hello world"


def test_openclaw_dates_the_pages_files(tmp_path: Path) -> None:
    """ "memory/2025-11-27.md -> Nov 27, 2025"; "MEMORY.md … or non-dated files in memory/ are immune"."""
    (tmp_path / "memory").mkdir()
    for name in ("MEMORY.md", "memory/2025-11-27.md", "memory/projects.md"):
        (tmp_path / name).write_text(f"The boiler of {name} was repaired.\n")
    engine = opened("openclaw")
    engine.documents.index(tmp_path)
    days = {
        each.metadata["path"]: f"{each.occurred_from:%Y-%m-%d}" for each in engine.list() if each.occurred_from
    }
    assert days == {"memory/2025-11-27.md": "2025-11-27"}


# -- engram -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("query", ["ok", "thanks", "yes", "no", "👍", "...", "?!"])
def test_engram_skips_its_trivial_examples(query: str) -> None:
    """ "ok, thanks, yes, no, single emoji, pure punctuation"."""
    engine = opened("engram")
    engine.remember_many(["Ok, thanks for the yes of Ana", "There is no lift"])
    assert len(engine.recall(query)) == 0


@pytest.mark.parametrize(
    ("phrase", "rooms"),
    [
        ("today", [0]),
        ("hom nay", [0]),
        ("yesterday", [1]),
        ("hom qua", [1]),
        # 1 May 2024 is a Wednesday: three days before it was the Sunday of last week.
        ("last week", [3, 7]),
        ("tuan truoc", [3, 7]),
        ("3 days ago", [3]),
        ("this month", [0]),
    ],
)
def test_engram_filters_by_its_table_of_dates(phrase: str, rooms: list[int]) -> None:
    """ "today, hom nay | yesterday, hom qua | last week, tuan truoc | 3 days ago | this month"."""
    engine = opened("engram")
    now = engine.runtime.local(engine.runtime.clock())
    for days in (0, 1, 3, 7, 40):
        engine.remember(f"The standup of room {days} was short", occurred_at=now - timedelta(days=days))
    found = texts(engine.recall(f"standup {phrase}"))
    assert sorted(found) == [f"The standup of room {days} was short" for days in rooms]


@pytest.mark.parametrize(
    ("query", "resolved", "text"),
    [
        ("what did he decide?", "what did [Alice] decide?", "The board and Alice decided to postpone"),
        ("anh ay lam gi?", "[Bob] lam gi?", "We know that Bob writes the reports"),
    ],
)
def test_engram_resolves_its_two_pronouns(query: str, resolved: str, text: str) -> None:
    engine = opened("engram")
    engine.remember(text)
    answer = engine.recall(query)
    assert answer.details["resolved_query"] == resolved
    assert texts(answer) == [text]


KINDS = {
    "Migrate to microservices in Q2": "decision",
    "Always index foreign keys before running migrations": "insight",
    "Redis is used for session caching": "fact",
    "Use PostgreSQL for production databases": "preference",
}


def test_engram_groups_its_four_lines() -> None:
    """The page's four lines; their order is that of the design's code."""
    engine = opened("engram")
    engine.remember_many([{"content": text, "category": kind} for text, kind in KINDS.items()])
    answer = engine.recall("PostgreSQL microservices Redis foreign keys")
    assert answer.details["grouped"].splitlines() == [
        "[preference] Use PostgreSQL for production databases",
        "[fact] Redis is used for session caching",
        "[lesson] Always index foreign keys before running migrations",
        "[decision] Migrate to microservices in Q2",
    ]


def test_engram_answers_what_is_known_of_redis() -> None:
    """ "Effective for entity-centric queries ("what do we know about Redis?")"."""
    engine = opened("engram")
    engine.remember_many([{"content": text, "category": kind} for text, kind in KINDS.items()])
    assert texts(engine.recall("what do we know about Redis?")) == ["Redis is used for session caching"]


@pytest.mark.parametrize(
    ("text", "saved"),
    [
        ("Save: use tabs not spaces", "use tabs not spaces"),
        ("I am the tech lead", "I am the tech lead"),
        ("I prefer functional programming", "I prefer functional programming"),
        ("We decided to use Kafka", "We decided to use Kafka"),
    ],
)
def test_engram_saves_its_four_signals(text: str, saved: str) -> None:
    """The table "Signal | Example"."""
    engine = opened("engram")
    talk = engine.conversation("s")
    talk.add(text, author="user", extract="rules")
    assert [engine.get(each.id).content for each in talk.saved] == [saved]


# -- semantic-facts -----------------------------------------------------------------------------------

FACTS = {
    "User is a backend developer": 0.9,
    "User works in frontend": 0.7,
    "User likes coffee": 0.8,
    "User drinks coffee daily": 0.6,
}


def facts(answer: str) -> tuple[Engine, FakeLanguageModel]:
    engine = opened("semantic-facts", worker=False)
    for text, confidence in FACTS.items():
        engine.remember(text, confidence=confidence)
    engine.vectors.catch_up(100)
    model = FakeLanguageModel([answer])
    engine._at.runtime = replace(engine.runtime, language_model=model)
    return engine, model


def test_semantic_facts_of_the_two_clusters_are_all_kept() -> None:
    """The default embedder puts the page's pairs at cosines of .53 and .72, below the page's own .85."""
    engine, model = facts(json.dumps({"decisions": [{"pair": 1, "decision": "MERGE"}]}))
    assert set(texts(engine.search_memory("user's work projects"))) >= {
        "User is a backend developer",
        "User works in frontend",
    }
    done = engine.consolidation.run()
    assert (done.counts, model.prompts) == ({}, [])
    assert {each.content for each in engine.list()} == set(FACTS)
