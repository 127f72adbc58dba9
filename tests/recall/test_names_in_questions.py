"""Names in a question find memories under their other names."""

from __future__ import annotations

import io
from collections.abc import Iterator
from pathlib import Path

import pytest

import combray
from combray import Engine
from combray.types import MemoryItem

OTHERS = ("Ana paints sunsets on Fridays", "We buy coffee from Rosso", "Omar likes chess")


@pytest.fixture(params=["none", "wordllama"])
def engine(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Engine]:
    with combray.open(tmp_path / "m.db", embedder=request.param) as engine:
        for text in OTHERS:
            engine.remember(text)
        yield engine


def first(engine: Engine, question: str) -> tuple[str, float]:
    hit = engine.recall(question)[0]
    return hit.memory.content, hit.signals.get("entity", 0.0)


def test_a_declared_alias_finds_the_canonical_form_and_the_reverse(engine: Engine) -> None:
    engine.remember("The Kubernetes cluster is in Frankfurt")
    engine.remember("Only Joana may restart k8s nodes")
    engine.remember("Containers are orchestrated", entities={"Kubernetes": ["k8s"]})
    found = {hit.memory.content: hit.signals.get("entity") for hit in engine.recall("k8s")}
    assert found["The Kubernetes cluster is in Frankfurt"] == 1.0
    found = {hit.memory.content: hit.signals.get("entity") for hit in engine.recall("Kubernetes")}
    assert found["Only Joana may restart k8s nodes"] == 1.0
    assert found.keys().isdisjoint(OTHERS) or all(not found.get(text) for text in OTHERS)


def test_an_alias_that_a_text_states_is_learned_and_forgotten_with_it(engine: Engine) -> None:
    engine.remember("Continuous integration needs 12 minutes")
    assert not any(hit.signals.get("entity") for hit in engine.recall("How long does CI take?"))
    taught = engine.remember("CI stands for continuous integration.")
    found = {hit.memory.content: hit.signals.get("entity") for hit in engine.recall("How long does CI take?")}
    assert found["Continuous integration needs 12 minutes"] == 1.0
    engine.erase(taught.id)
    assert not any(hit.signals.get("entity") for hit in engine.recall("How long does CI take?"))


def test_third_party_text_teaches_nothing_and_namespaces_do_not_share(engine: Engine) -> None:
    engine.remember("Continuous integration needs 12 minutes")
    engine.remember("CI stands for continuous integration.", trust="untrusted")
    engine.within("other").remember("CI stands for continuous integration.")
    assert "names" not in engine.recall("How long does CI take?").details


def test_names_that_were_only_extracted_are_no_evidence(engine: Engine) -> None:
    engine.remember("Kubernetes was installed by Marta Klein", author="Marta Klein")
    assert not any(hit.signals.get("entity") for hit in engine.recall("What did Marta Klein do with Kubernetes?"))


def test_a_name_that_most_memories_hold_is_no_evidence(engine: Engine) -> None:
    items: list[MemoryItem] = [
        {"content": f"Acme order number {n} was sent", "entities": ["Acme"]} for n in range(21)
    ]
    engine.remember_many(items[:20])
    assert any(hit.signals.get("entity") for hit in engine.recall("Acme order number 3"))
    engine.remember_many(items[20:])
    assert not any(hit.signals.get("entity") for hit in engine.recall("Acme order number 3"))


def test_the_successor_is_found_by_the_words_and_names_of_what_it_supersedes(engine: Engine) -> None:
    old = engine.remember("The door's colour is green", entities={"Front Door": ["the blue gate"]})
    engine.remember("It's red now", supersedes=old.id)
    assert first(engine, "What colour is the door?")[0] == "It's red now"
    assert first(engine, "What colour is the Front Door?") == ("It's red now", 1.0)


def test_update_replaces_the_declared_aliases(engine: Engine) -> None:
    added = engine.remember("The cluster is in Frankfurt", entities={"Kubernetes": "k8s"})
    assert engine.get(added.id).aliases == {"Kubernetes": ("k8s",)}
    assert engine.update(added.id, entities={"Kubernetes": ["kube"]}).aliases == {"Kubernetes": ("kube",)}
    assert "names" not in engine.recall("k8s").details
    assert engine.recall("kube").details["names"] == {"kube": ("kube", "kubernetes")}


def test_an_export_carries_aliases(engine: Engine, tmp_path: Path) -> None:
    engine.remember("The cluster is in Frankfurt", entities={"Kubernetes": ["k8s"]})
    lines = io.StringIO()
    engine.store.export_to(lines)
    with combray.open(tmp_path / "n.db", embedder="none") as other:
        other.store.import_from(lines.getvalue().splitlines(), dry_run=False, trusted=True)
        assert other.recall("k8s")[0].memory.aliases == {"Kubernetes": ("k8s",)}
