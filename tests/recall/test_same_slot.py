"""Values of one slot: the newest first, the earlier ones counted, settled with one answer."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

import combray
from combray import Engine
from combray.language.restatements import same_slot
from combray.testing.fakes import FakeClock

DAY = 86_400.0


@pytest.mark.parametrize(
    ("earlier", "later"),
    [
        ("I live in Leipzig.", "I live in Oslo now."),
        ("Our standup is at 9:30.", "Our standup is at 9:15 now."),
        ("The on-call phone is 7741.", "The on-call phone is 7752."),
        ("The release train is called Falcon.", "The release train is called Heron."),
        ("I keep my keys in the blue bowl.", "These days I keep my keys in the drawer."),
        ("I live in Bergen now.", "I live in Oslo now."),
        ("Ich wohne in Leipzig.", "Ich wohne jetzt in Dresden."),
        ("Unser Büro ist in der Hafenstraße.", "Unser Büro ist in der Lindenstraße."),
        ("Mi coche es azul.", "Mi coche es rojo."),
    ],
)
def test_one_sentence_with_another_value(earlier: str, later: str) -> None:
    assert same_slot(earlier, later)


@pytest.mark.parametrize(
    ("earlier", "later"),
    [
        ("I like jazz.", "I like dub."),
        ("I bought three apples.", "I bought five apples."),
        ("My sister lives in Rome.", "My brother lives in Oslo now."),
        ("The kitchen is white.", "The bedroom is blue."),
        ("I live in Leipzig.", "I live in Leipzig."),
        ("My sister is a nurse.", "My sister is vegan."),
        ("I used to live in Leipzig.", "I live in Oslo."),
        ("Is our standup at 9:30?", "Is our standup at 9:15?"),
        ("Locker 7 is by the door.", "Locker 8 is by the stairs."),
        ("", "I live in Oslo now."),
    ],
)
def test_two_things_or_two_sentences(earlier: str, later: str) -> None:
    assert not same_slot(earlier, later)


@pytest.fixture
def engine() -> Iterator[Engine]:
    clock = FakeClock()
    with combray.open(":memory:", embedder="wordllama", clock=clock) as engine:
        for text in (
            "I live in Leipzig.",
            "The tram to Leipzig was late.",
            "I live in Bergen now.",
            "I live in Oslo now.",
        ):
            engine.remember(text, author="Ann", kind="episode", diff=False)
            clock.now += 30 * DAY
        engine.remember("I live in Kyoto now.", author="Ben", kind="episode", diff=False)
        yield engine


def values(engine: Engine, question: str = "Where does Ann live?") -> list[tuple[str, int]]:
    return [(hit.memory.content, len(hit.earlier)) for hit in engine.recall(question, keep=0)]


def test_the_newest_stands_first_with_the_count_of_earlier_ones(engine: Engine) -> None:
    """Each is a value of one author."""
    found = values(engine)
    names = [text for text, _ in found if text.startswith("I live") and "Kyoto" not in text]
    assert names.index("I live in Oslo now.") < names.index("I live in Leipzig.")
    assert dict(found)["I live in Oslo now."] == 2
    assert dict(found)["I live in Bergen now."] == 0
    assert dict(found)["I live in Kyoto now."] == 0
    assert dict(found)["The tram to Leipzig was late."] == 0


def test_an_earlier_value_is_marked_as_perhaps_outdated(engine: Engine) -> None:
    hits = {hit.memory.content: hit for hit in engine.recall("Where does Ann live?", keep=0)}
    newest = hits["I live in Oslo now."].memory.id
    assert hits["I live in Leipzig."].may_be_outdated_by == newest


def test_a_question_about_the_past_moves_nothing(engine: Engine) -> None:
    assert all(not count for _, count in values(engine, "Where did Ann use to live before?"))


def test_one_answer_settles_all(engine: Engine) -> None:
    ids = {each.content: each.id for each in engine.list(limit=10)}
    new, old = ids["I live in Oslo now."], ids["I live in Leipzig."]
    done = engine.settle(new, old, "supersedes", all_earlier=True)
    assert done.others == (ids["I live in Bergen now."],)
    assert engine.get(done.others[0]).superseded_by == new
    assert engine.get(old).superseded_by == new
    assert engine.get(ids["I live in Kyoto now."]).superseded_by is None
    assert engine.get(ids["The tram to Leipzig was late."]).superseded_by is None


def test_two_that_hold_side_by_side_are_no_earlier_values(engine: Engine) -> None:
    ids = {each.content: each.id for each in engine.list(limit=10)}
    engine.settle(ids["I live in Oslo now."], ids["I live in Leipzig."], "both")
    hits = {hit.memory.content: hit for hit in engine.recall("Where does Ann live?", keep=0)}
    assert ids["I live in Leipzig."] not in hits["I live in Oslo now."].earlier
