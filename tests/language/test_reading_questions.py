"""What a question is read as, with the authors of a store."""

from __future__ import annotations

import time

import pytest

from combray.language.questions import read


@pytest.mark.parametrize(
    "phrase", ["for a living", "For A Living", "FOR A LIVING", "for a lıving", "FOR A LİVİNG"]
)
def test_an_idiom_is_read_by_its_meaning_in_any_case(phrase: str) -> None:
    """ "ı" and "İ" are an "i" to a pattern that ignores case, and no "i" to `str.lower`."""
    assert read(f"What does Ann do {phrase}?", ()).bare == "What does Ann do as a job?"


def test_a_first_name_means_its_only_author() -> None:
    authors = ("Ann Lee", "Tom Ray", "Tom Fox", "user", " ")
    assert read("Where does Ann live?", authors).named == ("Ann Lee",)
    assert read("Where does Tom live?", authors).named == ()


def test_a_store_of_many_authors_is_asked_at_once() -> None:
    """The first names of 20,000 authors were compared each with each, for 15 seconds."""
    authors = tuple(f"Name{number} Surname" for number in range(20_000))
    started = time.perf_counter()
    assert read("Where does Name77 live?", authors).named == ("Name77 Surname",)
    assert time.perf_counter() - started < 4
