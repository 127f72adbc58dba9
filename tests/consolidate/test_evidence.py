"""Evidence and time: what a fact's confidence is made of."""

from __future__ import annotations

import math

import nights
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from combray.testing.fakes import FakeClock

EPISODES = (
    nights.TEA_SAID,
    "I like green tea with honey, really",
    "I don't like green tea with honey",
    "The train was late",
)
SUPPORTING = 2
"""The first two of them support TEA."""


def test_a_supporting_episode_makes_a_fact_surer_and_restarts_its_time() -> None:
    """Semantic facts, section 3: +0.05 (1 - c) an episode, then exp(-0.01) a day since the last of them."""
    clock = FakeClock()
    with nights.opened(clock=clock) as engine:
        fact = nights.know(engine, nights.TEA)
        clock.pass_(days=40)
        said = nights.hear(engine, nights.TEA_SAID)
        clock.pass_(days=10)
        done = engine.consolidation.run()
        memory = engine.get(fact)
        assert memory.evidence == (said,)
        # 0.715 * exp(-0.1) = 0.64696, rounded up to a hundredth.
        assert memory.confidence == 0.65 == math.ceil(100 * (0.7 + 0.05 * 0.3) * math.exp(-0.1)) / 100
        # The evidence, then what ten days have taken.
        assert done.counts == {"support": 1, "fade": 1}
        assert {version.actor for version in engine.history(fact)} == {f"consolidate:{done.run_id}"}


@pytest.mark.parametrize(
    "said",
    [
        "I don't like green tea with honey",
        "Do I like green tea with honey?",
        "Maybe I like green tea with honey",
        "I like black tea with honey",
        "I like green coffee with honey",
    ],
)
def test_the_opposite_a_question_and_another_value_support_nothing(said: str) -> None:
    """SEEDS.md 21: only episodes that support the fact, however near they are."""
    clock = FakeClock()
    with nights.opened(clock=clock) as engine:
        fact = nights.know(engine, nights.TEA)
        clock.pass_(hours=1)
        nights.hear(engine, said)
        clock.pass_(hours=1)
        assert engine.consolidation.run().counts == {}
        assert engine.get(fact).evidence == ()


def test_whose_word_counts() -> None:
    clock = FakeClock()
    with nights.opened(clock=clock) as engine:
        nights.hear(engine, nights.TEA_SAID)
        clock.pass_(hours=1)
        fact = nights.know(engine, nights.TEA)
        clock.pass_(hours=1)
        nights.hear(engine, "User likes green tea with honey", author="assistant")
        nights.hear(engine, nights.TEA_SAID, author="Bob")
        nights.hear(engine, nights.TEA_SAID, trust="untrusted")
        clock.pass_(hours=1)
        engine.consolidation.run()
        assert engine.get(fact).evidence == (), "said before, by the agent itself, by another, by a web page"


def test_without_vectors_every_content_word_must_be_said() -> None:
    clock = FakeClock()
    with nights.opened(clock=clock, words=True) as engine:
        fact, other = nights.know(engine, nights.TEA), nights.know(engine, "User likes tea")
        clock.pass_(hours=1)
        said = nights.hear(engine, nights.TEA_SAID)
        clock.pass_(days=1)
        nights.hear(engine, "I like tea with milk")
        nights.hear(engine, "I love green tea with honey")
        clock.pass_(hours=1)
        engine.consolidation.run()
        assert engine.get(fact).evidence == (said,)
        assert len(engine.get(other).evidence) == 2


def test_an_erased_episode_takes_its_weight_with_it() -> None:
    clock = FakeClock()
    with nights.opened(clock=clock) as engine:
        fact = nights.know(engine, nights.TEA)
        clock.pass_(seconds=1)
        said = nights.hear(engine, nights.TEA_SAID)
        clock.pass_(seconds=1)
        engine.consolidation.run()
        assert engine.get(fact).confidence == 0.715
        engine.erase(said)
        engine.consolidation.run()
        assert engine.get(fact).confidence == 0.7


def test_evidence_a_fact_was_given_at_birth_is_in_its_confidence_already() -> None:
    clock = FakeClock()
    with nights.opened(clock=clock) as engine:
        fact = nights.know(engine, nights.TEA)
        key = engine._at.key_of(fact)
        with engine.runtime.store.transaction("default") as tx:
            tx.change(key, "extract", "test", clock(), evidence=("episode-1", "episode-2"))
        clock.pass_(seconds=1)
        said = nights.hear(engine, nights.TEA_SAID)
        clock.pass_(seconds=1)
        engine.consolidation.run()
        assert engine.get(fact).evidence == ("episode-1", "episode-2", said)
        assert engine.get(fact).confidence == 0.715


Day = st.tuples(st.booleans(), st.sampled_from(EPISODES))


@settings(max_examples=15)
@given(st.lists(Day, min_size=1, max_size=12), st.sampled_from([0.2, 0.5, 0.7, 0.95]))
def test_many_nights_are_one_night_after_as_many_days(days: list[tuple[bool, str]], start: float) -> None:
    """SEEDS.md 18, with evidence in between: confidence, evidence and status are equal to the last bit.

    Holds for every fact that is neither merged nor contradicted on the way.
    """
    ends = []
    for nightly in (True, False):
        clock = FakeClock()
        with nights.opened(clock=clock) as engine:
            nights.know(engine, nights.TEA, confidence=start)
            for place, (runs, said) in enumerate(days):
                clock.pass_(days=9)
                nights.hear(engine, said, session=f"s{place}")
                clock.pass_(days=1)
                if nightly and runs:
                    engine.consolidation.run()
            engine.consolidation.run()
            (fact,) = nights.facts(engine)
            contents = [engine.get(each).content for each in fact.evidence]
            ends.append((fact.confidence, contents, fact.status, fact.metadata))
            heard = [said for _, said in days if said in EPISODES[:SUPPORTING]]
            assert contents == heard, "each supporting episode counts once"
    assert ends[0] == ends[1]


def test_thirty_nights_are_one_night_after_thirty_days() -> None:
    """SEEDS.md 18. 0.7 * exp(-0.3) = 0.51857, stored rounded up."""
    clocks = [FakeClock(), FakeClock()]
    confidences = []
    for nights_between, clock in zip((1, 30), clocks, strict=True):
        with nights.opened(clock=clock) as engine:
            fact = nights.know(engine, nights.OFFICE)
            for _ in range(30 // nights_between):
                clock.pass_(days=nights_between)
                engine.consolidation.run()
            confidences.append(engine.get(fact).confidence)
    assert confidences == [0.52, 0.52]


def test_who_says_it_twice_has_said_it_once() -> None:
    """Repeated claims of one source are no independent evidence: one conversation, or one day, counts once."""
    clock = FakeClock()
    with nights.opened(clock=clock) as engine:
        fact = nights.know(engine, nights.TEA)
        clock.pass_(hours=1)
        first = nights.hear(engine, nights.TEA_SAID, session="monday")
        clock.pass_(hours=1)
        nights.hear(engine, nights.TEA_SAID + "!", session="monday")
        assert engine.consolidation.run().counts == {"support": 1}
        clock.pass_(hours=1)
        nights.hear(engine, nights.TEA_SAID + "!!", session="monday")
        assert engine.consolidation.run().counts == {}
        other = nights.hear(engine, nights.TEA_SAID, session="tuesday")
        clock.pass_(hours=1)
        engine.consolidation.run()
        assert engine.get(fact).evidence == (first, other)
