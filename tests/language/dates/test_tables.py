"""A language is added by a table alone."""

import json
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from combray.language import tables
from combray.language.dates import has_time_expression, resolve
from combray.language.dates.languages import rules
from combray.language.dates.lexer import date_tables

NOW = datetime(2023, 5, 17, 14, 30)  # a Wednesday

SPANISH: dict[str, Any] = {
    "script": "latin",
    "letters": "ñ",
    "fold_accents": True,
    "orders": ["dmy", "ymd"],
    "numbers": {"units": {"dos": 2, "tres": 3}},
    "words": {
        "DAYREL": {"hoy": 0, "ayer": -1, "anteayer": -2},
        "MONTH": {"enero": 1, "mayo": 5},
        "WDAY": {"lunes": 0, "miércoles": 2},
        "UNIT": {"días": "day", "semanas": "week", "semana": "week"},
    },
    "rules": [
        ["SPAN", "day", "n=DAYREL"],
        ["CYCLE", "weekday", "el? w=WDAY"],
        ["CYCLE", "month", "m=MONTH"],
        ["SPAN", "date", "d=NUM de m=MONTH de y=YEAR"],
        ["SPAN", "shifted", "la? unit=UNIT pasada", {"n": -1}],
        ["DUR", "count", "n=NUM unit=UNIT"],
        ["SPAN", "away", "hace d=DUR", {"sign": -1}],
        ["RANGE", "between", "entre a=SPAN|CYCLE y b=SPAN|CYCLE"],
    ],
    "anchors": ["hace", "semana pasada"],
}


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Path]:
    yield tmp_path
    tables.remove_folder(tmp_path)


def write(folder: Path, code: str, table: dict[str, Any]) -> None:
    (folder / code).mkdir()
    (folder / code / "dates.json").write_text(json.dumps(table), encoding="utf-8")


@pytest.mark.parametrize(
    ("text", "start", "end"),
    [
        ("¿qué dije ayer?", datetime(2023, 5, 16), datetime(2023, 5, 17)),
        ("la semana pasada", datetime(2023, 5, 8), datetime(2023, 5, 15)),
        ("hace tres dias", datetime(2023, 5, 14), datetime(2023, 5, 15)),
        ("8 de mayo de 2022", datetime(2022, 5, 8), datetime(2022, 5, 9)),
        ("el miercoles", datetime(2023, 5, 17), datetime(2023, 5, 18)),
        ("entre enero y mayo", datetime(2023, 1, 1), datetime(2023, 6, 1)),
    ],
)
def test_a_spanish_table_resolves_beside_the_shipped_ones(
    folder: Path, text: str, start: datetime, end: datetime
) -> None:
    write(folder, "es", SPANISH)
    assert tables.add_folder(folder) == ["es"]
    (found,) = resolve(text, NOW)
    assert (found.start, found.end) == (start, end)
    assert has_time_expression(text)
    assert resolve("last week", NOW)[0].start == datetime(2023, 5, 8)


def test_without_its_table_the_language_is_not_read() -> None:
    assert resolve("che cosa ho detto ieri?", NOW) == []
    assert not has_time_expression("che cosa ho detto ieri?")


def test_an_empty_folder_is_refused(folder: Path) -> None:
    with pytest.raises(ValueError, match=r"holds no language.*folder such as"):
        tables.add_folder(folder)


@pytest.mark.parametrize(
    ("rule", "message"),
    [
        (["SPAN", "dya", "n=DAYREL"], r"unknown action; known: .*shifted"),
        (["SPAN", "day"], r'expected \["SYMBOL", "action", "pattern"\]'),
    ],
)
def test_a_malformed_rule_is_named(folder: Path, rule: list[str], message: str) -> None:
    write(folder, "es", SPANISH | {"rules": [rule]})
    tables.add_folder(folder)
    with pytest.raises(ValueError, match=message):
        resolve("ayer", NOW, ["es"])


def test_a_table_with_an_unknown_field_is_refused(folder: Path) -> None:
    write(folder, "es", SPANISH | {"ruels": []})
    tables.add_folder(folder)
    with pytest.raises(ValueError, match=r"es/dates\.json.*ruels"):
        resolve("ayer", NOW, ["es"])


@pytest.mark.parametrize("code", ["de", "en", "es", "fr", "ja", "ko", "pt", "vi", "zh"])
def test_every_symbol_used_in_a_shipped_table_can_be_made(code: str) -> None:
    table = date_tables()[code]
    lexical = {"NUM", "DIGITS", "YEAR", "YEARWORDS", "YY", "ZEROS", "DAYWORDS"}
    made = lexical | set(table.words) | {rule[0] for rule in rules(code)}
    used = {
        option
        for rule in rules(code)
        for element in rule[2].split()
        for option in element.rpartition("=")[2].removesuffix("?").split("|")
        if option.isupper()
    }
    assert used <= made
