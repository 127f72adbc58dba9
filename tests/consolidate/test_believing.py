"""What did we believe in May: facts as of a moment, over nights that made and replaced them.

`as_of` asks for one moment in both senses: what the engine had recorded by then, and what held then.
"""

from __future__ import annotations

from datetime import UTC, datetime

import nights

import combray
from combray.testing.fakes import FakeClock, FakeDistiller

APRIL, JUNE = datetime(2024, 4, 10, 9, tzinfo=UTC), datetime(2024, 6, 5, 9, tzinfo=UTC)
A, B = "Ann lives in Berlin", "Ann lives in Munich now"


def believed(engine: combray.Engine, as_of: datetime | None, query: str = "where does Ann live") -> list[str]:
    """Facts that answer the question, as of a moment."""
    return [hit.memory.content for hit in engine.recall(query, kinds=["fact"], as_of=as_of)]


def lived() -> tuple[combray.Engine, FakeClock]:
    """A was said in April, B in June; a consolidation followed in the night of each."""
    clock = FakeClock(APRIL.timestamp())
    engine = combray.open(":memory:", embedder="none", clock=clock, language_model=FakeDistiller(nights.TOLD))
    for moment, text in ((APRIL, "I live in Berlin."), (JUNE, "I live in Munich now.")):
        clock.now = moment.timestamp()
        nights.hear(engine, text, author="Ann")
        clock.pass_(hours=18)
        engine.consolidation.run()
    return engine, clock


def test_as_of_may_gives_what_was_said_in_april_and_now_gives_its_successor() -> None:
    engine, _ = lived()
    with engine:
        assert believed(engine, datetime(2024, 5, 15, tzinfo=UTC)) == [A]
        assert believed(engine, None) == [B]
        assert believed(engine, datetime(2024, 6, 20, tzinfo=UTC)) == [B]


def test_before_the_night_that_recorded_it_nothing_was_believed() -> None:
    engine, _ = lived()
    with engine:
        assert believed(engine, datetime(2024, 4, 9, tzinfo=UTC)) == []
        assert believed(engine, datetime(2024, 4, 10, 12, tzinfo=UTC)) == [], "said at 9, recorded the next night"
        assert believed(engine, datetime(2024, 4, 11, 12, tzinfo=UTC)) == [A]


def test_validity_ends_when_the_successor_begins_not_when_it_was_recorded() -> None:
    """B was said on 5 June at 9 and recorded on 6 June at 3: in between neither is believed."""
    engine, _ = lived()
    with engine:
        old = next(each for each in nights.facts(engine) if each.content == A)
        assert old.valid_to == JUNE
        assert believed(engine, datetime(2024, 6, 5, 8, tzinfo=UTC)) == [A]
        assert believed(engine, datetime(2024, 6, 5, 12, tzinfo=UTC)) == []


def test_a_date_in_the_words_is_the_beginning_of_what_they_say() -> None:
    clock = FakeClock(JUNE.timestamp())
    with combray.open(
        ":memory:", embedder="none", clock=clock, language_model=FakeDistiller(nights.TOLD)
    ) as engine:
        nights.hear(engine, "I moved to Munich in May 2023.", author="Ann")
        engine.consolidation.run()
        (fact,) = [each for each in nights.facts(engine) if each.kind == "fact"]
        assert fact.valid_from == datetime(2023, 5, 1, tzinfo=UTC)
        assert fact.recorded_at == JUNE
        text = "Ann moved to Munich in May 2023"
        query = "did Ann move to Munich"
        assert believed(engine, None, query) == [text]
        assert believed(engine, datetime(2024, 1, 1, tzinfo=UTC), query) == [], (
            "true then, but nobody had told the engine"
        )
