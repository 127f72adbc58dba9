"""Context expansion: a turn also scores for the terms and lengths of its neighbours, worked out by hand."""
# ruff: noqa: S101

from __future__ import annotations

import math

import pytest

from combray.runtime import KeywordArm, Reader, Store
from combray.testing.fakes import START, memory
from combray.testing.store_cases import StoreCases, add, keys, near, scores, search, turn

APPLE = (("appl", 1.0),)


class ContextExpansion(StoreCases):
    """Weights, session gain, questions, order of turns, and writes between two reads."""

    def test_neighbours_terms_count_at_lower_weight(self, store: Store) -> None:
        """before=(0.5,): turn 1 gets half of turn 0's terms. after=(0.25,): turn 0 a quarter of turn 1's.

        Frequencies 1 and 0.5; lengths 1 + 0.25 and 1 + 0.5, mean 1.375; N=2, n=1: idf ln 2.
        """
        a, b = add(store, turn("apple", 0), turn("plum", 1))
        arm = KeywordArm(APPLE, before=(0.5,), after=(0.25,), shape_words=0)
        norm_a = 1.2 * (0.25 + 0.75 * 1.25 / 1.375)
        norm_b = 1.2 * (0.25 + 0.75 * 1.5 / 1.375)
        wanted = {a: math.log(2) * 2.2 / (1 + norm_a), b: math.log(2) * 2.2 * 0.5 / (0.5 + norm_b)}
        assert scores(search(store, arm)) == near(wanted)

    def test_long_turns_reduce_the_gain(self, store: Store) -> None:
        """shape_words=1: turns of 1 and 3 words, mean 2, gain (1/2)² = 1/4; b=0 ignores lengths.

        In the other session the mean is 1 and the gain is 1. N=4, n=2: idf ln 2.
        """
        a, b, c, d = add(
            store,
            turn("apple", 0),
            turn("plum fig pear", 1),
            memory("apple", 2, session="t", position=0),
            memory("plum", 3, session="t", position=1),
        )
        found = scores(search(store, KeywordArm(APPLE, before=(0.8,), shape_words=1, b=0.0)))
        idf = math.log(1 + 2.5 / 2.5)
        wanted = {key: idf * 2.2 * f / (f + 1.2) for key, f in ((a, 1), (b, 0.8 / 4), (c, 1), (d, 0.8))}
        assert found == near(wanted)

    def test_lengths_are_expanded_at_the_gain_too(self, store: Store) -> None:
        """shape_words=1, turns of 1 and 3 words: gain 1/4. Lengths 1 + ¼·3 and 3 + ¼·1, mean 2.5."""
        a, b = add(store, turn("apple", 0), turn("plum fig pear", 1))
        arm = KeywordArm(APPLE, before=(1.0,), after=(1.0,), shape_words=1)
        norm_a, norm_b = (1.2 * (0.25 + 0.75 * length / 2.5) for length in (1.75, 3.25))
        wanted = {a: math.log(2) * 2.2 / (1 + norm_a), b: math.log(2) * 2.2 * 0.25 / (0.25 + norm_b)}
        assert scores(search(store, arm)) == near(wanted)

    def test_a_new_turn_changes_the_gain_of_its_session(self, store: Store, reader: Reader) -> None:
        """shape_words=1: the mean of 1, 1 words is 1, of 1, 1, 4 it is 2: gain 1, then 1/4."""
        arm = KeywordArm(APPLE, before=(0.8,), shape_words=1, b=0.0)
        _, b = add(store, turn("apple", 0), turn("plum", 1))
        assert scores(search(store, arm))[b] == pytest.approx(math.log(2) * 2.2 * 0.8 / 2.0, abs=1e-6)
        add(store, turn("plum fig pear nut", 2))
        idf = math.log(1 + 2.5 / 1.5)
        assert scores(search(store, arm))[b] == pytest.approx(idf * 2.2 * 0.2 / 1.4, abs=1e-6)
        assert reader.rows(keys(b)).gain.tolist() == [1.0], "40 words, not 1"

    def test_a_turn_moved_after_a_read_gets_its_new_neighbours(self, store: Store) -> None:
        """shape_words=1. First a(1), b(1), c(3 words) in one session: mean 5/3, gain 9/25, b gets the terms of a.

        Then b at the end, after c without the term. Then c in another session: gain 1, b after a again.
        """
        a, b, c = add(store, turn("apple", 0), turn("plum", 1), turn("fig pear nut", 2))
        arm = KeywordArm(APPLE, before=(1.0,), shape_words=1)
        idf = math.log(1 + 2.5 / 1.5)

        def wanted(taken: float, length: float, average: float) -> float:
            return idf * 2.2 * taken / (taken + 1.2 * (0.25 + 0.75 * length / average))

        # Lengths 1, 1 + 9/25, 3 + 9/25.
        found = scores(search(store, arm))
        assert found[b] == pytest.approx(wanted(0.36, 1.36, 5.72 / 3), abs=1e-6)
        with store.transaction("default") as tx:
            tx.change(b, "move", "test", START.timestamp(), position=3)
        # Now c follows a: lengths 1, 3 + 9/25 and b's 1 + 3·9/25.
        found = scores(search(store, arm))
        assert found == near({a: wanted(1, 1, 6.44 / 3), c: wanted(0.36, 3.36, 6.44 / 3)})
        with store.transaction("default") as tx:
            tx.change(c, "move", "test", START.timestamp(), session="t")
        found = scores(search(store, arm))
        assert found == near({a: wanted(1, 1, 2), b: wanted(1, 2, 2)})

    def test_a_question_counts_more_for_the_next_turn(self, store: Store) -> None:
        """The next turn gets 1.5·0.4, the second next 0.3, the turn before the question 0.2; N=4, n=1."""
        every = add(store, turn("plum 0", 0), turn("apple?", 1), turn("plum 2", 2), turn("plum 3", 3))
        arm = KeywordArm(APPLE, before=(0.4, 0.3), after=(0.2,), question_boost=1.5, b=0.0)
        idf = math.log(1 + 3.5 / 1.5)
        wanted = {key: idf * 2.2 * f / (f + 1.2) for key, f in zip(every, (0.2, 1, 0.6, 0.3), strict=True)}
        assert scores(search(store, arm)) == near(wanted)

    def test_a_questions_length_counts_more_too(self, store: Store) -> None:
        """Boost 2: lengths 2 and 1 + 2·0.5·2 = 3, mean 2.5; frequencies 1 and 2·0.5 = 1."""
        a, b = add(store, turn("apple fig?", 0), turn("plum", 1))
        norm_a, norm_b = (1.2 * (0.25 + 0.75 * length / 2.5) for length in (2, 3))
        wanted = {a: math.log(2) * 2.2 / (1 + norm_a), b: math.log(2) * 2.2 / (1 + norm_b)}
        arm = KeywordArm(APPLE, before=(0.5,), question_boost=2.0)
        assert scores(search(store, arm)) == near(wanted)

    def test_expansion_reaches_as_far_as_there_are_weights_and_not_across_sessions(self, store: Store) -> None:
        turns = [turn(f"plum {place}", place) for place in range(4)]
        turns[0] = turn("apple", 0)
        every = add(store, *turns, memory("plum x", 9, session="other", position=1), memory("plum y", 10))
        arm = KeywordArm(APPLE, before=(0.5, 0.25), shape_words=0, b=0.0)
        found = scores(search(store, arm))
        idf = math.log(1 + 5.5 / 1.5)
        wanted = {key: idf * 2.2 * f / (f + 1.2) for key, f in zip(every, (1, 0.5, 0.25), strict=False)}
        assert found == near(wanted)

    def test_turns_are_in_order_of_position_whenever_they_were_written(self, store: Store) -> None:
        """Written 0, 2, then 1 in between: the turn after turn 0 is the one written last."""
        first, third = add(store, turn("apple", 0), turn("plum 2", 2))
        arm = KeywordArm(APPLE, before=(0.5,), shape_words=0)
        assert set(scores(search(store, arm))) == {first, third}
        (second,) = add(store, turn("plum 1", 1))
        assert set(scores(search(store, arm))) == {first, second}

    def test_added_turns_get_the_terms_of_turns_already_read(self, store: Store) -> None:
        """A read between two writes must not leave stale lengths or neighbours."""
        arm = KeywordArm(APPLE, before=(0.5,), after=(0.25,), shape_words=0)
        (a,) = add(store, turn("apple", 0))
        assert set(scores(search(store, arm))) == {a}
        (b,) = add(store, turn("plum", 1))
        norm_b = 1.2 * (0.25 + 0.75 * 1.5 / 1.375)
        assert scores(search(store, arm))[b] == pytest.approx(math.log(2) * 2.2 * 0.5 / (0.5 + norm_b), abs=1e-6)
