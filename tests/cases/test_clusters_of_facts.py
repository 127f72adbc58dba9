"""Preset semantic-facts: near facts reach the model in one call, and other words for a fact are merged.

Source: the plan of the Semantic Fact System, section 4, stages 2 and 3.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest

import combray
from combray import Engine
from combray.testing.fakes import FakeLanguageModel

sys.path.insert(0, str(Path(__file__).parents[1] / "designs"))

from exact import ExactEmbedder

PAGE = {
    "User is a backend developer": 0.9,
    "User works in frontend": 0.7,
    "User likes coffee": 0.8,
    "User drinks coffee daily": 0.6,
}
PLAIN = list(PAGE)


def pair_of(one: str, other: str, percent: int, start: int = 0) -> dict[str, list[int]]:
    """Places of two texts with a cosine of `percent` in hundredths."""
    rest = range(start + 100, start + 200 - percent)
    return {one: [*range(start, start + 100)], other: [*range(start, start + percent), *rest]}


def opened(places: Mapping[str, list[int]], facts: Mapping[str, float], *answers: str) -> Engine:
    """An engine with these facts and a model with these answers."""
    engine = combray.open(":memory:", preset="semantic-facts", embedder=ExactEmbedder(places), worker=False)
    for text, confidence in facts.items():
        engine.remember(text, confidence=confidence, diff=False)
    engine.vectors.catch_up(100)
    engine._at.runtime = replace(engine.runtime, language_model=FakeLanguageModel(list(answers)))
    return engine


def test_the_pages_two_clusters_reach_the_model_in_one_call() -> None:
    decisions = [{"pair": 1, "decision": "KEEP_BOTH"}, {"pair": 2, "decision": "MERGE"}]
    answer = f"```json\n{json.dumps({'decisions': decisions})}\n```"
    places = pair_of(PLAIN[0], PLAIN[1], 87) | pair_of(PLAIN[2], PLAIN[3], 88, start=300)
    with opened(places, PAGE, answer) as engine:
        model = engine.runtime.language_model
        done = engine.consolidation.run()
        assert isinstance(model, FakeLanguageModel)
        ((_, prompt),) = model.prompts
        assert [text for text in PAGE if text in prompt] == PLAIN
        assert done.counts["merge"] == 1
        assert {each.content for each in engine.list()} == set(PLAIN[:3])
        engine.consolidation.run()
        assert len(model.prompts) == 1, "the answers are final"


RESTATED = [
    ("User works at Acme", "User is employed at Acme"),
    ("The user works at Acme", "The user is employed at Acme"),
    ("works at Acme", "is employed at Acme"),
    ("Ana lives in Porto", "Ana resides in Porto"),
    ("User enjoys chess", "User likes chess"),
    ("User owns a bakery", "User has a bakery"),
    ("Clara bikes to the office", "Clara cycles to the office"),
    ("The team builds with Bazel", "The team compiles with Bazel"),
    ("User studies geology", "User learns geology"),
    ("Le serveur garde les images", "Le serveur conserve les images"),
    ("El servidor guarda imágenes", "El servidor almacena imágenes"),
]


@pytest.mark.parametrize(("percent", "merged"), [(90, True), (89, False)])
@pytest.mark.parametrize(("one", "other"), RESTATED)
def test_another_predicate_is_merged_from_090(one: str, other: str, percent: int, merged: bool) -> None:
    with opened(pair_of(one, other, percent), {one: 0.8, other: 0.7}) as engine:
        done = engine.consolidation.run()
        assert done.counts.get("merge", 0) == merged


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("User's favourite colour is blue", "User's favourite colour is green"),
        ("User works at Acme", "User works at Globex"),
        ("My brother lives in Rome", "My sister lives in Rome"),
        ("User has two cats", "User has three cats"),
        ("User eats meat", "User does not eat meat"),
        ("User worked at Acme", "User works at Acme"),
        ("The review is on Monday", "The review is on Friday"),
        ("Ana manages Ben", "Ben manages Ana"),
        ("User plays the piano", "User plays the violin"),
        ("The frontend uses React", "The backend uses React"),
    ],
)
def test_another_value_is_never_merged(one: str, other: str) -> None:
    with opened(pair_of(one, other, 96), {one: 0.8, other: 0.7}) as engine:
        assert "merge" not in engine.consolidation.run().counts
