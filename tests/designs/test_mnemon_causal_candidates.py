"""Causal candidates of preset mnemon ("in the 2-hop BFS neighborhood"), the likely ones first."""

from __future__ import annotations

import pytest
from exact import PLACES, ExactEmbedder, opened, sharing

from combray import Engine
from combray.testing.fakes import FakeClock

EMBEDDERS = ("none", "wordllama")
LUNCH = "Lunch is at noon"
FENCE = "The fence was painted because the wood of the garden door rotted"
DOOR = "Our garden door squeaks in the evening"
NEW = "Tall grey iron visitors from Porto open the wooden door"


def _filled(engine: Engine, clock: FakeClock) -> dict[str, str]:
    """Memories two hours apart, so that temporal edges join them all."""
    ids = {}
    for text in (LUNCH, DOOR, FENCE):
        ids[text] = engine.remember(text, diff=False).id
        clock.pass_(hours=2)
    return ids


@pytest.mark.parametrize("embedder", EMBEDDERS)
def test_signal_words_come_first_then_overlap(embedder: str) -> None:
    """Issue: "ranked by signal and overlap, … with hop, signal, cosine and sub-type"."""
    clock = FakeClock()
    engine = opened(clock, embedder)
    # One term of eight is shared: too few for a causal edge, which needs 0.15.
    ids = _filled(engine, clock)
    found = engine.remember(NEW, diff=False).causal_candidates
    assert [each["id"] for each in found] == [ids[FENCE], ids[DOOR], ids[LUNCH]]
    assert [each["causal_signal"] for each in found] == [True, False, False]
    assert [each["suggested_sub_type"] for each in found] == ["causes"] * 3
    assert all(each["hop"] == 1 for each in found)
    assert [each["overlap"] for each in found] == [0.125, 0.125, 0.0]
    for each in found:
        assert (each["cosine"] is None) == (embedder == "none")


@pytest.mark.parametrize("embedder", EMBEDDERS)
def test_a_pair_that_is_linked_causally_is_no_candidate(embedder: str) -> None:
    """Issue: "without pairs already linked", by the write itself or by the caller in either direction."""
    engine = opened(embedder=embedder)
    kafka = engine.remember("Kafka lost messages under load").id
    lunch = engine.remember(LUNCH).id
    done = engine.remember("The team left Kafka because messages were lost")
    assert done.edges_created["causal"] == 1
    assert [each["id"] for each in done.causal_candidates] == [lunch]
    assert kafka not in {each["id"] for each in done.causal_candidates}


def test_the_cosine_is_exact_and_breaks_ties_of_the_overlap() -> None:
    far, near, new = "Alpha rains", "Beta shines", "Gamma blows because Delta freezes"
    engine = opened(embedder=ExactEmbedder({new: PLACES, far: sharing(10, 100), near: sharing(30, 300)}))
    ids = [engine.remember(text).id for text in (near, far)]
    nothing = engine.remember("Epsilon thaws").id
    found = engine.remember(new).causal_candidates
    assert [(each["id"], each["cosine"]) for each in found] == [(ids[0], 0.3), (ids[1], 0.1), (nothing, None)]
    assert [each["overlap"] for each in found] == [0.0] * 3


def test_the_sub_type_is_that_of_the_signal() -> None:
    """The page's "suggested_sub_type"; notes 2.2: prevents > enables > causes."""
    engine = opened()
    engine.remember("Alpha rains")
    (found,) = engine.remember("The dam prevents floods").causal_candidates
    assert (found["causal_signal"], found["suggested_sub_type"]) == (True, "prevents")


def test_ten_at_most_and_the_likely_ones_of_all_that_are_near() -> None:
    """Notes 2.2: "2-hop BFS, max 10": the ten are chosen after ranking."""
    clock = FakeClock()
    engine = opened(clock)
    cause = engine.remember("The roof leaks because Otto drilled a hole", source="s").id
    for number in range(12):
        clock.pass_(minutes=1)
        engine.remember(f"word{number}", source="s")
    found = engine.remember("The cellar is wet", source="s").causal_candidates
    assert len(found) == 10
    assert (found[0]["id"], found[0]["hop"]) == (cause, 2)
