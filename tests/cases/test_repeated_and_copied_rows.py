"""A row of a transcript that a client writes again, or copies into a branch, is one turn.

Sources: anthropics/claude-code#92089 (rows again after a compaction), #40363 and #48936 (branches).
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import combray
from combray import Engine

UUIDS = [f"5f0c1d2e-0000-4000-8000-00000000000{number}" for number in range(10)]
TEXTS = ("The kiln is at 900 degrees.", "Noted.", "Il forno si spegne a mezzanotte.", "好的。")


def row(number: int, text: str, session: str = "s-1", at: int | None = None, **more: Any) -> dict[str, Any]:
    return {
        "type": "user" if number % 2 == 0 else "assistant",
        "uuid": UUIDS[number],
        "sessionId": session,
        "timestamp": f"2026-05-01T09:0{number if at is None else at}:00.000Z",
        "message": {"role": "user" if number % 2 == 0 else "assistant", "content": text},
        **more,
    }


def fork(original: str) -> dict[str, Any]:
    return {"forkedFrom": {"sessionId": "s-1", "messageUuid": original}}


FOUR = [row(number, text) for number, text in enumerate(TEXTS)]


def ingested(engine: Engine, folder: Path, name: str, rows: list[dict[str, Any]]) -> list[str]:
    """Ingest a file; the contents of all turns that are stored then."""
    path = folder / name
    path.write_text("".join(json.dumps(each) + "\n" for each in rows), encoding="utf-8")
    from combray.transfer.conversations import ingest

    ingest(engine, path)
    return sorted(each.content for each in engine.list({"kind": "episode"}, limit=100))


@pytest.fixture
def engine() -> Engine:
    return combray.open(":memory:", embedder="none", worker=False)


@pytest.mark.parametrize(
    "again",
    [FOUR, FOUR[::-1], FOUR[2:], [*FOUR, *FOUR], [{**each, "isReplay": True} for each in FOUR]],
    ids=["in order", "in another order", "in part", "twice", "with another mark"],
)
def test_rows_with_a_known_uuid_are_one_turn(engine: Engine, tmp_path: Path, again: list[dict[str, Any]]) -> None:
    assert ingested(engine, tmp_path, "a.jsonl", FOUR) == sorted(TEXTS)
    assert ingested(engine, tmp_path, "a.jsonl", [*FOUR, *again]) == sorted(TEXTS)
    assert ingested(engine, tmp_path, "b.jsonl", again) == sorted(TEXTS)


def test_rows_that_stand_twice_from_the_start_are_one_turn(engine: Engine, tmp_path: Path) -> None:
    assert ingested(engine, tmp_path, "a.jsonl", [*FOUR, *FOUR]) == sorted(TEXTS)


def test_the_same_words_under_another_uuid_are_said_again(engine: Engine, tmp_path: Path) -> None:
    rows = [row(0, "Run it again."), row(1, "Done."), row(2, "Run it again.")]
    assert ingested(engine, tmp_path, "a.jsonl", rows) == ["Done.", "Run it again.", "Run it again."]


def test_other_words_under_a_known_uuid_are_kept_beside_the_first(engine: Engine, tmp_path: Path) -> None:
    """An edited row: neither wording is lost, and reading the file again adds nothing."""
    rows = [row(0, "Fire it at 900."), row(0, "Fire it at 950.")]
    for _ in range(2):
        assert ingested(engine, tmp_path, "a.jsonl", rows) == ["Fire it at 900.", "Fire it at 950."]


@pytest.mark.parametrize("own", [True, False], ids=["with the uuid of the original", "with a uuid of its own"])
@pytest.mark.parametrize("branch_first", [False, True])
def test_a_branch_adds_only_what_is_new(engine: Engine, tmp_path: Path, own: bool, branch_first: bool) -> None:
    branch = [
        {**each, "sessionId": "s-2", **fork(each["uuid"])}
        | ({} if own else {"uuid": each["uuid"].replace("5f0c", "6a1b")})
        for each in FOUR
    ]
    branch.append(row(4, "Only here: call them Monday.", "s-2"))
    files = [("a.jsonl", FOUR), ("b.jsonl", branch)]
    for name, rows in files[::-1] if branch_first else files:
        stored = ingested(engine, tmp_path, name, rows)
    assert stored == sorted((*TEXTS, "Only here: call them Monday."))


def test_a_branch_of_a_branch_adds_only_what_is_new(engine: Engine, tmp_path: Path) -> None:
    """Its rows name those of the branch, which named the original and are not stored."""
    branch = [{**each, "sessionId": "s-2", **fork(each["uuid"])} for each in FOUR]
    branch = [each | {"uuid": each["uuid"].replace("5f0c", "6a1b")} for each in branch]
    twig = [{**each, "sessionId": "s-3", **fork(each["uuid"])} for each in branch]
    twig = [each | {"uuid": each["uuid"].replace("6a1b", "7b2c")} for each in twig]
    for name, rows in (("a.jsonl", FOUR), ("b.jsonl", branch), ("c.jsonl", [*twig, row(4, "New.", "s-3")])):
        stored = ingested(engine, tmp_path, name, rows)
    assert stored == sorted((*TEXTS, "New."))


def test_another_session_with_the_same_words_is_no_branch(engine: Engine, tmp_path: Path) -> None:
    other = [{**each, "uuid": each["uuid"].replace("5f0c", "8c3d"), "sessionId": "s-9"} for each in FOUR]
    ingested(engine, tmp_path, "a.jsonl", FOUR)
    assert ingested(engine, tmp_path, "b.jsonl", other) == sorted([*TEXTS, *TEXTS])


def test_a_hook_and_a_file_know_the_same_branch(tmp_path: Path) -> None:
    from combray.sessions.session import keyed, said, turn_id

    copy = said({**row(0, TEXTS[0], "s-2"), **fork(UUIDS[5])})
    assert copy is not None
    assert copy.copied
    (turn,) = keyed([copy])
    assert turn_id("claude-code", "s-2", turn.key) == turn_id("claude-code", "s-1", UUIDS[5])
