"""Clusters around leaders: no chains, and no matter in which order pairs are found."""

from hypothesis import given
from hypothesis import strategies as st

from combray.scoring.similarity import clusters_by_leader

pairs = st.sets(st.tuples(st.integers(0, 8), st.integers(0, 8)), max_size=20)


def clusters(
    near: dict[int, list[int]], count: int, apart: frozenset[tuple[int, int]] = frozenset()
) -> list[list[int]]:
    return clusters_by_leader(
        count, lambda place: near.get(place, ()), lambda one, other: (one, other) not in apart
    )


def test_a_chain_is_not_followed() -> None:
    """1 is near 0 and 2, but 0 and 2 are not near each other: connected components would heap up all three."""
    assert clusters({0: [1], 1: [0, 2], 2: [1]}, 3) == [[0, 1]]


def test_who_may_not_join_leads_on() -> None:
    near = {0: [1, 2], 1: [0, 2], 2: [0, 1]}
    assert clusters(near, 3, frozenset({(0, 1), (0, 2)})) == [[1, 2]]


def test_a_member_near_two_leaders_goes_to_the_first() -> None:
    assert clusters({0: [2], 1: [2, 3], 2: [0, 1], 3: [1]}, 4) == [[0, 2], [1, 3]]


@given(pairs)
def test_the_order_of_finding_does_not_matter(found: set[tuple[int, int]]) -> None:
    near: dict[int, list[int]] = {}
    for one, other in found:
        near.setdefault(one, []).append(other)
        near.setdefault(other, []).append(one)
    shuffled = {
        place: sorted(others, key=lambda other: (other * 7 + place) % 5) * 2 for place, others in near.items()
    }
    groups = clusters(near, 9)
    assert clusters(shuffled, 9) == groups
    placed = [place for group in groups for place in group]
    assert len(placed) == len(set(placed))
    for leader, *members in groups:
        assert all(member > leader and member in near[leader] for member in members)
