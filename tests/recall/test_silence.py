"""When an answer is empty: nonsense, unrelated questions; never for a memory's own text; long messages."""

from __future__ import annotations

import pytest

import combray
from combray import Engine
from combray.recall.query import samples
from combray.testing.fakes import FakeClock

TOM = (
    "Tom works as an electrician in Leeds.",
    "Tom's sister Ada moved to Madrid in May.",
    "The boiler is serviced every September.",
    "Our landlord wants the rent by the third of the month.",
    "The wifi password is written under the router.",
)
CHINESE = ("我对青霉素过敏。", "女儿的钢琴考级在七月。", "车险每年三月续保。")
VIETNAMESE = ("Mẹ bị tiểu đường tuýp 2.", "Mật khẩu wifi ở nhà ngoại là hoamai2019.", "Bé Na học lớp 3.")


def filled(texts: tuple[str, ...], embedder: str = "wordllama") -> Engine:
    engine = combray.open(":memory:", embedder=embedder, clock=FakeClock())
    for text in texts:
        engine.remember(text, diff=False)
    return engine


@pytest.mark.parametrize("embedder", ["none", "wordllama"])
@pytest.mark.parametrize("texts", [TOM, CHINESE])
def test_letters_without_meaning_find_nothing(texts: tuple[str, ...], embedder: str) -> None:
    answer = filled(texts, embedder).recall("asdkjh qwerty")
    assert not answer
    assert answer.reason


@pytest.mark.parametrize("texts", [TOM, CHINESE, VIETNAMESE])
@pytest.mark.parametrize("embedder", ["none", "wordllama"])
def test_a_memory_finds_itself(texts: tuple[str, ...], embedder: str) -> None:
    engine = filled(texts, embedder)
    for text in texts:
        assert engine.recall(text)[0].memory.content == text


@pytest.mark.parametrize("embedder", ["none", "wordllama"])
@pytest.mark.parametrize("length", [20, 300, 3000])
def test_a_memory_of_any_length_finds_itself_among_many(length: int, embedder: str) -> None:
    engine = filled((), embedder)
    sentences = samples()["en"]
    texts = [(f"Note {number}. " + " ".join(sentences * 9))[: length + number] for number in range(20)]
    engine.remember_many([*texts, *(f"Turn {number} was about tea." for number in range(200))], diff=False)
    for text in texts[::5]:
        assert text.strip() in {hit.memory.content.strip() for hit in engine.recall(text)}


def test_what_is_near_enough_depends_on_the_number_of_memories() -> None:
    question = "How do I get on the internet?"
    few = filled(TOM).recall(question)
    engine = filled(TOM)
    engine.remember_many([f"Turn {number} was about tea." for number in range(600)], diff=False)
    many = engine.recall(question)
    # No word is shared, so the cosine is all there is, and by chance it is as high among 600.
    assert few
    assert many.details["evidence"] == few.details["evidence"]
    assert many.details["confidence"] < few.details["confidence"] < 0.3


def test_a_message_finds_what_its_question_finds() -> None:
    message = (
        "We drove up to the lake on Saturday and the children swam until it got dark. On the way back we stopped "
        "at a farm shop and bought cheese, honey and two jars of plum jam. The car makes a noise again, so "
        "I will bring it to the garage next week. By the way, how is the rent paid to our landlord? I "
        "want to set up the transfer before we leave for the holidays on Sunday evening."
    )
    for embedder in ("none", "wordllama"):
        first = filled(TOM, embedder).recall(message)[0].memory.content
        assert first == "Our landlord wants the rent by the third of the month."
