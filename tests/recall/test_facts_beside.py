"""A derived fact stands beside the turn it was made of, and takes no place from another turn."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing

import pytest

import combray
from combray.engine import Engine
from combray.testing.fakes import FakeClock, FakeDistiller


@pytest.fixture
def engine() -> Iterator[Engine]:
    clock = FakeClock()
    told = {"I adopted a grey kitten in Oslo": "Ann adopted a grey kitten in Oslo"}
    model = FakeDistiller(told)
    with closing(combray.open(":memory:", embedder="none", clock=clock, language_model=model)) as opened:
        opened.conversation("a").add_many(
            [
                {"content": "I adopted a grey kitten in Oslo", "author": "Ann"},
                {"content": "Kittens from Oslo are grey indeed", "author": "Bob"},
            ]
        )
        opened.consolidation.run()
        yield opened


def test_the_fact_leaves_the_ranking_and_is_told_with_its_turn(engine: Engine) -> None:
    answer = engine.recall("who adopted a grey kitten in Oslo")
    assert {hit.memory.kind for hit in answer} == {"episode"}
    (beside,) = answer.details["beside"]
    assert beside["content"] == "Ann adopted a grey kitten in Oslo"
    assert beside["confidence"] == 0.65
    assert beside["evidence"] == [answer[0].memory.id]


def test_who_asks_for_facts_gets_them(engine: Engine) -> None:
    (hit,) = engine.recall("who adopted a grey kitten in Oslo", kinds=["fact"])
    assert hit.memory.source == "extraction"
    assert "beside" not in engine.recall("grey kitten Oslo", kinds=["fact"]).details
    assert engine.recall("grey kitten Oslo", sources=["extraction"])[0].memory.kind == "fact"


def test_a_fact_whose_turn_is_no_hit_keeps_its_place(engine: Engine) -> None:
    turn = engine.recall("who adopted a grey kitten in Oslo")[0].memory
    engine.update(turn.id, tags=["old"])
    answer = engine.recall("who adopted a grey kitten in Oslo", where={"not": {"tags": "old"}})
    assert answer[0].memory.kind == "fact"
    assert answer.details.get("beside", []) == []
