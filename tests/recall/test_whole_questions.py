"""A note that holds every word and name of a question is shown in a large store too, in every preset."""

from __future__ import annotations

import pytest

import combray
from combray import presets
from combray.testing.fakes import FakeClock

PLACES = ("Oslo", "Lima", "Kyoto", "Cairo", "Quito", "Turin", "Dakar", "Perth", "Sofia", "Riga")
HELD = {
    "what is Tom allergic to": "Tom is allergic to peanuts and shellfish.",
    "was verträgt Tom nicht": "Tom verträgt keine Erdnüsse und keine Muscheln.",
    "wo liegt das Passwort des Routers": "Das Passwort des Routers liegt unter der blauen Vase.",
    "wer leitet Projekt Tallinn": "Das Projekt Tallinn leitet Gruppe 9 im Raum 3.",
    "Tuấn dị ứng với gì": "Tuấn dị ứng với đậu phộng và tôm cua.",
}


@pytest.mark.parametrize("preset", presets.names())
@pytest.mark.parametrize("embedder", ["none", "wordllama"])
def test_it_is_shown_among_hundreds_of_notes(preset: str, embedder: str) -> None:
    engine = combray.open(":memory:", preset=preset, embedder=embedder, clock=FakeClock(), worker=False)
    others = [f"Project {PLACES[n % 10]}-{n // 10} is led by team {n * 7 % 97} in room {n}." for n in range(200)]
    engine.remember_many([*HELD.values(), *others], diff=False)
    if engine.vectors.pending():
        engine.vectors.make()
    for question, text in HELD.items():
        answer = engine.recall(question)
        assert answer, f"{question}: {answer.reason}"
        assert answer[0].memory.content == text


@pytest.mark.parametrize("preset", presets.names())
def test_a_note_without_the_name_is_no_sure_answer(preset: str) -> None:
    engine = combray.open(":memory:", preset=preset, clock=FakeClock(), worker=False)
    engine.remember_many([f"Project {PLACES[n % 10]}-{n} is led by team {n}." for n in range(100)], diff=False)
    engine.remember("The fence has to be painted in two years", diff=False)
    if engine.vectors.pending():
        engine.vectors.make()
    assert engine.recall("Who painted Guernica?").confidence < 0.5
