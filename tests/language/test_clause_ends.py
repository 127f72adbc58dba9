"""A phrase that stands across the end of a clause is in none of the clauses."""

from __future__ import annotations

import itertools

import pytest

from combray.language.relations import relation

SENTENCES = (
    "On which day does Anoushka have her cello lesson?",
    "What dose of blood pressure medicine do I take?",
    "Tom takes, on a Monday, three lessons.",
    "The flat has no lift, only stairs.",
    "I take my medicine, on and off, with milk.",
)


@pytest.mark.parametrize(("old", "new"), list(itertools.permutations(SENTENCES, 2)))
def test_any_two_sentences_and_their_sum_can_be_compared(old: str, new: str) -> None:
    # "take?, On" is the phrase "take on", which the clause before the comma holds in part.
    for text in (new, f"{new}, {old}", f"{old.rstrip('.?')}, {new}"):
        found = relation(old, text)
        assert found is None or found.kind in ("restates", "contradicts")


def test_the_clause_that_is_denied_is_still_found() -> None:
    found = relation("The API has OAuth", "The API has no OAuth, only keys")
    assert found is not None
    assert found.kind == "contradicts"
