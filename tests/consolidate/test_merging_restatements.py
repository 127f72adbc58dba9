"""Facts that say the same are merged, so that a recall shows one of them with what was merged into it."""

from __future__ import annotations

import pytest

import combray


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("Ana lived in Porto", "Ana lives in Porto"),
        ("Ana owned a boat", "Ana owns a boat"),
        ("Ana had a dog", "Ana has a dog"),
        ("Ana wohnte in Köln", "Ana wohnt in Köln"),
        ("Ana vivía en Lima", "Ana vive en Lima"),
        ("Ben wrote it down", "Ben writes it down"),
        ("My savings goal is 5,000 dollars.", "My savings goal is 5,000 dollars for this year."),
        ("A man plays tennis", "A person plays tennis"),
    ],
)
def test_another_time_number_or_detail_is_another_fact(first: str, second: str) -> None:
    with combray.open(":memory:", embedder="wordllama") as engine:
        engine.remember_many([{"content": each, "kind": "fact"} for each in (first, second)], diff=False)
        assert "merge" not in engine.consolidation.run().counts


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


def test_an_undone_run_takes_its_edges_back() -> None:
    with combray.open(":memory:", embedder="wordllama") as engine:
        texts = ("The museum closes at six on Thursdays", "On Thursdays the museum closes at six")
        first, second = engine.remember_many(texts)
        run = engine.consolidation.run()
        (hit,) = engine.recall("When does the museum close on Thursdays?")
        assert {hit.memory.id, *hit.restated_by} == {first.id, second.id}
        engine.consolidation.undo(run.run_id)
        assert not engine.related(first.id, type="restates")


def test_a_merge_of_one_pair_is_taken_back_and_not_made_again() -> None:
    first, second = "The museum closes at six on Thursdays", "On Thursdays the museum closes at six"
    with combray.open(":memory:", embedder="wordllama") as engine:
        engine.remember_many([first, second])
        done = engine.consolidation.run()
        (hit,) = engine.recall(first).hits
        (merged,) = [line.memory_id for line in done.plan if line.operation == "merge"]
        assert engine.get(merged).merged_into == hit.memory.id
        assert hit.restated_by == (merged,)
        engine.consolidation.undo_merge(merged)
        assert not any(each.restated_by for each in engine.recall(first))
        engine.consolidation.run()
        assert {each.content for each in engine.list().memories} == {first, second}


def test_erasing_what_was_merged_leaves_no_trace_in_the_hit() -> None:
    with combray.open(":memory:", embedder="wordllama") as engine:
        new, old = engine.remember_many(
            [{"content": "The meeting starts at nine."}, {"content": "We meet at nine."}]
        )
        engine.settle(new.id, old.id, "same")
        engine.erase(old.id)
        (hit,) = engine.recall("When does the meeting start?")
        assert hit.restated_by == ()
