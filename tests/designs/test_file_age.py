"""Temporal decay by hand: dated, evergreen, and memories that are no pieces of files."""

from __future__ import annotations

import numpy as np
import pytest

import combray
from combray import Engine
from combray.designs.openclaw.search import FileAgeDecay
from combray.forms.recalling import Recalling
from combray.testing.fakes import FakeClock
from combray.types import MemoryItem

ITEMS: list[MemoryItem] = [
    {"content": "a chunk of 30 days ago", "kind": "chunk", "occurred_at": "2024-04-01T12:00Z"},
    {"content": "a chunk of MEMORY.md", "kind": "chunk"},
    {"content": "a fact of today"},
    {"content": "an episode of 60 days ago", "kind": "episode", "occurred_at": "2024-03-02T12:00Z"},
    {"content": "a chunk of tomorrow", "kind": "chunk", "occurred_at": "2024-05-02T12:00Z"},
]


def aged(stage: FileAgeDecay) -> tuple[Engine, Recalling]:
    clock = FakeClock()
    engine = combray.open(":memory:", embedder="none", clock=clock)
    ids = [each.id for each in engine.remember_many(ITEMS, diff=False)]
    keys = engine.reader.keys_of(ids)
    state = Recalling("q", "default", engine.reader, clock())
    state.keys, state.scores = np.array([keys[each] for each in ids]), np.full(5, 0.8)
    return engine, stage(state, engine.runtime)


def test_half_after_thirty_days_and_evergreen_files_never() -> None:
    """ "decayedScore = score * exp(-lambda * ageInDays)", "score halves every 30 days"; evergreen "immune"."""
    _, state = aged(FileAgeDecay(enabled=True))
    assert state.scores.tolist() == pytest.approx([0.4, 0.8, 0.8, 0.2, 0.8])
    assert state.signals["decay"].tolist() == pytest.approx([0.5, 1.0, 1.0, 0.25, 1.0])


def test_another_half_life() -> None:
    _, state = aged(FileAgeDecay(half_life_days=60.0, enabled=True))
    assert state.scores.tolist() == pytest.approx([0.8 * 0.5**0.5, 0.8, 0.8, 0.4, 0.8], abs=1e-6)


def test_it_is_off_unless_switched_on() -> None:
    """ "Temporal decay enabled | false"."""
    _, state = aged(FileAgeDecay())
    assert state.scores.tolist() == [0.8] * 5
    assert "decay" not in state.signals


def test_an_evergreen_file_stays_evergreen_as_time_passes() -> None:
    engine, state = aged(FileAgeDecay(enabled=True))
    state.now += 300 * 86_400
    state.scores = np.full(5, 0.8)
    later = FileAgeDecay(enabled=True)(state, engine.runtime).scores.tolist()
    assert later[1] == 0.8
    # A fact has no file; it ages from when it was recorded.
    assert later[2] == pytest.approx(0.8 * 0.5**10, abs=1e-6)
