"""The labelled pairs of the merge measurement, and what it counts."""

from __future__ import annotations

from collections import Counter

from bench.consolidation.merging import Merging, Pair, load, merge


def test_the_pairs_are_many_distinct_and_mostly_hard_negatives() -> None:
    pairs = load()
    assert len(pairs) >= 150
    assert len({(each.first, each.second) for each in pairs}) == len(pairs)
    assert all(each.first != each.second for each in pairs)
    kinds = Counter(each.kind for each in pairs if not each.same)
    assert sum(kinds.values()) >= 100
    assert set(kinds) == {
        *("number", "unit", "date", "name", "place", "negation", "owner"),
        *("direction", "opposite", "value", "tense", "hedge", "more"),
    }


def test_merges_are_counted_as_right_or_wrong_by_their_label() -> None:
    """Two of three pairs are merged, one of them wrongly labelled on purpose."""
    same = Pair("User likes green tea", "The user likes green tea", True, "same")
    mislabelled = Pair("User likes green tea", "The user likes green tea", False, "number")
    missed = Pair("Ann is fond of sailing", "To Ann, boats are everything", True, "same")
    found = merge([same, mislabelled, missed], "none")
    assert (found.right, found.wrong, found.missed) == (1, [mislabelled], [missed])
    assert found.false_share == 0.5
    assert found.false_rate == 1.0


def test_without_merges_no_share_is_wrong() -> None:
    assert Merging(0).false_share == 0.0
    assert Merging(0).false_rate == 0.0
