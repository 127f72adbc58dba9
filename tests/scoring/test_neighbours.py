import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from combray.scoring.turns import around, extend, hop, link, steps


def ints(*values: int) -> np.ndarray:
    return np.array(values, dtype=np.int64)


# Slots 0, 2, 3 are turns 5, 1, 5 of session 0 (ties by slot); slots 1 and 5 are session 1; slot 4 has none.
SESSION, POSITION = ints(0, 1, 0, 0, -1, 1), ints(5, 0, 1, 5, 0, 1)


def test_turns_are_linked_by_position_then_slot() -> None:
    chain = link(SESSION, POSITION)
    assert chain.next.tolist() == [3, 5, 0, -1, -1, -1]
    assert chain.previous.tolist() == [2, -1, -1, 0, -1, 1]


def test_no_rows() -> None:
    chain = link(ints(), ints())
    assert (chain.next.tolist(), chain.previous.tolist()) == ([], [])
    assert extend(chain, ints(0, 0), ints(0, 1)).next.tolist() == [1, -1]


turns = st.lists(st.tuples(st.integers(-1, 3), st.integers(0, 4)), max_size=14)


@settings(derandomize=True)
@given(turns, st.integers(0, 14))
def test_extending_is_linking_anew(rows: list[tuple[int, int]], cut: int) -> None:
    session, position = ints(*(row[0] for row in rows)), ints(*(row[1] for row in rows))
    kept = link(session[:cut], position[:cut])
    previous = kept.previous.copy()
    grown, anew = extend(kept, session, position), link(session, position)
    assert grown.next.tolist() == anew.next.tolist()
    assert grown.previous.tolist() == anew.previous.tolist()
    assert kept.previous.tolist() == previous.tolist()


def test_hop_ends_where_the_session_ends() -> None:
    chain = link(SESSION, POSITION)
    assert hop(chain.next, ints(2, 1, 4), 2).tolist() == [3, -1, -1]
    assert hop(chain.next, ints(2, 0), 0).tolist() == [2, 0]


def test_around_gathers_both_sides_once() -> None:
    chain = link(SESSION, POSITION)
    assert around(chain, ints(0), 1).tolist() == [0, 2, 3]
    assert around(chain, ints(2, 4), 2).tolist() == [0, 2, 3, 4]
    assert around(chain, ints(0, 2), 0).tolist() == [0, 2]


def test_steps_name_place_neighbour_and_weight() -> None:
    chain = link(SESSION, POSITION)
    found = [(a.tolist(), b.tolist(), w) for a, b, w in steps(chain.next, ints(4, 2, 0), (0.5, 0.25, 0.1))]
    assert found == [([1, 2], [0, 3], 0.5), ([1], [3], 0.25)]
