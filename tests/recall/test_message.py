"""A whole message as a query is answered by its questions, and what it only mentions filters nothing."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

import combray
from combray import Engine
from combray.language.sentences import asked_spans
from combray.testing.fakes import FakeClock

NOTES = (
    "The landlord's name is Mr Osei, his number is 020 7946 0011.",
    "Priya is vegetarian and allergic to walnuts.",
    "Continuous integration runs on Buildkite since May.",
    "My daughter Mia starts school on 4 September.",
    "The wifi password is taped to the router in the hall.",
    "Rollback: scale the deployment to zero, restore the last snapshot, scale up again.",
)
AROUND = (
    "Hi! Hope you are doing well. We had a long weekend at the lake and I am only now catching up with all the "
    "mail. The kids are fine, the dog lost a tooth, and I have a hundred things to do before Thursday."
)


@pytest.fixture(params=["none", "wordllama"])
def level(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def engine(level: str, tmp_path: Path) -> Iterator[Engine]:
    path = tmp_path / "a.db"
    with combray.open(path, embedder=level, clock=FakeClock(), language_model="none", worker=False) as opened:
        opened.remember_many([{"content": each} for each in NOTES], diff=False)
        yield opened


def texts(engine: Engine, query: str, **options: object) -> list[str]:
    return [hit.memory.content for hit in engine.recall(query, **options)]  # type: ignore[arg-type]


def test_a_message_gets_what_its_question_gets(engine: Engine) -> None:
    question = "What was the number of our landlord?"
    assert texts(engine, question) == [NOTES[0]]
    assert texts(engine, f"{AROUND} {question} Thanks a lot and see you soon!") == [NOTES[0]]


def test_each_of_two_questions_is_answered(engine: Engine) -> None:
    message = f"{AROUND} What was the number of our landlord? And where is the wifi password?"
    assert set(texts(engine, message)) == {NOTES[0], NOTES[4]}


def test_a_vague_question_leaves_the_best_hit_of_the_message(engine: Engine) -> None:
    """ "Anything I should keep in mind?" says nothing: the sentences before it do."""
    message = (
        "Priya comes for dinner on Friday. I am going to bake the walnut cake of my grandmother, with a salad "
        "before it and a bit of cheese. Anything else I should keep in mind?"
    )
    assert texts(engine, message)[0] == NOTES[1]


def test_the_share_of_the_caller_goes_first(engine: Engine) -> None:
    """`keep` is applied to the message as a whole, as before."""
    message = f"{AROUND} What was the number of our landlord?"
    everything = texts(engine, message, keep=0.0)
    assert everything[0] == NOTES[0]
    assert len(everything) > 1 or engine.runtime.embedder is None


@pytest.mark.parametrize("preset", ["mnemon", "mnemo", "openclaw", "engram", "semantic-facts"])
def test_every_preset_finds_the_answer_of_a_message(preset: str, level: str, tmp_path: Path) -> None:
    """Engram filtered by "weekend" and "before Thursday", and asked a hit to hold a fifth of all words."""
    path = tmp_path / "a.db"
    with combray.open(
        path, preset=preset, embedder=level, clock=FakeClock(), language_model="none", worker=False
    ) as engine:
        engine.remember_many([{"content": each} for each in NOTES], diff=False)
        assert texts(engine, f"{AROUND} What was the number of our landlord?")[0] == NOTES[0]


def asked_in(message: str) -> list[str]:
    return [message[first:last] for first, last in asked_spans(message)]


def test_questions_of_a_message() -> None:
    message = f"{AROUND} What was the number of the landlord? I lost it. 我们的房东电话是多少？谢谢。"
    assert asked_in(message) == ["What was the number of the landlord?", "我们的房东电话是多少？"]
    assert asked_in(f"{AROUND} I lost the number of the landlord.") == []


def test_only_a_message_has_parts_that_do_not_ask() -> None:
    short = "I was away last week. What happened?"
    assert asked_spans(short) == [(0, len(short))]
    message = f"{AROUND} What did we decide yesterday?"
    ((first, last),) = asked_spans(message)
    assert message[first:last] == "What did we decide yesterday?"


def test_a_request_asks_too() -> None:
    message = f"{AROUND} Please look up the number of the landlord. 请告诉我房东的电话。 It is urgent."
    assert asked_in(message) == ["Please look up the number of the landlord.", "请告诉我房东的电话。"]
    assert asked_in(f"{AROUND} They please everybody. The find was old.") == []


def test_a_statement_within_a_message_brings_what_is_near_it(engine: Engine) -> None:
    message = (
        "The sky was grey and the streets were empty when I left. I started the rollback: the deployment is "
        "scaled to zero, and the last snapshot is being restored. He did not look back at the ships."
    )
    assert texts(engine, message) == [NOTES[5]]


def test_a_message_that_was_stored_first_gets_the_same_answer(engine: Engine) -> None:
    """In a chat a message is stored, and then asked with."""
    message = f"{AROUND} What was the number of our landlord?"
    engine.remember(message, diff=False, kind="episode")
    assert texts(engine, message)[:2] == [message, NOTES[0]]


def test_a_short_message_is_judged_by_its_question_too(engine: Engine) -> None:
    message = "The train was late again and my coffee got cold on the way. What was the number of our landlord?"
    assert texts(engine, message) == [NOTES[0]]


def test_a_message_marks_what_its_question_marks(engine: Engine) -> None:
    """What a caller left open is marked, whatever else a message says."""
    old = engine.remember("Our standup is at 9:30 in the kitchen.", occurred_at="2024-03-01T10:00:00Z").id
    new = engine.remember("We moved the standup to 9:15.").id
    engine.settle(new, old, "open")
    for message in ("When is the standup?", f"{AROUND} When is the standup?"):
        marked = {hit.memory.id: hit.may_be_outdated_by for hit in engine.recall(message)}
        assert (marked[old], marked[new]) == (new, None)


def test_the_configured_share_holds_for_the_questions_of_a_message(monkeypatch: pytest.MonkeyPatch) -> None:
    """A share of 1 keeps the best hit alone. With words alone nothing else cuts."""
    question = "Who of us, Priya or Mia, is allergic?"
    for keep, most in (("0.05", 2), ("1", 1)):
        monkeypatch.setenv("COMBRAY_KEEP", keep)
        with combray.open(":memory:", embedder="none", clock=FakeClock(), worker=False) as engine:
            engine.remember_many([{"content": each} for each in NOTES], diff=False)
            assert len(texts(engine, question)) == most
            assert len(texts(engine, f"{AROUND} {question}")) == most
