"""Declared and learned names in mnemon, mnemo and engram: a question that uses one name finds the others."""

from __future__ import annotations

import pytest

import combray
from combray import Engine
from combray.types import Hit

PRESETS = ("mnemon", "mnemo", "engram")
EMBEDDERS = ("none", "wordllama")
UPGRADE = "The k8s upgrade broke the ingress on Friday"
MINUTES = "Continuous integration takes nine minutes"
REST = (
    "Marta Klein runs the payments team",
    "Lunch is served at noon in the canteen",
    "The printer on the second floor is out of toner",
    "Tom prefers tea over coffee",
    "The database was upgraded to PostgreSQL 17",
    "The office plants are watered on Mondays",
    "Invoices are sent on the last day of the month",
    "The summer party takes place in July",
)

each_preset = pytest.mark.parametrize("preset", PRESETS)
each_embedder = pytest.mark.parametrize("embedder", EMBEDDERS)


def opened(preset: str, embedder: str) -> Engine:
    engine = combray.open(":memory:", preset=preset, embedder=embedder, worker=False)
    engine.remember_many(REST)
    return engine


def hit_of(engine: Engine, query: str, content: str) -> Hit:
    answer = engine.recall(query, keep=0)
    found = [hit for hit in answer if hit.memory.content == content]
    assert found, (answer.reason, [hit.memory.content for hit in answer])
    return found[0]


@each_preset
@each_embedder
def test_a_declared_name_is_found_under_its_other_names(preset: str, embedder: str) -> None:
    with opened(preset, embedder) as engine:
        engine.remember(UPGRADE)
        asked = "What do we know about Kubernetes?"
        assert UPGRADE not in [hit.memory.content for hit in engine.recall(asked) if hit.signals.get("keyword")]
        engine.entities.alias("Kubernetes", "k8s")
        hit = hit_of(engine, asked, UPGRADE)
        assert engine.recall(asked).details["names"] == {"kubernetes": ("k8s", "kubernetes")}
        assert UPGRADE in [each.memory.content for each in engine.recall(asked, keep=0)[:2]]
        assert max(hit.signals.get(name, 0.0) for name in ("keyword", "bm25")) > 0


@each_preset
@each_embedder
def test_a_learned_name_is_found_under_its_other_names(preset: str, embedder: str) -> None:
    with opened(preset, embedder) as engine:
        engine.remember(MINUTES)
        engine.remember("CI stands for continuous integration")
        hit_of(engine, "How long does CI take?", MINUTES)


@each_preset
@each_embedder
def test_the_entity_arm_knows_the_names_of_an_entity(preset: str, embedder: str) -> None:
    """Nothing but the entity joins question and memory: no word and no name is in both."""
    with opened(preset, embedder) as engine:
        engine.remember("She repairs clocks in her garage", entities=["Roberta Ames"])
        engine.remember("Rain is expected", entities={"Roberta Ames": ["Bobbie"]})
        hit = hit_of(engine, "What does Bobbie do?", "She repairs clocks in her garage")
        assert max(hit.signals.get(name, 0.0) for name in ("entity", "graph")) > 0


@each_preset
def test_a_share_of_names_is_a_share_of_things(preset: str) -> None:
    """Three names of one thing are one entity of the question, of which a memory names all."""
    with opened(preset, "none") as engine:
        entities = {"Kubernetes": ["k8s", "kube", "K-Cluster"]}
        engine.remember("The upgrade broke the ingress", entities=entities)
        hit = hit_of(engine, "What about Kubernetes?", "The upgrade broke the ingress")
        if preset != "mnemo":
            assert hit.signals["entity"] == 1.0


@each_preset
@each_embedder
def test_a_separated_name_is_no_name_any_more(preset: str, embedder: str) -> None:
    with opened(preset, embedder) as engine:
        engine.remember(MINUTES)
        engine.remember("CI stands for continuous integration")
        engine.entities.separate("continuous integration", "CI")
        assert "names" not in engine.recall("How long does CI take?").details
