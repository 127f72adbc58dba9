"""Auto-memory: a fact beside the turn, with the turn as evidence, once, and never against the user."""

from __future__ import annotations

import pytest

import combray
from combray import DiskFullError, Engine
from combray.engine.namespace import Verbs
from combray.testing.fakes import FakeClock
from combray.types import Memory


@pytest.fixture
def engine() -> Engine:
    return combray.open(":memory:", embedder="none", clock=FakeClock())


def facts(engine: Engine) -> list[Memory]:
    reader = engine.reader
    return [each for each in reader.memories(reader.scan(combray.runtime.Filter())) if each.kind == "fact"]


def test_a_preference_becomes_a_fact_with_the_turn_as_evidence(engine: Engine) -> None:
    turn = engine.conversation("s").add("Thanks! I prefer functional programming.", author="Ann", extract="rules")
    (fact,) = facts(engine)
    assert fact.content == "I prefer functional programming."
    assert (fact.category, fact.importance, fact.source, fact.author) == ("preference", 3, "auto", "Ann")
    assert (fact.trust, fact.evidence, fact.session) == ("owner", (turn.id,), None)
    assert fact.metadata == {"auto": "preference", "reason": "says a preference", "session": "s"}
    assert turn.content == "Thanks! I prefer functional programming."


def test_a_message_that_is_all_statement_is_kept_beside_its_own_turn(engine: Engine) -> None:
    talk = engine.conversation("s")
    talk.add("I am the tech lead", extract="rules")
    assert [each.action for each in talk.saved] == ["added"]
    assert [each.content for each in facts(engine)] == ["I am the tech lead"]


def test_the_same_statement_is_not_kept_twice(engine: Engine) -> None:
    talk = engine.conversation("s")
    talk.add("I am the tech lead", author="Ann", extract="rules")
    talk.add("I am the tech lead", author="Ann", extract="rules")
    assert [each.action for each in talk.saved] == ["skipped"]
    assert len(facts(engine)) == 1
    talk.add("I am the tech lead", author="Bo", extract="rules")
    assert len(facts(engine)) == 2


def test_a_new_value_supersedes_the_old_one() -> None:
    with combray.open(":memory:", embedder="wordllama") as engine:
        talk = engine.conversation("s")
        talk.add("My office is on floor 3.", extract="rules")
        talk.add("My office is on floor 4 now, no longer on floor 3.", extract="rules")
        assert [each.action for each in talk.saved] == ["replaced"]
        assert [each.content for each in facts(engine)] == ["My office is on floor 4 now, no longer on floor 3."]


def test_off_by_default_and_on_by_the_setting(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    engine.conversation("s").add("I prefer tea.")
    assert facts(engine) == []
    monkeypatch.setenv("COMBRAY_EXTRACT", "rules")
    with combray.open(":memory:", embedder="none") as other:
        talk = other.conversation("s")
        talk.add("I prefer tea.")
        talk.add("I prefer coffee in Rome.", extract="off")
        assert [each.content for each in facts(other)] == ["I prefer tea."]


@pytest.mark.parametrize("fields", [{"author": "assistant"}, {"author": "Ann", "metadata": {"role": "tool"}}])
def test_only_what_users_say(engine: Engine, fields: dict[str, object]) -> None:
    engine.conversation("s").add("I prefer tea.", extract="rules", **fields)  # type: ignore[arg-type]
    assert facts(engine) == []


def test_a_secret_stays_in_its_turn(engine: Engine) -> None:
    talk = engine.conversation("s")
    talk.add("Remember that my password is hunter2", extract="rules")
    assert (talk.saved, facts(engine)) == ((), [])


def test_our_own_prompt_text_is_not_kept_again(engine: Engine) -> None:
    engine.remember("I prefer tea.", category="preference")
    engine.conversation("s").add(str(engine.context("tea")), extract="rules")
    assert len(facts(engine)) == 1


def test_a_turn_is_stored_although_its_fact_cannot_be(
    engine: Engine, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    talk = engine.conversation("s")
    remember_many = Verbs.remember_many

    def full(self: Verbs, items: list[dict[str, object]], **options: object) -> object:
        if items[0].get("source") == "auto":
            raise DiskFullError("no room")
        return remember_many(self, items, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(Verbs, "remember_many", full)
    talk.add("I prefer tea.", extract="rules")
    assert ([turn.content for turn in talk.turns()], talk.saved) == (["I prefer tea."], ())
    assert "could not store" in caplog.text


def test_a_fact_does_not_ask_whether_it_changes_its_own_turn(engine: Engine) -> None:
    talk = engine.conversation("s")
    talk.add("I prefer tea with honey and lemon.", author="user", extract="rules")
    assert len(talk.saved) == 1
    assert engine.unsettled() == []
