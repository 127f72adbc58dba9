"""German, French, Spanish and Portuguese: each beside the others and beside English."""

from datetime import datetime, timedelta

import pytest

from combray.language.dates import has_time_expression, resolve
from combray.language.dates.statements import resolve_stated

NOW = datetime(2023, 5, 17, 14, 30)  # a Wednesday


@pytest.mark.parametrize(
    ("text", "start", "days"),
    [
        ("Was habe ich gestern gesagt?", (2023, 5, 16), 1),
        ("vor drei Tagen", (2023, 5, 14), 1),
        ("vom 3. bis 5. Oktober 2022", (2022, 10, 3), 3),
        ("letzte Woche", (2023, 5, 8), 7),
        ("Rechnung vom 5.11.2022", (2022, 11, 5), 1),
        ("im ersten Quartal 2022", (2022, 1, 1), 90),
        ("Qu'est-ce que j'ai dit hier ?", (2023, 5, 16), 1),
        ("il y a trois jours", (2023, 5, 14), 1),
        ("du 3 au 5 octobre 2022", (2022, 10, 3), 3),
        ("la semaine dernière", (2023, 5, 8), 7),
        ("¿Qué dije ayer?", (2023, 5, 16), 1),
        ("hace tres días", (2023, 5, 14), 1),
        ("del 3 al 5 de octubre de 2022", (2022, 10, 3), 3),
        ("la semana pasada", (2023, 5, 8), 7),
        ("O que eu disse ontem?", (2023, 5, 16), 1),
        ("três dias atrás", (2023, 5, 14), 1),
        ("de 3 a 5 de outubro de 2022", (2022, 10, 3), 3),
        ("na semana passada", (2023, 5, 8), 7),
    ],
)
def test_a_day_or_a_period(text: str, start: tuple[int, int, int], days: int) -> None:
    (found,) = resolve(text, NOW)
    assert (found.start, found.end - found.start) == (datetime(*start), timedelta(days=days))
    assert has_time_expression(text)


@pytest.mark.parametrize(
    ("text", "start", "end"),
    [
        ("bis spätestens 5. März 2021", 1000, datetime(2021, 3, 6)),
        ("au plus tard le 5 mars 2021", 1000, datetime(2021, 3, 6)),
        ("a más tardar el 5 de marzo de 2021", 1000, datetime(2021, 3, 6)),
        ("até 5 de março de 2021", 1000, datetime(2021, 3, 6)),
    ],
)
def test_a_deadline_includes_its_day(text: str, start: int, end: datetime) -> None:
    (found,) = resolve(text, NOW)
    assert (found.start.year, found.end, found.kind) == (start, end, "open")


@pytest.mark.parametrize(
    "text",
    [
        "I am out; the set was made by Mai, who was here in a hurry",
        "Ich bin hier und habe Zeit",
        "Sal and Mayo are not mentioned: version 10.2.1",
        "C'est mon dernier mot",
        "Elle a été contente",
    ],
)
def test_words_of_another_language_or_meaning_are_no_times(text: str) -> None:
    assert resolve(text, NOW) == []


def test_the_verb_decides_on_past_or_future() -> None:
    assert resolve_stated("El sábado volaré a Roma.", NOW)[0].start == datetime(2023, 5, 20)
    assert resolve_stated("El sábado volé a Roma.", NOW)[0].start == datetime(2023, 5, 13)


@pytest.mark.parametrize(
    "text",
    [
        "in den 90er Jahren",
        "in den 1990er Jahren",
        "die 90er",
        "in den 90ern",
        "in den Neunzigern",
        "in den Neunzigerjahren",
        "in den neunziger Jahren",
        "dans les années 90",
        "en los años 90",
        "nos anos 90",
    ],
)
def test_a_decade(text: str) -> None:
    (found,) = resolve(text, NOW)
    assert (found.start, found.end) == (datetime(1990, 1, 1), datetime(2000, 1, 1))


@pytest.mark.parametrize("text", ["Zimmer 90er Serie", "Ein Zwanziger fehlt in der Kasse.", "Er ist Mitte 90"])
def test_no_decade(text: str) -> None:
    assert not resolve(text, NOW)


@pytest.mark.parametrize(
    ("text", "start", "end"),
    [
        ("Der Bericht von 2022 war kurz", (2022, 1, 1), (2023, 1, 1)),
        ("El informe de 2022 era corto", (2022, 1, 1), (2023, 1, 1)),
        ("Le rapport de 2022 était court", (2022, 1, 1), (2023, 1, 1)),
        ("desde 2022 en adelante", (2022, 1, 1), (3000, 1, 1)),
        ("Was steht nächsten Monat an?", (2023, 6, 1), (2023, 7, 1)),
        ("von Januar 2022 an", (2022, 1, 1), (3000, 1, 1)),
        ("das letzte Drittel von 2022", (2022, 9, 1), (2023, 1, 1)),
        ("das mittlere Drittel von 2022", (2022, 5, 1), (2022, 9, 1)),
        ("the middle third of 2022", (2022, 5, 1), (2022, 9, 1)),
        ("vor fünf Jahren im März", (2018, 3, 1), (2018, 4, 1)),
        ("il y a cinq ans en mars", (2018, 3, 1), (2018, 4, 1)),
        ("hace cinco años en marzo", (2018, 3, 1), (2018, 4, 1)),
        ("há cinco anos em março", (2018, 3, 1), (2018, 4, 1)),
        ("Was war am 5.3.?", (2023, 3, 5), (2023, 3, 6)),
        ("Am 05.03. war ich in Ulm.", (2023, 3, 5), (2023, 3, 6)),
        ("Rechnung vom 5.3.", (2023, 3, 5), (2023, 3, 6)),
        ("vom 3.2. bis 7.2. war ich weg", (2023, 2, 3), (2023, 2, 8)),
        ("gestern um halb acht Uhr abends", (2023, 5, 16, 19, 30), (2023, 5, 16, 19, 31)),
    ],
)
def test_a_period_or_day_in_everyday_words(text: str, start: tuple[int, ...], end: tuple[int, ...]) -> None:
    (found,) = resolve(text, NOW)
    assert (found.start, found.end) == (datetime(*start), datetime(*end))  # type: ignore[arg-type]


@pytest.mark.parametrize("text", ["Abschnitt 5.3. ist neu", "das 3.2. Update", "5.3. Ergebnisse"])
def test_a_numbered_section_is_no_day(text: str) -> None:
    assert not resolve(text, NOW)
