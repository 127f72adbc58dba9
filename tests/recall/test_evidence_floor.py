"""The evidence floor of presets mnemon, semantic-facts and engram, without and with the default embedder."""

from __future__ import annotations

import numpy as np
import pytest

import combray
from combray import Engine, presets
from combray.recall.evidence import ReadTopic
from combray.recall.state import Recalling
from combray.runtime import Filter

PRESETS = ("mnemon", "semantic-facts", "engram")
EMBEDDERS = ("none", "wordllama")

NOTES = (
    "Chose Kafka for the event bus because RabbitMQ lost messages under load",
    "Lunch is at noon in the small kitchen",
    "Ann moved from Lyon to Oslo in March",
    "The deploy runs every Tuesday evening from the main branch",
    "Tom repairs old radios in his garage",
    "The office plants are watered on Fridays",
    "Invoices go to the accountant before the tenth",
    "Marta Klein leads the billing team",
    "The staging database is restored from a nightly backup",
    "Ben plays the cello in an amateur orchestra",
    "Ticket OPS-4711 tracks the certificate renewal",
    "The printer on the second floor jams on thick paper",
    "Clara keeps bees behind the house",
    "Meetings with the bank take place by video",
    "The bicycle has a flat rear tyre",
    "We paint the fence green this summer",
)
ABSENT = (
    "zebra quantum knitting",
    "asdkjh qwerty",
    "how tall is the Eiffel Tower",
    "which vaccine did the dog get",
    "who won the chess tournament",
    "recipe for apple strudel",
)
PRESENT = {"why Kafka": 0, "OPS-4711": 10, "Marta Klein": 7, "who keeps bees": 12, "where did Ann move": 2}


def _filled(preset: str, embedder: str) -> Engine:
    engine = combray.open(":memory:", preset=preset, embedder=embedder, worker=False)
    engine.remember_many([{"content": text, "importance": 1} for text in NOTES], diff=False)
    if engine.vectors.pending():
        engine.vectors.make()
    return engine


@pytest.mark.parametrize("preset", PRESETS)
@pytest.mark.parametrize("embedder", EMBEDDERS)
def test_what_nothing_supports_has_no_hits_and_counts_no_access(preset: str, embedder: str) -> None:
    engine = _filled(preset, embedder)
    for question in ABSENT:
        answer = engine.recall(question)
        assert [hit.memory.content for hit in answer] == [], question
        assert answer.reason
    engine.remember("One more note about nothing in particular", diff=False)
    keys = engine.reader.scan(Filter())
    assert engine.reader.accesses(keys).tolist() == [0.0] * len(keys)


@pytest.mark.parametrize("preset", presets.names())
@pytest.mark.parametrize("embedder", EMBEDDERS)
def test_how_to_needs_what_it_is_done_to(preset: str, embedder: str) -> None:
    """Tom repairs radios: "fix" is met, and the roof is not. "I" and "my" do not replace it."""
    engine = _filled(preset, embedder)
    for question in ("how do I fix my roof", "how do I fix my car"):
        assert not engine.recall(question), question
    engine.remember("The roof is mended with slates from the shed", diff=False)
    if engine.vectors.pending():
        engine.vectors.make()
    assert engine.recall("how do I fix my roof")[0].memory.content.startswith("The roof")


@pytest.mark.parametrize("preset", presets.names())
@pytest.mark.parametrize("embedder", EMBEDDERS)
def test_doing_it_to_something_else_is_no_how_to(preset: str, embedder: str) -> None:
    """Among sixteen notes one that says "fix" is strong evidence, and it is not about a roof."""
    engine = combray.open(":memory:", preset=preset, embedder=embedder, worker=False)
    engine.remember_many(
        [
            "I fixed my bike yesterday.",
            "I fix computers for a living.",
            *(
                "My sister lives in Lyon.",
                "My car needs new tyres.",
                "I do yoga on Mondays.",
                "My dog is called Rex.",
            ),
            *("I play chess with my father.", "My phone number ends in 77.", "I moved to Graz in May."),
            *("My favourite colour is green.", "I bought a new lamp.", "I am learning Spanish."),
            *("My grandmother is ninety.", "My landlord is called Mr Hale.", "How I do my taxes is complicated."),
            "I learned how to make bread.",
        ],
        diff=False,
    )
    if engine.vectors.pending():
        engine.vectors.make()
    assert not engine.recall("how do I fix my roof")
    assert engine.recall("how do I fix my bike")[0].memory.content == "I fixed my bike yesterday."


@pytest.mark.parametrize("preset", presets.names())
@pytest.mark.parametrize("embedder", EMBEDDERS)
def test_keys_struck_at_random_find_nothing_in_any_store(preset: str, embedder: str) -> None:
    engine = _filled(preset, embedder)
    assert not engine.recall("asdkjh qwerty")


@pytest.mark.parametrize("preset", PRESETS)
@pytest.mark.parametrize("embedder", EMBEDDERS)
def test_what_is_supported_comes_first(preset: str, embedder: str) -> None:
    engine = _filled(preset, embedder)
    for question, place in PRESENT.items():
        answer = engine.recall(question)
        assert answer, question
        assert answer[0].memory.content == NOTES[place], question


@pytest.mark.parametrize("embedder", EMBEDDERS)
def test_no_hit_of_mnemon_has_four_zeros(embedder: str) -> None:
    engine = _filled("mnemon", embedder)
    for question in (*ABSENT, *PRESENT):
        for hit in engine.recall(question, limit=50):
            assert any(value > 0 for value in hit.signals.values())


def test_a_name_that_several_memories_hold_is_not_the_topic() -> None:
    engine = combray.open(":memory:", embedder="none")
    engine.remember_many(["Leonie works on Mondays", "Leonie likes tea", "Felix met Yuki"], diff=False)

    def topic(query: str) -> str:
        state = Recalling(query, engine.namespace, engine.reader, engine.runtime.clock())
        return ReadTopic()(state, engine.runtime).topic

    assert topic("Where did Leonie study?") == "Where did study?"
    # One memory holds "Yuki": the name is what the question is about.
    assert topic("Where did Yuki study?") == "Where did Yuki study?"
    # A question of names alone is about them.
    assert topic("Leonie?") == "Leonie?"


def test_the_floor_reads_deterministically() -> None:
    engine = _filled("mnemon", "wordllama")
    first = [(hit.memory.id, hit.score) for hit in engine.recall("why Kafka")]
    assert all([(hit.memory.id, hit.score) for hit in engine.recall("why Kafka")] == first for _ in range(3))
    assert np.isfinite([score for _, score in first]).all()
