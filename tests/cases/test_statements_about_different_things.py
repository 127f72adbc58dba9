"""Statements that share a name and say different things are not two values of it (kitfunso/hippo-memory#11).

Numbers, names and sides make two things of one name.
"""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

import combray
from combray import Answer
from combray.testing.fakes import FakeClock

PAIRS = [
    ("The bakery sells scones.", "The bakery accepts cards.", "What does the bakery sell?"),
    (
        "The staging cluster is rebuilt every Sunday night by the cron job in the infra repo.",
        "The infra repo needs Terraform 1.9.",
        "When is the staging cluster rebuilt?",
    ),
    (
        "The report server runs the nightly export.",
        "The nightly export takes 40 minutes.",
        "What runs the nightly export?",
    ),
    ("The cat sleeps on the piano.", "The piano is tuned in May.", "Where does the cat sleep?"),
    ("The van belongs to Anna.", "The van needs petrol.", "Who does the van belong to?"),
    ("The library opens at nine.", "The library lends board games.", "When does the library open?"),
    ("The backup job writes to the NAS.", "The NAS stands in the cellar.", "Where does the backup job write to?"),
    ("Die Bäckerei verkauft Brezeln.", "Die Bäckerei nimmt Karten.", "Was verkauft die Bäckerei?"),
    ("La panadería vende bollos.", "La panadería acepta tarjetas.", "¿Qué vende la panadería?"),
    ("La boulangerie vend des brioches.", "La boulangerie accepte les cartes.", "Que vend la boulangerie ?"),
    # Numbers, names and sides.
    ("The code of locker 7 is 4711.", "The code of locker 9 is 2280.", "What is the code of locker 7?"),
    ("Locker 7 is next to the door.", "Locker 8 is next to the window.", "Where is locker 7?"),
    ("The Lyon branch opens at nine.", "The Metz branch opens at ten.", "When does the Lyon branch open?"),
    ("The window upstairs is stuck.", "The window downstairs is open.", "Which window is stuck?"),
    (
        "The upper floor is painted green.",
        "The lower floor is painted blue.",
        "What colour is the upper floor?",
    ),
    ("My sister Mara works at Siemens.", "My cousin Jonas works at Bosch.", "Where does Mara work?"),
    ("The left speaker hums.", "The right speaker crackles.", "What does the left speaker do?"),
]
BESIDE = ("The printer is on the second floor.", "Ben keeps two goats.", "Lunch is at noon.")

each_embedder = pytest.mark.parametrize("embedder", ["none", "wordllama"])
each_store = pytest.mark.parametrize("beside", [(), BESIDE], ids=["alone", "beside"])


def asked(first: str, second: str, question: str, beside: tuple[str, ...], embedder: str) -> tuple[bool, Answer]:
    """Whether a later text is said to revise anything, and the answer two months after it."""
    clock = FakeClock(datetime(2026, 1, 5, 9, tzinfo=UTC).timestamp())
    with combray.open(":memory:", embedder=embedder, clock=clock, worker=False) as engine:
        for text in (*beside, first):
            engine.remember(text, author="user")
            clock.pass_(days=30)
        proposed = engine.remember(second, author="user").may_revise != ()
        clock.pass_(days=60)
        return proposed, engine.recall(question)


def assert_the_first_answers_unmarked(answer: Answer, first: str) -> None:
    assert answer[0].memory.content == first
    assert {(hit.may_be_outdated_by, hit.may_replace) for hit in answer} == {(None, None)}


@each_embedder
@each_store
@pytest.mark.parametrize(("first", "second", "question"), PAIRS)
def test_neither_is_proposed_nor_marked(
    first: str, second: str, question: str, beside: tuple[str, ...], embedder: str
) -> None:
    proposed, answer = asked(first, second, question, beside, embedder)
    assert not proposed
    assert_the_first_answers_unmarked(answer, first)


@each_embedder
@each_store
def test_the_hours_of_another_branch_are_not_marked(beside: tuple[str, ...], embedder: str) -> None:
    """They may be proposed at the write: the texts differ in a name and a number."""
    first = "The Lyon branch opens at 9:00."
    _, answer = asked(
        first, "The Nantes branch opens at 10:00.", "When does the Lyon branch open?", beside, embedder
    )
    assert_the_first_answers_unmarked(answer, first)
