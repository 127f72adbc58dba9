"""A person whose name stands first in a sentence is an entity, and the pages' pronouns mean that person."""

from __future__ import annotations

from typing import Any

import pytest
from exact import opened

from combray import Engine
from combray.testing.fakes import FakeClock

ALICE, BOB = "Alice decided to use Kafka", "Bob đang làm API gateway"
EMBEDDERS = ("wordllama", "none")


def told(preset: str, embedder: str, session: str | None = None) -> Engine:
    clock = FakeClock()
    engine = opened(clock, embedder, preset)
    for text in (ALICE, BOB):
        engine.remember(text, session=session)
        clock.pass_(minutes=1)
    return engine


@pytest.mark.parametrize("embedder", EMBEDDERS)
@pytest.mark.parametrize("session", ["s1", None])
@pytest.mark.parametrize(
    ("question", "resolved", "answer"),
    [
        ("what did he decide?", "what did [Alice] decide?", ALICE),
        ("what did she decide?", "what did [Alice] decide?", ALICE),
        ("anh ay lam gi?", "[Bob] lam gi?", BOB),
        ("anh ấy làm gì?", "[Bob] làm gì?", BOB),
    ],
)
def test_the_pages_two_pronouns(
    question: str, resolved: str, answer: str, session: str | None, embedder: str
) -> None:
    """Engram stage 3, the whole table: by the session, and by the graph where none is given."""
    engine = told("engram", embedder, session)
    found = engine.recall(question, sessions=[session] if session else None)
    assert found.details["resolved_query"] == resolved
    assert found.details["pronouns"][0]["by"] == ("session" if session else "graph")
    assert found[0].memory.content == answer
    assert found[0].signals["entity"] > 0


@pytest.mark.parametrize("embedder", EMBEDDERS)
@pytest.mark.parametrize("preset", ["default", "mnemo", "engram", "semantic-facts"])
def test_given_names_are_entities_wherever_they_stand(preset: str, embedder: str) -> None:
    engine = told(preset, embedder)
    named = {entity for each in engine.list() for entity in each.entities}
    assert {"Alice", "Kafka", "Bob"} <= named
    assert not {"Bob đang", "Bob đang làm"} & named


@pytest.mark.parametrize("embedder", EMBEDDERS)
def test_a_rare_name_is_one_if_an_earlier_memory_or_an_author_has_it(embedder: str) -> None:
    engine = opened(FakeClock(), embedder, "default")

    def entities(text: str, **fields: Any) -> tuple[str, ...]:
        return engine.get(engine.remember(text, **fields).id).entities

    assert entities("Xochiquetzin sang") == ()
    assert entities("We heard that Xochiquetzin sang") == ("Xochiquetzin",)
    assert entities("Xochiquetzin will sing again") == ("Xochiquetzin",)
    assert entities("Zorblax came home late", author="Zorblax") == ("Zorblax",)
    assert entities("Zorblax was hungry") == ("Zorblax",)
    assert entities("Őrsebet was away", author="Őrsebet Nagy") == ("Őrsebet",)
