"""Training of the ranker of revisions: the boosting learns, the measures count, halves are halves."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from bench.truth.boosting import Boosting
from bench.truth.training import Told, halved, measured, scorer, train


def told(
    right: list[float], *, changes: bool, table: list[list[float]] | None = None, story: str = "s-1"
) -> Told:
    rows = np.array(table or [[0.0]] * len(right))
    names = tuple(f"{story}:{place}" for place in range(len(right)))
    return Told(story, "numeric", "en", "text", names, rows, np.array(right), changes)


def test_a_forest_learns_what_needs_two_questions() -> None:
    random = np.random.default_rng(5)
    table = random.uniform(0, 1, (800, 4))
    right = ((table[:, 0] > 0.5) & (table[:, 2] > 0.5)).astype(float)
    each = [told([yes], changes=bool(yes), table=[row.tolist()]) for row, yes in zip(table, right, strict=True)]
    score = scorer(train(each, [], Boosting(trees=60, share=1.0)))
    found = score(np.array([[0.9, 0.1, 0.9, 0.1], [0.9, 0.9, 0.1, 0.9], [0.1, 0.9, 0.9, 0.9]]))
    assert found[0] > 0.8
    assert (found[1:] < 0.2).all()


def test_training_twice_gives_the_same() -> None:
    random = np.random.default_rng(6)
    each = [
        told([float(place % 7 == 0)], changes=True, table=[random.normal(size=3).tolist()]) for place in range(90)
    ]
    assert train(each, each, Boosting(trees=5)) == train(each, each, Boosting(trees=5))


def test_the_measures_by_hand() -> None:
    """Of two changes one has the right one first, one second. Ten others score at most 0.5."""
    statements = [told([1.0, 0.0], changes=True), told([0.0, 1.0], changes=True)]
    scores = [np.array([0.9, 0.1]), np.array([0.4, 0.3])]
    statements += [told([0.0], changes=False) for _ in range(10)]
    scores += [np.array([0.05 * place]) for place in range(1, 11)]
    found = measured(statements, scores)
    assert (found["changes"], found["others"]) == (2, 10)
    assert (found["first"], found["three"], found["covered"]) == (0.5, 1.0, 1.0)
    # A tenth of the others score above 0.455: the second change is not raised.
    assert found["least @10%"] == pytest.approx(0.455)
    assert found["three @10%"] == 0.5


def test_halves_by_the_number_of_the_story(tmp_path: Path) -> None:
    story = {"lang": "en", "kind": "numeric", "statements": [], "questions": [], "keep": []}
    path = tmp_path / "stories.jsonl"
    path.write_text("\n".join(json.dumps({"id": f"a-{number:03}", **story}) for number in range(1, 6)))
    assert [each.name for each in halved(f"{path}:odd")] == ["a-001", "a-003", "a-005"]
    assert [each.name for each in halved(f"{path}:even")] == ["a-002", "a-004"]
    assert len(halved(str(path))) == 5
