"""Overlap of token sets, by hand."""

from __future__ import annotations

import pytest

from combray.scoring.similarity import Overlaps


def test_shared_tokens_of_all_tokens() -> None:
    overlaps = Overlaps([["a", "b", "c"], ["b", "c", "d", "e"], [], ["a", "a", "b", "c"], ["z"]])
    # {a b c} and {b c d e}: 2 shared of 5; with itself and with a b c written otherwise: 1.
    assert overlaps.of(0).tolist() == pytest.approx([1.0, 0.4, 0.0, 1.0, 0.0])
    assert overlaps.of(1).tolist() == pytest.approx([0.4, 1.0, 0.0, 0.4, 0.0])


def test_two_empty_sets_are_not_alike() -> None:
    assert Overlaps([[], [], ["a"]]).of(0).tolist() == [0.0, 0.0, 0.0]
    assert Overlaps([[], []]).of(1).tolist() == [0.0, 0.0]
