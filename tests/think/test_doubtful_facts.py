"""Answers where it is not settled which of two statements holds: both stand, once each, with their dates."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

import combray


@pytest.mark.parametrize("embedder", ["none", "wordllama"])
def test_where_it_is_doubtful_both_are_said_once_with_their_dates(embedder: str) -> None:
    with combray.open(":memory:", embedder=embedder, worker=False) as engine:
        old = engine.remember("I live in Leipzig.", author="Ana", occurred_at="2025-09-03")
        engine.remember("My sister plays the cello.", author="Ana", occurred_at="2025-10-01")
        new = engine.remember("I live in Porto now.", author="Ana", occurred_at="2026-02-11")
        answer = engine.think("Where does Ana live?").answer
        assert (answer.count("Leipzig"), answer.count("Porto")) == (1, 1)
        assert "2025-09-03" in answer
        assert "2026-02-11" in answer
        engine.settle(new.id, old.id, "supersedes")
        answer = engine.think("Where does Ana live?").answer
        assert answer.index("Porto") < answer.index("Earlier: “I live in Leipzig.”")


def test_a_superseded_value_is_said_once_and_what_was_corrected_is_no_earlier_value() -> None:
    with combray.open(":memory:", embedder="none", worker=False) as engine:
        old = engine.remember("I live in Leipzig.", author="Ana", occurred_at="2025-09-03").id
        engine.remember("My sister plays the cello.", author="Ana", occurred_at="2025-10-01")
        new = engine.remember("I live in Porto now.", author="Ana", occurred_at="2026-02-11").id
        engine.settle(new, old, "supersedes")
        past = engine.think("Where did Ana live before?")
        assert past.answer.count("Leipzig") == 1
        assert [hit.memory.id for hit in past.sources].count(old) == 1
        engine.settle(new, old, "corrects")
        for question in ("Where does Ana live?", "Where did Ana live before?"):
            assert "Leipzig" not in engine.think(question).answer


def test_every_value_that_one_statement_replaced_is_an_earlier_one() -> None:
    with combray.open(":memory:", embedder="none", worker=False) as engine:
        first = engine.remember("Bo drinks tea at breakfast.", occurred_at="2025-09-03").id
        second = engine.remember("Bo drinks cocoa at breakfast.", occurred_at="2025-09-04", diff=False).id
        engine.remember("Bo drinks water at breakfast.", occurred_at="2026-02-11", supersedes=[first, second])
        answer = engine.think("What does Bo drink at breakfast?").answer
        assert "Earlier: “Bo drinks tea at breakfast.”" in answer
        assert "Earlier: “Bo drinks cocoa at breakfast.”" in answer


class Written:
    """A language model that answers what a test tells it to."""

    name = "written"
    leaves_process = False
    answer = ""

    def complete(self, system: str, prompt: str, *, max_tokens: int = 0) -> str:
        return self.answer


@pytest.fixture
def model() -> Written:
    return Written()


def numbered(engine: combray.Engine, question: str, **options: str) -> dict[str, int]:
    """Numbers of the sources by their text."""
    found = engine.think(question, **options)  # type: ignore[arg-type]
    return {hit.memory.content: number for number, hit in enumerate(found.sources, 1)}


def test_a_model_may_not_state_what_is_superseded_or_lies_ahead_as_current(model: Written) -> None:
    clock = datetime(2026, 3, 1, tzinfo=UTC).timestamp
    with combray.open(":memory:", embedder="none", worker=False, language_model=model, clock=clock) as engine:
        old = engine.remember("I live in Ghent.", author="Ana", occurred_at="2025-09-03").id
        engine.remember("I live in Porto now.", author="Ana", occurred_at="2026-02-11", supersedes=old)
        engine.remember("From 1 June I live in Bern.", author="Ana", occurred_at="2026-02-20")
        engine.remember("My sister plays the cello.", author="Ana", occurred_at="2025-10-01")
        question = "Where does Ana live?"
        at = numbered(engine, question)
        told = ("I live in Ghent.", "I live in Porto now.", "From 1 June I live in Bern.")
        ghent, porto, bern = (at[each] for each in told)
        for false in (f"Ana lives in Ghent [{ghent}].", f"Ana lives in Bern [{bern}]."):
            model.answer = false
            refused = engine.think(question)
            assert refused.mode == "extractive"
            assert refused.answer.startswith("“I live in Porto now.”")
        for true in (
            f"Ana lives in Porto [{porto}].",
            f"Previously, Ana lived in Ghent [{ghent}].",
            f"Ana will live in Bern from 1 June [{bern}].",
            f"Ana lives in Porto [{porto}] and will live in Bern from 1 June [{bern}].",
        ):
            model.answer = true
            assert (engine.think(question).mode, true) == ("model", true)
        past = "Where did Ana live before?"
        model.answer = f"Ghent [{numbered(engine, past)['I live in Ghent.']}]."
        assert engine.think(past).mode == "model"


def test_where_a_model_names_one_of_two_doubtful_statements_the_later_one_is_added(model: Written) -> None:
    with combray.open(":memory:", embedder="none", worker=False, language_model=model) as engine:
        engine.remember("I live in Leipzig.", author="Ana", occurred_at="2025-09-03")
        engine.remember("My sister plays the cello.", author="Ana", occurred_at="2025-10-01")
        engine.remember("I live in Porto now.", author="Ana", occurred_at="2026-02-11")
        question = "Where does Ana live?"
        at = numbered(engine, question)
        leipzig, porto = at["I live in Leipzig."], at["I live in Porto now."]
        model.answer = f"Ana lives in Leipzig [{leipzig}]."
        thought = engine.think(question)
        assert thought.mode == "model"
        assert "Later, may replace it: “I live in Porto now.”" in thought.answer
        assert all(day in thought.answer for day in ("2025-09-03", "2026-02-11"))
        assert {each.number for each in thought.citations} == {leipzig, porto}
        model.answer = f"Ana lives in Leipzig [{leipzig}] or Porto [{porto}]."
        assert "Later" not in engine.think(question).answer


def test_the_first_day_of_a_plan_lies_ahead_wherever_it_stands_in_the_sentence() -> None:
    clock = datetime(2026, 1, 9, tzinfo=UTC).timestamp
    with combray.open(":memory:", embedder="none", worker=False, clock=clock) as engine:
        for text in ("From 1 March our office is on Weaver Lane.", "Hana runs the newsletter from 2 March."):
            engine.remember(text)
        shown = engine.context("Where is our office? Who runs the newsletter?", keep=0.0).text
        assert "1 March = 2026-03-01" in shown
        assert "2 March = 2026-03-02" in shown
