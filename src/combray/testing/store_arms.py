"""Retrieval arms and context expansion: every score here is worked out by hand."""
# ruff: noqa: S101

from __future__ import annotations

import math

import numpy as np
import pytest

from combray.errors import InvalidInputError
from combray.runtime import Arm, EntityArm, Filter, KeywordArm, Reader, RecencyArm, Store, VectorArm
from combray.testing.fakes import START, memory, vector
from combray.testing.store_cases import (
    MODEL,
    T0,
    StoreCases,
    X,
    Y,
    Z,
    add,
    keys,
    near,
    order,
    scores,
    search,
    turn,
)

# The index holds stems: "apple" is "appl".
APPLE = (("appl", 1.0),)
BOTH = (("appl", 1.0), ("plum", 1.0))
NEAR = vector(0.6, 0.8, 0, 0)


def scored(idf: float, frequency: float, length: float = 1.0) -> float:
    """Return BM25F at k1=1.2 and b=0.75 of a row `length` times as long as the mean; for b=0 the length is 1."""
    return idf * 2.2 * frequency / (frequency + 1.2 * (0.25 + 0.75 * length))


class KeywordArms(StoreCases):
    """BM25F, coverage, fields, the posting budget."""

    def test_bm25f_of_three_short_texts(self, store: Store) -> None:
        """N=3, n=2: idf = ln(1 + 1.5/2.5) = ln 1.6. Lengths 3, 2, 3: mean 8/3. k1=1.2, b=0.75."""
        a, b, _ = add(store, memory("apple apple pear"), memory("apple plum"), memory("plum plum plum"))
        wanted = {a: scored(math.log(1.6), 2, 3 * 3 / 8), b: scored(math.log(1.6), 1, 2 * 3 / 8)}
        assert wanted == {a: pytest.approx(0.624306, abs=1e-6), b: pytest.approx(0.523548, abs=1e-6)}
        assert scores(search(store, KeywordArm(APPLE))) == near(wanted)

    def test_terms_add_up_with_their_weights(self, store: Store) -> None:
        """N=2: "appl" in both, idf ln(1 + 0.5/2.5) = ln 1.2; "plum" in one, ln(1 + 1.5/1.5) = ln 2."""
        a, b = add(store, memory("apple plum"), memory("apple pear"))
        found = scores(search(store, KeywordArm((("appl", 1.0), ("plum", 3.0)))))
        assert found == near({a: scored(math.log(1.2) + 3 * math.log(2), 1), b: scored(math.log(1.2), 1)})

    def test_rows_the_filter_hides_still_count_for_idf(self, store: Store) -> None:
        """N=2 and n=2 whatever the filter: a score does not change with who else may be seen."""
        a, _ = add(store, memory("apple 1", 1), memory("apple 2", 2, status="forgotten"))
        assert scores(search(store, KeywordArm(APPLE))) == near({a: math.log(1.2) * 2.2 / 2.2})

    def test_k1_and_b(self, store: Store) -> None:
        """b=0 takes no length into account; k1=2: norm 2, f=2: gain 3*2/4."""
        a, b = add(store, memory("apple apple pear plum"), memory("plum"))
        assert scores(search(store, KeywordArm(APPLE, k1=2.0, b=0.0))) == near({a: math.log(2) * 3 * 2 / 4})
        assert b not in scores(search(store, KeywordArm(APPLE)))

    def test_fields_weigh_before_saturation(self, store: Store) -> None:
        """Content 1 + context 2 + author 4 + tag 8 (weights 1, 2, 4, 8) is one frequency of 15."""
        (a,) = add(store, memory("apple", context="apple", author="Apple", tags=("apple",)))
        found = scores(search(store, KeywordArm(APPLE, fields=(1.0, 2.0, 4.0, 8.0))))
        assert found == near({a: math.log(1 + 0.5 / 1.5) * 2.2 * 15 / (15 + 1.2)})

    @pytest.mark.parametrize("field", range(4))
    def test_each_field_is_found_alone_and_a_field_of_weight_0_is_no_evidence(
        self, store: Store, field: int
    ) -> None:
        given = [
            memory("apple", 0),
            memory("plum", 1, context="apple"),
            memory("plum", 2, author="Apple"),
            memory("plum", 3, entities=("Apple",)),
        ]
        every = add(store, *given)
        weights = tuple(float(place == field) for place in range(4))
        arm = KeywordArm(APPLE, fields=weights)  # type: ignore[arg-type]
        # N=4 and n=1: ln(1 + 3.5/1.5).
        found = scores(search(store, arm))
        assert list(found) == [every[field]]
        assert scores(search(store, KeywordArm(APPLE, fields=weights, scoring="coverage"))) == {  # type: ignore[arg-type]
            every[field]: 1.0
        }

    def test_the_day_it_happened_is_a_word(self, store: Store) -> None:
        a, _ = add(store, memory("apple", occurred_from=START), memory("apple", 5))
        assert list(scores(search(store, KeywordArm((("2024", 1.0),))))) == [a]

    def test_coverage_is_the_share_of_terms_held(self, store: Store) -> None:
        a, b, c = add(store, memory("apple apple plum"), memory("plum pear"), memory("pear"))
        arm = KeywordArm((*BOTH, ("never", 1.0)), scoring="coverage")
        assert scores(search(store, arm)) == near({a: 2 / 3, b: 1 / 3})
        assert c not in scores(search(store, arm))

    @pytest.mark.parametrize("scoring", ["bm25f", "coverage"])
    def test_all_keeps_only_who_holds_every_term(self, store: Store, scoring: str) -> None:
        a, b = add(store, memory("apple plum"), memory("apple"))
        any_ = scores(search(store, KeywordArm(BOTH, scoring=scoring)))  # type: ignore[arg-type]
        every = scores(search(store, KeywordArm(BOTH, mode="all", scoring=scoring)))  # type: ignore[arg-type]
        assert set(any_) == {a, b}
        assert every == {a: any_[a]}

    def test_the_budget_drops_the_commonest_terms_but_never_three(self, store: Store) -> None:
        add(store, *(memory(f"apple plum pear fig {place}", place) for place in range(3)), memory("fig"))
        terms = (("fig", 1.0), ("appl", 1.0), ("plum", 1.0), ("pear", 1.0))
        few = scores(search(store, KeywordArm(terms, scoring="coverage", posting_budget=1)))
        assert set(few.values()) == {0.75}
        enough = scores(search(store, KeywordArm(terms, scoring="coverage", posting_budget=13)))
        assert sorted(enough.values()) == [0.25, 1.0, 1.0, 1.0]
        every = scores(search(store, KeywordArm(terms, mode="all", posting_budget=1)))
        assert len(every) == 3

    def test_no_terms_and_unknown_terms_find_nothing(self, store: Store) -> None:
        add(store, memory("apple"))
        assert scores(search(store, KeywordArm(()))) == {}
        assert scores(search(store, KeywordArm((("never", 1.0),)))) == {}

    def test_substrings_of_scripts_without_spaces(self, store: Store) -> None:
        a, _ = add(store, memory("我喜欢数据库"), memory("天气很好"))
        assert list(scores(search(store, KeywordArm((("数据", 1.0), ("据库", 1.0)), mode="all")))) == [a]


class OtherArms(StoreCases):
    """Vectors, recency, entities; the union, ties and limits."""

    def test_cosine_of_the_int8_codes(self, store: Store) -> None:
        """(0.6, 0.8) is coded 95, 127: its cosine with the first axis is 95/sqrt(95² + 127²)."""
        a, b, _, _, _ = add(
            store,
            (memory("same"), X),
            (memory("near"), NEAR),
            (memory("across"), Y),
            (memory("opposite"), -X),
            memory("none"),
        )
        found = scores(search(store, VectorArm(X, MODEL)))
        assert found == near({a: 1.0, b: 95 / math.hypot(95, 127)})

    def test_minimum_is_reached_by_an_equal_cosine(self, store: Store) -> None:
        a, b = add(store, (memory("same"), X), (memory("near"), NEAR))
        cosine = round(95 / math.hypot(95, 127), 6)
        assert set(scores(search(store, VectorArm(X, MODEL, minimum=cosine)))) == {a, b}
        assert set(scores(search(store, VectorArm(X, MODEL, minimum=cosine + 1e-6)))) == {a}

    def test_smoothing_adds_what_the_turns_around_differ_from_the_mean(
        self, store: Store, reader: Reader
    ) -> None:
        """Cosines 1, 0, 0 with mean 1/3 are 2/3, -1/3, -1/3 about it. Half of each neighbour is added:

        1 - 1/6 = 5/6; 0 + 1/3 - 1/6 = 1/6; 0 - 1/6 is below 0.
        """
        axes = [X, Y, Y]
        turns = [(turn(f"{i}", i), axis) for i, axis in enumerate(axes)]
        a, b, c = add(store, *turns)
        arm = VectorArm(X, MODEL, minimum=-1.0, before=(0.5,), after=(0.5,))
        found = reader.search({"arm": arm, "all": RecencyArm()}, Filter(), 9)
        assert found.keys.tolist() == [a, b, c]
        assert found.scores["arm"].tolist() == pytest.approx([5 / 6, 1 / 6, 0], abs=1e-6)

    def test_a_turn_without_vector_neither_takes_nor_gives(self, store: Store) -> None:
        """Alone with vectors, a (1) and c (0): mean ½, so that c takes ¼·½ of a, two turns before it."""
        a, _, c = add(store, (turn("0", 0), X), turn("1", 1), (turn("2", 2), Y))
        arm = VectorArm(X, MODEL, before=(0.5, 0.25))
        assert scores(search(store, arm)) == near({a: 1.0, c: 0.125})

    def test_smoothing_in_a_session_of_long_turns(self, store: Store) -> None:
        """Two words each, shape 1: gain (1/2)² = ¼. Cosines 1 and 0, mean ½: 1 and 0 + ¼·½."""
        a, b = add(store, (turn("apple pear", 0), X), (turn("plum fig", 1), Y))
        arm = VectorArm(X, MODEL, before=(1.0,), shape_words=1)
        assert scores(search(store, arm)) == near({a: 1.0, b: 0.125})

    def test_smoothing_takes_more_of_a_question_just_before(self, store: Store) -> None:
        """Cosines 1, 0, 0, mean 1/3, the first a question: 0 + 1.5·½·2/3 = ½, and 0 + ¼·2/3 - ½·1/3 = 0.

        The turn before a question takes no more of it: of the last, -1/3 each, nothing is left above 0.
        """
        a, b, _ = add(store, (turn("0?", 0), X), (turn("1", 1), Y), (turn("2?", 2), Y))
        arm = VectorArm(X, MODEL, before=(0.5, 0.25), after=(0.5,), question_boost=1.5)
        # a: 1 - ½·1/3; b: ½ - ½·1/3.
        assert scores(search(store, arm)) == near({a: 5 / 6, b: 1 / 3})

    def test_vectors_of_another_model_are_no_evidence(self, store: Store) -> None:
        add(store, (memory("a"), X))
        assert scores(search(store, VectorArm(X, "other:4"))) == {}

    def test_zero_vectors_find_nothing_and_are_not_found(self, store: Store) -> None:
        add(store, (memory("a"), vector(0, 0, 0, 0)), (memory("b"), X))
        assert scores(search(store, VectorArm(vector(0, 0, 0, 0), MODEL, minimum=-1.0))) == {}
        assert len(scores(search(store, VectorArm(X, MODEL, minimum=-1.0)))) == 1

    def test_query_vectors_of_another_length_are_refused(self, store: Store, reader: Reader) -> None:
        add(store, (memory("a"), X))
        with pytest.raises(InvalidInputError, match="4"):
            search(store, VectorArm(vector(1, 0), MODEL))
        with pytest.raises(InvalidInputError, match="4"):
            reader.nearest(MODEL, vector(1, 0)[None, :], Filter(), 5, 0.0)
        with pytest.raises(InvalidInputError, match="4"):
            reader.similarity(MODEL, vector(1, 0), reader.scan(Filter()))

    def test_recency_falls_with_rank_and_the_later_written_goes_first(self, store: Store) -> None:
        a, b, c = add(store, memory("a", 5), memory("b", 9), memory("c", 5))
        assert scores(search(store, RecencyArm())) == {b: 1.0, c: 1 / 2, a: 1 / 3}
        assert list(scores(search(store, RecencyArm(), limit=2))) == [b, c]

    def test_recency_ranks_eligible_rows_only(self, store: Store) -> None:
        a, _ = add(store, memory("a", 1), memory("b", 2, status="forgotten"))
        assert scores(search(store, RecencyArm())) == {a: 1.0}

    def test_entities_score_by_share_and_in_any_case(self, store: Store) -> None:
        a, b, _ = add(
            store,
            memory("a", entities=("Ann", "Bob")),
            memory("b", entities=("ANN",), tags=("bob",)),
            memory("c", entities=("Cy",)),
        )
        assert scores(search(store, EntityArm(("ann", "Bob", "BOB")))) == near({a: 1.0, b: 0.5})
        assert scores(search(store, EntityArm(()))) == {}

    def test_the_union_is_scored_by_every_arm(self, store: Store, reader: Reader) -> None:
        """Each arm lists one; each of the two has both scores, 0 where there is no evidence."""
        a, b, _ = add(store, (memory("apple", 1), Y), (memory("plum", 2), X), (memory("fig", 3), Z))
        arms: dict[str, Arm] = {"words": KeywordArm(APPLE), "vectors": VectorArm(X, MODEL)}
        found = reader.search(arms, Filter(), 1)
        assert order(found.keys) == [a, b]
        assert found.scores["words"].tolist() == [scores(found, "words")[a], 0.0]
        assert found.scores["vectors"].tolist() == [0.0, 1.0]
        assert found.eligible == 3

    def test_ties_go_by_key_and_the_limit_cuts(self, store: Store) -> None:
        every = add(store, *(memory(f"apple {'x' * place}", place) for place in range(1, 6)))
        assert list(scores(search(store, KeywordArm(APPLE), limit=3))) == every[:3]
        assert scores(search(store, KeywordArm(APPLE), limit=0)) == {}

    def test_no_arms(self, store: Store, reader: Reader) -> None:
        add(store, memory("a"))
        found = reader.search({}, Filter(), 5)
        assert (found.keys.size, dict(found.lists), found.eligible) == (0, {}, 1)

    def test_nearest_has_a_minimum_a_limit_and_an_order(self, store: Store, reader: Reader) -> None:
        a, b, c, _ = add(store, (memory("a"), X), (memory("b"), NEAR), (memory("c"), X), memory("d"))
        nearest = reader.nearest
        queries = np.stack([X, Z, Y])
        found = nearest(MODEL, queries, Filter(), 2, 0.5)
        assert [order(each.keys) for each in found] == [[a, c], [], [b]]
        assert found[0].scores.tolist() == [1.0, 1.0]
        assert found[2].scores.tolist() == [round(127 / math.hypot(95, 127), 6)]
        assert [order(each.keys) for each in nearest("other:4", queries, Filter(), 2, 0.5)] == [[]] * 3

    def test_similarity_and_vectors_of_keys(self, store: Store, reader: Reader) -> None:
        a, b, c = add(store, (memory("a"), NEAR), (memory("b"), Z), memory("c"))
        wanted = round(95 / math.hypot(95, 127), 6)
        assert reader.similarity(MODEL, X, keys(c, b, a, 10**6)).tolist() == [0, 0, wanted, 0]
        rows, has = reader.vectors(MODEL, keys(c, a))
        assert has.tolist() == [False, True]
        assert rows[0].tolist() == [0, 0, 0, 0]
        assert rows[1].tolist() == pytest.approx([95 / math.hypot(95, 127), 127 / math.hypot(95, 127), 0, 0])
        none, has = reader.vectors("other:4", keys(a))
        assert (none.shape[0], has.tolist()) == (1, [False])


class ContextExpansionCases(StoreCases):
    """Weights, session gain, questions, order of turns, and writes between two reads."""

    def test_neighbours_terms_count_at_lower_weight(self, store: Store) -> None:
        """before=(0.5,): turn 1 gets half of turn 0's terms. after=(0.25,): turn 0 a quarter of turn 1's.

        Frequencies 1 and 0.5; lengths 1 + 0.25 and 1 + 0.5, mean 1.375; N=2, n=1: idf ln 2.
        """
        a, b = add(store, turn("apple", 0), turn("plum", 1))
        arm = KeywordArm(APPLE, before=(0.5,), after=(0.25,), shape_words=0)
        wanted = {a: scored(math.log(2), 1, 1.25 / 1.375), b: scored(math.log(2), 0.5, 1.5 / 1.375)}
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
        wanted = {key: scored(math.log(2), f) for key, f in ((a, 1), (b, 0.8 / 4), (c, 1), (d, 0.8))}
        assert found == near(wanted)

    def test_lengths_are_expanded_at_the_gain_too(self, store: Store) -> None:
        """shape_words=1, turns of 1 and 3 words: gain 1/4. Lengths 1 + ¼·3 and 3 + ¼·1, mean 2.5."""
        a, b = add(store, turn("apple", 0), turn("plum fig pear", 1))
        arm = KeywordArm(APPLE, before=(1.0,), after=(1.0,), shape_words=1)
        wanted = {a: scored(math.log(2), 1, 1.75 / 2.5), b: scored(math.log(2), 0.25, 3.25 / 2.5)}
        assert scores(search(store, arm)) == near(wanted)

    def test_a_new_turn_changes_the_gain_of_its_session(self, store: Store, reader: Reader) -> None:
        """shape_words=1: the mean of 1, 1 words is 1, of 1, 1, 4 it is 2: gain 1, then 1/4."""
        arm = KeywordArm(APPLE, before=(0.8,), shape_words=1, b=0.0)
        _, b = add(store, turn("apple", 0), turn("plum", 1))
        assert scores(search(store, arm))[b] == pytest.approx(scored(math.log(2), 0.8), abs=1e-6)
        add(store, turn("plum fig pear nut", 2))
        assert scores(search(store, arm))[b] == pytest.approx(scored(math.log(1 + 2.5 / 1.5), 0.2), abs=1e-6)
        assert reader.rows(keys(b)).gain.tolist() == [1.0], "40 words, not 1"

    def test_a_turn_moved_after_a_read_gets_its_new_neighbours(self, store: Store) -> None:
        """shape_words=1. First a(1), b(1), c(3 words) in one session: mean 5/3, gain 9/25, b gets the terms of a.

        Then b at the end, after c without the term. Then c in another session: gain 1, b after a again.
        """
        a, b, c = add(store, turn("apple", 0), turn("plum", 1), turn("fig pear nut", 2))
        arm = KeywordArm(APPLE, before=(1.0,), shape_words=1)
        idf = math.log(1 + 2.5 / 1.5)
        # Lengths 1, 1 + 9/25, 3 + 9/25.
        found = scores(search(store, arm))
        assert found[b] == pytest.approx(scored(idf, 0.36, 1.36 * 3 / 5.72), abs=1e-6)
        with store.transaction("default") as tx:
            tx.change(b, "move", "test", T0, position=3)
        # Now c follows a: lengths 1, 3 + 9/25 and b's 1 + 3·9/25.
        found = scores(search(store, arm))
        assert found == near({a: scored(idf, 1, 1 * 3 / 6.44), c: scored(idf, 0.36, 3.36 * 3 / 6.44)})
        with store.transaction("default") as tx:
            tx.change(c, "move", "test", T0, session="t")
        found = scores(search(store, arm))
        assert found == near({a: scored(idf, 1, 1 / 2), b: scored(idf, 1, 2 / 2)})

    def test_a_question_counts_more_for_the_next_turn(self, store: Store) -> None:
        """The next turn gets 1.5·0.4, the second next 0.3, the turn before the question 0.2; N=4, n=1."""
        every = add(store, turn("plum 0", 0), turn("apple?", 1), turn("plum 2", 2), turn("plum 3", 3))
        arm = KeywordArm(APPLE, before=(0.4, 0.3), after=(0.2,), question_boost=1.5, b=0.0)
        idf = math.log(1 + 3.5 / 1.5)
        wanted = {key: scored(idf, f) for key, f in zip(every, (0.2, 1, 0.6, 0.3), strict=True)}
        assert scores(search(store, arm)) == near(wanted)

    def test_a_questions_length_counts_more_too(self, store: Store) -> None:
        """Boost 2: lengths 2 and 1 + 2·0.5·2 = 3, mean 2.5; frequencies 1 and 2·0.5 = 1."""
        a, b = add(store, turn("apple fig?", 0), turn("plum", 1))
        wanted = {a: scored(math.log(2), 1, 2 / 2.5), b: scored(math.log(2), 1, 3 / 2.5)}
        arm = KeywordArm(APPLE, before=(0.5,), question_boost=2.0)
        assert scores(search(store, arm)) == near(wanted)

    def test_expansion_reaches_as_far_as_there_are_weights_and_not_across_sessions(self, store: Store) -> None:
        turns = [turn(f"plum {place}", place) for place in range(4)]
        turns[0] = turn("apple", 0)
        every = add(store, *turns, memory("plum x", 9, session="other", position=1), memory("plum y", 10))
        arm = KeywordArm(APPLE, before=(0.5, 0.25), shape_words=0, b=0.0)
        found = scores(search(store, arm))
        idf = math.log(1 + 5.5 / 1.5)
        wanted = {key: scored(idf, f) for key, f in zip(every, (1, 0.5, 0.25), strict=False)}
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
        assert scores(search(store, arm))[b] == pytest.approx(scored(math.log(2), 0.5, 1.5 / 1.375), abs=1e-6)
