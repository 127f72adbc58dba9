from itertools import combinations

from hypothesis import given
from hypothesis import strategies as st

from combray.scoring.toposort import causes_first


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


@given(st.permutations(range(8)), st.sets(st.sampled_from(list(combinations(range(8), 2)))))
def test_any_acyclic_graph_is_ordered(order: list[int], edges: set[tuple[int, int]]) -> None:
    found = causes_first(order, edges)
    place = {node: at for at, node in enumerate(found)}
    assert sorted(found) == list(range(8))
    assert all(place[cause] < place[effect] for cause, effect in edges)
