from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest
from shell import Shell

import combray
from combray import presets
from combray.interfaces.cli.presets import Compared, as_json, places, show_compared
from combray.types import Answer, Hit, Memory


@pytest.fixture
def shell(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Shell:
    shell = Shell(tmp_path, monkeypatch)
    shell.remember("We chose PostgreSQL for the bookings", "--cat", "decision")
    shell.remember("Two bookings were lost in March")
    return shell


def answer(name: str, *ids: str) -> Answer:
    """Hits of those ids with the scores 1, 1/2, 1/3, …"""
    when = datetime(2026, 1, 2, tzinfo=UTC)
    hits = tuple(
        Hit(
            Memory(id=each, namespace="n", content=f"text {each}", recorded_at=when),
            1 / rank,
            {"keyword": 0.123456},
            "keyword",
        )
        for rank, each in enumerate(ids, start=1)
    )
    return Answer("q", hits, reason=f"how {name} answered", preset=name)


def three() -> dict[str, Compared]:
    found = {"one": ("a", "b", "c"), "two": ("c", "a"), "three-four": ("d",)}
    return {name: Compared(answer(name, *ids), 1.23456) for name, ids in found.items()}


def test_what_most_presets_find_stands_first_then_the_best_rank_then_the_id() -> None:
    # a and c are found twice, each first once: by id. d is first in one preset, b second in one.
    assert places(three()) == {
        "a": {"one": 1, "two": 2},
        "c": {"one": 3, "two": 1},
        "d": {"three-four": 1},
        "b": {"one": 2},
    }


def test_the_json_has_every_preset_and_the_ranks_of_what_they_share() -> None:
    said = as_json("q", three())
    assert said["query"] == "q"
    assert list(said["presets"]) == ["one", "two", "three-four"]
    assert said["presets"]["two"] == {
        "hits": [
            {"id": "c", "score": 1.0, "via": "keyword", "signals": {"keyword": 0.1235}, "content": "text c"},
            {"id": "a", "score": 0.5, "via": "keyword", "signals": {"keyword": 0.1235}, "content": "text a"},
        ],
        "reason": "how two answered",
        "milliseconds": 1.235,
    }
    assert said["shared"] == {"a": {"one": 1, "two": 2}, "c": {"one": 3, "two": 1}}


def shown(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, width: int) -> list[str]:
    monkeypatch.setenv("COLUMNS", str(width))
    show_compared(three())
    lines = capsys.readouterr().out.splitlines()
    assert max(map(len, lines)) <= width
    return [" ".join(line.split()) for line in lines]


def test_a_wide_terminal_has_a_row_a_memory_and_a_column_a_preset(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    # 30 cells for the texts and 12 for each of three presets: 66 are enough.
    lines = shown(capsys, monkeypatch, 66)
    assert [line for line in lines if line.startswith("text")] == [
        "text a 1 1.000 2 0.500",
        "text c 3 0.333 1 1.000",
        "text d 1 1.000",
        "text b 2 0.500",
    ]
    assert "two 1.2 how two answered" in lines


def test_in_a_narrow_terminal_the_presets_stand_below_one_another(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    lines = shown(capsys, monkeypatch, 65)
    assert [line for line in lines if "text" in line] == [
        *("1 1.000 text a 2 presets", "2 0.500 text b this only", "3 0.333 text c 2 presets"),
        *("1 1.000 text c 2 presets", "2 0.500 text a 2 presets"),
        "1 1.000 text d this only",
    ]
    assert "three-four" in lines


def test_every_preset_answers_as_it_does_alone(shell: Shell) -> None:
    said = shell.json("compare", "lost", "bookings", "--limit", "1")
    assert list(said["presets"]) == presets.names()
    with combray.open(shell.folder / "default.db", embedder="none", read_only=True) as engine:
        for name, each in said["presets"].items():
            alone = engine.recall("lost bookings", limit=1, preset=name)
            assert [hit["id"] for hit in each["hits"]] == [hit.memory.id for hit in alone]
            assert each["reason"] == alone.reason
            assert each["milliseconds"] > 0


def test_chosen_presets_are_asked_in_the_order_given_and_once(shell: Shell) -> None:
    assert list(shell.json("compare", "bookings", "--presets", "mnemon, default,mnemon")["presets"]) == [
        "mnemon",
        "default",
    ]


def test_a_comparison_does_not_count_as_a_use(shell: Shell) -> None:
    shell.json("compare", "bookings")
    with combray.open(shell.folder / "default.db", embedder="none") as engine:
        assert [hit.memory.access_count for hit in engine.recall("bookings")] == [0, 0]


def test_a_terminal_shows_a_table(shell: Shell) -> None:
    lines = shell.in_terminal("compare", "bookings", "--presets", "default,mnemon", width=100).splitlines()
    both = next(line for line in lines if "Two bookings were lost in March" in line)
    assert both.count("0.") + both.count("1.") == 2


def test_nothing_found_by_any_is_code_1_with_the_reasons(shell: Shell) -> None:
    result = shell.run("compare", "submarine", "propulsion")
    assert result.exit_code == 1
    assert result.stderr.startswith("combray: no preset found a memory: ")
    said = json.loads(result.stdout)
    assert all(each["hits"] == [] and each["reason"] for each in said["presets"].values())
    assert said["shared"] == {}


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ([], "Missing argument"),
        ([" "], "the query is blank"),
        (["x", "--presets", "default,nonsense"], "preset 'nonsense' does not exist. Use one of default, mnemon"),
        (["x", "--preset", "mnemon"], "Select presets with --presets A,B"),
        (["x", "--limit", "0"], "--limit"),
    ],
)
def test_bad_usage_is_refused_with_code_2(shell: Shell, arguments: list[str], said: str) -> None:
    result = shell.run("compare", *arguments)
    assert result.exit_code == 2
    assert said in " ".join(result.stderr.split())


def test_without_a_store_it_says_so_and_makes_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    result = Shell(tmp_path, monkeypatch).run("compare", "x")
    assert result.exit_code == 1
    assert result.stderr.startswith("combray: the store ")
    assert list(tmp_path.glob("*.db")) == []
