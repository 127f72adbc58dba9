"""When a hit is marked as perhaps outdated: a caller left the pair open, or it is probable (.5).

The order of two statements is no claim: the later one stands behind the earlier one with or without a mark.
"""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

import combray
from combray import Answer, Engine, presets
from combray.facts.later import DOUBTED_FROM, ONE_SENTENCE_FROM, chance
from combray.runtime import Link
from combray.testing.fakes import FakeClock

EMBEDDERS = ("none", "wordllama")
NOW = datetime(2026, 6, 1, 9, tzinfo=UTC)


def opened(embedder: str = "none", preset: str = "default") -> Engine:
    return combray.open(
        ":memory:", preset=preset, embedder=embedder, worker=False, clock=FakeClock(NOW.timestamp())
    )


def marked(answer: Answer) -> dict[str, tuple[str | None, str | None]]:
    """By id: what may have outdated the hit, and what it may replace."""
    return {hit.memory.id: (hit.may_be_outdated_by, hit.may_replace) for hit in answer}


def edge(engine: Engine, new: str, old: str, weight: float) -> None:
    """Make an edge as a write makes it, and no caller."""
    keys = engine.reader.keys_of([new, old])
    with engine.runtime.store.transaction(engine.namespace) as tx:
        for each in tx.links([keys[old]], ("may_revise",)):
            tx.unlink(each.source, each.target, each.type)
        tx.link([Link(keys[new], keys[old], "may_revise", weight)], NOW.timestamp())


LATER = "Boxes and forms all month, but Porto it is."


@pytest.mark.parametrize(
    ("weight", "doubted"),
    [
        # z = -6 + 0.5 · ln(p / (1 - p)) + 0.93 + 4.07, for the first hit, and a text that shares no word: for
        # p = 0.97 it is -1 + 1.7380 = 0.7380, a probability of 0.6766; for 0.98 -1 + 1.9459 = 0.9459, 0.7203
        (0.97, False),
        (0.98, True),
    ],
)
def test_a_mark_needs_a_probability_of_seven_tenths_for_the_question(weight: float, doubted: bool) -> None:
    """Below it the later statement stands right behind the earlier one all the same."""
    engine = opened()
    engine.remember("The printer is on the second floor.", occurred_at="2025-01-01")
    old = engine.remember("I live in Leipzig, in a tiny flat.", occurred_at="2025-09-03", diff=False).id
    new = engine.remember(LATER, occurred_at="2026-02-21", diff=False).id
    edge(engine, new, old, weight)
    answer = engine.recall("Where do I live?")
    assert [hit.memory.id for hit in answer] == [old, new]
    assert marked(answer) == {old: (new if doubted else None, None), new: (None, old if doubted else None)}


def test_the_probability_of_an_edge_worked_by_hand() -> None:
    # ln(0.8 / 0.2) = 1.3863 and ln(0.98 / 0.02) = 3.8918
    assert chance({"edge": 1.3863, "first": 1.0, "share": 1.0}) == pytest.approx(0.4239, abs=1e-4)
    assert chance({"edge": 3.8918, "first": 1.0, "share": 1.0}) == pytest.approx(0.7203, abs=1e-4)
    assert (DOUBTED_FROM, ONE_SENTENCE_FROM) == (0.7, 0.5)


@pytest.mark.parametrize("preset", presets.names())
@pytest.mark.parametrize("embedder", EMBEDDERS)
def test_what_a_caller_left_open_is_marked_in_every_preset(preset: str, embedder: str) -> None:
    engine = opened(embedder, preset)
    old = engine.remember("The bakery sells scones.", diff=False).id
    new = engine.remember("The bakery sells bread.", diff=False).id
    edge(engine, new, old, 0.02)
    question = "What does the bakery sell?"
    if engine.vectors.pending():
        engine.vectors.make()
    assert set(marked(engine.recall(question)).values()) == {(None, None)}
    engine.settle(new, old, "open")
    assert marked(engine.recall(question)) == {old: (new, None), new: (None, old)}
    engine.settle(new, old, "both")
    assert set(marked(engine.recall(question)).values()) == {(None, None)}


def test_a_pair_of_long_texts_that_a_caller_left_open_is_marked() -> None:
    """Long texts say many things, so only a caller knows."""
    rest = " Then we talked about the garden, the fence, the hedge, the pond and the neighbours." * 5
    engine = opened()
    old = engine.remember("The bakery sells scones." + rest, diff=False).id
    new = engine.remember("The bakery sells bread." + rest, diff=False).id
    edge(engine, new, old, 0.9)
    question = "What does the bakery sell?"
    assert marked(engine.recall(question))[old] == (None, None)
    engine.settle(new, old, "open")
    assert marked(engine.recall(question))[old] == (new, None)


def test_no_mark_for_a_question_about_the_past() -> None:
    engine = opened()
    old = engine.remember("The bakery sold scones by the church.", diff=False).id
    new = engine.remember("The bakery sells bread.", diff=False).id
    edge(engine, new, old, 0.9)
    engine.settle(new, old, "open")
    assert set(marked(engine.recall("What did the bakery sell before?")).values()) == {(None, None)}


@pytest.mark.parametrize(
    ("earlier", "later", "question"),
    [
        ("Standup is at 9:30.", "Standup is at 10:00 now.", "When is the standup?"),
        ("The Lyon branch opens at 9:00.", "The Lyon branch opens at 10:00.", "When does the Lyon branch open?"),
    ],
)
def test_another_value_of_one_thing_is_marked(earlier: str, later: str, question: str) -> None:
    """tests/cases/test_statements_about_different_things.py has the values of two things."""
    engine = opened("wordllama")
    clock = engine.runtime.clock
    assert isinstance(clock, FakeClock)
    for text in ("The printer is on the second floor.", "Ben keeps two goats.", "Lunch is at noon."):
        engine.remember(text)
        clock.pass_(days=10)
    for text in (earlier, later):
        engine.remember(text, author="user")
        clock.pass_(days=60)
    found = [hit.memory.content for hit in engine.recall(question) if hit.may_be_outdated_by]
    assert found == [earlier]
