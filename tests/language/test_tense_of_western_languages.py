"""Tenses of German, French and Spanish statements, and what they do to an earlier one."""

from __future__ import annotations

import pytest

from combray.language.tense import claim_of, tense_of


@pytest.mark.parametrize(
    ("text", "tense"),
    [
        ("Ich wohne in Kassel.", "present"),
        ("Früher habe ich in Kassel gewohnt.", "past"),
        ("Damals haben wir mit Modem gearbeitet.", "past"),
        ("Als Kind mochte ich keinen Spinat.", "past"),
        ("Nächste Woche ziehen wir nach Bremen.", "planned"),
        ("Ich werde im Mai die Stelle wechseln.", "planned"),
        ("Vielleicht kaufen wir ein Lastenrad.", "hypothetical"),
        ("Falls ich gewinne, kaufe ich ein Boot.", "hypothetical"),
        ("Angeblich schließt die Bäckerei am Markt.", "quoted"),
        ("Inzwischen arbeite ich in Teilzeit.", "present"),
        ("Der Vertrag wird jeden Januar verlängert.", "present"),
        ("Jeden Morgen trinke ich Tee.", "present"),
        ("J'habite à Nantes.", "present"),
        ("Avant, je travaillais à la mairie.", "past"),
        ("Quand j'étais petit, on avait des poules.", "past"),
        ("La semaine prochaine, nous partons à Lille.", "planned"),
        ("Je vais changer de médecin.", "planned"),
        ("On va peut-être acheter une péniche.", "hypothetical"),
        ("Paraît-il que la piscine ferme en juin.", "quoted"),
        ("Je vais au marché tous les samedis.", "present"),
        ("Actuellement, je suis au chômage.", "present"),
        ("Vivo en Gijón con mi hermana.", "present"),
        ("Antes vivía en Gijón con mi hermana.", "past"),
        ("Solíamos comer en casa de la abuela.", "past"),
        ("El año que viene voy a estudiar en Lyon.", "planned"),
        ("Vamos a vender el coche.", "planned"),
        ("Quizás compremos una furgoneta.", "hypothetical"),
        ("Si ganara la lotería, compraría un barco.", "hypothetical"),
        ("Dicen que la piscina cierra en junio.", "quoted"),
        ("Ahora trabajo desde casa.", "present"),
        ("El gato duerme en el sofá.", "present"),
    ],
)
def test_tenses(text: str, tense: str) -> None:
    assert tense_of(text) == tense


@pytest.mark.parametrize(
    "text",
    [
        "The pound falls against the dollar.",
        "The war museum is closed.",
        "My pronto card is in the drawer.",
        "We have a de facto standard for logs.",
    ],
)
def test_words_that_other_languages_share_mark_nothing(text: str) -> None:
    assert tense_of(text) == "present"


@pytest.mark.parametrize(
    "text",
    [
        "Wir nutzen Jenkins nicht mehr.",
        "Ich habe kein Auto mehr.",
        "Nous n'avons plus de chien.",
        "Le cours est annulé.",
        "Ya no trabajo en el banco.",
    ],
)
def test_what_ended(text: str) -> None:
    assert claim_of(text).retracts


@pytest.mark.parametrize("text", ["Ich spreche auch Dänisch.", "Je parle aussi danois.", "También hablo danés."])
def test_what_is_added(text: str) -> None:
    assert claim_of(text).adds
