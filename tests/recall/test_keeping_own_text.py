"""A memory is found by its own words in every preset, whatever a gate, a date or a noise filter says."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

import combray
from combray import presets
from combray.testing.fakes import FakeClock

EMBEDDERS = ["none", "wordllama"]
NOTES = (
    "We chose PostgreSQL for the booking service.",
    "Maria bakes sourdough bread every Sunday.",
    "Tom is allergic to peanuts and shellfish.",
    "The router password is under the blue vase.",
    "奶奶在屋后种西红柿。",
    "Con mèo ngủ trên nóc đàn piano.",
    "Der Dachboden riecht nach altem Papier.",
)
REFUSED = (
    # "Trivial examples: ok, thanks, yes, no, single emoji, pure punctuation, messages under a length threshold"
    *("ok", "yes", "no thanks", "42", "x", "👍🎉", "...", "?!", "∑ ∂ ∞", "好的", "cảm ơn", "Ja"),
    # "dates … used as Qdrant filter constraints", "3 days ago", "hom nay"
    "The dentist appointment is on Thursday at four.",
    "The library closes early in August.",
    "3 days ago Tom called",
    "Am Montag kommt der Klempner",
    "牙医预约在星期四下午四点。",
    "Lịch hẹn nha sĩ là thứ năm lúc bốn giờ.",
    # "Removes low-quality fragments using an embedding-based noise bank"
    *("Hello", "Do you remember me?", "I have no memory of that", "Xin chào", "没有找到相关记忆"),
)


def opened(preset: str, embedder: str = "none", clock: FakeClock | None = None) -> combray.Engine:
    return combray.open(":memory:", preset=preset, embedder=embedder, clock=clock or FakeClock(), worker=False)


def texts(answer: combray.Answer) -> list[str]:
    return [hit.memory.content for hit in answer]


@pytest.mark.parametrize("preset", presets.names())
@pytest.mark.parametrize("embedder", EMBEDDERS)
def test_its_own_words_bring_it(preset: str, embedder: str) -> None:
    engine = opened(preset, embedder)
    engine.remember_many([*NOTES, *REFUSED], diff=False)
    if engine.vectors.pending():
        engine.vectors.make()
    for text in REFUSED:
        assert text in texts(engine.recall(text)), text
    # Not the whole text: the gates hold as before.
    for query in ("👍", "…", "⊗"):
        answer = engine.recall(query)
        assert not answer
        assert answer.reason == "the query holds no words"


@pytest.mark.parametrize("preset", presets.names())
def test_the_filters_of_the_caller_hold(preset: str) -> None:
    engine = opened(preset)
    engine.remember("ok", tags=["a"])
    engine.remember("👍", category="decision")
    assert texts(engine.recall("ok", tags=["a"])) == ["ok"]
    assert not engine.recall("ok", tags=["b"])
    assert not engine.recall("👍", categories=["fact"])
    assert not engine.recall("👍", until="2000-01-01")
    engine.forget(engine.recall("👍")[0].memory.id)
    assert not engine.recall("👍")


def test_engram_still_filters_by_a_date_and_adds_the_text_itself_in_front() -> None:
    clock = FakeClock()
    now = datetime.fromtimestamp(clock(), UTC)
    engine = opened("engram", clock=clock)
    engine.remember("The dentist was late", occurred_at=now - timedelta(days=3))
    own = "The dentist appointment of 3 days ago"
    engine.remember(own, occurred_at=now - timedelta(days=30))
    engine.remember("The dentist moved", occurred_at=now - timedelta(days=8))
    answer = engine.recall(own)
    assert texts(answer) == [own, "The dentist was late"]
    assert answer[0].score >= answer[1].score
    assert answer[0].via == "exact"


def test_in_a_chat_nothing_is_found_for_an_acknowledgement_or_for_the_question_itself() -> None:
    """ "Trivial queries return an empty result immediately": every "ok" of a chat was said before."""
    engine = opened("engram")
    chat = engine.conversation("s")
    for text in ("ok", "👍", "what happened 3 days ago?", "The match is on Thursday at four"):
        chat.add(text, author="Ana")
    for query in ("ok", "👍", "what happened 3 days ago?"):
        assert not engine.recall(query), query
    assert texts(engine.recall("The match is on Thursday at four"))[:1] == ["The match is on Thursday at four"]


def test_an_uncertain_fact_stays_out_of_semantic_facts() -> None:
    """ "Confidence threshold: > 0.5 for passive, > 0.3 for active tool"."""
    engine = opened("semantic-facts")
    engine.remember("👍", confidence=0.3)
    assert not engine.recall("👍")


def test_keyword_search_finds_a_text_without_words_too() -> None:
    engine = opened("default")
    engine.remember("∑ ∂ ∞")
    assert texts(engine.search("∑ ∂ ∞")) == ["∑ ∂ ∞"]
    assert not engine.search("∑")


def test_every_view_of_the_hits_has_it() -> None:
    """ "[type] grouping" of Engram and "assembled with metadata" of Mnemo."""
    engine = opened("engram")
    engine.remember("ok", category="preference")
    assert engine.recall("ok").details["grouped"] == "[preference] ok"
    assert engine.recall("ok").reason == "found by its own text alone"
    engine = opened("mnemo")
    engine.remember("Hello", category="fact")
    assert "[W][fact:global] Hello (" in engine.recall("Hello").details["context"]
