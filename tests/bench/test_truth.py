"""The measures of the stories, by hand on one story of three statements."""

from __future__ import annotations

from pathlib import Path

import pytest

from bench.truth.__main__ import main, stores
from bench.truth.callers import Script
from bench.truth.measures import Shown, Write, measures, of_writes
from bench.truth.stories import Question, Story, load, together

LINE = (
    '{"id": "x-1", "lang": "en", "kind": "explicit-change", "statements": ['
    '{"at": "2025-01-01T00:00:00Z", "author": "user", "text": "I live in Leipzig"},'
    '{"at": "2025-02-01T00:00:00Z", "author": "user", "text": "Lunch is at noon"},'
    '{"at": "2025-03-01T00:00:00Z", "author": "user", "text": "Porto it is"}],'
    '"questions": [{"at": "2025-04-01T00:00:00Z", "text": "Where do I live?", "current": [2], "stale": [0]}],'
    '"keep": [1, 2]}'
)


@pytest.fixture
def story(tmp_path: Path) -> Story:
    path = tmp_path / "stories.jsonl"
    path.write_text(LINE + "\n", encoding="utf-8")
    (loaded,) = load(path)
    return loaded


def judged(story: Story, *shown: Shown) -> dict[str, float]:
    (question,) = story.questions
    return measures(question, shown)


def test_what_revises_what_follows_from_the_questions(story: Story) -> None:
    assert story.revisions == {"x-1:2": frozenset({"x-1:0"})}
    (joined,) = together([story, story])
    assert joined.language == "en"


def test_the_outdated_statement_first_and_unmarked(story: Story) -> None:
    assert judged(story, Shown("x-1:0"), Shown("x-1:2")) == {
        "current top 1": 0.0,
        "current top 3": 1.0,
        "current first": 0.0,
        "right behind": 0.0,
        "outdated unmarked": 1.0,
    }


def test_the_current_one_right_behind_a_marked_one_counts(story: Story) -> None:
    found = judged(story, Shown("x-1:0", marked=True), Shown("x-1:2"))
    assert (found["right behind"], found["current first"], found["outdated unmarked"]) == (1.0, 0.0, 0.0)


def test_one_further_behind_does_not_count(story: Story) -> None:
    found = judged(story, Shown("x-1:0", marked=True), Shown("x-1:1"), Shown("x-1:2"))
    assert found["right behind"] == 0.0


def test_plain_questions_and_hedged_kinds() -> None:
    plain = Question("x", "hypothetical-or-quoted", "en", 0.0, "?", frozenset({"a"}), frozenset())
    expected = {"plain top 1": 0.0, "plain top 3": 1.0, "plain first marked": 0.0, "present holds": 0.0}
    assert measures(plain, [Shown("b"), Shown("a")]) == expected


def test_writes_by_hand(story: Story) -> None:
    """The third write changes the first, a candidate that nobody is asked about; the second changes nothing."""
    writes = [
        Write("x-1:0", None, (), ()),
        Write("x-1:1", None, ("x-1:0",), ("x-1:0",)),
        Write("x-1:2", "x-1:1", (), ("x-1:1", "x-1:0")),
    ]
    rows = of_writes(writes, story, lost=["x-1:1"])
    assert rows == [
        {"false changes": 0.0, "false suggestions": 0.0},
        {"false changes": 0.0, "false suggestions": 1.0},
        {"false changes": 1.0, "right among three": 1.0, "right suggested": 0.0},
        {"harm": 1.0},
        {"harm": 0.0},
    ]


def test_a_right_caller_knows_and_half_of_the_answers_of_the_other_are_wrong() -> None:
    pairs = {f"new{number}": frozenset({"old"}) for number in range(100)}
    right = Script("right", pairs)
    assert {right.verdict(new, "old") for new in pairs} == {"supersedes"}
    assert right.verdict("new1", "other") == "both"
    wrong = Script("half wrong", pairs)
    answers = [wrong.verdict(new, "old") for new in pairs]
    assert 35 <= answers.count("both") <= 65
    assert len(wrong.wrong) == answers.count("both")
    assert Script("nobody", pairs).verdict("new1", "old") is None


def test_a_caller_does_not_call_an_overtaken_plan_true() -> None:
    """It is in no list of its story, for it never came true."""
    script = Script("right", {}, {"asked": [(1.0, True)]}, frozenset({"kept"}))
    assert script.verdict("cancelled", "plan") is None
    assert [script.verdict("new", each) for each in ("kept", "asked")] == ["both", "both"]


def test_a_caller_waits_as_long_as_the_next_question_calls_the_old_statement_current() -> None:
    """At the moment of such a question the old statement still holds: settling it then would hide the answer."""
    script = Script("right", {"new": frozenset({"old"})}, {"old": [(100.0, True)]})
    assert script.verdict("new", "old", 100.0) is None
    assert script.verdict("new", "old", 101.0) == "supersedes"
    # A, then B, then A again: when B is told, A ends, though it returns.
    script = Script("right", {"new": frozenset({"old"})}, {"old": [(100.0, False), (200.0, True)]})
    assert script.verdict("new", "old", 99.0) == "supersedes"


def test_each_author_has_a_store_of_its_own(story: Story) -> None:
    authors = [[story, story], [story]]
    assert [len(each.statements) for each in stores(authors, joined=True)] == [6, 3]
    assert [len(each.statements) for each in stores(authors, joined=False)] == [3, 3, 3]


def test_the_tables_in_markdown(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "stories.jsonl"
    file.write_text(LINE + "\n", encoding="utf-8")
    assert main([str(file), "--embedder", "none"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[1:5] == [
        "each story alone",
        "",
        "| % | BM25 | BM25, newest of 5 | default, none |",
        "| --- | --- | --- | --- |",
    ]
    assert lines[5].startswith("| current top 1 | ")
    assert lines[5].count("of 1 |") == 3
