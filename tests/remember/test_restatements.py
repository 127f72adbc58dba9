"""The same in other words is kept; consolidation merges what only stands in another order."""

from __future__ import annotations

import pytest

import combray

RESTATED = [
    ("The museum closes at six on Thursdays.", "On Thursdays the museum closes at six."),
    ("Our contract with Bluebell ends in June.", "The agreement we have with Bluebell expires in June."),
    ("博物馆星期四六点关门。", "星期四博物馆六点关门。"),
]
DIFFERENT = [
    ("Anna lent Peter her camera.", "Peter lent Anna her camera."),
    ("The train from Lyon to Paris was late.", "The train from Paris to Lyon was late."),
    ("从北京到上海的火车晚点了。", "从上海到北京的火车晚点了。"),
    ("The dog chased the cat around the house.", "The cat chased the dog around the house."),
]


@pytest.mark.parametrize(("old", "new"), [*RESTATED, *DIFFERENT])
def test_other_words_or_another_order_are_another_memory(old: str, new: str) -> None:
    with combray.open(":memory:") as engine:
        engine.remember(old)
        second = engine.remember(new)
        assert (second.action, second.diff_suggestion) == ("added", "ADD")
        assert not engine.related(second.id, type="restates")


@pytest.mark.parametrize(("old", "new"), DIFFERENT)
def test_the_same_words_in_other_roles_are_not_merged(old: str, new: str) -> None:
    with combray.open(":memory:") as engine:
        engine.remember_many([old, new])
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


def test_in_preset_mnemon_a_more_general_text_replaces_nothing() -> None:
    with combray.open(":memory:", preset="mnemon") as engine:
        exact = engine.remember("Marta is allergic to peanuts, shellfish and walnuts since childhood.")
        engine.remember("Marta is allergic to peanuts, shellfish and walnuts.")
        assert engine.get(exact.id).status == "active"
