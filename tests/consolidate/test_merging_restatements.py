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
        assert hit.restated_by == (merged,)
        # Nothing is lost: it comes back, and the two stay apart.
        engine.consolidation.undo_merge(merged)
        assert not any(each.restated_by for each in engine.recall(first))
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


PRESETS = ("default", "mnemon", "mnemo", "openclaw", "engram", "semantic-facts")


@pytest.mark.parametrize("preset", PRESETS)
@pytest.mark.parametrize("embedder", ["none", "wordllama"])
def test_a_hit_names_what_was_merged_into_it_until_that_is_undone(preset: str, embedder: str) -> None:
    with combray.open(
        ":memory:", preset=preset, embedder=embedder, worker=False, language_model="none"
    ) as engine:
        new, old = engine.remember_many(
            [{"content": each, "kind": "fact"} for each in ("The meeting starts at nine.", "We meet at nine.")],
            diff=False,
        )
        engine.settle(new.id, old.id, "same")
        (hit,) = engine.recall("When does the meeting start?")
        assert (hit.memory.id, hit.restated_by) == (new.id, (old.id,))
        engine.settle(new.id, old.id, "open")
        found = engine.recall("When does the meeting start?")
        assert all(not each.restated_by for each in found)
        assert {each.via for each in engine.related(new.id)} <= {"temporal", "entity", "semantic", "causal"}


def test_an_undone_run_takes_its_edges_back_and_leaves_those_of_the_write() -> None:
    with combray.open(":memory:", embedder="wordllama") as engine:
        first, second = engine.remember_many(["Eva sold a car to Tom", "Tom bought a car from Eva"])
        before = [each.edges for each in engine.related(first.id, type="restates")]
        assert len(before) == 1
        run = engine.consolidation.run()
        (hit,) = engine.recall("Who sold a car to Tom?")
        assert {hit.memory.id, *hit.restated_by} == {first.id, second.id}
        engine.consolidation.undo(run.run_id)
        assert [each.edges for each in engine.related(first.id, type="restates")] == before


def test_erasing_what_was_merged_leaves_no_trace_in_the_hit() -> None:
    with combray.open(":memory:", embedder="wordllama") as engine:
        new, old = engine.remember_many(
            [{"content": "The meeting starts at nine."}, {"content": "We meet at nine."}]
        )
        engine.settle(new.id, old.id, "same")
        engine.erase(old.id)
        (hit,) = engine.recall("When does the meeting start?")
        assert hit.restated_by == ()
