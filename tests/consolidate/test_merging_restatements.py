"""Facts that a `restates` edge joins are merged, so that a recall shows one of them."""

from __future__ import annotations

import pytest

import combray
from combray.language.relations import is_one_claim, relation


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("The report was written by Ben", "Ben wrote the report"),
        ("Eva sold a car to Tom", "Tom bought a car from Eva"),
        ("Mai is taller than Lan", "Lan is shorter than Mai"),
        ("The parcel arrives on Monday", "On Monday the parcel arrives"),
        ("小李每天早上跑步", "小李每天早晨跑步"),
    ],
)
def test_a_recall_shows_one_of_two_facts_that_say_the_same(first: str, second: str) -> None:
    with combray.open(":memory:", embedder="wordllama") as engine:
        engine.remember_many([first, second])
        done = engine.consolidation.run()
        (hit,) = engine.recall(first).hits
        (merged,) = [line.memory_id for line in done.plan if line.operation == "merge"]
        assert engine.get(merged).merged_into == hit.memory.id
        # Nothing is lost: it comes back, and the two stay apart.
        engine.consolidation.undo_merge(merged)
        engine.consolidation.run()
        assert {each.content for each in engine.list().memories} == {first, second}


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("Ana lived in Porto", "Ana lives in Porto"),
        ("Ana owned a boat", "Ana owns a boat"),
        ("Ana had a dog", "Ana has a dog"),
        ("Ana wohnte in Köln", "Ana wohnt in Köln"),
        ("Ana vivía en Lima", "Ana vive en Lima"),
        ("Ben wrote the report", "Ben wrote the reports"),
        ("My savings goal is 5,000 dollars.", "My savings goal is 5,000 dollars for this year."),
        ("A man plays tennis", "A person plays tennis"),
    ],
)
def test_another_time_number_or_detail_is_another_fact(first: str, second: str) -> None:
    assert not is_one_claim(first, second)
    assert not is_one_claim(second, first)


@pytest.mark.parametrize(
    ("first", "second"),
    [("Ana lived in Porto", "Ana lives in Porto"), ("Ben wrote it down", "Ben writes it down")],
)
def test_a_verb_in_another_tense_is_no_restatement(first: str, second: str) -> None:
    assert relation(first, second) is None
