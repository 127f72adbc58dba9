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


def test_a_superseded_value_is_said_once_and_what_was_corrected_is_no_earlier_value() -> None:
    with combray.open(":memory:", embedder="none", worker=False) as engine:
        old = engine.remember("I live in Leipzig.", author="Ana", occurred_at="2025-09-03").id
        engine.remember("My sister plays the cello.", author="Ana", occurred_at="2025-10-01")
        new = engine.remember("I live in Porto now.", author="Ana", occurred_at="2026-02-11").id
        engine.settle(new, old, "supersedes")
        past = engine.think("Where did Ana live before?")
        assert past.answer.count("Leipzig") == 1
        assert [hit.memory.id for hit in past.sources].count(old) == 1
        engine.settle(new, old, "corrects")
        for question in ("Where does Ana live?", "Where did Ana live before?"):
            assert "Leipzig" not in engine.think(question).answer


def test_every_value_that_one_statement_replaced_is_an_earlier_one() -> None:
    with combray.open(":memory:", embedder="none", worker=False) as engine:
        first = engine.remember("Bo drinks tea at breakfast.", occurred_at="2025-09-03").id
        second = engine.remember("Bo drinks cocoa at breakfast.", occurred_at="2025-09-04", diff=False).id
        engine.remember("Bo drinks water at breakfast.", occurred_at="2026-02-11", supersedes=[first, second])
        answer = engine.think("What does Bo drink at breakfast?").answer
        assert "Earlier: “Bo drinks tea at breakfast.”" in answer
        assert "Earlier: “Bo drinks cocoa at breakfast.”" in answer
