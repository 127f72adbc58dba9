"""The words of a question that say what it asks for, its names, and kinds of answers with a closed vocabulary."""

from __future__ import annotations

import pytest

from combray.language.answer_kinds import asked_kind, asked_kinds, asks_list
from combray.language.asked_words import asked_words, asks_several


def test_names_are_told_from_what_is_asked() -> None:
    found = {each.word: each.name for each in asked_words("What does Tom eat for breakfast?")}
    assert found == {"tom": True, "eat": False, "breakfast": False}


def test_a_question_of_names_alone_asks_about_them() -> None:
    assert [each.name for each in asked_words("Who is Marta Klein?")] == [False, False]


@pytest.mark.parametrize(
    ("question", "kind", "held", "lacking"),
    [
        ("What colour is our car?", "colour", "The car is dark blue.", "The car needs new tyres."),
        ("How old is Grandma?", "age", "Grandma turned 81 in May.", "Grandma knits."),
        ("What is Gwen's phone number?", "phone", "Gwen: 07700 900 123", "Gwen has a new phone."),
        ("小雨几岁了？", "age", "小雨今年六岁。", "小雨对花生过敏。"),
        ("Xe máy của tôi màu gì?", "colour", "Xe máy của tôi màu đỏ.", "Xe máy phải thay nhớt."),
        ("How tall is Ines?", "height", "Ines is 1.62 m.", "Ines is in class 8B since 2023."),
        ("How much does the parcel weigh?", "weight", "The parcel has 3 kg.", "The parcel is size 6."),
        ("How old is Bruno?", "age", "Bruno is four and goes to nursery.", "Bruno broke his arm in 2023."),
        ("How old is the mill?", "age", "The mill was built in 1904.", "The mill opens at nine."),
        ("How many pages has the novel?", "count", "The novel has 312 pages.", "It is due on 14 November."),
        ("How many lamps are there?", "count", "There are four lamps.", "25 kilos of lamps come at four."),
        ("How many tenants are there?", "count", "We are the only tenant.", "Flat 3B is let from 2 to 9 May."),
        ("How many chairs do we own?", "count", "We own two thousand chairs.", "Read-only chairs: 40 euros."),
        ("How many days did it rain?", "number", "It rained for 9 days.", "It rained."),
        ("How much does Lea earn?", "money", "Lea charges eleven an hour.", "Lea has 23 pupils in room 12."),
        ("How much is the rent?", "money", "The rent is 1,450 warm.", "The rent: 01:30, 16 to 22 August."),
        ("How much was the lens?", "money", "Paid 310 for the lens.", "The 100-400 lens, 5 mg, Lumix 17."),
        ("How long is the drive?", "duration", "The drive takes an hour.", "The drive: 17 April, code 4172."),
        ("How old is Enzo?", "age", "Enzo is 9 and likes chess.", "Enzo: fee is 18 a month, two eggs."),
        ("Wie viele Gäste kommen?", "number", "Es kommen 23 Gäste.", "Gäste bringen Kuchen mit."),
        ("Wann kommt der Elektriker?", "time", "Der Elektriker kommt um 14:30.", "Der Elektriker heißt Uwe."),
        ("Combien de chambres y a-t-il ?", "number", "La maison a 5 chambres.", "La maison est calme."),
        ("门还差多少钱？", "money", "尾款八千六。", "门是白色的。"),
    ],
)
def test_a_kind_is_held_or_not(question: str, kind: str, held: str, lacking: str) -> None:
    found = asked_kind(question)
    assert found is not None
    assert found.name == kind
    assert found.held(held)
    assert not found.held(lacking)


@pytest.mark.parametrize(
    "question",
    ["Whom do I ask about the salary of the drivers?", "¿A quién pregunto por el sueldo de los jornaleros?"],
)
def test_a_question_for_a_person_asks_for_no_amount(question: str) -> None:
    assert set(asked_kinds(question)) == {"person"}


def test_what_comes_from_somewhere_has_no_home() -> None:
    assert "home" in asked_kinds("Where does she come from?")
    assert "home" not in asked_kinds("Where does the current for the fence come from?")


def test_the_subject_of_a_picture_is_no_subject_of_a_school() -> None:
    assert "school" in asked_kinds("What subject does Tom teach?")
    assert "school" not in asked_kinds("What subject did Tom and Ida both draw?")


@pytest.mark.parametrize(
    "question",
    [
        "Which allergies do the children have?",
        "What are my passwords?",
        "List all the vendors we use.",
        "Who are the members of the board?",
        "How did my weight develop?",
        "Quels médicaments prend-elle ?",
        "¿Cuáles son las alergias de Ana?",
        "Welche Medikamente sind im Kühlschrank?",
        "我们家有哪些过敏？",
        "Con tôi dị ứng với những gì?",
    ],
)
def test_a_question_for_several_things_is_a_list(question: str) -> None:
    assert asks_list(question)


@pytest.mark.parametrize(
    "question",
    ["Which bus does she take?", "What does Tom eat?", "Which class is Ines in?", "Wo wohnt sie?", "他几岁？"],
)
def test_a_question_for_one_thing_is_no_list(question: str) -> None:
    assert not asks_list(question)


@pytest.mark.parametrize("question", ["AI budget", "Why did we move?", "Is the colour printer broken?", ""])
def test_a_question_without_a_closed_kind_has_none(question: str) -> None:
    assert asked_kind(question) is None


@pytest.mark.parametrize(
    ("question", "several"),
    [
        ("When does the ferry leave, and from which pier?", True),
        ("Wann fährt die Fähre, und von welchem Steg, und wer steuert sie?", True),
        ("When does the ferry leave?", False),
        ("ferry and pier", False),
    ],
)
def test_a_question_for_several_things(question: str, several: bool) -> None:
    assert asks_several(question) is several
