"""Positions of a graph: the same for the same graph, linked nodes near, and whatever the graph, finite."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from combray.scoring.layout import EXACT, Points, layout


def placed(count: int, edges: list[tuple[int, int]], weights: list[float] | None = None) -> Points:
    ends = np.array(edges, dtype=np.int64).reshape(-1, 2)
    strengths = np.ones(len(ends)) if weights is None else np.array(weights)
    return layout(np.arange(1, count + 1, dtype=np.uint64), ends[:, 0], ends[:, 1], strengths)


def distance(points: Points, one: int, other: int) -> float:
    return float(np.hypot(*(points[one] - points[other])))


def groups(size: int, number: int) -> list[tuple[int, int]]:
    """Each node of a group is linked to three others of it; one node in ten to one of the next group."""
    draw = Random(3)
    edges = [
        (group * size + at, group * size + draw.randrange(size))
        for group in range(number)
        for at in range(size)
        for _ in range(3)
    ]
    return edges + [(at, (at + size) % (size * number)) for at in range(0, size * number, 10)]


@pytest.mark.parametrize("size", [20, 200])
def test_nodes_of_a_group_are_nearer_than_those_of_others(size: int) -> None:
    points = placed(size * 4, groups(size, 4))
    centres = points.reshape(4, size, 2).mean(axis=1)
    spread = np.hypot(*(points.reshape(4, size, 2) - centres[:, None]).T).mean()
    between = min(distance(centres, a, b) for a in range(4) for b in range(a))
    assert between > 1.3 * spread


def test_both_ways_of_summing_agree_on_who_is_near() -> None:
    """One more node than the exact sum takes: the grid must not change the picture."""
    for count in (EXACT, EXACT + 4):
        points = placed(count, [(0, 1), (2, 3)])
        apart = np.mean([distance(points, 0, other) for other in range(4, count)])
        assert max(distance(points, 0, 1), distance(points, 2, 3)) < apart / 4


def test_linked_nodes_are_nearer_than_unlinked_ones_and_strong_edges_shorter() -> None:
    points = placed(4, [(0, 1), (1, 2), (2, 3)], [1.0, 0.1, 1.0])
    assert distance(points, 0, 1) < distance(points, 1, 2) < distance(points, 0, 3)


def test_equal_graphs_have_equal_positions_and_other_ids_have_others() -> None:
    edges = groups(50, 8)
    assert np.array_equal(placed(400, edges), placed(400, edges))
    ends = np.array(edges, dtype=np.int64)
    other = layout(np.arange(5, 405, dtype=np.uint64), ends[:, 0], ends[:, 1], np.ones(len(ends)))
    assert not np.array_equal(placed(400, edges), other)


def test_ten_thousand_nodes_fill_the_circle() -> None:
    points = placed(10_000, groups(100, 90))
    radius = np.hypot(points[:, 0], points[:, 1])
    assert radius.max() == pytest.approx(1)
    assert np.median(radius) > 0.3, "neither a point with outliers nor a ring"


def test_nodes_with_the_same_neighbours_do_not_meet() -> None:
    for edges in ([(0, 1), (1, 2), (2, 0)], [(0, 3), (1, 3), (2, 3), (0, 4), (1, 4), (2, 4)]):
        points = placed(5, edges)
        assert min(distance(points, a, b) for a in range(5) for b in range(a)) > 0.1


def test_graphs_without_edges_or_nodes() -> None:
    assert placed(0, []).shape == (0, 2)
    assert np.array_equal(placed(1, [(0, 0)]), np.zeros((1, 2)))
    assert distance(placed(2, []), 0, 1) > 1


@given(st.integers(1, 12), st.lists(st.tuples(st.integers(0, 11), st.integers(0, 11)), max_size=30))
def test_every_graph_has_finite_positions_in_the_circle(count: int, edges: list[tuple[int, int]]) -> None:
    points = placed(count, [(a % count, b % count) for a, b in edges])
    assert np.isfinite(points).all()
    assert np.hypot(points[:, 0], points[:, 1]).max() <= 1 + 1e-9
