"""Oblivious trees, by hand."""

import numpy as np

from combray.scoring.forest import Forest


def test_a_tree_is_a_table_by_its_answers() -> None:
    """The first question gives the highest bit: (no, no) = 0, (no, yes) = 1, (yes, no) = 2, (yes, yes) = 3."""
    forest = Forest(np.array([[0, 1]]), np.array([[0.5, 10.0]]), np.array([[1.0, 2.0, 3.0, 4.0]]), 0.25)
    rows = np.array([[0.0, 0.0], [0.0, 11.0], [1.0, 10.0], [0.6, 10.5]])
    assert forest.log_odds(rows).tolist() == [1.25, 2.25, 3.25, 4.25]


def test_trees_add_up() -> None:
    columns = np.array([[0, 0], [1, 0]])
    thresholds = np.array([[0.0, 2.0], [5.0, 1.0]])
    values = np.array([[1.0, 10.0, 2.0, 20.0], [0.1, 0.2, 0.3, 0.4]])
    # First row: the answers (yes, no) and (yes, no): 2 + 0.3; second: (yes, yes) and (no, yes): 20 + 0.2.
    assert np.allclose(
        Forest(columns, thresholds, values).log_odds(np.array([[1.0, 6.0], [3.0, 0.0]])), [2.3, 20.2]
    )


def test_no_rows_give_no_scores() -> None:
    forest = Forest(np.array([[0]]), np.array([[0.5]]), np.array([[1.0, 2.0]]))
    assert forest.log_odds(np.zeros((0, 1))).shape == (0,)
