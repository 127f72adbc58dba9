"""Answers where it is not settled which of two statements holds: both stand, once each, with their dates."""

from __future__ import annotations

import pytest

import combray


@pytest.mark.parametrize("embedder", ["none", "wordllama"])
def test_where_it_is_doubtful_both_are_said_once_with_their_dates(embedder: str) -> None:
    with combray.open(":memory:", embedder=embedder, worker=False) as engine:
        old = engine.remember("I live in Leipzig.", author="Ana", occurred_at="2025-09-03")
        engine.remember("My sister plays the cello.", author="Ana", occurred_at="2025-10-01")
        new = engine.remember("I live in Porto now.", author="Ana", occurred_at="2026-02-11")
        answer = engine.think("Where does Ana live?").answer
        assert (answer.count("Leipzig"), answer.count("Porto")) == (1, 1)
        assert "2025-09-03" in answer
        assert "2026-02-11" in answer
        engine.settle(new.id, old.id, "supersedes")
        answer = engine.think("Where does Ana live?").answer
        assert answer.index("Porto") < answer.index("Earlier: “I live in Leipzig.”")
