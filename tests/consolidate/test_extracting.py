"""Facts that a language model finds in what was said: what they rest on, and that they can be taken back."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import nights
import numpy as np
import pytest

import combray
from combray.testing.fakes import FakeClock, FakeDistiller, FakeEmbedder
from combray.types import Memory

MAY = datetime(2024, 5, 1, 12, tzinfo=UTC)
"""When the fake clock starts, a Wednesday."""

HOME = {"subject": "Ann", "attribute": "home", "value": "Berlin", "single": True}


def made(engine: combray.Engine) -> list[Memory]:
    """The facts that were extracted, of any status, as they were written."""
    return [each for each in nights.facts(engine) if each.source == "extraction"]


def test_a_statement_becomes_a_fact_that_rests_on_its_episode_alone() -> None:
    with nights.opened(distil=True) as engine:
        said = nights.hear(engine, "I live in Berlin", author="Ann", trust="owner")
        nights.hear(engine, "Nice, what is it like?", author="Melanie")
        done = engine.consolidation.run()
        (fact,) = made(engine)
        assert done.degraded == ()
        assert fact.content == "Ann lives in Berlin"
        assert (fact.kind, fact.status, fact.trust, fact.session, fact.author) == (
            "fact",
            "active",
            "owner",
            None,
            None,
        )
        assert fact.evidence == (said,), "SEEDS.md 21: only episodes that support the fact"
        assert fact.valid_from == fact.occurred_from == MAY
        assert fact.recorded_at == MAY, "the engine learned it in the night it was made"
        assert {name: fact.metadata[name] for name in HOME} == HOME
        assert "Ann" in fact.entities
        assert fact.confidence == 0.65
        assert engine.extraction.status()["facts"] == 1
        assert [hit.memory.id for hit in engine.recall("Berlin", kinds=["fact"])] == [fact.id]


def test_without_a_model_no_fact_is_made_and_a_later_model_reads_what_was_said() -> None:
    with nights.opened() as engine:
        engine._at.settings = {**engine.settings, "extract": "model"}
        nights.hear(engine, "I live in Berlin", author="Ann")
        engine.consolidation.run()
        assert made(engine) == []
        engine._at.runtime = replace(engine.runtime, language_model=FakeDistiller(nights.TOLD))
        engine.consolidation.run()
        assert [each.content for each in made(engine)] == ["Ann lives in Berlin"]


@pytest.mark.parametrize(
    ("text", "author", "trust"),
    [
        ("I live in Berlin", "assistant", "owner"),
        ("I live in Berlin", "Ann", "untrusted"),
        ("I live in Berlin", "Ann", "quarantined"),
    ],
)
def test_what_gives_no_fact(text: str, author: str, trust: str) -> None:
    with nights.opened(distil=True) as engine:
        nights.hear(engine, text, author=author, trust=trust)
        engine.consolidation.run()
        assert made(engine) == []


def test_a_second_run_makes_nothing_and_a_third_reads_what_came_since() -> None:
    clock = FakeClock()
    with nights.opened(clock=clock, distil=True) as engine:
        nights.hear(engine, "I live in Berlin", author="Ann")
        calls = []
        for _ in range(2):
            engine.consolidation.run()
            calls.append(engine.extraction.status()["calls"])
        nights.hear(engine, "I have two cats", author="Ann")
        engine.consolidation.run()
        assert [*calls, engine.extraction.status()["calls"]] == [1, 1, 2]
        assert [each.content for each in made(engine)] == ["Ann lives in Berlin", "Ann has two cats"]


@pytest.mark.parametrize("words", [False, True])
def test_what_is_known_gets_evidence_and_no_second_fact(words: bool) -> None:
    clock = FakeClock()
    with nights.opened(clock=clock, words=words, distil=True) as engine:
        tea = nights.know(engine, nights.TEA)
        clock.pass_(hours=1)
        said = nights.hear(engine, nights.TEA_SAID)
        engine.consolidation.run()
        assert made(engine) == []
        assert engine.get(tea).evidence == (said,)


def test_the_same_words_of_three_episodes_are_one_fact_and_surer() -> None:
    """Two episodes give 0.7; the third takes 0.05 of the doubt left: 0.7 + 0.05 * 0.3 = 0.715."""
    with nights.opened(distil=True) as engine:
        said = [nights.hear(engine, "I live in Berlin", author="Ann", session=str(n)) for n in range(3)]
        engine.consolidation.run()
        (fact,) = made(engine)
        assert fact.evidence == tuple(said)
        assert fact.confidence == pytest.approx(0.715)


def test_two_episodes_that_state_it_are_the_evidence() -> None:
    with nights.opened(distil=True) as engine:
        first = nights.hear(engine, "I adopted a grey kitten named Otto", author="Ann")
        second = nights.hear(engine, "Yes, the grey kitten named Otto that I adopted is fine!", author="Ann")
        nights.hear(engine, "You adopted a grey kitten named Otto?", author="Bob")
        nights.hear(engine, "The grey kitten named Otto", author="Bob")
        engine.consolidation.run()
        (fact,) = made(engine)
        assert fact.content == "Ann adopted a grey kitten named Otto"
        assert fact.evidence == (first, second)


def test_a_new_fact_supersedes_in_the_very_run() -> None:
    clock = FakeClock()
    with nights.opened(clock=clock, distil=True) as engine:
        old = nights.know(engine, "Ann lives in Berlin", category="fact", metadata=HOME)
        clock.pass_(days=3)
        nights.hear(engine, "I live in Munich now", author="Ann")
        engine.consolidation.run(dry_run=True)
        assert made(engine) == [], "a preview reads and writes nothing"
        done = engine.consolidation.run()
        assert [each.operation for each in done.plan if each.memory_id == old] == ["fade", "supersede"]
        (new,) = made(engine)
        assert engine.get(old).superseded_by == new.id
        assert nights.live(engine) == ["Ann lives in Munich now"]


def test_an_erased_episode_takes_the_fact_made_of_its_words_with_it(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    with nights.opened(str(path), distil=True) as engine:
        said = nights.hear(engine, "I adopted a kitten named Qwertzu", author="Ann")
        nights.hear(engine, "I live in Berlin", author="Ann")
        engine.consolidation.run()
        assert len(made(engine)) == 2
        engine.erase(said)
        assert [each.content for each in made(engine)] == ["Ann lives in Berlin"]
    everything = b"".join(each.read_bytes() for each in tmp_path.glob("a.db*") if "audit" not in each.name)
    assert b"qwertzu" not in everything.lower()


def test_the_least_trusted_word_decides() -> None:
    with nights.opened(distil=True) as engine:
        nights.hear(engine, "I live in Berlin", author="Ann", trust="owner", session="a")
        nights.hear(engine, "I live in Berlin", author="Ann", trust="agent", session="b")
        engine.consolidation.run()
        assert [each.trust for each in made(engine)] == ["agent"]


def test_nothing_is_made_where_the_setting_says_so() -> None:
    with nights.opened(distil=False) as engine:
        nights.hear(engine, "I live in Berlin", author="Ann")
        engine.consolidation.run()
        assert made(engine) == []


def test_new_facts_do_without_vectors_when_the_embedder_fails() -> None:
    with nights.opened(distil=True) as engine:
        nights.hear(engine, "I live in Berlin", author="Ann")
        engine._at.runtime = replace(engine.runtime, embedder=FakeEmbedder(failing=True))
        done = engine.consolidation.run()
        assert [each.content for each in made(engine)] == ["Ann lives in Berlin"]
        assert [hit.memory.content for hit in engine.recall("Berlin", kinds=["fact"])] == ["Ann lives in Berlin"]
        assert "does not answer" in done.degraded[0]


def test_what_one_speaker_repeats_in_one_conversation_makes_a_fact_no_surer() -> None:
    """Repeated claims of one source are not independent: .65 as if it had been said once, .7 for two days."""
    for days, confidence in ((0, 0.65), (1, 0.7)):
        clock = FakeClock()
        with nights.opened(clock=clock, distil=True) as engine:
            said = [nights.hear(engine, "I live in Berlin.", author="Ann", trust="owner")]
            clock.pass_(days=days, minutes=1)
            said.append(nights.hear(engine, "I live in Berlin", author="Ann", trust="owner"))
            engine.consolidation.run()
            (fact,) = made(engine)
            assert (set(fact.evidence), fact.confidence) == (set(said), confidence)


def test_facts_made_while_the_embedder_is_down_get_their_vectors_another_night() -> None:
    embedder = FakeEmbedder()
    with nights.opened(embedder=embedder, distil=True) as engine:
        nights.hear(engine, "I live in Berlin.", author="Ann", trust="owner")
        embedder.failing = True
        engine.consolidation.run()
        (fact,) = made(engine)
        keys = np.array([engine._at.key_of(fact.id)])
        assert not engine.reader.vectors(embedder.name, keys)[1].any()
        embedder.failing = False
        engine.runtime.clock.pass_(days=1)  # type: ignore[attr-defined]
        engine.consolidation.run()
        assert engine.reader.vectors(embedder.name, keys)[1].all()


def test_what_somebody_has_forgotten_is_not_made_again() -> None:
    clock = FakeClock()
    with nights.opened(clock=clock, distil=True) as engine:
        nights.hear(engine, "I live in Munich now", author="Ann")
        engine.consolidation.run()
        (fact,) = made(engine)
        engine.forget(fact.id)
        nights.hear(engine, "I live in Munich now", author="Ann", session="again")
        engine.consolidation.run()
        assert nights.live(engine) == [], "somebody has taken this very statement back"
        engine.restore(fact.id)
        assert nights.live(engine) == ["Ann lives in Munich now"]


def test_the_undo_of_a_run_leaves_what_was_read_and_takes_back_what_it_replaced() -> None:
    clock = FakeClock()
    with nights.opened(clock=clock, distil=True) as engine:
        old = nights.know(engine, "Ann lives in Berlin", category="fact", metadata=HOME)
        clock.pass_(days=3)
        nights.hear(engine, "I live in Munich now", author="Ann")
        run = engine.consolidation.run().run_id
        assert engine.get(old).superseded_by is not None
        assert engine.consolidation.undo(run).refused == ()
        assert nights.live(engine) == ["Ann lives in Berlin", "Ann lives in Munich now"]
