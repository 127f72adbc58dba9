"""Recall shows the present: chains of superseded memories, later statements, hedged first hits, the past.

The expectations follow from what the caller said, not from scores: `supersedes=`, and edges made by hand.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime

import pytest

import combray
from combray import Engine
from combray.runtime import Link

EMBEDDERS = ("none", "wordllama")
NOW = datetime(2026, 6, 1, 9, tzinfo=UTC)


@pytest.fixture(params=EMBEDDERS)
def engine(request: pytest.FixtureRequest) -> Iterator[Engine]:
    """An engine whose clock stands at NOW."""
    with combray.open(":memory:", embedder=request.param, worker=False, clock=NOW.timestamp) as opened:
        for text in ("The printer is on the second floor", "Ben keeps two goats", "Lunch is at noon"):
            opened.remember(text, occurred_at="2025-01-01")
        yield opened


def tell(engine: Engine, text: str, on: str, *, diff: bool = False, **fields: str) -> str:
    """Remember a text told on a day; its id. With `diff` it is compared with what is stored, as by default."""
    return engine.remember(text, author="user", occurred_at=on, diff=diff, **fields).id  # type: ignore[arg-type]


def suppose(engine: Engine, new: str, old: str, weight: float) -> None:
    """Make an edge as a write makes it, and no caller."""
    keys = engine.reader.keys_of([new, old])
    with engine.runtime.store.transaction(engine.namespace) as tx:
        tx.link([Link(keys[new], keys[old], "may_revise", weight)], NOW.timestamp())


def settle_all(engine: Engine) -> None:
    """Say of every open pair that both hold."""
    for edge in engine.reader.edges(("may_revise",)):
        engine.settle(edge.source, edge.target, "both")


def shown(engine: Engine, question: str, count: int = 3) -> list[str]:
    """Ids of the first hits."""
    return [hit.memory.id for hit in engine.recall(question, limit=10)[:count]]


# -- chains ----------------------------------------------------------------------------------------------


def test_the_words_of_a_superseded_memory_find_what_replaced_it(engine: Engine) -> None:
    old = tell(engine, "Which city do I live in? I live in Leipzig", "2025-09-03")
    new = tell(engine, "Big news: I moved! Porto it is", "2026-02-21", supersedes=old)
    hits = engine.recall("Which city do I live in?")
    assert hits[0].memory.id == new
    assert old not in [hit.memory.id for hit in hits]


def test_a_chain_leads_to_its_end(engine: Engine) -> None:
    first = tell(engine, "The staging server runs in Frankfurt", "2025-09-03")
    second = tell(engine, "Moved everything over to the Dublin racks", "2025-10-03", supersedes=first)
    third = tell(engine, "Now all of that sits in Oslo", "2025-11-03", supersedes=second)
    hits = [hit.memory.id for hit in engine.recall("Where does the staging server run?")]
    assert hits[0] == third
    assert first not in hits
    assert second not in hits


def test_a_chain_that_ends_in_a_forgotten_memory_gives_nothing(engine: Engine) -> None:
    old = tell(engine, "The staging server runs in Frankfurt", "2025-09-03")
    new = tell(engine, "Now all of that sits in Oslo", "2025-11-03", supersedes=old)
    engine.forget(new)
    assert not {old, new} & set(shown(engine, "Where does the staging server run?", 10))


def test_a_filter_that_excludes_the_end_excludes_the_chain(engine: Engine) -> None:
    old = tell(engine, "The staging server runs in Frankfurt", "2025-09-03", category="decision")
    new = tell(engine, "Now all of that sits in Oslo", "2025-11-03", supersedes=old)
    hits = engine.recall("Where does the staging server run?", categories="decision")
    assert not {old, new} & {hit.memory.id for hit in hits}


# -- the past --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "question",
    [
        "Where did the staging server run before?",
        "Where was the staging server originally?",
        "Where did the staging server run in October 2025?",
    ],
)
def test_a_question_about_the_past_shows_superseded_memories_marked(engine: Engine, question: str) -> None:
    old = tell(engine, "The staging server runs in Frankfurt", "2025-09-03")
    new = tell(engine, "The staging server runs in Oslo", "2025-11-03", supersedes=old)
    hits = {hit.memory.id: hit for hit in engine.recall(question)}
    assert hits[old].outdated_by == new
    assert hits[new].outdated_by is None


def test_as_of_shows_what_held_then(engine: Engine) -> None:
    old = tell(engine, "The staging server runs in Frankfurt", "2025-09-03", recorded_at="2025-09-03")
    new = tell(engine, "The staging server runs in Oslo", "2025-11-03", recorded_at="2025-11-03", supersedes=old)
    then = [hit.memory.id for hit in engine.recall("Where does the staging server run?", as_of="2025-10-01")]
    assert old in then
    assert new not in then


def test_statuses_asked_for_show_superseded_memories_marked(engine: Engine) -> None:
    old = tell(engine, "The staging server runs in Frankfurt", "2025-09-03")
    new = tell(engine, "The staging server runs in Oslo", "2025-11-03", supersedes=old)
    hits = engine.recall("Where does the staging server run?", statuses=["active", "superseded"])
    assert {hit.memory.id: hit.outdated_by for hit in hits[:2]} == {old: new, new: None}


def test_a_settled_pair_is_marked_as_settled_and_no_more_as_open(engine: Engine) -> None:
    old = tell(engine, "I live in Leipzig.", "2025-09-03")
    new = engine.remember("I live in Porto now.", author="user", occurred_at="2026-02-11").id
    question, both = "Where do I live?", ["active", "superseded"]
    engine.settle(new, old, "open")
    open_pair = {hit.memory.id: (hit.may_be_outdated_by, hit.may_replace) for hit in engine.recall(question)}
    assert (open_pair[old], open_pair[new]) == ((new, None), (None, old))
    engine.settle(new, old, "supersedes")
    hits = {hit.memory.id: hit for hit in engine.recall(question, statuses=both)}
    marks = [
        (hits[each].outdated_by, hits[each].may_be_outdated_by, hits[each].may_replace) for each in (old, new)
    ]
    assert marks == [(new, None, None), (None, None, None)]


# -- later statements ------------------------------------------------------------------------------------


def test_a_later_statement_stands_right_behind_the_one_it_may_replace(engine: Engine) -> None:
    old = tell(engine, "I live in Leipzig, in a tiny flat", "2025-09-03")
    new = tell(engine, "Boxes and forms all month, but Porto it is", "2026-02-21")
    engine.link(new, old, type="may_revise", weight=0.9)
    first, second = engine.recall("Where do I live?")[:2]
    assert (first.memory.id, second.memory.id) == (old, new)
    assert first.may_be_outdated_by == new
    assert second.may_replace == old
    assert (first.may_replace, second.may_be_outdated_by) == (None, None)
    assert first.score >= second.score


def test_a_later_statement_that_is_better_stays_in_front_and_the_older_one_is_marked(engine: Engine) -> None:
    old = tell(engine, "The office is a place to live in, in Leipzig", "2025-09-03")
    new = tell(engine, "Where do I live? I live in Porto", "2026-02-21")
    engine.link(new, old, type="may_revise", weight=0.9)
    hits = engine.recall("Where do I live?")
    assert hits[0].memory.id == new
    assert {hit.memory.id: hit.may_be_outdated_by for hit in hits}[old] == new


def test_an_improbable_edge_shows_nothing(engine: Engine) -> None:
    old = tell(engine, "I live in Leipzig, in a tiny flat", "2025-09-03")
    new = tell(engine, "Boxes and forms all month, but Porto it is", "2026-02-21")
    suppose(engine, new, old, 0.01)
    hits = engine.recall("Where do I live?")
    assert [hit.memory.id for hit in hits] == [old]
    assert hits[0].may_be_outdated_by is None


def test_an_answered_edge_shows_nothing(engine: Engine) -> None:
    old = tell(engine, "I live in Leipzig, in a tiny flat", "2025-09-03")
    new = tell(engine, "Boxes and forms all month, but Porto it is", "2026-02-21")
    engine.link(new, old, type="may_revise", weight=0.9, subtype="both")
    assert engine.recall("Where do I live?")[0].may_be_outdated_by is None


def test_nothing_is_pulled_in_for_a_question_about_the_past(engine: Engine) -> None:
    old = tell(engine, "I live in Leipzig, in a tiny flat", "2025-09-03")
    new = tell(engine, "Boxes and forms all month, but Porto it is", "2026-02-21")
    engine.link(new, old, type="may_revise", weight=0.9)
    assert engine.recall("Where did I live before?")[0].memory.id == old
    assert new not in shown(engine, "Where did I live before?", 2)


# -- hedged statements and plans -------------------------------------------------------------------------


def test_a_hedged_statement_leads_when_the_question_asks_for_the_past(engine: Engine) -> None:
    past = tell(engine, "I used to live in Lisbon by the river", "2025-09-03")
    tell(engine, "I live in a small Berlin flat these days", "2025-09-04")
    assert shown(engine, "Where did I live before, by the river?", 1) == [past]


def test_a_plan_leads_from_its_day_on(engine: Engine) -> None:
    """The plan's day is 1 July: in June the present leads, in August the plan does, without any write between."""
    old = tell(engine, "The support line is answered by Ana", "2026-05-01")
    plan = tell(engine, "The support line will go to Ben", "2026-05-20", valid_from="2026-07-01")
    engine.link(plan, old, type="may_revise", weight=0.9)
    june = engine.recall("Who answers the support line?")
    assert june[0].memory.id == old
    assert june[0].may_be_outdated_by is None
    with combray.open(":memory:", embedder="none", clock=datetime(2026, 8, 1, tzinfo=UTC).timestamp) as later:
        old = tell(later, "The support line is answered by Ana", "2026-05-01")
        plan = tell(later, "The support line will go to Ben", "2026-05-20", valid_from="2026-07-01")
        later.link(plan, old, type="may_revise", weight=0.9)
        august = later.recall("Who answers the support line?")
    assert [hit.memory.id for hit in august[:2]] == [plan, old]
    assert august[1].may_be_outdated_by == plan


@pytest.mark.parametrize("embedder", EMBEDDERS)
def test_what_a_plan_supersedes_holds_until_the_day_of_the_plan(embedder: str) -> None:
    now = NOW.timestamp()
    with combray.open(":memory:", embedder=embedder, clock=lambda: now) as engine:
        old = tell(engine, "The support line is answered by Ana", "2026-05-01")
        plan = tell(engine, "Ben takes over in July", "2026-05-20", valid_from="2026-07-01", supersedes=old)
        (june, *_) = engine.recall("Who answers the support line?")
        now = datetime(2026, 8, 1, tzinfo=UTC).timestamp()
        august = engine.recall("Who answers the support line?")
        before = {hit.memory.id: hit for hit in engine.recall("Who answered the support line before?")}
    assert (june.memory.id, june.outdated_by) == (old, None)
    assert august[0].memory.id == plan
    assert old not in [hit.memory.id for hit in august]
    assert before[old].outdated_by == plan


def test_settling_a_plan_leaves_the_present_until_the_day_and_can_be_undone(engine: Engine) -> None:
    old = tell(engine, "The support line is answered by Ana", "2026-05-01")
    plan = tell(engine, "Ben takes over in July", "2026-05-20", valid_from="2026-07-01")
    before = engine.get(old)
    engine.settle(plan, old, "supersedes")
    assert engine.get(old).status == "active"
    assert engine.recall("Who answers the support line?")[0].memory.id == old
    assert engine.get(old).valid_to == datetime(2026, 7, 1, tzinfo=UTC)
    engine.settle(plan, old, "open")
    assert engine.get(old) == before


def test_quarantined_and_foreign_memories_are_never_pulled_in(engine: Engine) -> None:
    old = tell(engine, "I live in Leipzig, in a tiny flat", "2025-09-03")
    new = tell(engine, "Boxes and forms all month, but Porto it is", "2026-02-21", trust="untrusted")
    engine.link(new, old, type="may_revise", weight=0.9)
    hits = engine.recall("Where do I live?", trusts=["owner"])
    assert hits[0].may_be_outdated_by is None
    assert new not in [hit.memory.id for hit in hits]


# -- plans that came due ---------------------------------------------------------------------------------


def desk(engine: Engine) -> tuple[str, str]:
    """A state, and a plan that came due on 1 April."""
    old = tell(engine, "The front desk is open until 18:00", "2026-01-10", diff=True)
    plan = tell(engine, "From 1 April the front desk will be open until 20:00", "2026-03-20", diff=True)
    return old, plan


def test_a_plan_whose_day_has_come_leads(engine: Engine) -> None:
    _, plan = desk(engine)
    assert shown(engine, "Until when is the front desk open?")[0] == plan


def test_a_plan_that_was_put_off_before_its_day_does_not_lead(engine: Engine) -> None:
    old, plan = desk(engine)
    slip = tell(engine, "The longer evenings at the desk come in autumn", "2026-03-28")
    settle_all(engine)
    engine.link(slip, plan, type="may_revise", weight=0.9)
    assert shown(engine, "Until when is the front desk open?")[0] == old


# -- chains of open pairs --------------------------------------------------------------------------------


def test_the_last_of_several_later_statements_may_replace_the_others(engine: Engine) -> None:
    first = tell(engine, "The choir at Umlazi Road has 34 singers", "2025-03-12")
    second = tell(engine, "Eleven new faces tonight, that makes 45", "2025-08-05")
    third = tell(engine, "After the holidays the headcount is 41", "2026-01-26")
    engine.link(second, first, type="may_revise", weight=0.6)
    engine.link(third, first, type="may_revise", weight=0.5)
    hits = {hit.memory.id: hit for hit in engine.recall("How many singers has the choir at Umlazi Road?")}
    assert hits[first].may_be_outdated_by is not None
    assert hits[second].may_be_outdated_by == third
    assert hits[third].may_be_outdated_by is None


def test_what_is_pulled_in_brings_what_may_replace_it(engine: Engine) -> None:
    first = tell(engine, "My knee bends to 95 degrees after the operation", "2025-04-30")
    second = tell(engine, "Physio measured 118 today, she was delighted", "2025-06-26")
    third = tell(engine, "Measured again: 131, almost like the good one", "2025-10-02")
    engine.link(second, first, type="may_revise", weight=0.6)
    engine.link(third, second, type="may_revise", weight=0.6)
    hits = engine.recall("How far does my knee bend after the operation?")
    assert [hit.memory.id for hit in hits[:3]] == [first, second, third]
    assert [hit.may_be_outdated_by for hit in hits[:3]] == [second, third, None]


def test_a_plan_leads_only_the_hits_that_it_probably_revises(engine: Engine) -> None:
    """It came due and very probably revises the second memory. That says nothing of the first."""
    passport = tell(engine, "My passport expires on 2027-11-03.", "2026-01-06")
    car = tell(engine, "The car needs an oil change every 15,000 km.", "2026-03-15")
    rent = tell(engine, "Our landlord raised the rent to 1,450 euros from May on.", "2026-04-10")
    for new, old, weight in ((car, passport, 0.08), (rent, passport, 0.02), (rent, car, 0.9)):
        suppose(engine, new, old, weight)
    assert shown(engine, "When does my passport expire?", 1) == [passport]


def test_a_date_given_in_words_of_the_present_makes_a_plan(engine: Engine) -> None:
    old = tell(engine, "I live in a rented room in Peckham", "2025-10-02")
    plan = tell(engine, "On 1 July 2026 I move into my own flat in Walthamstow", "2025-11-15")
    engine.link(plan, old, type="may_revise", weight=0.3)
    assert engine.recall("Where do I live?")[0].may_be_outdated_by is None
    before = [hit.memory.id for hit in engine.recall("Where do I live?")]
    assert before[0] == old
    due = tell(engine, "My desk is in the Harwood office", "2025-10-02")
    came = tell(engine, "On 4 May 2026 I move to a desk in the Quay office", "2026-04-15")
    engine.link(came, due, type="may_revise", weight=0.3)
    hits = engine.recall("In which office is my desk?")
    assert [hit.memory.id for hit in hits[:2]] == [came, due]
    assert hits[1].may_be_outdated_by == came


def test_another_day_of_an_event_is_shown_before_that_day(engine: Engine) -> None:
    old = tell(engine, "The parents' evening is on 18 June", "2026-05-03")
    new = tell(engine, "The school writes that the evening moves to 25 June", "2026-05-13")
    engine.link(new, old, type="may_revise", weight=0.6)
    hits = {hit.memory.id: hit for hit in engine.recall("On which day is the parents' evening?")}
    assert hits[old].may_be_outdated_by == new


def test_a_plan_stays_on_its_day_when_a_later_text_only_speaks_of_it(engine: Engine) -> None:
    """Boxes that are packed put no move off: from 1 April on the plan leads."""
    _, plan = desk(engine)
    packed = tell(engine, "Four boxes of leaflets for the front desk are packed", "2026-03-28")
    engine.link(packed, plan, type="may_revise", weight=0.4)
    assert shown(engine, "Until when is the front desk open?")[0] == plan


def test_a_plan_that_was_dropped_does_not_lead(engine: Engine) -> None:
    old, plan = desk(engine)
    dropped = tell(engine, "The union said no, so the longer evenings are off", "2026-03-28")
    settle_all(engine)
    engine.link(dropped, plan, type="may_revise", weight=0.1)
    assert shown(engine, "Until when is the front desk open?")[0] == old


def test_a_plan_leads_for_a_question_about_plans(engine: Engine) -> None:
    old = tell(engine, "The twins are with my mother all week", "2026-01-10")
    plan = tell(engine, "In September 2026 the twins will go to the nursery in Elm Street", "2026-05-20")
    engine.link(plan, old, type="may_revise", weight=0.4)
    assert shown(engine, "Which nursery will the twins go to?", 1) == [plan]


def test_what_may_revise_a_plan_that_leads_stands_behind_the_plan(engine: Engine) -> None:
    old = tell(engine, "The front desk is open until 18:00", "2026-01-10")
    plan = tell(engine, "From 1 April the front desk will be open until 20:00", "2026-03-20")
    later = tell(engine, "Ana locks up at half past eight these days", "2026-05-02")
    settle_all(engine)
    engine.link(plan, old, type="may_revise", weight=0.5)
    engine.link(later, plan, type="may_revise", weight=0.9)
    assert shown(engine, "Until when is the front desk open?") == [plan, later, old]


def test_a_doubtful_later_statement_takes_none_of_the_first_three_places(engine: Engine) -> None:
    """An edge that a caller made marks the first hit; it takes no third place from what the question finds."""
    for text in ("in the parish hall on Mondays", "a mass by Fauré this spring", "without the basses until May"):
        tell(engine, f"The choir of Umlazi Road rehearses {text}", "2025-03-12")
    later = tell(engine, "Somebody left a scarf on the piano", "2025-05-01")
    settle_all(engine)
    question = "What does the choir of Umlazi Road rehearse, and where?"
    before = shown(engine, question)
    engine.link(later, before[0], type="may_revise", weight=0.1)
    hits = engine.recall(question, limit=10)
    assert [hit.memory.id for hit in hits[:3]] == before
    assert hits[0].may_be_outdated_by == later
    assert later in [hit.memory.id for hit in hits]
    assert [hit.score for hit in hits] == sorted((hit.score for hit in hits), reverse=True)


def test_no_open_pair_marks_a_hit_of_a_question_about_the_past(engine: Engine) -> None:
    old = tell(engine, "When Zoltan started, the backend was one large PHP file", "2025-03-12")
    later = tell(engine, "The backend has moved to Elixir", "2025-05-01")
    engine.link(later, old, type="may_revise", weight=0.9)
    hits = engine.recall("What was the backend made of when Zoltan started?")
    assert hits[0].memory.id == old
    assert hits[0].may_be_outdated_by is None
