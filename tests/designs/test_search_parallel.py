"""The local legs of the parallel search: when keywords run, how far the graph reaches, what filters do."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

import pytest

import combray
from combray.designs.engram.search import SearchParallel
from combray.pipeline import Pipeline
from combray.presets import load
from combray.testing.fakes import FakeClock, FakeEmbedder

sys.path.insert(0, str(Path(__file__).parents[1] / "presets"))
from exact import PLACES, ExactEmbedder, sharing


def contents(answer: combray.Answer) -> list[str]:
    return [hit.memory.content for hit in answer]


def engine_with(*texts: str, embedder: object = "none") -> combray.Engine:
    engine = combray.open(":memory:", preset="engram", embedder=embedder, clock=FakeClock())  # type: ignore[arg-type]
    engine.remember_many(texts)
    return engine


NEAR = {f"Near number {place}": sharing(50) for place in "abcdef"}


def test_numbers_and_ids_are_found_by_keyword_however_many_vectors_are_near() -> None:
    embedder = ExactEmbedder({"invoice 2291": PLACES, "invoice": PLACES, **NEAR})
    engine = engine_with(*NEAR, "Paid: invoice 2291", embedder=embedder)
    assert contents(engine.recall("invoice 2291"))[0] == "Paid: invoice 2291"
    assert contents(engine.recall("invoice"))[0] == "Paid: invoice 2291"


def test_keywords_count_more_where_the_model_knows_little_of_the_language() -> None:
    """Trust 0.5: cosines of 0.9 count 0.45, and a memory with every word 0.6."""

    class HalfTrusted(ExactEmbedder):
        def knows(self, language: str) -> float:
            return 0.5

    far = {text: sharing(90) for text in NEAR}
    engine = engine_with(*NEAR, "Trà sữa", embedder=HalfTrusted({"trà sữa": PLACES, **far}))
    answer = engine.recall("trà sữa")
    assert answer[0].memory.content == "Trà sữa"
    assert answer[0].signals["vector"] == 0.6
    assert answer[1].signals["vector"] == pytest.approx(0.45, abs=1e-6)


def test_one_word_of_many_is_no_evidence() -> None:
    engine = engine_with("The lathe is broken")
    assert len(engine.recall("lathe saw press drill mill")) == 1
    assert len(engine.recall("lathe saw press drill mill vice")) == 0


def test_the_graph_is_walked_two_steps_from_what_names_the_entity() -> None:
    chain = ["Kafka feeds Spark", "Spark writes Hadoop", "Hadoop serves Grafana", "Grafana warns Slack"]
    found = contents(engine_with(*chain).recall("what about Kafka"))
    assert found[0] == chain[0]
    assert sorted(found[1:]) == sorted(chain[1:3])


def test_the_graph_does_not_pass_filters() -> None:
    engine = engine_with("Kafka feeds Spark")
    engine.remember("Spark writes Hadoop", category="fact")
    assert contents(engine.recall("what about Kafka", categories=["fact"])) == []
    assert contents(engine.recall("what about Kafka", categories=["general"])) == ["Kafka feeds Spark"]


def test_no_more_neighbours_than_the_setting_says() -> None:
    engine = engine_with("Kafka feeds Spark", *(f"Spark job {n} is done" for n in range(5)))
    recall = load("engram").recall.replace("SearchParallel", SearchParallel(neighbours=2))
    mine = replace(load("engram"), recall=Pipeline("mine", recall.stages, recall.starts_with))
    assert len(engine.recall("what about Kafka", preset=mine)) == 3
    assert len(engine.recall("what about Kafka")) > 3


def test_the_first_hit_does_not_depend_on_the_limit() -> None:
    engine = engine_with(*(f"Film {n} was seen by Alice" for n in range(60)), embedder=FakeEmbedder())
    first = {engine.recall("which film did Alice see", limit=limit)[0].memory.id for limit in (1, 5, 50)}
    assert len(first) == 1


def test_nothing_is_nothing() -> None:
    engine = engine_with("The lathe is broken", embedder="wordllama")
    answer = engine.recall("quantum chromodynamics lattice")
    assert (len(answer), answer.details["grouped"]) == (0, "")
    assert answer.reason == "nothing here matches: no shared words, names or meaning"
