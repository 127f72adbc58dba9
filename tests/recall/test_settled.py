"""What a settled pair gives: the later memory answers wherever the earlier one did, and marks follow the chain.

The expectations follow from the verdicts of the caller (docs/explanation/current-facts.md), not from scores.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from itertools import pairwise

import pytest

import combray
from combray import Engine


class Clock:
    """A clock that a test sets."""

    at = datetime(2026, 3, 1, 9, tzinfo=UTC)

    def __call__(self) -> float:
        return self.at.timestamp()


@pytest.fixture(params=["none", "wordllama"])
def engine(request: pytest.FixtureRequest) -> Iterator[Engine]:
    """An engine with a few memories of other things, so that the answer must be found."""
    with combray.open(":memory:", embedder=request.param, worker=False, clock=Clock()) as opened:
        for text in ("The printer is on the second floor", "Ben keeps two goats", "Our dog barks at the postman"):
            opened.remember(text, author="Ben", occurred_at="2025-01-01")
        yield opened


def tell(engine: Engine, text: str, on: str, **fields: str) -> str:
    """Remember a text of Fabrizio's told on a day; its id."""
    return engine.remember(text, author="Fabrizio", occurred_at=on, diff=False, **fields).id  # type: ignore[arg-type]


PAIRS = [
    (
        "Which is Fabrizio's favourite place for lunch?",
        "My favourite place for lunch is the ramen bar on Dock Street.",
        "If anyone asks me where to go at noon: the Georgian lady with the cheese bread, every single time.",
    ),
    (
        "Where do invoices for Marlow & Pike have to go?",
        "Invoices for Marlow & Pike go to accounts@marlowpike.example.",
        "I had that address wrong, sorry, it was never accounts@. The right one is billing@marlowpike.example",
    ),
    (
        "Where does my sister Elisabeth work?",
        "My sister Elisabeth works as a vet in Lund.",
        "Betty started at a pharma company in Basel this month, no more horses.",
    ),
]


@pytest.mark.parametrize(("question", "earlier", "later"), PAIRS)
def test_what_supersedes_an_answer_is_the_answer(engine: Engine, question: str, earlier: str, later: str) -> None:
    """No bound of evidence refuses it: the words of the one that it superseded answered the question."""
    old = tell(engine, earlier, "2026-01-10")
    assert engine.recall(question)[0].memory.id == old
    new = tell(engine, later, "2026-02-20")
    engine.settle(new, old, "supersedes")
    hits = engine.recall(question)
    assert hits[0].memory.id == new
    assert old not in [hit.memory.id for hit in hits]
    engine.settle(new, old, "open")
    assert old in [hit.memory.id for hit in engine.recall(question)[:2]]


def test_a_successor_has_the_place_of_the_best_that_it_superseded(engine: Engine) -> None:
    first = tell(engine, "The staging server runs in Frankfurt, in the north hall", "2026-01-10")
    second = tell(engine, "Moved everything over to the Dublin racks", "2026-01-20", supersedes=first)
    other = tell(engine, "The build server is next to the staging server, in the north hall", "2026-01-25")
    third = tell(engine, "Now all of that sits in Oslo", "2026-02-03", supersedes=second)
    hits = engine.recall("Where does the staging server run?")
    assert hits[0].memory.id == third
    assert [hit.memory.id for hit in hits].count(third) == 1
    assert all(before.score >= after.score for before, after in pairwise(hits))
    assert hits[0].via == "revision"
    assert first not in [hit.memory.id for hit in hits]
    assert other in [hit.memory.id for hit in hits]


@pytest.mark.parametrize(
    ("earlier", "later"),
    [
        ("The parents' evening is on 18 May.", "The parents' evening has been moved to 25 May."),
        ("The parents' evening is on 18 May.", "I misread the letter: the parents' evening is on 25 May."),
        ("家长会定在5月18日晚上七点。", "学校通知，家长会改到5月25日，时间不变。"),
    ],
)
def test_what_was_put_off_ends_at_once(engine: Engine, earlier: str, later: str) -> None:
    """Until 25 May nobody may be told 18 May: the new day is no day from which something else holds."""
    question = "家长会是哪天？" if earlier[0] == "家" else "When is the parents' evening?"
    old, new = tell(engine, earlier, "2026-02-01"), tell(engine, later, "2026-02-20")
    engine.settle(new, old, "supersedes")
    assert engine.get(old).status == "superseded"
    assert engine.recall(question)[0].memory.id == new
    assert old not in [hit.memory.id for hit in engine.recall(question)]
    told = engine.remember(later + " !", author="Fabrizio", occurred_at="2026-02-21", supersedes=new)
    assert engine.get(new).superseded_by == told.id
    assert engine.get(new).status == "superseded"


def test_a_state_that_a_plan_changes_holds_until_its_day(engine: Engine) -> None:
    old = tell(engine, "The workshop is in the yard behind 19 Tanner Row.", "2026-02-01")
    plan = tell(engine, "We move the workshop on 3 June, to the old tram depot.", "2026-02-20")
    engine.settle(plan, old, "supersedes")
    assert engine.get(old).status == "active"
    assert engine.recall("Where is the workshop?")[0].memory.id == old


def test_the_open_pair_of_a_superseded_memory_is_one_of_what_superseded_it(engine: Engine) -> None:
    """Settled is that the third replaces the second; the first may be replaced by the third all the same."""
    first = tell(engine, "The staging server runs in Frankfurt", "2026-01-10")
    second = tell(engine, "Everything has been moved over to the Dublin racks", "2026-01-20")
    engine.link(second, first, type="may_revise", weight=0.9)
    third = tell(engine, "Now all of that sits in Oslo", "2026-02-03", supersedes=second)
    hits = engine.recall("Where does the staging server run?")
    marked = {hit.memory.id: hit.may_be_outdated_by for hit in hits}
    assert marked[first] == third
    assert second not in marked
    engine.settle(third, first, "both")
    hits = engine.recall("Where does the staging server run?")
    assert {hit.memory.id: hit.may_be_outdated_by for hit in hits}[first] is None


def test_the_words_of_a_merged_memory_find_what_it_was_merged_into(engine: Engine) -> None:
    question = "At what time is Fabrizio's standup?"
    old = tell(engine, "My standup is at 9:30.", "2025-09-03")
    new = tell(engine, "The daily round with the team begins half an hour before ten.", "2025-11-03")
    assert engine.recall(question)[0].memory.id == old
    engine.settle(new, old, "same")
    (hit,) = (each for each in engine.recall(question) if each.memory.id in (old, new))
    assert (hit.memory.id, hit.restated_by, hit.outdated_by) == (new, (old,), None)
    engine.settle(new, old, "open")
    assert engine.recall(question)[0].memory.id == old
