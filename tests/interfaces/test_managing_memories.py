"""List, update, supersede and change many memories, in the shell and through MCP."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from combray.interfaces.cli.verbs import combray


@pytest.fixture
def store(tmp_path: Path) -> str:
    return str(tmp_path / "a.db")


def run(store: str, *words: str, code: int = 0, stdin: str | None = None) -> Any:
    done = CliRunner().invoke(combray, [*words, "--db", store], input=stdin)
    assert done.exit_code == code, done.output
    assert "Traceback" not in done.output
    return done


def shown(store: str, *words: str) -> Any:
    return json.loads(run(store, *words).stdout)


def filled(store: str) -> list[str]:
    return [
        shown(store, "remember", f"note {at} about tea", "--no-diff", "--imp", str(1 + at))["id"]
        for at in range(4)
    ]


def test_list_goes_on_behind_a_cursor(store: str) -> None:
    ids = filled(store)
    page = shown(store, "list", "--limit", "3", "--order", "importance")
    assert [each["id"] for each in page["memories"]] == ids[:3]
    assert page["total"] == 4
    last = shown(store, "list", "--limit", "3", "--order", "importance", "--after", page["cursor"])
    assert ([each["id"] for each in last["memories"]], last["cursor"]) == (ids[3:], None)
    high = shown(store, "list", "--where", '{"importance": {"gte": 3}}', "--verbose")
    assert {each["id"] for each in high["memories"]} == set(ids[2:])
    assert "no memory matches" in run(store, "list", "--where", '{"importance": {"gt": 5}}', code=1).stderr


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        (("list", "--where", "{"), 2, "this is not JSON"),
        (("list", "--where", "[]"), 2, "this is not a JSON object"),
        (("list", "--where", '{"colour": 1}'), 2, "'colour' is not a field. Fields: id,"),
        (("list", "--order", "colour"), 2, "'colour' is not known."),
        (("list", "--after", "x"), 2, "is not a cursor"),
        (("forget",), 2, "give one or more ids, or --where JSON or --about TEXT."),
        (("forget", "abcdefgh", "--where", "{}"), 2, "give one or more ids, or --where JSON or --about TEXT."),
        (("restore",), 2, "give one or more ids, or --where JSON."),
        (("forget", "--where", "{}", "--dry-run"), 2, "is empty and matches every memory"),
        (("restore", "--version", "1"), 2, "--version needs one ID."),
        (("update", "abcdefgh"), 2, "name at least one field to change"),
        (("remember", "x", "--supersedes", "never-there"), 1, "supersedes: no memory 'never-there'"),
    ],
)
def test_what_cannot_be_is_said(store: str, words: tuple[str, ...], code: int, message: str) -> None:
    filled(store)
    assert message in run(store, *words, code=code).stderr


def test_update_and_restore_a_version(store: str) -> None:
    one = filled(store)[0]
    done = shown(store, "update", one, "--content", "the pot is blue", "--tags", "a,b", "--metadata", '{"n": 1}')
    assert (done["content"], done["tags"], done["metadata"]) == ("the pot is blue", ["a", "b"], {"n": 1})
    assert shown(store, "update", one, "--tags", "")["tags"] == []
    assert shown(store, "restore", one, "--version", "1")["status"] == "active"
    assert shown(store, "get", one)["content"] == "note 0 about tea"


def test_supersede(store: str) -> None:
    one = filled(store)[0]
    done = shown(store, "remember", "something else", "--supersedes", one)
    assert (done["action"], done["replaced_id"]) == ("replaced", one)


def test_many_are_forgotten_restored_and_erased_with_the_count(store: str) -> None:
    ids = filled(store)
    where = '{"importance": {"lte": 2}}'
    dry = shown(store, "forget", "--where", where, "--dry-run")
    assert (dry["count"], dry["dry_run"], set(dry["ids"])) == (2, True, set(ids[:2]))
    assert "Add --confirm 2 to forget them" in run(store, "forget", "--where", where, code=1).stderr
    assert "matches 2 memories" in run(store, "forget", "--where", where, "--confirm", "5", code=2).stderr
    assert shown(store, "forget", "--where", where, "--confirm", "2")["count"] == 2
    assert shown(store, "restore", "--where", where, "--confirm", "2")["count"] == 2
    assert shown(store, "forget", *ids[2:])["ids"] == ids[2:]
    assert shown(store, "erase", "--where", where, "--confirm", "2")["count"] == 2
    assert shown(store, "erase", *ids[2:], "--yes", "--prove")["clean"] is True
    assert "no memory matches" in run(store, "list", "--where", '{"id": {"exists": true}}', code=1).stderr


def test_reads_take_where_and_namespaces(store: str, tmp_path: Path) -> None:
    filled(store)
    run(store, "remember", "tea in another room", "--namespace", "other")
    found = shown(store, "recall", "tea", "--where", '{"importance": 4}')["results"]
    assert [each["insight"]["importance"] for each in found] == [4]
    assert len(shown(store, "search", "tea", "--in", "other", "--in", "default")) == 5
    assert len(shown(store, "recall", "tea", "--in", "other")["results"]) == 1
    context = shown(store, "context", "tea", "--in", "other", "--in", "default")["text"]
    assert "tea in another room" in context
    assert "note 3" in context
    assert "another room" not in shown(store, "context", "tea")["text"]
    thought = shown(store, "think", "where is tea", "--in", "other")
    assert [each["content"] for each in thought["sources"]] == ["tea in another room"]
    assert "note 3" in shown(store, "context", "tea", "--where", '{"importance": 4}')["text"]
    run(store, "think", "what about tea", "--where", '{"importance": 4}')
    run(store, "export", str(tmp_path / "part.jsonl"), "--where", '{"importance": 4}')
    text = (tmp_path / "part.jsonl").read_text()
    assert "note 3" in text
    assert "note 2" not in text
