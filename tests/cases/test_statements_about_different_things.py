"""Statements that share a name and say different things are not two values of it (kitfunso/hippo-memory#11)."""

from __future__ import annotations

import pytest

import combray

PAIRS = [
    ("The bakery sells scones.", "The bakery accepts cards.", "What does the bakery sell?"),
    (
        "The staging cluster is rebuilt every Sunday night by the cron job in the infra repo.",
        "The infra repo needs Terraform 1.9.",
        "When is the staging cluster rebuilt?",
    ),
    (
        "The report server runs the nightly export.",
        "The nightly export takes 40 minutes.",
        "What runs the nightly export?",
    ),
    ("The cat sleeps on the piano.", "The piano is tuned in May.", "Where does the cat sleep?"),
    ("The van belongs to Anna.", "The van needs petrol.", "Who does the van belong to?"),
    ("The library opens at nine.", "The library lends board games.", "When does the library open?"),
    ("The backup job writes to the NAS.", "The NAS stands in the cellar.", "Where does the backup job write to?"),
    ("Die Bäckerei verkauft Brezeln.", "Die Bäckerei nimmt Karten.", "Was verkauft die Bäckerei?"),
    ("La panadería vende bollos.", "La panadería acepta tarjetas.", "¿Qué vende la panadería?"),
    ("La boulangerie vend des brioches.", "La boulangerie accepte les cartes.", "Que vend la boulangerie ?"),
]


@pytest.mark.parametrize("embedder", ["none", "wordllama"])
@pytest.mark.parametrize(("first", "second", "question"), PAIRS)
def test_neither_is_proposed_nor_marked(first: str, second: str, question: str, embedder: str) -> None:
    with combray.open(":memory:", embedder=embedder) as engine:
        engine.remember(first)
        assert engine.remember(second).may_revise == ()
        answer = engine.recall(question)
        assert first in [hit.memory.content for hit in answer]
        assert [hit.may_be_outdated_by for hit in answer] == [None] * len(answer)
