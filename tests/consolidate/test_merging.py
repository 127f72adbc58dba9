"""Paraphrases become one fact; what only looks alike stays two."""

from __future__ import annotations

import nights
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from combray.testing.fakes import FakeClock


def test_the_surer_one_wins_and_gets_the_evidence_of_all_once() -> None:
    """SEEDS.md 21: the union of evidence, not the sum. Semantic facts, section 4: highest confidence wins."""
    clock = FakeClock()
    with nights.opened(clock=clock) as engine:
        loser = nights.know(engine, nights.TEA, confidence=0.7)
        winner = nights.know(engine, nights.TEA_AGAIN, confidence=0.8)
        clock.pass_(seconds=1)
        shared = nights.hear(engine, nights.TEA_SAID)
        clock.pass_(seconds=1)
        with engine.runtime.store.transaction("default") as tx:
            key = tx.keys_of([loser])[loser]
            tx.change(key, "extract", "test", clock(), evidence=("only-of-the-loser",))
        done = engine.consolidation.run()
        assert done.counts == {"support": 2, "absorb": 1, "merge": 1}
        kept, gone = engine.get(winner), engine.get(loser)
        assert kept.evidence == (shared, "only-of-the-loser")
        # Two pieces of support since the winner's own 0.8: 0.81, then 0.8195.
        assert kept.confidence == pytest.approx(0.8195)
        assert (gone.status, gone.merged_into, gone.valid_to is not None) == ("merged", winner, True)
        assert nights.live(engine) == [nights.TEA_AGAIN]
        assert engine.consolidation.run().counts == {}


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("User has two cats at home", "Alice has two cats at home"),
        (
            "The API limit is 100 requests per minute for free accounts",
            "The API limit is 200 requests per minute",
        ),
        ("User likes green tea with honey", "User likes green tea without honey"),
        ("Alice met Bob at the station on Monday", "Alice met Bob at the station on Friday"),
        ("User likes green tea with honey", "User likes black tea with honey"),
    ],
)
def test_what_differs_in_a_claim_is_never_merged(one: str, other: str) -> None:
    with nights.opened() as engine:
        nights.know(engine, one)
        nights.know(engine, other)
        assert "merge" not in engine.consolidation.run().counts


def test_categories_authors_and_trust_keep_paraphrases_apart() -> None:
    for field, values in (
        ("category", ("fact", "preference")),
        ("author", ("Ann", "Ben")),
        ("trust", ("owner", "untrusted")),
    ):
        with nights.opened() as engine:
            for text, value in zip((nights.TEA, nights.TEA_AGAIN), values, strict=True):
                nights.know(engine, text, **{field: value})
            assert engine.consolidation.run().counts == {}


def test_paraphrases_that_nobody_is_sure_of_wait() -> None:
    """Semantic facts, section 4: "At least one fact has confidence > 0.6"; low confidence is for the judge."""
    with nights.opened() as engine:
        for text in (nights.TEA, nights.TEA_AGAIN):
            nights.know(engine, text, confidence=0.6)
        done = engine.consolidation.run()
        assert done.counts == {}
        assert [each.reason for each in done.waiting] == ["the same, but neither is sure"]


def test_without_vectors_the_same_words_are_merged_and_others_are_not() -> None:
    with nights.opened(words=True) as engine:
        for text in (nights.TEA, nights.TEA_AGAIN, "User likes green tea with honey and milk"):
            nights.know(engine, text)
        assert engine.consolidation.run().counts == {"merge": 1}
        assert len(nights.live(engine)) == 2


def test_a_merge_is_taken_back_with_its_evidence_and_not_made_again() -> None:
    clock = FakeClock()
    with nights.opened(clock=clock) as engine:
        loser = nights.know(engine, nights.TEA, confidence=0.7)
        winner = nights.know(engine, nights.TEA_AGAIN, confidence=0.8)
        for memory_id, evidence in ((loser, ("a", "b")), (winner, ("b", "c"))):
            with engine.runtime.store.transaction("default") as tx:
                tx.change(tx.keys_of([memory_id])[memory_id], "extract", "test", clock(), evidence=evidence)
        before = nights.exported(engine)
        engine.consolidation.run()
        assert engine.get(winner).evidence == ("b", "c", "a")
        assert engine.restore(loser).status == "active"
        assert nights.exported(engine) == before
        assert engine.consolidation.run().counts == {}


def test_taking_a_merge_back_leaves_what_came_later() -> None:
    clock = FakeClock()
    with nights.opened(clock=clock) as engine:
        loser = nights.know(engine, nights.TEA, confidence=0.7)
        winner = nights.know(engine, nights.TEA_AGAIN, confidence=0.8)
        with engine.runtime.store.transaction("default") as tx:
            tx.change(tx.keys_of([loser])[loser], "extract", "test", clock(), evidence=("a",))
        engine.consolidation.run()
        clock.pass_(days=1)
        said = nights.hear(engine, nights.TEA_SAID)
        clock.pass_(seconds=1)
        engine.consolidation.run()
        assert engine.get(winner).evidence == ("a", said)
        engine.consolidation.undo_merge(loser)
        assert engine.get(winner).evidence == (said,)
        assert engine.get(winner).confidence == pytest.approx(0.81)
        assert engine.get(loser).evidence == ("a",)


VARIANTS = (
    nights.TEA,
    nights.TEA_AGAIN,
    "user likes green tea with honey",
    nights.TWO_CATS,
    "The user has two cats.",
    nights.OFFICE,
    "User likes green tea",
)


@settings(max_examples=12)
@given(
    st.permutations(range(len(VARIANTS))),
    st.lists(st.sampled_from([0.5, 0.65, 0.7, 0.9]), min_size=7, max_size=7),
)
def test_the_order_of_writing_does_not_matter_to_merging(order: list[int], sure: list[float]) -> None:
    """Each fact keeps its text, confidence and date; only the order in which they were stored differs."""
    ends = []
    for places in (range(len(VARIANTS)), order):
        with nights.opened() as engine:
            for place in places:
                when = f"2024-01-{place + 1:02}"
                nights.know(engine, VARIANTS[place], confidence=sure[place], occurred_at=when)
            engine.consolidation.run()
            by_id = {memory.id: memory.content for memory in nights.facts(engine)}
            ends.append(
                sorted(
                    (memory.content, memory.status, by_id.get(memory.merged_into or ""), memory.confidence)
                    for memory in nights.facts(engine)
                )
            )
    assert ends[0] == ends[1]


def test_what_was_known_on_a_day_before_the_merge_is_shown_as_it_was() -> None:
    clock = FakeClock()
    with nights.opened(clock=clock) as engine:
        for text in (nights.TEA, nights.TEA_AGAIN):
            nights.know(engine, text)
        clock.pass_(days=1)
        before = clock()
        clock.pass_(days=1)
        engine.consolidation.run()
        clock.pass_(days=1)
        found = {as_of: len(engine.recall("green tea with honey", as_of=as_of)) for as_of in (before, clock())}
        assert found == {before: 2, clock(): 1}
