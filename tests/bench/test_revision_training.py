"""Training of the ranker of revisions: the models learn, the measures count, halves are halves."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from bench.truth.choice import Lists, choose, weigh
from bench.truth.training import Told, halved, measured, of_situations, scorer, train


def told(
    right: list[float], *, changes: bool, table: list[list[float]] | None = None, story: str = "s-1"
) -> Told:
    rows = np.array(table or [[0.0]] * len(right))
    names = tuple(f"{story}:{place}" for place in range(len(right)))
    return Told(story, "numeric", "en", "text", names, rows, np.array(right), changes)


def test_the_choice_learns_what_sets_the_right_one_apart_within_its_list() -> None:
    """The second column is higher for the right candidate; the first one is the same for a whole list."""
    random = np.random.default_rng(5)
    tables = [
        np.column_stack([np.full(4, random.normal()), random.permutation(np.arange(4.0))]) for _ in range(60)
    ]
    right = [(each[:, 1] == 3).astype(float) for each in tables]
    constant, telling = choose(Lists.of(tables, right, [1.0] * 60), ridge=1.0)
    assert abs(constant) < 1e-6
    assert telling > 0.5


def test_two_candidates_by_hand() -> None:
    """One column, in each list 1 or -1, and right in 3 of 4: the odds of a difference of 2 are 3, so ln 3 / 2."""
    tables = [np.array([[1.0], [-1.0]])] * 4
    right = [np.array([1.0, 0.0])] * 3 + [np.array([0.0, 1.0])]
    assert choose(Lists.of(tables, right, [1.0] * 4), ridge=0.0) == pytest.approx([np.log(3) / 2], abs=1e-4)


def test_a_logit_by_hand() -> None:
    """Where the column is 0 one of four is right, where it is 1 three of four: odds of 1/3 and 3."""
    table, right = np.array([[0.0]] * 4 + [[1.0]] * 4), np.array([1.0, 0, 0, 0, 1, 1, 1, 0])
    weights, bias = weigh(table, right, np.ones(8), ridge=0.0)
    assert (weights[0], bias) == pytest.approx((2 * np.log(3), -np.log(3)), abs=1e-4)


def test_training_twice_gives_the_same_and_finds_the_right_one() -> None:
    random = np.random.default_rng(6)
    tables = [random.normal(size=(3, 2)) for _ in range(90)]
    each = [
        told((x[:, 0] == x[:, 0].max()).astype(float).tolist(), changes=True, table=x.tolist()) for x in tables
    ]
    assert train(each) == train(each)
    found = scorer(train(each))(np.array([[-1.0, 0.0], [2.0, 0.0], [0.0, 1.0]]))
    assert found.argmax() == 1
    assert found[1] > 0.5


def test_situations(tmp_path: Path) -> None:
    path = tmp_path / "en-1.txt"
    path.write_text(
        "## status\nThe roof leaks. | Ida> The car is old. => Ida> Tiles on. @ 1\nA. | B. => C. @ 0\n"
    )
    first, second = of_situations(str(path))
    assert [(each.author, each.text) for each in first.statements] == [
        ("user", "The roof leaks."), ("Ida", "The car is old."), ("Ida", "Tiles on."),
    ]  # fmt: skip
    assert (first.kind, first.language, second.revisions) == ("status", "en", {})
    new, old = first.statements[2].ref, first.statements[0].ref
    assert first.revisions == {new: frozenset({old})}
    assert [each.at for each in first.statements] == sorted(each.at for each in first.statements)


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
