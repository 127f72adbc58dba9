"""The judge of two source trees: what it reads, how it counts, and one run of a tree against itself."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from bench.judge import sets, weight
from bench.judge.__main__ import main
from bench.judge.figures import Parts, compare, parts_of
from bench.judge.sets import Store, read, sized

SRC = Path(__file__).parents[2] / "src"
NOTES: dict[str, Any] = {
    "id": "home",
    "memories": [
        {"id": f"m{number}", "content": text, "author": "user", "date": "2025-03-01"}
        for number, text in enumerate(("The boiler man is Mr Lund", "Rolf plays chess", "The car is in Bergen"))
    ],
    "questions": [
        {"query": "Who is the boiler man?", "gold": ["m0"]},
        {"query": "Where is the car?", "gold": ["m2"]},
        {"query": "Which planet has the most moons?", "gold": [], "kind": "far"},
        {"query": "How old is Rolf?", "gold": [], "kind": "near"},
    ],
}
STORY = {
    "id": "x-1",
    "lang": "en",
    "kind": "explicit-change",
    "statements": [
        {"at": "2025-01-01T00:00:00Z", "author": "user", "text": "I live in Leipzig"},
        {"at": "2025-02-01T00:00:00Z", "author": "user", "text": "Lunch is at noon"},
        {"at": "2025-03-01T00:00:00Z", "author": "user", "text": "I moved to Porto"},
    ],
    "questions": [{"at": "2025-04-01T00:00:00Z", "text": "Where do I live?", "current": [2], "stale": [0]}],
    "keep": [1, 2],
}


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    path = tmp_path / "notes.jsonl"
    path.write_text(json.dumps(NOTES) + "\n", encoding="utf-8")
    return path


@pytest.fixture
def story(tmp_path: Path) -> Path:
    path = tmp_path / "story.jsonl"
    path.write_text(json.dumps(STORY) + "\n", encoding="utf-8")
    return path


def test_a_file_is_recognised_by_its_keys(notes: Path, story: Path) -> None:
    (home,) = read(notes)
    assert [each.near for each in home.questions] == [None, None, False, True]
    assert [each.set for each in read(story)] == ["story, alone", "story, together"]


def test_the_asked_tree_is_given_no_gold(notes: Path, story: Path) -> None:
    for store in (*read(notes), *read(story)):
        asked = store.as_json()["questions"]
        assert {key for each in asked for key in each} == {"id", "text", "tags", "at"}


def test_every_own_set_is_read() -> None:
    found = [store for each in sets.own(None) for store in read(each)]
    assert {store.group for store in found} == {"conversations", "notes", "stories"}
    assert all(store.questions for store in found)


@pytest.mark.parametrize("size", [2, 3, 6])
def test_a_store_of_a_size_holds_the_gold_of_its_questions(notes: Path, size: int) -> None:
    others = [store for each in sorted((sets.HERE / "texts").glob("a.jsonl")) for store in read(each)]
    made = sized(read(notes), size, others)
    assert [len(store.items) for store in made] == [size] * len(made)
    assert sorted(each.text for store in made for each in store.questions) == sorted(
        question["query"] for question in NOTES["questions"]
    )
    for store in made:
        refs = {item["metadata"]["ref"] for item in store.items}
        assert all(each.gold <= refs for each in store.questions)
    assert [store.key for store in made] == [store.key for store in sized(read(notes), size, others)]


def found(store: Store, refs: list[str], marks: str, confidence: float | None = None) -> Parts:
    row = {"id": store.questions[0].id, "refs": refs, "marks": marks, "confidence": confidence}
    return dict(parts_of(store, [row]))[store.questions[0].id]


def test_a_mark_is_right_on_an_outdated_statement_only(story: Path) -> None:
    alone, _ = read(story)
    assert found(alone, ["x-1:0", "x-1:2", "x-1:1"], "m-m")["marks right"] == (1.0, 2.0)
    assert found(alone, ["x-1:2", "x-1:0"], "m-")["right first hits marked"] == (1.0, 1.0)


def test_right_behind_is_counted_with_and_without_the_mark(story: Path) -> None:
    alone, _ = read(story)
    unmarked = found(alone, ["x-1:0", "x-1:2"], "--")
    assert unmarked["right behind"] == (1.0, 1.0)
    assert unmarked["right behind, marked"] == (0.0, 1.0)
    assert found(alone, ["x-1:0", "x-1:1", "x-1:2"], "m--")["right behind"] == (0.0, 1.0)


def test_a_sure_answer_counts_as_right_if_gold_is_among_three(story: Path) -> None:
    alone, _ = read(story)
    assert found(alone, ["x-1:0", "x-1:2"], "--", 0.9)["right at confidence 0.8"] == (1.0, 1.0)
    assert found(alone, ["x-1:0", "x-1:1"], "--", 0.7)["right at confidence 0.8"] == (0.0, 0.0)
    assert "right at confidence 0.8" not in found(alone, ["x-1:0"], "-")


def test_a_difference_is_clear_if_its_interval_excludes_0() -> None:
    before: dict[str, Parts] = {str(at): {"recall@5": (at % 2, 1.0)} for at in range(100)}
    after: dict[str, Parts] = {str(at): {"recall@5": (1.0, 1.0)} for at in range(100)}
    figure = compare(before, after)["recall@5"]
    assert (figure.before, figure.after, figure.count) == (50.0, 100.0, 100)
    assert 0 < figure.low < 50 < figure.high
    assert figure.clear
    same = compare(before, before)["recall@5"]
    assert (same.low, same.high, same.clear) == (0.0, 0.0, False)


def test_only_what_both_trees_answered_is_compared() -> None:
    before: dict[str, Parts] = {"a": {"recall@5": (1.0, 1.0)}, "b": {"recall@5": (0.0, 1.0)}}
    assert compare(before, {"a": {"recall@5": (0.0, 1.0)}})["recall@5"].count == 1


@pytest.mark.nightly("measures every set twice, two minutes")
def test_a_tree_against_itself_and_against_its_saved_rows(
    notes: Path, story: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    saved = tmp_path / "rows.json"
    given = [str(notes), str(story), "--no-own", "--embedder", "none", "--markdown"]
    given += ["--only", "notes", "--only", "stories", "--json", str(saved)]
    assert main([*given, "--before", str(SRC), "--after", str(SRC)]) == 0
    shown = capfd.readouterr().out
    assert "| notes | empty though known | 0.0 | 0.0 | +0.0 [+0.0, +0.0] | 2 |" in shown
    assert "| story, together | write: false changes |" in shown
    assert " *" not in shown
    assert main([*given, "--before", str(saved), "--after", str(saved)]) == 0
    assert capfd.readouterr().out == shown
    # Rows of a store with other content are no rows of this one.
    notes.write_text(json.dumps(NOTES).replace("Bergen", "Oslo"), encoding="utf-8")
    assert main([*given, "--before", str(saved), "--after", str(saved)]) == 0
    assert "| notes |" not in capfd.readouterr().out


def test_rooms_have_lines_and_data(tmp_path: Path) -> None:
    room = tmp_path / "combray" / "language"
    room.mkdir(parents=True)
    (room / "words.py").write_text("a = 1\nb = 2\n", encoding="utf-8")
    (room / "words.tsv").write_text("x" * 500, encoding="utf-8")
    (tmp_path / "combray" / "types.py").write_text("c = 3\n", encoding="utf-8")
    assert weight.rooms(tmp_path) == {"(root)": (1, 0.0), "language": (2, 0.5), "all": (3, 0.5)}


def test_an_unreadable_file_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "broken.jsonl"
    path.write_text('{"other": 1}\n', encoding="utf-8")
    assert main([str(path), "--before", str(SRC), "--no-own", "--only", "notes"]) == 2
    assert "cannot read a set" in capsys.readouterr().err
