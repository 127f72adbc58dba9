"""The warm-up of a long-lived process leaves no trace and asks no service."""

from __future__ import annotations

from pathlib import Path

import combray
from combray.engine.opening import warm_up, warm_up_in_background
from combray.testing.fakes import FakeEmbedder


def test_a_warm_up_is_in_neither_the_audit_nor_the_access_counts(tmp_path: Path) -> None:
    with combray.open(tmp_path / "agent.db", embedder="wordllama") as engine:
        stored = engine.remember("We moved to Lisbon last week.")
        before = list(engine.audit.lines())
        warm_up_in_background(engine).join(90)
        assert list(engine.audit.lines()) == before
        assert engine.get(stored.id).access_count == 0
        assert engine.recall("Where did we move?")[0].memory.id == stored.id


def test_a_model_outside_the_process_is_not_asked(tmp_path: Path) -> None:
    embedder = FakeEmbedder(leaves_process=True)
    with combray.open(tmp_path / "agent.db", embedder=embedder) as engine:
        warm_up(engine)
        assert embedder.calls == []


def test_a_store_that_was_closed_meanwhile_ends_the_warm_up_quietly(tmp_path: Path) -> None:
    engine = combray.open(tmp_path / "agent.db", embedder="wordllama")
    engine.close()
    thread = warm_up_in_background(engine)
    thread.join(90)
    assert not thread.is_alive()
