"""A plain negation, a sign of comparison and an emoji are other values at the write (matrixorigin/memoria#88).

The words that negate are a closed class of each language.
"""

from __future__ import annotations

import pytest

import combray
from combray import Engine

BESIDE = ["The kettle is new.", "Lunch is at noon.", "Anna books the rooms."]
CHANGED = [
    (
        "The staging server may be restarted without asking.",
        "The staging server may not be restarted without asking.",
    ),
    ("Deploy on Fridays.", "Don't deploy on Fridays."),
    ("The cat eats fish.", "The cat doesn't eat fish."),
    ("Wir liefern nach Österreich.", "Wir liefern nicht nach Österreich."),
    ("The fridge must stay > 4 °C.", "The fridge must stay < 4 °C."),
    ("The door lamp is 🔴.", "The door lamp is 🟢."),
    # Further ones.
    ("Ana can drive the van.", "Ana cannot drive the van."),
    ("Visitors may not park in the yard.", "Visitors may park in the yard."),
    ("Der Server darf neu gestartet werden.", "Der Server darf nicht neu gestartet werden."),
    ("Der Aufzug hält im Keller.", "Der Aufzug hält nicht im Keller."),
    ("Le magasin ouvre le dimanche.", "Le magasin n'ouvre pas le dimanche."),
    ("Le chien mange du poisson.", "Le chien ne mange pas de poisson."),
    ("El gato come pescado.", "El gato no come pescado."),
    ("Entregamos los domingos.", "No entregamos los domingos."),
    ("O gato come peixe.", "O gato não come peixe."),
    ("A loja abre aos domingos.", "A loja não abre aos domingos."),
    ("Con mèo ăn cá.", "Con mèo không ăn cá."),
    ("我们周五部署。", "我们周五不部署。"),
    ("我吃牛肉。", "我不吃牛肉。"),
    ("The pump stops at >= 80 %.", "The pump stops at <= 80 %."),
    ("The window is ≥ 2 m.", "The window is ≤ 2 m."),
    ("Der Pegel muss < 3 m bleiben.", "Der Pegel muss > 3 m bleiben."),
    ("冰箱必须 > 4 °C。", "冰箱必须 < 4 °C。"),
    ("Build status: ✅", "Build status: ❌"),
    ("Die Ampel am Tor ist 🟡.", "Die Ampel am Tor ist 🟢."),
    ("La lámpara de la puerta es 🔴.", "La lámpara de la puerta es 🟢."),
]
BOTH = [
    ("The cat eats fish.", "The dog doesn't eat fish."),
    ("The cat eats fish.", "The cat doesn't like the rain."),
    ("The fridge must stay > 4 °C.", "The cellar must stay < 9 °C."),
    ("The door lamp is 🔴.", "The garden lamp is 🟢."),
    ("We deploy on Fridays.", "We don't bill on Mondays."),
    ("Wir liefern nach Österreich.", "Wir heizen nicht mit Öl."),
]


def engine_with(embedder: str) -> Engine:
    engine = combray.open(":memory:", embedder=embedder)
    for text in BESIDE:
        engine.remember(text)
    return engine


@pytest.mark.parametrize("embedder", ["none", "wordllama"])
@pytest.mark.parametrize(("first", "second"), CHANGED)
def test_the_first_is_proposed(first: str, second: str, embedder: str) -> None:
    with engine_with(embedder) as engine:
        engine.remember(first)
        done = engine.remember(second)
        assert done.action == "added"
        assert [each.content for each in done.may_revise][:1] == [first]


@pytest.mark.parametrize("embedder", ["none", "wordllama"])
@pytest.mark.parametrize(("first", "second"), BOTH)
def test_another_thing_is_not_proposed(first: str, second: str, embedder: str) -> None:
    with engine_with(embedder) as engine:
        engine.remember(first)
        assert [each.content for each in engine.remember(second).may_revise] == []


def test_a_question_finds_both_values_of_a_sign() -> None:
    with engine_with("wordllama") as engine:
        first, second = (engine.remember(f"The door lamp is {each}.").id for each in "🔴🟢")
        answer = engine.recall("What colour is the door lamp?")
        assert [hit.memory.id for hit in answer] == [second, first]
