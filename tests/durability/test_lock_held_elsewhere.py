"""A lock that another process holds never makes a read wait; a write waits, says so, and gives up.

The lock is held until the end of each test, and the setting allows two minutes: a read that waited would hang.
"""

from __future__ import annotations

import json
import logging
import os
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from mcp_types import TextContent

import combray
from combray import Engine, StoreBusyError
from combray.engine import interruptible
from combray.interfaces.cli import combray as verbs
from combray.interfaces.mcp.calls import Calls
from combray.stores.sqlite.upkeep import migrations

HANG = 120
HOLDER = """
import sqlite3, sys
connection = sqlite3.connect(sys.argv[1], isolation_level=None)
connection.execute("BEGIN " + sys.argv[2])
print("held", flush=True)
sys.stdin.read()
"""
QUESTION = "Where is the boiler?"
BOILER = "The boiler is in the cellar."


@contextmanager
def held(path: Path, how: str) -> Iterator[None]:
    """Hold the lock of a file in a second process."""
    command = [sys.executable, "-c", HOLDER, str(path), how]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as holder:
        assert holder.stdout is not None
        assert holder.stdin is not None
        assert holder.stdout.readline() == "held\n"
        try:
            yield
        finally:
            holder.stdin.close()


@pytest.fixture(params=["IMMEDIATE", "EXCLUSIVE"])
def path(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A store with memories, whose lock another process holds."""
    monkeypatch.setenv("COMBRAY_BUSY_TIMEOUT", str(HANG))
    path = tmp_path / "a.db"
    with engine_on(path) as engine:
        engine.remember(BOILER, importance=4)
        engine.remember("The piano is tuned in May.")
    with held(path, request.param):
        yield path


def engine_on(path: Path, **options: Any) -> Engine:
    return combray.open(path, embedder="none", worker=False, **options)


def test_the_library_reads_and_notes_nothing(path: Path) -> None:
    with engine_on(path) as engine:
        (hit,) = engine.recall(QUESTION)
        assert hit.memory.content == BOILER
        assert engine.get(hit.memory.id).content == BOILER
        assert {each.content for each in engine.list()} == {BOILER, "The piano is tuned in May."}
        assert BOILER in engine.context(QUESTION).text
        for _ in range(2):
            # What was shown could not be noted: it is shown again.
            assert BOILER in engine.context(QUESTION, session="s").text
        assert "cellar" in engine.think(QUESTION).answer
        assert engine.store.tier(check=True).name == "BASIC"


def test_counts_of_what_is_recalled_wait_for_the_next_write(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    with engine_on(path) as engine:
        memory_id = engine.remember(BOILER).id
        with held(path, "IMMEDIATE"):
            engine.recall(QUESTION)
            engine._at.accesses.flush()
        engine._at.accesses.flush()
        assert engine.get(memory_id).access_count == 1


@pytest.mark.parametrize(
    "arguments",
    [("recall", QUESTION), ("list",), ("context", QUESTION), ("think", QUESTION), ("search", "boiler")],
    ids=lambda each: str(each[0]),
)
def test_the_shell_reads(path: Path, arguments: tuple[str, ...]) -> None:
    done = here(path, *arguments)
    assert (done.exit_code, done.stderr) == (0, "")
    assert "cellar" in done.stdout


def test_the_shell_shows_the_status(path: Path) -> None:
    done = shell(path, "status")
    assert (done.returncode, done.stderr) == (0, "")


def test_a_model_recalls_over_mcp(path: Path) -> None:
    with engine_on(path) as engine:
        said = [each.text for each in Calls(engine).recall(QUESTION).content if isinstance(each, TextContent)]
        assert BOILER in "".join(said)


@pytest.mark.parametrize("verb", ["prompt", "session-start"])
def test_a_hook_answers(path: Path, verb: str) -> None:
    event = {"session_id": "s", "cwd": str(path.parent), "prompt": QUESTION, "source": "startup"}
    slow = {"COMBRAY_HOOK_MILLISECONDS": "60000"}
    done = here(path, "hook", verb, "--client", "claude-code", given=json.dumps(event), **slow)
    assert done.exit_code == 0
    assert BOILER in done.stdout


def test_a_search_of_documents_answers_from_what_is_indexed(tmp_path: Path) -> None:
    path, notes = tmp_path / "a.db", tmp_path / "notes"
    notes.mkdir()
    (notes / "a.md").write_text("# Cellar\n\nThe boiler is in the cellar.\n")
    with engine_on(path) as engine:
        engine.documents.index(notes)
    (notes / "b.md").write_text("# Attic\n\nThe trunk is in the attic.\n")
    with engine_on(path) as engine:
        with held(path, "IMMEDIATE"):
            found = engine.documents.search("boiler")
            assert [each.path for each in found.passages] == ["a.md"]
            assert found.stale
            assert "write lock" in found.warning
        assert [each.path for each in engine.documents.search("trunk").passages] == ["b.md"]


def test_what_an_opening_brings_up_to_date_is_left_to_the_next_write(tmp_path: Path) -> None:
    """A restored backup has no write-ahead log, and its keyword index may be an older tokenizer's."""
    path, copy = tmp_path / "a.db", tmp_path / "b.db"
    with engine_on(path) as engine:
        engine.remember(BOILER)
        engine.store.backup(str(copy))
    with closing(sqlite3.connect(copy, isolation_level=None)) as raw:
        raw.execute("PRAGMA journal_mode = DELETE")
        raw.execute("UPDATE setting SET value = 'older' WHERE name = 'terms_version'")
    with held(copy, "IMMEDIATE"):
        engine = engine_on(copy)
        assert engine.recall(QUESTION)[0].memory.content == BOILER
    with engine:
        engine.remember("The piano is tuned in May.")
        assert engine.recall("Where is the piano?")
    with closing(sqlite3.connect(copy)) as raw:
        assert raw.execute("PRAGMA journal_mode").fetchone() == ("wal",)
        assert raw.execute("SELECT value FROM setting WHERE name = 'terms_version'").fetchone() != ("older",)


def test_a_write_says_that_it_waits_and_gives_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setenv("COMBRAY_BUSY_TIMEOUT", "1.2")
    path = tmp_path / "a.db"
    steps: list[str] = []
    with engine_on(path) as engine, held(path, "IMMEDIATE"), caplog.at_level(logging.WARNING):
        with interruptible(steps.append), pytest.raises(StoreBusyError, match="COMBRAY_BUSY_TIMEOUT"):
            engine.remember(BOILER)
        assert [each for each in steps if "lock" in each] == ["wait for the write lock"]
        assert [each.getMessage() for each in caplog.records if "Waiting up to 1.2 s" in each.getMessage()]
        # The caller can stop it: a step that raises ends the wait.
        with interruptible(stop), pytest.raises(InterruptedError):
            engine.remember(BOILER)


def stop(name: str) -> None:
    if "lock" in name:
        raise InterruptedError


def test_the_shell_says_that_a_write_waits(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    engine_on(path).close()
    with held(path, "IMMEDIATE"):
        done = shell(path, "remember", BOILER, COMBRAY_BUSY_TIMEOUT="1.2")
    waits, gives_up = done.stderr.splitlines()
    assert done.returncode == 1
    assert "Waiting up to 1.2 s (COMBRAY_BUSY_TIMEOUT)" in waits
    assert gives_up.startswith("combray: ")
    assert "holds the write lock" in gives_up


def test_a_file_of_an_older_schema_waits_for_its_migration(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It cannot be read before: opening is a write then, with a write's limit and error."""
    monkeypatch.setenv("COMBRAY_BUSY_TIMEOUT", "0.05")
    path = tmp_path / "a.db"
    engine_on(path).close()
    with closing(sqlite3.connect(path)) as raw:
        raw.execute(f"PRAGMA user_version = {migrations()[-1][0] - 1}")
    with held(path, "IMMEDIATE"), pytest.raises(StoreBusyError, match="write lock"):
        engine_on(path)


def here(path: Path, *arguments: str, given: str = "", **settings: str) -> Result:
    """A verb of the shell in this process."""
    variables = {"COMBRAY_DB": str(path), "COMBRAY_EMBEDDER": "none"} | settings
    return CliRunner(env=variables).invoke(verbs, arguments, input=given)


def shell(path: Path, *arguments: str, given: str = "", **settings: str) -> subprocess.CompletedProcess[str]:
    environment = os.environ | {"COMBRAY_DB": str(path), "COMBRAY_EMBEDDER": "none"} | settings
    command = [sys.executable, "-m", "combray", *arguments]
    return subprocess.run(
        command, input=given, capture_output=True, text=True, env=environment, timeout=HANG, check=False
    )
