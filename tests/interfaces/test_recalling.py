from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest
from shell import Shell

from combray.interfaces.cli.recalling import answer_as_json, waterfall
from combray.types import Answer, Hit, Memory, Step


@pytest.fixture
def shell(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Shell:
    shell = Shell(tmp_path, monkeypatch)
    decided = ("--cat", "decision", "--imp", "5", "--author", "Ada", "--occurred-at", "2026-03-05")
    shell.remember("We chose PostgreSQL for the bookings", *decided)
    shell.remember("Mei took the train to Lisbon", "--occurred-at", "2026-03-12", "--tags", "travel")
    return shell


def answer() -> Answer:
    memory = Memory(id="m1", namespace="n", content="text", recorded_at=datetime(2026, 1, 2, tzinfo=UTC))
    hit = Hit(memory, 0.123456, {"keyword": 0.98765, "graph": 0.0}, "keyword")
    steps = (Step("Search", 0, 3, 1.23456), Step("Cut", 3, 1, 0.5, "a note"))
    return Answer("q", (hit,), "WHY", "auto", "hybrid", "mnemon", steps, {"anchor_count": 4, "degraded": ()})


def test_the_answer_has_the_seeds_shape_and_rounded_scores() -> None:
    assert answer_as_json(answer(), limit=2, explain=False, verbose=False) == {
        "results": [
            {
                "insight": {
                    "id": "m1",
                    "content": "text",
                    "category": "general",
                    "importance": 3,
                    "recorded_at": datetime(2026, 1, 2, tzinfo=UTC),
                },
                "score": 0.1235,
                "intent": "WHY",
                "via": "keyword",
                "signals": {"keyword": 0.9877, "graph": 0.0},
            }
        ],
        "meta": {
            "intent": "WHY",
            "intent_source": "auto",
            "anchor_count": 4,
            "reason": "hybrid",
            "preset": "mnemon",
        },
    }


def test_fewer_than_half_of_what_was_asked_for_is_called_sparse() -> None:
    # One hit: half of 3, rounded down, is 1, so that is enough; half of 4 is 2.
    assert "hint" not in answer_as_json(answer(), limit=3, explain=False, verbose=False)["meta"]
    assert answer_as_json(answer(), limit=4, explain=False, verbose=False)["meta"]["hint"] == "sparse_results"


def test_explain_adds_every_stage() -> None:
    shown = answer_as_json(answer(), limit=1, explain=True, verbose=False)
    assert shown["trace"] == [
        {"stage": "Search", "before": 0, "after": 3, "milliseconds": 1.235, "note": ""},
        {"stage": "Cut", "before": 3, "after": 1, "milliseconds": 0.5, "note": "a note"},
    ]


def test_a_waterfall_bar_starts_where_its_stage_began_and_is_as_long_as_it_took() -> None:
    # 24 cells for 8 ms: the first stage takes 6 ms = 18 cells, the second 2 ms = 6 cells after 18.
    bars = waterfall((Step("A", 0, 9, 6.0), Step("B", 9, 3, 2.0)), width=80).columns[3]
    first, second, _ = (str(cell) for cell in bars.cells)
    assert first == "█" * 18
    assert second == " " * 18 + "█" * 6


def test_a_stage_too_short_to_draw_keeps_a_sliver() -> None:
    bars = waterfall((Step("A", 0, 9, 1000.0), Step("B", 9, 3, 0.0)), width=80).columns[3]
    assert str(list(bars.cells)[1]) == " " * 23 + "▏"


def test_recall_prints_hits_best_first_and_says_how(shell: Shell) -> None:
    said = shell.json("recall", "PostgreSQL", "bookings", "--explain")
    best = said["results"][0]
    assert best["insight"]["content"] == "We chose PostgreSQL for the bookings"
    assert best["insight"]["author"] == "Ada"
    assert best["insight"]["occurred_at"] == "2026-03-05T00:00:00Z"
    assert best["signals"]
    assert said["meta"]["preset"] == "default"
    assert [step["stage"] for step in said["trace"]][-1] == "Assemble"


def test_recall_says_how_probable_it_is_that_a_hit_answers(shell: Shell) -> None:
    confidence = shell.json("recall", "PostgreSQL", "bookings")["meta"]["confidence"]
    assert 0 < confidence <= 1
    assert f"· confidence {confidence:.2f}" in " ".join(
        shell.in_terminal("recall", "PostgreSQL", "bookings").split()
    )
    assert "confidence" not in shell.json("recall", "PostgreSQL", "--basic")["meta"], "a substring has none"


def test_verbose_shows_every_field(shell: Shell) -> None:
    brief = shell.json("recall", "Lisbon")["results"][0]["insight"]
    whole = shell.json("recall", "Lisbon", "--verbose")["results"][0]["insight"]
    assert "content_hash" not in brief
    assert whole["content_hash"]
    assert whole["trust"] == "owner"


@pytest.mark.parametrize(
    "options",
    [
        ["--cat", "fact"],
        ["--since", "2026-03-13"],
        ["--until", "2026-03-12"],
        ["--tag", "work"],
        ["--author", "Ada"],
        ["--kind", "episode"],
        ["--source", "agent"],
        ["--session", "other"],
        ["--min-score", "99"],
        ["--namespace", "elsewhere"],
    ],
)
def test_filters_shut_out_what_does_not_fit(shell: Shell, options: list[str]) -> None:
    assert shell.json("recall", "train to Lisbon")["results"][0]["insight"]["tags"] == ["travel"]
    shut_out = shell.run("recall", "train to Lisbon", *options)
    found = [each["insight"]["content"] for each in json.loads(shut_out.stdout)["results"]]
    assert "Mei took the train to Lisbon" not in found


def test_the_intent_may_be_given_in_any_case(shell: Shell) -> None:
    meta = shell.json("recall", "PostgreSQL", "--intent", "why")["meta"]
    assert (meta["intent"], meta["intent_source"]) == ("WHY", "override")


def test_basic_finds_substrings(shell: Shell) -> None:
    said = shell.json("recall", "ostgre", "--basic")
    assert [each["insight"]["category"] for each in said["results"]] == ["decision"]


def test_nothing_found_is_an_answer_with_a_reason_and_code_1(shell: Shell) -> None:
    result = shell.run("recall", "submarine propulsion")
    assert result.exit_code == 1
    said = json.loads(result.stdout)
    assert said["results"] == []
    assert said["meta"]["reason"]
    assert result.stderr.startswith(f"combray: {said['meta']['reason']}")


def test_search_lists_memories_with_scores(shell: Shell) -> None:
    found = shell.json("search", "train", "Lisbon")
    assert [each["content"] for each in found] == ["Mei took the train to Lisbon"]
    assert found[0]["score"] > 0
    assert shell.run("search", "submarine").exit_code == 1


@pytest.mark.parametrize(
    "arguments",
    [
        [],
        ["x", "--limit", "0"],
        ["x", "--limit", "ten"],
        ["x", "--since", "whenever"],
        ["x", "--since", "2026-03-02", "--until", "2026-03-01"],
        ["x", "--as-of", "32 March"],
        ["x", "--intent", "HOW"],
        ["x", "--preset", "nonsense"],
    ],
)
def test_bad_usage_is_refused_with_code_2(shell: Shell, arguments: list[str]) -> None:
    result = shell.run("recall", *arguments)
    assert result.exit_code == 2
    assert "Error: " in result.stderr


@pytest.mark.parametrize("width", [80, 120])
def test_a_terminal_shows_a_table_that_fits(shell: Shell, width: int) -> None:
    shown = shell.in_terminal("recall", "PostgreSQL", "--explain", "--verbose", width=width)
    assert "We chose PostgreSQL for the bookings" in shown
    assert "decision ★★★★★ · Ada · 2026-03-05" in shown
    assert "Assemble" in shown
    widest = max(map(len, shown.splitlines()))
    assert width - 40 < widest <= width


def test_a_question_that_is_too_long_says_what_helps(shell: Shell) -> None:
    shell.run("remember", "The lamp is green.")
    result = shell.run("recall", "lamp " * 4001)
    assert result.exit_code == 1
    assert "query: has 20005 characters, at most 20000 are allowed. Shorten it." in result.stderr


def test_stored_control_characters_cannot_steer_the_terminal(shell: Shell) -> None:
    shell.remember("A red herring \x1b[31m \x9b2J \u202eback\u202c", "--author", "evil\x1b]0;title\x07")
    shown = shell.in_terminal("recall", "herring")
    assert "herring \\x1b[31m \\x9b2J \\u202eback" in shown
    assert not {"\x1b", "\x9b", "\x07"} & set(shown)


def test_stored_markup_is_shown_as_it_is(shell: Shell) -> None:
    shell.remember("Write [bold]headings[/bold] in :smile: style")
    assert "[bold]headings[/bold] in :smile: style" in shell.in_terminal("recall", "headings")


CRANE = "The harbour master approved the blue crane on Monday."


@pytest.mark.parametrize("embedder", ["wordllama", "none"])
def test_a_presets_own_minimum_holds_in_the_shell(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, embedder: str
) -> None:
    """Issue 14, wrong 4: minScore 0.35 of openclaw; another number replaces it. None stands for evidence."""
    shell = Shell(tmp_path, monkeypatch)
    shell.monkeypatch.setenv("COMBRAY_PRESET", "openclaw")
    shell.monkeypatch.setenv("COMBRAY_EMBEDDER", embedder)
    shell.remember(CRANE)
    assert shell.run("recall", "zebra quantum knitting").exit_code == 1
    asked = ("recall", "blue crane", "--min-score")
    assert [each["insight"]["content"] for each in shell.json(*asked, "0")["results"]] == [CRANE]
    assert shell.run(*asked, "1.1").exit_code != 0
    assert shell.run("recall", "zebra quantum knitting", "--min-score", "0").exit_code == 1


def test_list_is_readable_in_a_terminal_of_80_columns(shell: Shell) -> None:
    """A text and its facts on a line each: no word is broken, and the id can be copied."""
    made = shell.remember(
        "The rollout of the new booking page moves to the second Friday in May", "--cat", "fact"
    )
    said = shell.remember("Anna drinks tea", "--author", "Anna", "--at", "2026-03-01")
    lines = shell.in_terminal("list").splitlines()
    assert any("The rollout of the new booking page moves to the" in line for line in lines)
    assert all(any(each in line for line in lines) for each in (made, said))
    assert any("2026-03-01" in line for line in lines)
    assert lines[-1] == "4 of 4 memories"


def test_search_says_that_it_finds_by_keywords_whatever_the_embedder(shell: Shell) -> None:
    shell.remember("Anna drinks tea")
    assert "keywords only" in shell.in_terminal("search", "tea")


def test_a_request_to_forget_is_readable_in_a_terminal_of_80_columns(shell: Shell) -> None:
    made = shell.remember("Denise is on holiday until 5 October; ask Karel for approvals")
    lines = shell.in_terminal("forget", "--about", "everything about Karel", "--dry-run").splitlines()
    assert any("Denise is on holiday until 5 October; ask Karel for approvals" in line for line in lines)
    assert any("holds Karel" in line for line in lines)
    assert any(made in line for line in lines)
    done = shell.in_terminal("forget", "--about", "everything about Karel", "--confirm", "1")
    assert done.endswith("1 memory is forgotten.\n")
