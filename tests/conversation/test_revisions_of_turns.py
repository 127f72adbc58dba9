"""A turn of a conversation may change what was said before: the pair is reported, and shown by recall."""

from __future__ import annotations

import pytest

import combray


@pytest.mark.parametrize("embedder", ["none", "wordllama"])
def test_a_turn_names_the_earlier_turn_that_it_may_change(embedder: str) -> None:
    with combray.open(":memory:", embedder=embedder, worker=False) as engine:
        talk = engine.conversation("monday")
        old = talk.add("My favourite colour is blue", author="user", occurred_at="2026-05-01")
        talk.add("The printer on the second floor is out of toner", author="user", occurred_at="2026-05-02")
        assert talk.may_revise == {}
        new = talk.add("My favourite colour is green now", author="user", occurred_at="2026-05-03")
        assert [each.id for each in talk.may_revise[new.id]][:1] == [old.id]
        talk.add("Thanks, that is all", author="user", occurred_at="2026-05-04")
        assert talk.may_revise == {}
        engine.settle(new.id, old.id, "supersedes")
        assert engine.recall("What is my favourite colour?")[0].memory.id == new.id


def test_the_context_of_a_conversation_marks_what_may_be_outdated_or_lies_ahead() -> None:
    with combray.open(":memory:", embedder="none", worker=False) as engine:
        for text, day in (
            ("My dentist is Dr. Okafor.", "2026-05-01"),
            ("My dentist is Dr. Okonjo now.", "2026-05-03"),
            ("From 1 June 2126 my dentist is Dr. Okello.", "2026-05-04"),
        ):
            engine.remember(
                text, author="user", occurred_at=day, valid_from="2126-06-01" if "From" in text else None
            )
        (now,) = (each for each in engine.unsettled() if each.new.content == "My dentist is Dr. Okonjo now.")
        new, old = now.new, now.old
        engine.settle(new.id, old.id, "open")
        talk = engine.conversation("tuesday")
        talk.add("Who is my dentist?", author="user")
        talk.wait()
        lines = {line.split(" (")[0].removeprefix("- "): line for line in talk.context().text.splitlines()}
        assert "may be outdated: see a later memory" in lines[old.content]
        assert "later, may replace an earlier memory" in lines[new.content]
        assert "from 2126-06-01 on" in lines["From 1 June 2126 my dentist is Dr. Okello."]
        answer = engine.recall("Who is my dentist?")
        shown = engine.conversation("wednesday").context(tool_results=answer).text
        assert "may be outdated" in next(line for line in shown.splitlines() if "Okafor" in line)
