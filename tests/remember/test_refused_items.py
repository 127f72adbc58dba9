"""An invalid item of a batch is refused alone: the others are stored, and its result says what to correct."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

import combray
from combray import AsyncEngine, Engine, InvalidInputError, NotFoundError
from combray.transfer import ingest

TAKEN = "019a1b2c-3d4e-7000-8000-000000000001"
INVALID: dict[str, Any] = {
    "content: is empty.": "",
    "item: must be a text or a mapping of fields": 7,
    "colour: is not a field": {"content": "a red roof", "colour": "red"},
    "importance: ": {"content": "a green roof", "importance": 9},
    "occurred_at: ": {"content": "a blue roof", "occurred_at": "once upon a time"},
    "content: has 8001 characters": "x" * 8001,
    "content: is little else than special tokens": "<|im_start|>" * 60,
    "session: holds a secret": {"content": "a black roof", "session": "sk-ant-api03-" + "aB3dE5fG" * 12},
    "supersedes: no memory": {"content": "a white roof", "supersedes": "no-such-id"},
    "keep_both: no memory": {"content": "a grey roof", "keep_both": ["no-such-id"]},
    f"id: '{TAKEN}' already exists": {"content": "a brown roof", "id": TAKEN},
}


@pytest.fixture
def engine() -> Engine:
    opened = combray.open(":memory:")
    opened.remember("The first memory of all", id=TAKEN)
    return opened


def contents(engine: Engine) -> list[str]:
    return [memory.content for memory in engine.list(order="recorded_at", limit=1000)]


@pytest.mark.parametrize("problem", INVALID)
@pytest.mark.parametrize("count", [1, 3, 200])
def test_the_others_are_stored_and_the_refused_one_says_why(engine: Engine, problem: str, count: int) -> None:
    items: list[Any] = [f"Room {number} has {number * 7} chairs" for number in range(count)]
    items[count // 2] = INVALID[problem]
    results = engine.remember_many(items)
    refused = results.pop(count // 2)
    assert (refused.action, refused.id, refused.embedded) == ("refused", "", False)
    assert refused.reason.startswith(problem)
    assert refused.as_json() == {"id": "", "action": "refused", "reason": refused.reason}
    assert all(each.action == "added" for each in results)
    assert {each.id for each in engine.list(limit=1000)} == {TAKEN, *(each.id for each in results)}


@pytest.mark.parametrize("problem", INVALID)
@pytest.mark.parametrize("count", [1, 3, 200])
def test_an_atomic_batch_stores_nothing(engine: Engine, problem: str, count: int) -> None:
    items: list[Any] = [f"Room {number} has {number * 7} chairs" for number in range(count)]
    items[count // 2] = INVALID[problem]
    with pytest.raises((InvalidInputError, NotFoundError)) as raised:
        engine.remember_many(items, atomic=True)
    assert str(raised.value).startswith(problem)
    assert contents(engine) == ["The first memory of all"]


def test_all_kinds_at_once_cost_one_batch_nothing(engine: Engine) -> None:
    items = [each for number, bad in enumerate(INVALID.values()) for each in (f"Shelf {number} is full", bad)]
    results = engine.remember_many(items)
    assert [each.action for each in results] == ["added", "refused"] * len(INVALID)
    for problem, result in zip(INVALID, results[1::2], strict=True):
        assert result.reason.startswith(problem)


def test_a_batch_of_invalid_items_writes_nothing(engine: Engine) -> None:
    before = engine.store.status()
    items: list[Any] = ["", "  ", {"content": 5}]
    assert [each.action for each in engine.remember_many(items)] == ["refused"] * 3
    assert engine.store.status()["by_status"] == before["by_status"]


def test_what_repeats_a_refused_item_is_stored_itself(engine: Engine) -> None:
    text = "The archive is in the cellar"
    results = engine.remember_many([{"content": text, "supersedes": "no-such-id"}, text, text])
    assert [each.action for each in results] == ["refused", "added", "skipped"]
    assert results[2].id == results[1].id


def test_what_names_a_refused_item_is_refused_too(engine: Engine) -> None:
    mine = "019a1b2c-3d4e-7000-8000-000000000002"
    results = engine.remember_many(
        [
            {"content": "The plan is A", "id": mine, "supersedes": "no-such-id"},
            {"content": "The plan is B", "supersedes": mine},
            "Lunch is at noon",
        ]
    )
    assert [each.action for each in results] == ["refused", "refused", "added"]


def test_an_id_that_two_items_have_is_of_the_first(engine: Engine) -> None:
    mine = "019a1b2c-3d4e-7000-8000-000000000002"
    results = engine.remember_many([{"content": "One door", "id": mine}, {"content": "Two gates", "id": mine}])
    assert [each.action for each in results] == ["added", "refused"]
    assert engine.get(mine).content == "One door"


def test_a_scope_that_is_none_is_refused_alone() -> None:
    engine = combray.open(":memory:", preset="mnemo")
    results = engine.remember_many(["One door", {"content": "Two gates", "tags": ["scope:nobody"]}])
    assert [each.action for each in results] == ["added", "refused"]


def test_one_text_still_raises(engine: Engine) -> None:
    with pytest.raises(InvalidInputError, match="content: is empty"):
        engine.remember("")


def test_turns(engine: Engine) -> None:
    talk = engine.conversation("monday")
    stored = talk.add_many([{"content": "Hello"}, {"content": ""}, {"content": "Bye", "mood": "good"}, "A text"])
    assert [turn.content for turn in stored] == ["Hello", "A text"]
    assert [(turn.session, turn.position) for turn in talk.turns()] == [("monday", 0), ("monday", 1)]
    assert sorted(talk.refused) == [1, 2]
    assert talk.refused[1] == "content: is empty. Give the text to remember."
    talk.add_many(["Another"])
    assert talk.refused == {}


def test_the_asynchronous_engine() -> None:
    async def run() -> list[str]:
        async with await AsyncEngine.open(":memory:") as engine:
            return [each.action for each in await engine.remember_many(["One door", ""])]

    assert asyncio.run(run()) == ["added", "refused"]


def test_an_import_that_skips_bad_entries_reports_what_the_guard_refused(engine: Engine) -> None:
    lines = [b'{"content": "One door"}', b'{"content": "' + b"<|im_start|>" * 60 + b'"}']
    report = engine.store.import_from(lines, dry_run=False, skip_bad=True)
    assert report.memories == 1
    assert [str(each) for each in report.problems] == [
        "item 2: content: is little else than special tokens of a language model. Give the text itself."
    ]


def test_a_file_of_turns_is_stored_without_those_that_are_refused(engine: Engine, tmp_path: Path) -> None:
    turns = [{"author": "user", "text": text} for text in ("Hello", "<|im_start|>" * 60, "Bye")]
    (tmp_path / "chat.jsonl").write_text("\n".join(map(json.dumps, turns)))
    report = ingest(engine, tmp_path / "chat.jsonl")
    assert report.memories == 2
    assert report.refused == (
        "content: is little else than special tokens of a language model. Give the text itself.",
    )
