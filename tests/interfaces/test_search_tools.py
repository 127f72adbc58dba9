"""`combray memory-search` and `combray search-memory`: the tools of two designs in the shell."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from shell import Shell


@pytest.fixture(params=["none", "wordllama"])
def shell(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> Shell:
    (tmp_path / "home").mkdir()
    made = Shell(tmp_path / "home", monkeypatch)
    monkeypatch.setenv("COMBRAY_EMBEDDER", request.param)
    return made


@pytest.fixture
def indexed(shell: Shell, tmp_path: Path) -> Shell:
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "MEMORY.md").write_text(
        "# Garden\n\nThe quince is pruned in March.\n", encoding="utf-8"
    )
    shell.json("index", str(tmp_path / "notes"))
    return shell


def test_memory_search_prints_the_results_of_the_page(indexed: Shell) -> None:
    """OpenClaw: "MemorySearchResult[]", with path, lines, score and snippet."""
    first = indexed.json("memory-search", "when is the quince pruned")["results"][0]
    assert {name: first[name] for name in ("path", "startLine", "endLine", "source", "citation")} == {
        "path": "MEMORY.md", "startLine": 1, "endLine": 3, "source": "memory", "citation": "MEMORY.md#L1-L3",
    }  # fmt: skip
    assert first["snippet"] == "# Garden\n\nThe quince is pruned in March."
    shown = indexed.in_terminal("memory-search", "when is the quince pruned").splitlines()
    assert shown[0].startswith("MEMORY.md#L1-L3  ")
    assert [line.rstrip() for line in shown[1:4]] == ["  # Garden", "", "  The quince is pruned in March."]


def test_memory_search_takes_the_pages_options(indexed: Shell) -> None:
    """ "maxResults" and "minScore" "can be overridden per-call"; nothing found is exit code 1."""
    assert indexed.run("memory-search", "quince", "--limit", "1", "--source", "sessions").exit_code == 1
    empty = indexed.run("memory-search", "zebra quantum", "--min-score", "0.99")
    assert (empty.exit_code, json.loads(empty.stdout)["results"]) == (1, [])


def test_memory_search_without_an_index_says_so(shell: Shell) -> None:
    shell.remember("The quince is pruned in March")
    done = shell.run("memory-search", "quince")
    assert (done.exit_code, "nothing is indexed yet" in done.stderr) == (1, True)


@pytest.mark.parametrize("preset", ["default", "semantic-facts"])
def test_search_memory_gives_text_confidence_and_timestamp(shell: Shell, preset: str) -> None:
    """Semantic facts: "List of Memory objects with text, confidence, timestamp", "limit: int = 5"."""
    shell.monkeypatch.setenv("COMBRAY_PRESET", preset)
    items = [
        {"content": "The user leads the compiler project", "confidence": 0.9, "occurred_at": "2026-03-01"},
        {"content": "We talked about the compiler project", "kind": "episode"},
    ]
    shell.json("import", "-", "--trusted", stdin="\n".join(map(json.dumps, items)))
    found = shell.json("search-memory", "compiler project", "--type", "facts")
    assert [(each["text"], each["confidence"], each["timestamp"][:10]) for each in found] == [
        ("The user leads the compiler project", 0.9, "2026-03-01")
    ]
    assert len(shell.json("search-memory", "compiler project")) == 2
    for number in range(6):
        shell.remember(f"Compiler project milestone {number}", "--no-diff")
    assert len(shell.json("search-memory", "compiler project")) == 5
    assert shell.run("search-memory", "zebra quantum", "--type", "episodes").exit_code == 1
