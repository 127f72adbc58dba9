"""Preset semantic-facts: "Background worker processes queue continuously"."""

from __future__ import annotations

import time
from dataclasses import replace
from pathlib import Path

import pytest

import combray
from combray import presets
from combray.pipeline import walk
from combray.remember.embed import QueueEmbedding
from combray.testing.fakes import FakeEmbedder


def status_after(engine: combray.Engine, memory_id: str, seconds: float = 90.0) -> str:
    end = time.monotonic() + seconds
    while engine.get(memory_id).status == "pending_embed" and time.monotonic() < end:
        time.sleep(0.02)
    return engine.get(memory_id).status


@pytest.mark.parametrize("embedder", ["wordllama", "none"])
def test_a_fact_becomes_active_without_a_call(tmp_path: Path, embedder: str) -> None:
    """ "New Fact → DB (status='pending_embed') → Background Queue → … → DB (status='active')"."""
    with combray.open(tmp_path / "s.db", preset="semantic-facts", embedder=embedder) as engine:
        done = engine.remember("The user leads two projects at work")
        assert status_after(engine, done.id) == "active"
        assert bool(engine.vectors.pending()) is False
        assert engine.recall("which projects does the user lead?")[0].memory.id == done.id


def test_the_worker_can_be_switched_off(tmp_path: Path) -> None:
    with combray.open(
        tmp_path / "s.db", preset="semantic-facts", embedder=FakeEmbedder(), worker=False
    ) as engine:
        done = engine.remember("The user leads two projects at work")
        assert status_after(engine, done.id, 0.3) == "pending_embed"


def test_other_presets_start_no_thread(tmp_path: Path) -> None:
    with combray.open(tmp_path / "s.db", preset="engram", embedder=FakeEmbedder()) as engine:
        assert engine.vectors._worker is None


def test_make_returns_when_nothing_waits_although_a_thread_works_too() -> None:
    with combray.open(":memory:", preset="semantic-facts") as engine:
        for number in range(40):
            engine.remember(f"Shelf {number} has box {number}")
            engine.vectors.make()
            assert {each.status for each in engine.list(limit=100)} == {"active"}


@pytest.mark.parametrize("name", presets.names())
def test_what_a_preset_says_of_its_queue_is_what_its_pipeline_does(name: str) -> None:
    preset = presets.load(name)
    queued = any(isinstance(stage, QueueEmbedding) for stage in walk(preset.remember.stages))
    assert preset.queues is queued


def test_a_preset_of_ones_own_that_says_nothing_gets_its_worker(tmp_path: Path) -> None:
    own = replace(presets.load("semantic-facts"), name="own", queues=None)
    with combray.open(tmp_path / "s.db", preset=own, embedder=FakeEmbedder()) as engine:
        assert status_after(engine, engine.remember("The user leads two projects at work").id) == "active"
