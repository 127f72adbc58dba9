"""Identifiers are compared whole and in canonical form. The pairs follow from the rule, not from the code."""

from __future__ import annotations

import pytest

from combray.language.identifiers import identifiers


@pytest.mark.parametrize(
    ("asked", "text"),
    [
        ("the SSN 123-45-6789", "SSN 123 45 6789."),
        ("OPS-4711", "see (ops 4711)"),
        ("OPS 4711", "OPS-4711's fix"),
        ("+1 (212) 555-1234", "call 212.555.1234 today"),
        ("0170 1234567", "+49 (0)170 123 45 67"),
        ("+49 170 1234567", "0170-1234567"),
        ("card 4111 1111 1111 1111", "4111-1111-1111-1111 12/26"),
        ("IBAN DE89 3704 0044 0532 0130 00", "de89370400440532013000"),
        ("IBAN GB29 NWBK 6016 1331 9268 19", "GB29NWBK60161331926819"),
        ("ana@example.com", "Ana@Example.com."),
        ("acme.com", "https://www.acme.com/"),
        ("license plate B-MX 4711", "b-mx-4711"),
        ("B MX 4711", "Kennzeichen BMX4711"),
        ("删除我的身份证号110101199003078515", "身份证：110101 19900307 8515"),
        ("192.168.10.24", "http://192.168.10.24:8080/"),
    ],
)
def test_spellings_of_one_identifier(asked: str, text: str) -> None:
    assert any(each.held_by(text) for _, _, each in identifiers(asked))


@pytest.mark.parametrize(
    ("asked", "text"),
    [
        ("the SSN 123-45-6789", "123-45-67890"),
        ("the SSN 123-45-6789", "9123-45-6789"),
        ("OPS-4711", "OPS-47112"),
        ("OPS-4711", "DEVOPS-4711"),
        ("OPS 4711", "room 4711"),
        ("+1 (212) 555-1234", "+44 212 555 1234"),
        ("0170 1234567", "0171 1234567"),
        ("ana@example.com", "mana@example.com"),
        ("ana@example.com", "ana@example.com.br"),
        ("acme.com", "notacme.com"),
        ("B-MX 4711", "B-MY 4711"),
        ("B-MX 4711", "B-MX 47112"),
        ("192.168.10.24", "1921681024 items"),
        ("192.168.10.24", "192.168.10.240"),
    ],
)
def test_another_identifier_is_not_it(asked: str, text: str) -> None:
    assert not any(each.held_by(text) for _, _, each in identifiers(asked))


@pytest.mark.parametrize(
    "asked", ["my trip in 2024", "the $5,000 loan", "vitamin B12", "on 2024-05-01", "at 10:30"]
)
def test_years_dates_amounts_and_short_names_identify_nothing(asked: str) -> None:
    assert identifiers(asked) == []
