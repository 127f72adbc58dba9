from __future__ import annotations

from pathlib import Path

import pytest
from shell import Shell

import combray

UNKNOWN = "00000000-0000-7000-8000-000000000000"


@pytest.fixture
def shell(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Shell:
    return Shell(tmp_path, monkeypatch)


def test_forget_hides_restore_brings_back_and_history_tells(shell: Shell) -> None:
    made = shell.remember("Ada plays the cello")
    assert shell.json("forget", made)["status"] == "forgotten"
    assert shell.run("recall", "cello").exit_code == 1
    assert shell.json("restore", made)["status"] == "active"
    assert shell.json("recall", "cello")["results"][0]["insight"]["id"] == made
    changes = shell.json("history", made)
    assert [change["operation"] for change in changes] == ["forget", "restore"]
    assert changes[1]["before"]["status"] == "forgotten"


def test_an_id_may_be_given_by_its_beginning(shell: Shell) -> None:
    made = shell.remember("Ada plays the cello")
    assert shell.json("get", made[:13])["id"] == made


def test_erase_refuses_where_nobody_can_answer(shell: Shell) -> None:
    made = shell.remember("Ada plays the cello")
    result = shell.run("erase", made)
    assert result.exit_code == 1
    assert "--yes" in result.stderr
    assert shell.json("get", made)["content"] == "Ada plays the cello"


def test_erase_with_yes_leaves_nothing(shell: Shell) -> None:
    made = shell.remember("Ada plays the cello")
    assert shell.json("erase", made, "--yes")["status"] == "erased"
    assert shell.run("get", made).exit_code == 1


SAID = "Ada plays the cello in the evening"


def said_and_quoted(folder: Path) -> tuple[str, str, str]:
    """Ids of a turn, of a fact that rests on it, and of a turn that quotes it."""
    with combray.open(str(folder / "default.db"), embedder="none") as engine:
        turn = engine.remember(SAID, kind="episode").id
        fact = engine.remember("Ada is a musician", evidence=[turn], diff=False).id
        return turn, fact, engine.remember(f"Somebody told me: {SAID}", kind="episode").id


def test_erase_tells_what_rests_on_it_and_what_quotes_it(shell: Shell, tmp_path: Path) -> None:
    turn, fact, quote = said_and_quoted(tmp_path)
    told = shell.json("erase", turn, "--yes")
    assert (told["status"], told["derived"], told["quoted_by"], told["file"]) == ("erased", [], [fact, quote], "")
    assert shell.json("get", fact)["evidence"] == []


def test_erase_with_derived_takes_what_rests_on_it_and_not_what_quotes_it(shell: Shell, tmp_path: Path) -> None:
    turn, fact, quote = said_and_quoted(tmp_path)
    told = shell.json("erase", turn, "--yes", "--derived")
    assert (told["derived"], told["quoted_by"]) == ([fact], [quote])
    assert shell.run("get", fact).exit_code == 1
    assert shell.run("get", quote).exit_code == 0


def test_erase_names_the_file_that_still_holds_a_piece(shell: Shell, tmp_path: Path) -> None:
    folder = tmp_path / "notes"
    folder.mkdir()
    (folder / "MEMORY.md").write_text("# Music\n\nAda plays the cello.\n")
    shell.run("index", str(folder))
    (piece,) = shell.json("recall", "cello")["results"]
    told = shell.json("erase", piece["insight"]["id"], "--yes")
    assert told["file"] == str(folder / "MEMORY.md")


@pytest.mark.parametrize("verb", ["get", "forget", "restore", "erase", "history", "related"])
def test_an_unknown_id_is_one_line_and_code_1(shell: Shell, verb: str) -> None:
    shell.remember("Ada plays the cello")
    result = shell.run(verb, UNKNOWN)
    assert result.exit_code == 1
    assert result.stderr.startswith(f"combray: no memory '{UNKNOWN}'")
    assert result.stderr.count("\n") == 1
    assert not result.stdout


def test_a_terminal_shows_the_memory_as_a_table(shell: Shell) -> None:
    made = shell.remember("Ada plays the cello", "--tags", "music,people", "--occurred-at", "2026-03-01T10:30Z")
    shown = shell.in_terminal("get", made)
    assert "music, people" in shown
    assert "2026-03-01 10:30" in shown
    shell.in_terminal("forget", made)
    assert "status active" in shell.in_terminal("history", made)


def test_link_and_related_speak_of_the_same_edge(shell: Shell) -> None:
    cause = shell.remember("The lock failed", "-n", "a", "--no-diff")
    effect = shell.remember("Bookings vanished", "-n", "a", "--no-diff")
    options = ("--type", "causal", "--weight", "0.9", "--reason", "seen in the log", "--subtype", "causes")
    assert shell.json("link", cause, effect, *options, "-n", "a") == {
        "status": "linked",
        "source_id": cause,
        "target_id": effect,
        "edge_type": "causal",
        "weight": 0.9,
        "metadata": {"sub_type": "causes", "reason": "seen in the log"},
    }
    found = shell.json("related", effect, "--edge", "causal", "-n", "a")
    assert [(each["id"], each["depth"], each["edge_type"], each["weight"]) for each in found] == [
        (cause, 1, "causal", 0.9)
    ]
    assert found[0]["edges"] == [{"edge_type": "causal", "weight": 0.9, "sub_type": "causes"}]
    shown = shell.in_terminal("related", effect, "-n", "a", "--edge", "causal")
    assert "The lock failed" in shown
    assert "(causes)" in shown
    assert shell.run("related", effect, "--type", "supersedes", "-n", "a").exit_code == 1


def test_viz_draws_dot_and_html(shell: Shell, tmp_path: Path) -> None:
    shell.remember("The lock failed")
    assert shell.run("viz").stdout.startswith("digraph")
    page = tmp_path / "graph.html"
    assert shell.json("viz", "-o", str(page))["format"] == "html"
    assert "The lock failed" in page.read_text(encoding="utf-8")
    assert shell.run("viz", "-o", str(tmp_path / "none" / "x.html")).exit_code == 2
