"""Restatements that the tables leave open: another sentence of the same words, and what only looks like one."""

from __future__ import annotations

import json

import pytest

from combray.language import restatements
from combray.language.relations import open_pair, relation

LINKED = 0.8
"""`Diff.restated_likely_from`."""


def is_linked(old: str, new: str) -> bool:
    found = relation(old, new)
    return found is not None and found.kind == "restates" and found.score >= LINKED


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (
            "The meeting room on the second floor has a whiteboard.",
            "There is a whiteboard in the meeting room on the second floor.",
        ),
        ("The garden shed has no electricity.", "There isn't any electricity in the garden shed."),
        (
            "Please send the invoice to the accounting office.",
            "The invoice, please send it to the accounting office.",
        ),
        ("Nobody at the office speaks Danish.", "There's no one in the office who speaks Danish."),
    ],
)
def test_another_sentence_of_the_same_words(old: str, new: str) -> None:
    assert is_linked(old, new)
    assert is_linked(new, old)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        # roles exchanged
        (
            "The mechanic called the customer about the invoice.",
            "The customer called the mechanic about the invoice.",
        ),
        (
            "The proxy forwards requests to the billing service.",
            "The billing service forwards requests to the proxy.",
        ),
        (
            "The bus to the valley leaves from the station at noon.",
            "From the valley the bus to the station leaves at noon.",
        ),
        (
            "The manager approved the budget of the marketing team.",
            "The marketing team approved the budget of the manager.",
        ),
        (
            "Tests run before the build in the nightly pipeline.",
            "In the nightly pipeline the build runs before the tests.",
        ),
        (
            "The client sends the token to the server in the header.",
            "In the header the server sends the token to the client.",
        ),
        (
            "We walked from the lake to the hut in June.",
            "In June we walked from the hut to the lake.",
        ),
        # another word in the same place
        (
            "The man is wearing a yellow shirt and playing a piano.",
            "The man in a yellow shirt is playing a french horn.",
        ),
        ("On Fridays the bakery sells rye bread.", "The bakery sells poppy cake on Fridays."),
        ("The red box in the attic holds winter coats.", "In the attic the green box holds winter coats."),
        # another number, name, relative, condition, or more
        ("The shed on the east side has 3 windows.", "There are 4 windows in the shed on the east side."),
        ("In May the office of Ana has a new door.", "There is a new door at the office of Leo in May."),
        ("The garage of my uncle has no heating.", "There isn't any heating in the garage of my aunt."),
        ("The hall has a piano.", "There is a piano in the hall if we rent one."),
        ("The garden shed has electricity.", "There isn't any electricity in the garden shed."),
        ("The gym costs 35 euros a month.", "The gym costs 35 euros a month with the sauna."),
        # two sentences each
        ("Thanks Jon! Dance is my stress relief.", "Wow Jon, same here! Dance is my relief of stress."),
    ],
)
def test_what_only_looks_the_same(old: str, new: str) -> None:
    assert not is_linked(old, new)


def test_a_plan_with_a_date_is_said_in_either_tense() -> None:
    assert is_linked("In November my mother will be 70.", "In November my mother is 70.")
    assert not is_linked("My mother will be a nurse.", "My mother is a nurse.")


def test_words_of_an_ending_do_not_forbid_a_restatement() -> None:
    assert is_linked("Our accountant retired in March.", "In March our accountant retired.")


def test_vietnamese_tone_marks_may_stand_on_either_vowel() -> None:
    assert is_linked("Chìa khoá xe treo sau cánh cửa.", "Chìa khóa xe treo sau cánh cửa.")


def test_the_weights_belong_to_the_features() -> None:
    trained = json.loads(restatements._WEIGHTS.read_text(encoding="utf-8"))
    assert tuple(trained["features"]) == restatements.FEATURES
    assert len(trained["weights"]) == len(restatements.FEATURES)


def test_a_pair_that_the_tables_decide_is_not_open() -> None:
    assert open_pair("My dentist is Dr. Okoye.", "Dr. Okoye is my dentist.") is None
    assert open_pair("The garden shed has no electricity.", "There isn't any electricity in the garden shed.")
