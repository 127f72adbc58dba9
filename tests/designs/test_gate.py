"""Which queries are trivial, and what a pipeline does when a stage is done with the answer."""

from __future__ import annotations

import pytest

import combray
from combray.testing.fakes import FakeClock


def recalled(query: str, *texts: str) -> combray.Answer:
    engine = combray.open(":memory:", preset="engram", embedder="none", clock=FakeClock())
    engine.remember_many(["Something that is no answer", *texts])
    return engine.recall(query)


@pytest.mark.parametrize(
    "query",
    [
        "no problem with the build?",
        "hi, where is the report",
        "thanks to whom did we win",
        "yes-man",
        "okra",
        "vang",  # wine, not "vâng"
        "có gì mới",
        "不动产",
        "好的数据库",
        "dog",
        "猫",
    ],
)
def test_questions_are_not_swallowed(query: str) -> None:
    assert "trivial" not in recalled(query).reason


@pytest.mark.parametrize("query", ["a?", "42", "x y", "hm"])
def test_next_to_nothing_is_trivial(query: str) -> None:
    assert recalled(query).reason.startswith("trivial query")


def test_the_name_of_something_known_is_never_trivial() -> None:
    """ "ETA?" and "Lan?" have three letters; "AI" and "Yo" are stopped unless they are known here."""
    answer = recalled("AI?", "Our team for AI has four people")
    assert [hit.memory.content for hit in answer] == ["Our team for AI has four people"]
    assert recalled("AI?").reason == "trivial query (fewer than 3 letters): nothing was searched"
    engine = combray.open(":memory:", preset="engram", embedder="none")
    engine.remember("The cellist plays well", entities=["Yo"])
    assert len(engine.recall("Yo?")) == 1
    assert engine.recall("hi").reason.startswith("trivial query (an acknowledgement")
    for query in ("ETA?", "Lan?"):
        assert "trivial" not in engine.recall(query).reason


def test_other_presets_search_for_everything() -> None:
    engine = combray.open(":memory:", embedder="none")
    engine.remember("He said thanks")
    assert len(engine.recall("thanks")) == 1
    assert len(engine.recall("thanks", preset="engram")) == 0
