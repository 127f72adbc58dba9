"""The same in other words is linked at write and merged by consolidation; a plain negation is reported."""

from __future__ import annotations

import pytest

import combray

RESTATED = [
    ("The museum closes at six on Thursdays.", "On Thursdays the museum closes at six."),
    ("Marta is allergic to peanuts and shellfish.", "Marta is allergic to shellfish and peanuts."),
    ("博物馆星期四六点关门。", "星期四博物馆六点关门。"),
]
DIFFERENT = [
    ("Anna lent Peter her camera.", "Peter lent Anna her camera."),
    ("The train from Lyon to Paris was late.", "The train from Paris to Lyon was late."),
    ("从北京到上海的火车晚点了。", "从上海到北京的火车晚点了。"),
    ("The dog chased the cat around the house.", "The cat chased the dog around the house."),
]


@pytest.mark.parametrize(("old", "new"), RESTATED)
def test_a_restatement_is_kept_and_linked_to_what_it_repeats(old: str, new: str) -> None:
    with combray.open(":memory:") as engine:
        first, second = engine.remember(old), engine.remember(new)
        assert second.action == "added"
        assert [each.memory.id for each in engine.related(second.id, type="restates")] == [first.id]


@pytest.mark.parametrize(("old", "new"), DIFFERENT)
def test_the_same_words_in_other_roles_are_another_statement(old: str, new: str) -> None:
    with combray.open(":memory:") as engine:
        engine.remember(old)
        second = engine.remember(new)
        assert second.action == "added"
        assert not engine.related(second.id, type="restates")
        assert "merge" not in engine.consolidation.run().counts


def test_consolidation_merges_a_moved_phrase_and_can_be_undone() -> None:
    old, new = RESTATED[0]
    with combray.open(":memory:") as engine:
        engine.remember(old)
        engine.remember(new)
        done = engine.consolidation.run()
        assert done.counts.get("merge") == 1
        assert len(engine.search("museum Thursdays")) == 1
        engine.consolidation.undo(done.run_id)
        assert len(engine.search("museum Thursdays")) == 2


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("A cat sleeps on the warm roof.", "There is no cat sleeping on the warm roof."),
        ("The bakery on Mill Road opens on Sundays.", "The bakery on Mill Road does not open on Sundays."),
        ("新的解析器支持嵌套注释。", "新的解析器不支持嵌套注释。"),
    ],
)
def test_a_plain_negation_is_reported_as_a_conflict(old: str, new: str) -> None:
    with combray.open(":memory:") as engine:
        first = engine.remember(old)
        second = engine.remember(new)
        assert (second.action, second.diff_suggestion) == ("added", "CONFLICT")
        assert engine.get(first.id).status == "active"


def test_in_preset_mnemon_a_more_general_text_replaces_nothing() -> None:
    with combray.open(":memory:", preset="mnemon") as engine:
        exact = engine.remember("Marta is allergic to peanuts, shellfish and walnuts since childhood.")
        engine.remember("Marta is allergic to peanuts, shellfish and walnuts.")
        assert engine.get(exact.id).status == "active"
