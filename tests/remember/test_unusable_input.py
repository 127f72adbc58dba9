"""Unusable input of every kind: a clear error that names the field, and nothing changed."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import pytest

import combray
from combray import InvalidInputError

WRONG: list[tuple[str, dict[str, Any]]] = [
    ("content", {"text": ""}),
    ("content", {"text": " \n\t "}),
    ("content", {"text": "x" * 8001}),
    ("content", {"text": "a\x00b"}),
    ("content", {"text": "a\ud800b"}),
    ("content", {"text": None}),
    ("content", {"text": 5}),
    ("content", {"text": b"bytes"}),
    ("content", {"text": ["list"]}),
    ("category", {"category": "opinion"}),
    ("category", {"category": None}),
    ("category", {"category": ["fact"]}),
    ("kind", {"kind": "thought"}),
    ("trust", {"trust": "friend"}),
    ("importance", {"importance": 0}),
    ("importance", {"importance": 6}),
    ("importance", {"importance": 3.0}),
    ("importance", {"importance": True}),
    ("importance", {"importance": "3"}),
    ("importance", {"importance": float("nan")}),
    ("confidence", {"confidence": 1.01}),
    ("confidence", {"confidence": float("nan")}),
    ("confidence", {"confidence": "high"}),
    ("tags", {"tags": "one,two"}),
    ("tags", {"tags": 5}),
    ("tags", {"tags": [5]}),
    ("tags", {"tags": ["x" * 101]}),
    ("tags", {"tags": [f"tag{n}" for n in range(100_000)]}),
    ("tags", {"tags": ["a\x00"]}),
    ("entities", {"entities": ["x" * 201]}),
    ("entities", {"entities": {"name": 1}}),
    ("entities", {"entities": ["\udfff"]}),
    ("source", {"source": 5}),
    ("author", {"author": "x" * 201}),
    ("author", {"author": "\ud800"}),
    ("session", {"session": ["a"]}),
    ("session", {"session": "a\x00"}),
    ("position", {"position": -1}),
    ("position", {"position": 1.5}),
    ("context", {"context": "x" * 8001}),
    ("context", {"context": 5}),
    ("occurred_at", {"occurred_at": "the day the music died"}),
    ("occurred_at", {"occurred_at": "2024-13-01"}),
    ("occurred_at", {"occurred_at": "99999-01-01"}),
    ("occurred_at", {"occurred_at": float("nan")}),
    ("occurred_at", {"occurred_at": float("inf")}),
    ("occurred_at", {"occurred_at": 1e18}),
    ("occurred_at", {"occurred_at": -(10**400)}),
    ("occurred_at", {"occurred_at": True}),
    ("occurred_at", {"occurred_at": ["2024-01-01"]}),
    ("occurred_at", {"occurred_at": datetime(9999, 12, 31, 23, tzinfo=timezone(timedelta(hours=-12)))}),
    ("expires_at", {"expires_at": datetime(1, 1, 1, tzinfo=timezone(timedelta(hours=12)))}),
    ("valid_from", {"valid_from": "\ud800"}),
    ("id", {"id": "not-a-uuid"}),
    ("id", {"id": 7}),
    ("evidence", {"evidence": "one"}),
    ("metadata", {"metadata": "text"}),
    ("metadata", {"metadata": [1]}),
    ("metadata", {"metadata": {"x": float("nan")}}),
    ("metadata", {"metadata": {"deep": [{"x": float("inf")}]}}),
    ("metadata", {"metadata": {"x": {1, 2}}}),
    ("metadata", {"metadata": {"x": b"bytes"}}),
    ("metadata", {"metadata": {"x": datetime(2024, 1, 1)}}),
    ("metadata", {"metadata": {"x": object()}}),
    ("metadata", {"metadata": {1: "a"}}),
    ("metadata", {"metadata": {"x": "\ud800"}}),
    ("metadata", {"metadata": {"x": "y" * 100_001}}),
    ("mood", {"mood": "good"}),
]


@pytest.mark.parametrize("preset", ["default", "mnemon"])
def test_each_is_refused_by_name_and_changes_nothing(tmp_path: Path, preset: str) -> None:
    path = tmp_path / "a.db"
    with combray.open(str(path), preset=preset, embedder="none") as engine:
        engine.remember("What was there before", occurred_at="2024-01-01")
        before = engine.store.status(), engine.store.log(100), engine.reader.revision()
        for field, fields in WRONG:
            with pytest.raises(InvalidInputError) as caught:
                engine.remember(**{"text": "A text", **fields})
            assert caught.value.field == field, fields
            assert caught.value.problem
            assert len(str(caught.value)) < 600
        assert (engine.store.status(), engine.store.log(100), engine.reader.revision()) == before


def test_a_metadata_that_holds_itself_is_refused() -> None:
    engine = combray.open(":memory:", embedder="none")
    loop: dict[str, Any] = {}
    loop["loop"] = loop
    with pytest.raises(InvalidInputError, match="metadata"):
        engine.remember("A text", metadata=loop)


@pytest.mark.parametrize(
    ("given", "stored"),
    [
        (datetime(2024, 3, 1, 12), datetime(2024, 3, 1, 12, tzinfo=UTC)),
        (datetime(2024, 3, 1, 12, tzinfo=timezone(timedelta(hours=2))), datetime(2024, 3, 1, 10, tzinfo=UTC)),
        (date(2024, 3, 1), datetime(2024, 3, 1, tzinfo=UTC)),
        ("2024-03-01", datetime(2024, 3, 1, tzinfo=UTC)),
        (0, datetime(1970, 1, 1, tzinfo=UTC)),
        (datetime(1, 1, 1), datetime(1, 1, 1, tzinfo=UTC)),
        (datetime(9999, 12, 31, 23, 59, 59), datetime(9999, 12, 31, 23, 59, 59, tzinfo=UTC)),
    ],
)
def test_every_usable_moment_is_kept_in_utc(given: Any, stored: datetime) -> None:
    """A naive one is taken as UTC."""
    engine = combray.open(":memory:", embedder="none")
    assert engine.get(engine.remember("A text", occurred_at=given).id).occurred_from == stored
    assert engine.recall("text")[0].memory.occurred_from == stored


def test_what_json_can_hold_comes_back_as_it_was() -> None:
    engine = combray.open(":memory:", embedder="none")
    given = {"n": 1, "f": 0.1, "t": "çá\x00", "none": None, "list": [1, [True]], "deep": {"a": {"b": 2**53}}}
    assert engine.get(engine.remember("A text", metadata=given).id).metadata == given


RECALL_WRONG: list[tuple[str, dict[str, Any]]] = [
    ("query", {"query": ""}),
    ("query", {"query": "x" * 20_001}),
    ("query", {"query": "a\x00"}),
    ("query", {"query": "\ud800"}),
    ("query", {"query": None}),
    ("limit", {"limit": 0}),
    ("limit", {"limit": 1001}),
    ("limit", {"limit": True}),
    ("limit", {"limit": 2.5}),
    ("intent", {"intent": "HOW"}),
    ("preset", {"preset": "best"}),
    ("since", {"since": "some day"}),
    ("until", {"since": "2024-01-02", "until": "2024-01-01"}),
    ("as_of", {"as_of": float("nan")}),
    ("categories", {"categories": ["opinion"]}),
    ("categories", {"categories": 5}),
    ("kinds", {"kinds": "thought"}),
    ("tags", {"tags": [5]}),
    ("authors", {"authors": ["\ud800"]}),
    ("min_score", {"min_score": float("nan")}),
    ("min_score", {"min_score": "high"}),
    ("min_importance", {"min_importance": 6}),
    ("mood", {"mood": "good"}),
]


@pytest.mark.parametrize("basic", [False, True])
@pytest.mark.parametrize(("field", "options"), RECALL_WRONG)
def test_a_wrong_question_is_refused_by_name(field: str, options: dict[str, Any], basic: bool) -> None:
    engine = combray.open(":memory:", embedder="none")
    with pytest.raises(InvalidInputError) as caught:
        engine.recall(**{"query": "text", "basic": basic, **options})
    assert caught.value.field == field


@pytest.mark.parametrize("query", ["9999-12-31", "year 0001", "?!", "  🙂  ", "a" * 20_000, 'NEAR("x" AND *)'])
def test_odd_questions_are_answered(query: str) -> None:
    engine = combray.open(":memory:", embedder="none")
    engine.remember("Something else entirely")
    answer = engine.recall(query)
    assert len(answer) == 0
    assert answer.reason
