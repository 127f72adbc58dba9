from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from shell import Shell

from combray.engine.namespace import Verbs
from combray.errors import DiskFullError

PAGE_FIELDS = [
    "id",
    "action",
    "diff_suggestion",
    "replaced_id",
    "edges_created",
    "semantic_candidates",
    "causal_candidates",
    "quality_warnings",
    "embedded",
    "effective_importance",
    "auto_pruned",
]


@pytest.fixture
def shell(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Shell:
    return Shell(tmp_path, monkeypatch)


def test_the_answer_is_the_json_of_the_mnemon_page(shell: Shell) -> None:
    done = shell.json("remember", "We chose Qdrant", "--cat", "decision", "--imp", "5")
    assert list(done) == [*PAGE_FIELDS, "not_embedded"]
    assert done["not_embedded"] == "no embedder is configured"
    embedded = shell.json("remember", "We chose Milvus", "--embedder", "wordllama")
    assert list(embedded)[: len(PAGE_FIELDS)] == PAGE_FIELDS
    assert "not_embedded" not in embedded
    assert done["action"] == "added"
    assert done["diff_suggestion"] == "ADD"


def test_every_option_reaches_the_memory(shell: Shell) -> None:
    made = shell.remember(
        *(
            "The trip went to Lisbon",
            "--category",
            "context",
            "--importance",
            "2",
            "--entities",
            "Mei, Alfama",
        ),
        *("--tags", "travel,,spring", "--source", "agent", "--author", "Mei", "--session", "lunch"),
        *("--at", "2026-03-12"),
    )
    memory = shell.json("get", made)
    assert (memory["category"], memory["importance"], memory["source"]) == ("context", 2, "agent")
    assert memory["entities"][:2] == ["Mei", "Alfama"]
    assert memory["tags"] == ["travel", "spring"]
    assert (memory["author"], memory["session"]) == ("Mei", "lunch")
    assert memory["occurred_at"] == "2026-03-12T00:00:00Z"


def test_several_words_are_one_text(shell: Shell) -> None:
    made = shell.json("remember", "we", "chose", "tea")["id"]
    assert shell.json("get", made)["content"] == "we chose tea"


def test_a_dash_reads_the_standard_input(shell: Shell) -> None:
    made = shell.json("remember", "-", stdin="Grüße aus Combray,\nzwei Zeilen\n")["id"]
    assert shell.json("get", made)["content"] == "Grüße aus Combray,\nzwei Zeilen"


def test_the_same_text_twice_is_skipped_unless_told_otherwise(shell: Shell) -> None:
    first = shell.remember("The office has two kettles")
    again = shell.json("remember", "The office has two kettles")
    assert (again["action"], again["id"]) == ("skipped", first)


def test_a_file_gives_one_memory_a_line(shell: Shell, tmp_path: Path) -> None:
    notes = tmp_path / "notes.txt"
    notes.write_bytes("\ufeffMei likes window seats\r\n\r\nAda cooks green soup\n".encode())
    done = shell.json("remember", "--file", str(notes), "--tags", "notes")
    assert (done["added"], done["replaced"], done["skipped"]) == (2, 0, 0)
    memories = [shell.json("get", each["id"]) for each in done["results"]]
    assert [memory["content"] for memory in memories] == ["Mei likes window seats", "Ada cooks green soup"]
    assert memories[0]["tags"] == ["notes"]


def test_a_bad_line_is_named_and_the_others_are_stored(shell: Shell, tmp_path: Path) -> None:
    notes = tmp_path / "notes.txt"
    notes.write_text("\n".join(["Mei likes window seats", "", "x" * 8001, "Ada cooks green soup"]))
    result = shell.run("remember", "--file", str(notes))
    assert result.exit_code == 1
    done = json.loads(result.stdout)
    assert (done["added"], done["refused"]) == (2, 1)
    assert done["results"][1] == {
        "line": 3,
        "id": "",
        "action": "refused",
        "reason": "content: has 8001 characters, at most 8000 are allowed. Split it into several memories.",
    }
    assert shell.json("status")["total_insights"] == 2


def test_a_bad_line_of_an_atomic_file_is_located_and_what_stands_before_is_stored(
    shell: Shell, tmp_path: Path
) -> None:
    notes = tmp_path / "notes.txt"
    lines = [f"note number {number} about topic {number * 7}" for number in range(300)]
    notes.write_text("\n".join(["", *lines, "x" * 8001]))
    result = shell.run("remember", "--atomic", "--file", str(notes))
    assert result.exit_code == 1
    # One blank line, then a batch of 256: the failing batch begins at line 258.
    assert "a line from 258 on: has 8001 characters" in result.stderr
    assert shell.json("status")["total_insights"] == 256


@pytest.mark.parametrize(
    ("failure", "code"), [(KeyboardInterrupt(), 130), (DiskFullError("no room left; nothing was written."), 1)]
)
def test_a_file_that_stops_in_the_middle_says_which_lines_are_stored(
    shell: Shell, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, failure: BaseException, code: int
) -> None:
    notes = tmp_path / "notes.txt"
    notes.write_text("\n".join(f"note number {number} about topic {number * 7}" for number in range(600)))
    write, batches = Verbs._write, iter(range(9))

    def second_fails(self: Verbs, *given: Any, **named: Any) -> Any:
        if next(batches) == 1:
            raise failure
        return write(self, *given, **named)

    monkeypatch.setattr(Verbs, "_write", second_fails)
    result = shell.run("remember", "--file", str(notes))
    assert result.exit_code == code
    said = "256 of 600 lines are stored. Go on with line 257, or run the command again: duplicates are skipped."
    assert said in result.stderr
    monkeypatch.setattr(Verbs, "_write", write)
    done = shell.json("remember", "--file", str(notes))
    assert (done["added"], done["skipped"]) == (344, 256)


@pytest.mark.parametrize(
    "arguments",
    [
        [],
        ["x", "--imp", "9"],
        ["x", "--cat", "nonsense"],
        ["--file", "no-such-file"],
        ["x", "--file", __file__],
        ["x", "--occurred-at", "once upon a time"],
        ["x", "--tags", ",".join(map(str, range(21)))],
        ["x", "--embedder", "nonsense"],
        ["x", "--preset", "nonsense"],
        ["x", "--no-such-option"],
    ],
)
def test_bad_usage_is_refused_with_code_2_and_stores_nothing(shell: Shell, arguments: list[str]) -> None:
    result = shell.run("remember", *arguments)
    assert result.exit_code == 2
    assert "Error: " in result.stderr
    assert not result.stdout
    assert shell.run("recall", "x").exit_code == 1


@pytest.mark.parametrize("text", ["", "   ", "x" * 8001, "a\0b"])
def test_text_that_cannot_be_stored_is_refused_with_code_1_and_one_line(shell: Shell, text: str) -> None:
    result = shell.run("remember", text)
    assert result.exit_code == 1
    assert result.stderr.startswith("combray: content: ")
    assert result.stderr.count("\n") == 1


def test_input_that_is_not_utf_8_is_refused(shell: Shell) -> None:
    result = shell.run("remember", "-", stdin=b"caf\xe9")
    assert result.exit_code == 2
    assert "standard input is not UTF-8 text (byte 3)" in result.stderr


def test_a_terminal_is_told_in_words(shell: Shell) -> None:
    first = shell.in_terminal("remember", "The instance i-0123456789abcdef0 serves the page")
    assert first.startswith("added  ")
    assert "note: " in first
    assert shell.in_terminal("remember", "The instance i-0123456789abcdef0 serves the page").startswith(
        "skipped  "
    )


def test_a_terminal_names_related_memories_only_if_a_word_speaks_for_them(shell: Shell) -> None:
    """Every memory near in time is a causal candidate; shown are those with a signal word and a common word."""
    shell.remember("Lunch is at noon")
    assert "maybe related" not in shell.in_terminal("remember", "Café für zwei")
    assert "maybe related" not in shell.in_terminal("remember", "The dam prevents floods")
    shown = shell.in_terminal("remember", "The dam broke because of heavy rain")
    assert shown.count("maybe related") == 1
    assert "The dam prevents floods" in shown


def test_json_may_be_asked_for_in_a_terminal(shell: Shell) -> None:
    assert shell.in_terminal("remember", "Tea is at four", "--json").startswith("{")


@pytest.mark.parametrize("embedder", ["none", "wordllama"])
def test_preset_mnemon_says_conflict(shell: Shell, tmp_path: Path, embedder: str) -> None:
    """ "CONFLICT/UPDATE (sim 0.65-0.90)": a text with the opposite polarity is a conflict, and both are kept."""
    how = ("--preset", "mnemon", "--embedder", embedder)
    old = "The parser of the billing service reads YAML files from the shared folder"
    shell.json("remember", old, *how)
    new = old.replace("reads", "does not read")
    assert "contradicts a memory that is kept beside it" in shell.in_terminal("remember", new, *how)
    other = tmp_path / "other.txt"
    other.write_text(
        "The heating in the attic of the house is on\nThe heating in the attic of the house is off\n"
    )
    listed = shell.json("remember", "--file", str(other), *how)["results"]
    assert listed[1]["diff_suggestion"] == "CONFLICT"
