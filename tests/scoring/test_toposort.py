from itertools import combinations

from hypothesis import given
from hypothesis import strategies as st

from combray.scoring.ranking import causes_first


def test_causes_stand_before_effects() -> None:
    assert causes_first([3, 2, 1], [(1, 2), (2, 3)]) == [1, 2, 3]


def test_the_ready_keep_the_given_order() -> None:
    # 4 waits for 7; 9 and 7 wait for nothing, and 9 was given first.
    assert causes_first([9, 4, 7], [(7, 4)]) == [9, 7, 4]
    assert causes_first([5, 1, 3], []) == [5, 1, 3]


def test_a_cycle_follows_in_the_given_order() -> None:
    assert causes_first([1, 2, 3, 4], [(2, 3), (3, 2), (3, 4)]) == [1, 2, 3, 4]
    assert causes_first([2, 3, 1], [(2, 3), (3, 2), (1, 2)]) == [1, 2, 3]


def test_edges_from_elsewhere_loops_and_repeats_do_not_count() -> None:
    assert causes_first([2, 1], [(9, 2), (2, 2), (1, 2), (1, 2)]) == [1, 2]


def test_a_weak_cause_passes_no_hit_that_nothing_joins_to_it() -> None:
    # 2 is the cause of 1; 9 is joined to neither and stands between them.
    assert causes_first([1, 9, 2], [(2, 1)]) == [1, 9, 2]
    assert causes_first([9, 1, 2], [(2, 1)]) == [9, 2, 1]


@given(st.permutations(range(8)), st.sets(st.sampled_from(list(combinations(range(8), 2)))))
def test_only_joined_nodes_change_places(order: list[int], edges: set[tuple[int, int]]) -> None:
    found = causes_first(order, edges)
    joined = {node: {node} for node in order}
    for cause, effect in edges:
        both = joined[cause] | joined[effect]
        for node in both:
            joined[node] = both
    before, after = ({node: at for at, node in enumerate(each)} for each in (order, found))
    assert sorted(found) == list(range(8))
    for one, other in combinations(range(8), 2):
        if other not in joined[one]:
            assert (before[one] < before[other]) == (after[one] < after[other])
    if all(len(each) == 8 for each in joined.values()):
        assert all(after[cause] < after[effect] for cause, effect in edges)
