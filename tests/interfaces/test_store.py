from __future__ import annotations

from pathlib import Path

import pytest
from shell import Shell


@pytest.fixture
def shell(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Shell:
    return Shell(tmp_path, monkeypatch)


def test_status_counts(shell: Shell) -> None:
    shell.remember("PostgreSQL holds the bookings", "--cat", "fact")
    shell.remember("Mei went to Lisbon")
    facts = shell.json("status")
    assert facts["total_insights"] == 2
    assert facts["by_category"] == {"fact": 1, "general": 1}
    assert facts["embedder"] == "none"
    assert {"entity": "postgresql", "count": 1} in facts["top_entities"]
    assert "postgresql 1" in shell.in_terminal("status")


def test_log_has_the_newest_first(shell: Shell) -> None:
    made = shell.remember("PostgreSQL holds the bookings")
    shell.json("forget", made)
    assert [line["operation"] for line in shell.json("log")] == ["forget", "remember"]
    assert len(shell.json("log", "--limit", "1")) == 1
    assert made in shell.in_terminal("log")


def test_doctor_is_content_with_a_sound_store(shell: Shell) -> None:
    shell.remember("PostgreSQL holds the bookings")
    findings = shell.json("doctor", "--repair")
    assert {"store", "embedder"} <= {each["name"] for each in findings}
    assert all(each["ok"] for each in findings)
    assert "problem" not in shell.in_terminal("doctor")


def test_doctor_says_with_code_1_that_vectors_are_missing(shell: Shell) -> None:
    shell.remember("PostgreSQL holds the bookings", "--embedder", "none")
    result = shell.run("doctor", "--embedder", "wordllama")
    assert result.exit_code == 1
    assert "0 of 1 memories" in result.stdout


def test_doctor_refuses_what_is_no_store_in_one_line(shell: Shell, tmp_path: Path) -> None:
    letter = tmp_path / "letter.db"
    letter.write_text("Dear Ada, this is a letter and no database. " * 100)
    result = shell.run("doctor", "--db", str(letter))
    assert result.exit_code == 1
    assert result.stderr.startswith(f"combray: {letter}: the file is damaged or not a Combray store")
    assert letter.read_text().startswith("Dear Ada")


def test_gc_lists_what_matters_least_and_keep_makes_it_immune(shell: Shell) -> None:
    made = shell.remember("A small thing", "--imp", "1")
    shell.remember("A great thing", "--imp", "5")
    listed = shell.json("gc", "--threshold", "0.5")
    assert [each["id"] for each in listed["candidates"]] == [made]
    assert listed["candidates"][0]["immune"] is False
    assert 0 < listed["candidates"][0]["effective_importance"] < 0.5
    assert shell.json("gc", "--keep", made) == {"id": made, "status": "kept", "access_count": 3}
    # Three accesses raise the effective importance and make the memory immune.
    again = shell.json("gc", "--threshold", "9")["candidates"]
    assert {each["id"]: each["immune"] for each in again}[made] is True
    assert "A small thing" in shell.in_terminal("gc", "--threshold", "9")


def test_review_lists_memories_that_will_not_keep(shell: Shell) -> None:
    shell.remember("Mei went to Lisbon")
    made = shell.remember("The instance i-0123456789abcdef0 was deployed via terraform")
    reviewed = shell.json("review")
    assert [each["id"] for each in reviewed] == [made]
    assert len(reviewed[0]["quality_warnings"]) == 2
    assert "i-0123456789abcdef0" in shell.in_terminal("review")


def test_backup_writes_a_store_and_never_over_a_file(shell: Shell, tmp_path: Path) -> None:
    made = shell.remember("PostgreSQL holds the bookings")
    copy = tmp_path / "copy.db"
    assert shell.json("backup", str(copy))["bytes"] == copy.stat().st_size
    assert shell.json("get", made, "--db", str(copy))["content"] == "PostgreSQL holds the bookings"
    result = shell.run("backup", str(copy))
    assert result.exit_code == 2
    assert "already exists" in result.stderr


def test_presets_are_listed_and_shown_stage_by_stage(shell: Shell) -> None:
    assert {"default", "mnemon"} <= {each["name"] for each in shell.json("presets")}
    shown = shell.json("presets", "show", "mnemon")
    beam = next(stage for stage in shown["recall"] if stage["stage"] == "BeamSearch")
    assert (beam["settings"]["structural"], beam["settings"]["semantic"]) == (1.0, 0.4)
    assert beam["needs"]
    assert "semantic = 0.4" in shell.in_terminal("presets", "show", "mnemon", width=120)
    assert "mnemon" in shell.in_terminal("presets")
    refused = shell.run("presets", "show", "nonsense")
    assert refused.exit_code == 2
    assert "default, mnemon" in refused.stderr
