"""Passive streaming: memories prepared in the background from the last two turns, and told how fresh they are."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest

import combray
from combray import Engine
from combray.conversation.stream import MOST_SHOWN, TURNS
from combray.designs.semantic_facts.preset import PASSIVE
from combray.recall.asking import Asking
from combray.testing.fakes import FakeClock, FakeEmbedder
from combray.types import Answer

PEANUTS = "Anna is allergic to peanuts and cannot eat curry."


@pytest.fixture
def engine() -> Iterator[Engine]:
    with combray.open(":memory:", embedder=FakeEmbedder(), clock=FakeClock()) as engine:
        yield engine


@pytest.fixture
def gate(monkeypatch: pytest.MonkeyPatch) -> threading.Event:
    """Searches in the background wait for it; it is open until cleared."""
    gate = threading.Event()
    gate.set()
    answer: Callable[..., Answer] = Asking.answer

    def waiting(self: Asking, *args: object, **options: object) -> Answer:
        assert gate.wait(90)
        return answer(self, *args, **options)

    monkeypatch.setattr(Asking, "answer", waiting)
    return gate


def shown(context: combray.prompt.budget.Context, slot: str) -> str:
    return next((section.text for section in context.sections if section.name == slot), "")


def test_facts_and_episodes_about_the_last_turns_are_there_for_the_next(engine: Engine) -> None:
    engine.remember(PEANUTS)
    engine.remember("The harbour freezes in January.")
    engine.conversation("march").add("The curry with peanuts made Anna ill.", author="Bo")
    talk = engine.conversation("today")
    talk.add("Dinner for Anna tonight?", author="user")
    talk.add("Curry with peanuts perhaps.", author="assistant")
    assert talk.wait()
    made = talk.context()
    assert made.state == "ready"
    assert PEANUTS in shown(made, "facts")
    assert "made Anna ill. (Bo; 2024-05-01; " in shown(made, "episodes")
    assert "harbour" not in made.text
    assert shown(made, "recent").endswith(
        "user: Dinner for Anna tonight?\nassistant: Curry with peanuts perhaps."
    )


def test_the_search_is_about_the_last_two_turns_only(engine: Engine) -> None:
    assert TURNS == 2  # "Conversation Turn N-2, N-1 → Background Thread"
    engine.remember("The harbour freezes in January.")
    talk = engine.conversation("today")
    talk.add_many([{"content": "The harbour?"}, {"content": "Dinner for Anna."}, {"content": "Curry then."}])
    assert talk.wait()
    assert shown(talk.context(), "facts") == ""


def test_the_answer_never_waits_for_a_search_and_says_how_old_it_is(
    engine: Engine, gate: threading.Event
) -> None:
    engine.remember(PEANUTS)
    talk = engine.conversation("today")
    assert talk.context().state == "nothing prepared yet"
    gate.clear()
    talk.add("Dinner for Anna?")
    assert talk.context().state == "preparing"
    gate.set()
    assert talk.wait()
    assert talk.context().state == "ready"
    gate.clear()
    talk.add("What about the harbour?")
    late = talk.context()
    assert late.state == "stale by one turn"
    assert PEANUTS in late.text
    talk.add_many([{"content": "Hm."}, {"content": "Well."}])
    assert talk.context().state == "stale by 3 turns"
    gate.set()


def test_a_turn_is_answered_with_what_was_found_before_it(engine: Engine) -> None:
    """ "Uses previous turns (N-2, N-1), NOT current user input", however fast the search about turn N is."""
    engine.remember(PEANUTS)
    engine.remember("The harbour freezes in January.")
    talk = engine.conversation("today")
    talk.add("Dinner for Anna?")
    talk.add("Curry perhaps.")
    held = talk.prefetched()
    talk.add("What about the harbour?")
    talk.add("And in January?")
    assert talk.wait()
    made = talk.context(prefetched=held)
    assert made.state == "ready"
    assert PEANUTS in shown(made, "facts")
    assert "harbour freezes" not in shown(made, "facts")
    assert "harbour freezes" in shown(talk.context(), "facts")


def test_turns_already_in_the_prompt_and_what_was_drawn_from_them_are_not_streamed(engine: Engine) -> None:
    talk = engine.conversation("today")
    turn = talk.add("Remember that Anna is allergic to peanuts.", extract="rules")
    assert talk.saved[0].action == "added"
    assert talk.wait()
    made = talk.context()
    assert {section.name for section in made.sections} == {"recent"}
    assert (turn.id,) == made.sections[0].ids
    assert [(each.id, each.reason) for each in made.dropped] == [
        (talk.saved[0].id, "duplicates an earlier memory")
    ]


def test_what_a_tool_has_found_is_not_streamed_again(engine: Engine) -> None:
    known = engine.remember(PEANUTS)
    talk = engine.conversation("today")
    talk.add("Is Anna allergic to peanuts?")
    assert talk.wait()
    made = talk.context(tool_results=engine.recall("Anna peanuts", kinds=["fact"]))
    assert PEANUTS in shown(made, "tools")
    assert shown(made, "facts") == ""
    assert made.text.count(known.id[:8]) == 1


def test_only_sure_memories_and_at_most_five_of_a_kind(engine: Engine) -> None:
    # "confidence > 0.5: full participation"; "top 3-5 facts".
    engine.remember("Anna hates peanuts, says a rumour.", confidence=0.5)
    # Far apart, so that none repeats another; short, so that the slot has room for five whatever their ids cost.
    for about in ["harbour", "violin", "lantern", "bakery", "glacier", "tractor", "museum", "orchid", "compass"]:
        engine.remember(f"Anna: peanuts, {about}.", diff=False, confidence=0.51)
    talk = engine.conversation("today")
    talk.add("Anna and peanuts")
    assert talk.wait()
    facts = shown(talk.context(budget=5000), "facts")
    assert "rumour" not in facts
    assert facts.count("- Anna:") == MOST_SHOWN == 5


def test_what_was_forgotten_or_became_doubtful_meanwhile_is_not_shown(engine: Engine) -> None:
    known = engine.remember(PEANUTS)
    talk = engine.conversation("today")
    talk.add("Dinner for Anna?")
    assert talk.wait()
    assert PEANUTS in talk.context().text
    engine.forget(known.id)
    assert PEANUTS not in talk.context().text


def test_nothing_crosses_a_namespace(engine: Engine) -> None:
    engine.within("other").remember(PEANUTS)
    engine.within("other").conversation("today").add(f"Said elsewhere: {PEANUTS}")
    talk = engine.conversation("today")
    talk.add("Anna, peanuts and curry")
    assert talk.wait()
    assert "allergic" not in talk.context().text


def test_a_failing_search_is_told_and_no_turn_fails_for_it(
    engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object, **__: object) -> Answer:
        raise OSError("the disk is gone")

    monkeypatch.setattr(Asking, "answer", broken)
    talk = engine.conversation("today")
    talk.add("one")
    talk.wait()
    talk.add("two")
    talk.wait()
    made = talk.context()
    assert made.state == "failed: the disk is gone"
    assert "two" in made.text


def test_streaming_counts_no_access(engine: Engine) -> None:
    known = engine.remember(PEANUTS)
    talk = engine.conversation("today")
    talk.add("Dinner for Anna?")
    assert talk.wait()
    talk.context()
    talk.add("ok")
    assert engine.get(known.id).access_count == 0


def test_closing_stops_the_worker_and_a_closed_stream_says_so(tmp_path: Path) -> None:
    before = set(threading.enumerate())
    engine = combray.open(tmp_path / "a.db", embedder="none")
    talk = engine.conversation("today")
    talk.add("one")
    assert talk.wait()
    talk.add("two")
    engine.close()
    assert talk._stream.state == "closed"
    assert not engine._at.background.submit("late", threading.Event().set)
    assert "combray" not in {thread.name for thread in set(threading.enumerate()) - before}


def test_a_bulk_of_turns_starts_no_search_until_a_context_is_asked_for(engine: Engine) -> None:
    before = set(threading.enumerate())
    engine.conversation("import").add_many([{"content": f"turn {n}"} for n in range(50)])
    engine.conversation("import").add("one more")
    assert set(threading.enumerate()) <= before


def test_the_page_weighs_similarity_confidence_and_recency() -> None:
    # "relevance_score = similarity * 0.6 + confidence * 0.3 + recency * 0.1"
    (weights,) = [stage["settings"] for stage in PASSIVE.describe() if stage["stage"] == "WeighRelevance"]
    assert np.allclose([weights[name] for name in ("similarity", "confidence", "recency")], [0.6, 0.3, 0.1])
