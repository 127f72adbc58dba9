"""The evidence floor of every preset: what is refused, what is not, and how sure an answer is."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from tiers import nightly

import combray
from bench.quality import loaders
from bench.quality.systems import Combray
from combray import Engine, presets
from combray.errors import InvalidInputError
from combray.recall.evidence import confidence_of
from combray.runtime import Filter
from combray.testing.fakes import FakeClock

pytestmark = pytest.mark.slow("fills large stores in every preset")

ROOT = Path(__file__).parents[2]
EMBEDDERS = ("none", "wordllama")


def filled(texts: Sequence[str], embedder: str = "wordllama", preset: str = "default") -> Engine:
    """An engine with these memories and their vectors."""
    engine = combray.open(":memory:", preset=preset, embedder=embedder, worker=False, clock=FakeClock())
    engine.remember_many(list(texts), diff=False)
    if engine.vectors.pending():
        engine.vectors.make()
    return engine


def found(engine: Engine, question: str, limit: int = 10) -> list[str]:
    return [hit.memory.content for hit in engine.recall(question, limit=limit)]


# -- ordinary questions ----------------------------------------------------------------------------------

ORDINARY = {
    "what do we know about Redis?": "We use Redis as the cache of the web shop.",
    "what is the reason for SQLite?": "We chose SQLite because it needs no server.",
    "what came before SQLite?": "Before SQLite we kept the orders in Postgres.",
    "What was moved to Rust a month ago?": "The importer was moved to Rust.",
    "that thing we discussed about the API": "We discussed the API with Ana: version 2 keeps the old paths.",
    "Where does our daughter go to school?": "Our daughter changed schools from Elm Park to Riverside.",
}
OTHERS = (
    "The kitchen tap drips since day {}.",
    "Shelf {} holds jars of plum jam.",
    "Room {} is booked for the fair.",
    "Invoice {} was paid by transfer.",
    "Bus {} stops at the old mill.",
    "Ticket {} is about a torn curtain.",
    "Locker {} has a new key.",
)
UNKNOWN = (
    "zebra quantum knitting",
    "How do I sharpen the blades of a combine harvester?",
    "recipe for apple strudel",
)


def many(count: int) -> list[str]:
    """The notes that answer, filled up with notes about other things."""
    others = [OTHERS[number % len(OTHERS)].format(number) for number in range(count - len(ORDINARY))]
    return [*ORDINARY.values(), *others]


@pytest.mark.parametrize("preset", presets.names())
@pytest.mark.parametrize("embedder", EMBEDDERS)
@pytest.mark.parametrize("count", [10, 200, *nightly([60], "between the two")])
def test_ordinary_questions_are_answered_in_a_store_of_any_size(preset: str, embedder: str, count: int) -> None:
    """Filler, question words and words of time never have to be met."""
    engine = filled(many(count), embedder, preset)
    for question, text in ORDINARY.items():
        assert text in found(engine, question, 3), question


@pytest.mark.parametrize("preset", presets.names())
@pytest.mark.parametrize("embedder", EMBEDDERS)
@pytest.mark.parametrize("count", [10, 200])
def test_what_is_nowhere_in_the_store_has_no_hits_and_counts_no_access(
    preset: str, embedder: str, count: int
) -> None:
    engine = filled(many(count), embedder, preset)
    for question in UNKNOWN:
        answer = engine.recall(question)
        assert not answer, question
        assert answer.reason
        assert answer.confidence == 0.0
    engine.remember("One more note about nothing in particular", diff=False)
    keys = engine.reader.scan(Filter())
    assert engine.reader.accesses(keys).tolist() == [0.0] * len(keys)


BESIDE = (
    "The dishwasher salt is under the sink.",
    "The bike shop opens at ten on weekdays.",
    "Tea is better in the afternoon.",
)


@pytest.mark.parametrize(
    ("text", "question"),
    [
        ("Our daughter changed schools from Elm Park to Riverside.", "Where does our daughter go to school?"),
        ("Our daughter goes to Riverside now.", "Which school does our daughter go to?"),
        ("My son transferred to Northgate in September.", "Which school does my son attend?"),
        ("My sister got into Heidelberg.", "Which university did my sister get into?"),
        ("The kids are at Sonnenschein until four.", "Which kindergarten do the kids go to?"),
        ("We fly with Norwegian on Sunday.", "Which airline do we fly with?"),
    ],
)
@pytest.mark.parametrize("embedder", EMBEDDERS)
def test_a_name_that_does_not_say_what_it_is_answers(text: str, question: str, embedder: str) -> None:
    """No memory has to hold the kind of thing that is asked for."""
    assert found(filled((*BESIDE, text), embedder), question)[0] == text


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
PRESENT = {"why Kafka": 0, "OPS-4711": 10, "Marta Klein": 7, "who keeps bees": 12, "where did Ann move": 2}


@pytest.mark.parametrize("preset", presets.names())
@pytest.mark.parametrize("embedder", EMBEDDERS)
def test_what_is_supported_comes_first(preset: str, embedder: str) -> None:
    engine = filled(NOTES, embedder, preset)
    for question, place in PRESENT.items():
        assert found(engine, question)[0] == NOTES[place], question


@pytest.mark.parametrize("preset", presets.names())
def test_meaning_alone_is_evidence(preset: str) -> None:
    """No word is shared: "mends" is near "repairs", "radio sets" near "radios"."""
    assert found(filled(NOTES, "wordllama", preset), "Who mends antique radio sets?")[0] == NOTES[4]


@pytest.mark.parametrize("embedder", EMBEDDERS)
def test_no_hit_of_mnemon_has_four_zeros(embedder: str) -> None:
    engine = filled(NOTES, embedder, "mnemon")
    for question in (*UNKNOWN, *PRESENT):
        for hit in engine.recall(question, limit=50):
            assert any(value > 0 for value in hit.signals.values())


def test_the_floor_reads_deterministically() -> None:
    engine = filled(NOTES, "wordllama", "mnemon")
    first = [(hit.memory.id, hit.score) for hit in engine.recall("why Kafka")]
    assert all([(hit.memory.id, hit.score) for hit in engine.recall("why Kafka")] == first for _ in range(3))
    assert np.isfinite([score for _, score in first]).all()


# -- chats -----------------------------------------------------------------------------------------------

CHATS = loaders.load("assistant-chats", ROOT / "bench" / "sets" / "assistant-chats.jsonl")


@pytest.mark.parametrize(("embedder", "least"), [("none", 0.90), ("wordllama", 0.90)])
def test_the_cut_leaves_the_turn_that_answers(embedder: str, least: float) -> None:
    """40 turns of some hundred words."""
    shares = []
    for collection in CHATS.collections:
        asked = Combray("default", embedder).fill(collection)
        for question in collection.asked:
            ranked = collection.units(asked.ask(question.text).refs)[:10]
            shares.append(len(set(ranked) & set(question.gold)) / len(question.gold))
    assert sum(shares) / len(shares) >= least


# -- values worked by hand -------------------------------------------------------------------------------


@pytest.mark.parametrize("preset", presets.names())
def test_without_vectors_the_evidence_is_the_share_of_the_words_by_idf(preset: str) -> None:
    """ "lamp" is in two of four memories, "copper" in one, and no memory holds both."""
    texts = ("The lamp is red.", "The lamp is old.", "Copper pipes burst.", "Bread is on the table.")
    lamp, copper = (math.log(1 + (4 - df + 0.5) / (df + 0.5)) for df in (2, 1))
    answer = filled(texts, "none", preset).recall("copper lamp")
    assert answer.details["evidence"] == pytest.approx(copper / (copper + lamp), abs=1e-4)
    assert answer.confidence == confidence_of("none", copper / (copper + lamp), 4)
    assert answer.details["confidence"] == answer.confidence


@pytest.mark.parametrize("preset", presets.names())
def test_a_memory_that_holds_every_word_meets_all_of_the_question(preset: str) -> None:
    answer = filled(NOTES, "wordllama", preset).recall("Who keeps the bees behind the house?")
    assert answer.details["evidence"] == 1.0
    # z = -3.62 + 6.24 - 0.129 · ln 16 = 2.2623; 1 / (1 + exp(-2.2623)) = 0.9057
    assert answer.confidence == pytest.approx(0.9057, abs=1e-4)


FAR = "zebra quantum knitting"
UNMET = f"{FAR} vaccine poodle strudel harvester regatta senate glacier violin comet tariff saffron"


@pytest.mark.parametrize(
    ("embedder", "count", "question", "floor"),
    [
        # 0.13 + 0.006 · (ln 1)² and 0.13 + 0.006 · (ln 10)² = 0.13 + 0.006 · 5.3019 = 0.1618
        ("wordllama", 10, FAR, "0.13"),
        ("wordllama", 100, FAR, "0.16"),
        # 0.006 · 5.3019 = 0.0318. One word of fifteen is met, and it is in 13 of 100 memories: a share of 0.03
        ("none", 100, f"fair {UNMET}", "0.03"),
    ],
)
def test_the_floor_rises_with_the_number_of_memories(
    embedder: str, count: int, question: str, floor: str
) -> None:
    answer = filled(many(count), embedder).recall(question)
    assert not answer
    assert f" of {floor} in {count} memories" in answer.reason


def test_without_vectors_one_word_is_enough_in_ten_memories() -> None:
    """The floor is 0: keywords refuse nothing that they find."""
    assert found(filled(many(10), "none"), f"fair {UNMET}")


# -- how sure an answer must be --------------------------------------------------------------------------


@pytest.mark.parametrize("preset", presets.names())
@pytest.mark.parametrize("embedder", EMBEDDERS)
def test_caution_empties_a_doubtful_answer_and_no_sure_one(
    preset: str, embedder: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    doubtful, sure = "Which office printer jams on paper in the cellar?", "Who keeps bees behind the house?"
    plain = filled(NOTES, embedder, preset).recall(doubtful)
    assert plain
    assert plain.confidence < 0.8
    monkeypatch.setenv("COMBRAY_CAUTION", "0.8")
    engine = filled(NOTES, embedder, preset)
    answer = engine.recall(doubtful)
    assert not answer
    assert (answer.confidence, answer.details["confidence"]) == (0.0, plain.confidence)
    assert found(engine, sure)[0] == NOTES[12]


@pytest.mark.parametrize("embedder", EMBEDDERS)
@pytest.mark.parametrize("preset", presets.names())
def test_a_memory_finds_itself_with_any_caution(
    preset: str, embedder: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COMBRAY_CAUTION", "1")
    engine = filled(NOTES, embedder, preset)
    for text in NOTES[:5]:
        assert text in found(engine, text)


@pytest.mark.parametrize("caution", ["-0.1", "1.1"])
def test_caution_outside_its_range_is_refused(caution: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COMBRAY_CAUTION", caution)
    with pytest.raises(InvalidInputError, match="caution"):
        combray.open(":memory:", embedder="none")
