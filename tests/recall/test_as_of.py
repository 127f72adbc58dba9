"""`as_of`: the answer of that moment, from what was known and valid then.

Later changes are unknown to it, and earlier ones have happened: chains lead to what held then, and plans that
were due by then lead. What was superseded since is marked. Expectations follow from dates and verdicts, not from
scores.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime

import pytest

import combray
from combray import Engine, Hit
from combray.testing.fakes import FakeClock


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock(datetime(2026, 1, 1, tzinfo=UTC).timestamp())


@pytest.fixture(params=["none", "wordllama"])
def engine(request: pytest.FixtureRequest, clock: FakeClock) -> Iterator[Engine]:
    """An engine with a few memories of other things."""
    with combray.open(":memory:", embedder=request.param, worker=False, clock=clock) as opened:
        for text in ("My cousin Ravi plays the oud.", "We have two cats, Miso and Tofu."):
            opened.remember(text, author="user")
        yield opened


def tell(engine: Engine, clock: FakeClock, day: str, text: str, *, diff: bool = False) -> str:
    """Remember a text of that day; its id. With `diff` it is compared with what is stored, as by default."""
    clock.go_to(day)
    return engine.remember(text, author="user", diff=diff).id


def shown(engine: Engine, question: str, as_of: str) -> list[Hit]:
    return list(engine.recall(question, as_of=as_of))


def test_after_a_change_its_words_lead_to_what_replaced_it(engine: Engine, clock: FakeClock) -> None:
    ghent = tell(engine, clock, "2026-01-05", "I live in Ghent.")
    porto = tell(engine, clock, "2026-02-11", "Big news: I moved! Porto it is.")
    engine.settle(porto, ghent, "supersedes")
    clock.go_to("2026-05-01")
    (then,) = (hit for hit in shown(engine, "Where do I live?", "2026-01-20") if hit.memory.id in (ghent, porto))
    assert (then.memory.id, then.outdated_by) == (ghent, porto)
    first, *others = shown(engine, "Where do I live?", "2026-03-01")
    assert (first.memory.id, first.outdated_by) == (porto, None)
    assert ghent not in [hit.memory.id for hit in others]


def test_between_two_changes_the_one_in_the_middle_answers(engine: Engine, clock: FakeClock) -> None:
    days = ["2026-01-05", "2026-02-05", "2026-03-05"]
    texts = ["I live in Ghent.", "Big news: I moved! Porto it is.", "Unpacked the last box in Jena."]
    ids = [tell(engine, clock, day, text) for day, text in zip(days, texts, strict=True)]
    for new, old in ((1, 0), (2, 1)):
        engine.settle(ids[new], ids[old], "supersedes")
    clock.go_to("2026-05-01")
    found = [
        shown(engine, "Where do I live?", day)[0].memory.id for day in ("2026-01-20", "2026-02-20", "2026-03-20")
    ]
    assert found == ids


def test_a_plan_that_was_due_by_then_leads(engine: Engine, clock: FakeClock) -> None:
    kiln = tell(engine, clock, "2026-01-05", "Our office is on Kiln Street.", diff=True)
    weaver = tell(engine, clock, "2026-01-09", "From 1 March our office is on Weaver Lane.", diff=True)
    clock.go_to("2026-05-01")
    before = [hit.memory.id for hit in shown(engine, "Where is our office?", "2026-02-01")]
    assert before[0] == kiln
    assert weaver not in before
    assert shown(engine, "Where is our office?", "2026-03-05")[0].memory.id == weaver


def test_before_then_shows_what_had_been_replaced_by_then(engine: Engine, clock: FakeClock) -> None:
    ghent = tell(engine, clock, "2026-01-05", "I live in Ghent.")
    porto = tell(engine, clock, "2026-02-11", "I live in Porto now.")
    engine.settle(porto, ghent, "supersedes")
    jena = tell(engine, clock, "2026-04-01", "I live in Jena now.")
    engine.settle(jena, porto, "supersedes")
    first, *others = shown(engine, "Where did I live before?", "2026-03-01")
    assert (first.memory.id, first.outdated_by) == (ghent, porto)
    assert jena not in [hit.memory.id for hit in others]
