"""Rows of a store that somebody has changed: an error that names the row, never one of Python's own."""

from __future__ import annotations

import contextlib
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import combray
from combray.engine import Engine
from combray.errors import CorruptStoreError
from combray.runtime import Filter

CHANGED: dict[str, tuple[str, Callable[[Engine], Any]]] = {
    "run 'r'": ("UPDATE run SET counts = '[1]'", lambda engine: engine.consolidation.runs()),
    "the plan of a run": ("UPDATE run_part SET steps = '[{}]'", lambda engine: engine.consolidation.run()),
    "version 1 of memory": ("UPDATE version SET before = '[]'", lambda engine: engine.history(first(engine))),
    "the paths of a workspace": (
        "UPDATE workspace SET extra = '{}'",
        lambda engine: engine.documents.read("a.md"),
    ),
    "operation": ("UPDATE operation SET at = 4611686018427387904", lambda engine: engine.store.log()),
    "the first moment": ("UPDATE memory SET moment = -4611686018427387904", lambda engine: engine.store.status()),
    "memory '": ("UPDATE memory SET metadata = '1'", lambda engine: engine.recall("Ada")),
    "memory": ("UPDATE memory SET tags = '[1]'", lambda engine: engine.recall("Ada", preset="mnemon")),
    "a lease": ("UPDATE lease SET until = 4611686018427387904", lambda engine: engine.consolidation.run()),
    "importance out of range": ("UPDATE memory SET importance = 0", lambda engine: engine.retention.candidates()),
    "words out of range": ("UPDATE memory SET words = -1", lambda engine: engine.recall("Ada")),
    "key out of range": ("UPDATE memory SET key = -key", lambda engine: engine.recall("Ada")),
}


def first(engine: Engine) -> str:
    (memory,) = engine.reader.memories(engine.reader.scan(Filter(statuses=("forgotten",))).tolist())
    return memory.id


@pytest.mark.parametrize("row", CHANGED)
def test_a_changed_row_is_told_as_damage(row: str, tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    (tmp_path / "notes").mkdir()
    with combray.open(path, embedder="none") as engine:
        engine.remember("Ada lives in Berlin.", diff=False)
        engine.forget(engine.remember("A cat.", diff=False).id)
        engine.documents.index(tmp_path / "notes")
    change, ask = CHANGED[row]
    with contextlib.closing(sqlite3.connect(path)) as file:
        file.execute("INSERT INTO run VALUES (1, 'r', 1, NULL, 'running', '{}')")
        file.execute("INSERT INTO run_part VALUES (1, 'r', 1, '[]')")
        file.execute("INSERT INTO lease VALUES (1, 'consolidate', 'somebody', 1)")
        file.execute("PRAGMA ignore_check_constraints = ON")
        assert file.execute(change).rowcount > 0
        file.commit()
    with (
        combray.open(path, embedder="none") as engine,
        pytest.raises(CorruptStoreError, match="cannot be read") as told,
    ):
        ask(engine)
    assert row in str(told.value)


def test_a_count_below_none_is_none(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    with combray.open(path, embedder="none", clock=lambda: 1_772_366_400.0) as engine:
        kept = engine.remember("Ada lives in Berlin.").id
        (before,) = [each.effective_importance for each in engine.retention.candidates(threshold=5.0)]
    with contextlib.closing(sqlite3.connect(path)) as file:
        file.execute("UPDATE memory SET access_count = -3")
        file.commit()
    with combray.open(path, embedder="none", clock=lambda: 1_772_366_400.0) as engine:
        assert [
            (each.memory.id, each.effective_importance) for each in engine.retention.candidates(threshold=5.0)
        ] == [(kept, before)]
