"""A question for everything about the speaker finds statements in the first person.

Source: NickMonrad/kernel-ai-assistant#1012.
"""

from __future__ import annotations

import pytest

import combray
from combray import Engine

OFFICE = [
    "The kitchen sink drips.",
    "Lunch is at noon.",
    "The parking garage charges 2 EUR per hour.",
    "The coffee machine is on the third floor.",
    "The printer needs toner.",
    "Fire drills are in May.",
    "Anna books the meeting rooms.",
    "The lift stops at half past eight.",
]
MINE = {
    "en": ["I live in Ghent.", "I'm allergic to penicillin.", "My favourite tea is rooibos."],
    "de": ["Ich wohne in Gent.", "Ich bin gegen Penicillin allergisch.", "Mein Lieblingstee ist Rooibos."],
    "zh": ["我住在根特。", "我对青霉素过敏。", "我最喜欢的茶是路易波士茶。"],
    "fr": ["J'habite à Gand.", "Je suis allergique à la pénicilline.", "Mon thé préféré est le rooibos."],
    "ja": [
        "私はヘントに住んでいます。",
        "私はペニシリンにアレルギーがあります。",
        "私の好きなお茶はルイボスです。",
    ],
    "vi": ["Tôi sống ở Ghent.", "Tôi dị ứng với penicillin.", "Trà yêu thích của tôi là rooibos."],
}


def engine_with(texts: list[str], embedder: str = "wordllama") -> Engine:
    engine = combray.open(":memory:", embedder=embedder)
    engine.remember_many([*OFFICE[:4], *texts, *OFFICE[4:]])
    return engine


def found(engine: Engine, query: str) -> list[str]:
    return [hit.memory.content for hit in engine.recall(query)]


@pytest.mark.parametrize("embedder", ["none", "wordllama"])
@pytest.mark.parametrize(
    ("code", "question"),
    [
        ("en", "What do you remember about me?"),
        ("en", "What do you know about me?"),
        ("en", "about me"),
        ("en", "Tell me about myself"),
        ("en", "tell me everything you know about me"),
        ("en", "Do you remember anything about me?"),
        ("en", "What have you learned about me?"),
        ("en", "Describe me."),
        ("de", "Was weißt du über mich?"),
        ("de", "Woran erinnerst du dich bei mir?"),
        ("de", "Erzähl mir von mir"),
        ("de", "Was hast du über mich gespeichert?"),
        ("zh", "你记得我什么？"),
        ("zh", "你知道关于我的什么？"),
        ("zh", "你了解我吗？"),
        ("fr", "Que sais-tu de moi ?"),
        ("fr", "Parle-moi de moi"),
        ("fr", "Qu'est-ce que tu sais sur moi ?"),
        ("ja", "私について何を覚えていますか？"),
        ("vi", "Bạn biết gì về tôi?"),
    ],
)
def test_the_statements_about_the_speaker_are_found(code: str, question: str, embedder: str) -> None:
    with engine_with(MINE[code], embedder) as engine:
        assert sorted(found(engine, question)) == sorted(MINE[code])


def test_statements_about_the_user_are_found_too() -> None:
    texts = ["The user lives in Ghent.", "User prefers tabs to spaces.", "Der Nutzer ist Vegetarier."]
    with engine_with(texts) as engine:
        assert sorted(found(engine, "What do you know about me?")) == sorted(texts)


def test_what_an_assistant_says_of_itself_and_a_question_are_no_such_statements() -> None:
    with engine_with(MINE["en"]) as engine:
        engine.remember("I can help you with that.", author="assistant", kind="episode")
        engine.remember("Do I need an umbrella?", author="user", kind="episode")
        engine.remember("I moved here in 2019.", author="user", kind="episode")
        assert sorted(found(engine, "What do you know about me?")) == sorted(
            [*MINE["en"], "I moved here in 2019."]
        )


@pytest.mark.parametrize(
    ("question", "first"),
    [
        ("Where do I live?", "I live in Ghent."),
        ("What am I allergic to?", "I'm allergic to penicillin."),
        ("Which tea do I like best?", "My favourite tea is rooibos."),
        ("Was ist mein Lieblingstee?", None),
        ("Who books the meeting rooms for me?", "Anna books the meeting rooms."),
        ("What do you know about the printer?", "The printer needs toner."),
        ("Tell me about the lift", "The lift stops at half past eight."),
        ("Tell me when lunch is", "Lunch is at noon."),
        ("What do you remember about Anna?", "Anna books the meeting rooms."),
        ("你知道午饭几点吗？", None),
    ],
)
def test_a_question_with_a_topic_is_asked_for_its_topic(question: str, first: str | None) -> None:
    with engine_with(MINE["en"]) as engine:
        answer = found(engine, question)
        assert sorted(answer) != sorted(MINE["en"])
        assert first is None or answer[0] == first


def test_the_newest_facts_come_first_and_the_limit_holds() -> None:
    with engine_with([f"I have visited town number {number}." for number in range(30)]) as engine:
        answer = [hit.memory.content for hit in engine.recall("What do you know about me?", limit=5)]
        assert answer == [f"I have visited town number {number}." for number in range(29, 24, -1)]


def test_a_filter_holds() -> None:
    with engine_with(MINE["en"]) as engine:
        engine.remember("I play the oboe.", tags=["music"])
        answer = engine.recall("What do you know about me?", tags=["music"])
        assert [hit.memory.content for hit in answer] == ["I play the oboe."]


def test_without_such_a_statement_the_question_is_an_ordinary_one() -> None:
    with engine_with([]) as engine:
        answer = engine.recall("What do you know about me?")
        assert all(hit.memory.content in OFFICE for hit in answer)
