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
