"""A name answers a question for a sort of thing, also where its sentence lacks that word (JKHeadley/instar#1680).

"Which school does she go to?" is not refused because "She goes to Riverside" does not say "school".
"""

from __future__ import annotations

import pytest

import combray

BESIDE = [
    "The dishwasher salt is under the sink.",
    "The bike shop opens at ten on weekdays.",
    "Tea is better in the afternoon.",
]
ASKED = [
    ("Our daughter changed schools from Elm Park to Riverside.", "Where does our daughter go to school?"),
    ("Our daughter goes to Riverside now.", "Which school does our daughter go to?"),
    ("My son transferred to Northgate in September.", "Which school does my son attend?"),
    ("My sister got into Heidelberg.", "Which university did my sister get into?"),
    ("The kids are at Sonnenschein until four.", "Which kindergarten do the kids go to?"),
    ("We fly with Norwegian on Sunday.", "Which airline do we fly with?"),
    ("My brother joined Northwind in May.", "Which company did my brother join?"),
    ("Our aunt is at Charité until Friday.", "Which hospital is our aunt in?"),
    ("Unsere Tochter geht jetzt auf die Riverside.", "Auf welche Schule geht unsere Tochter?"),
    ("Meine Schwester studiert in Heidelberg.", "An welcher Universität studiert meine Schwester?"),
    ("Nuestra hija va ahora a Riverside.", "¿A qué colegio va nuestra hija?"),
    ("我女儿现在在Riverside上学。", "我女儿在哪所学校上学？"),
]


@pytest.mark.parametrize("embedder", ["none", "wordllama"])
@pytest.mark.parametrize(("stored", "question"), ASKED)
def test_the_name_is_found(stored: str, question: str, embedder: str) -> None:
    with combray.open(":memory:", embedder=embedder) as engine:
        engine.remember_many([*BESIDE, stored])
        assert [hit.memory.content for hit in engine.recall(question)][:1] == [stored]
