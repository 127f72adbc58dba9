from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from combray.language import entities
from combray.language.entities import MAX_ENTITIES, extract, names
from combray.language.names import given_names

any_text = st.text(st.characters(codec=None, exclude_categories=()))


@given(any_text)
def test_no_text_raises_and_entities_are_distinct_parts_of_it(text: str) -> None:
    found = extract(text)
    assert len(set(found)) == len(found) <= MAX_ENTITIES
    assert all(entity in text for entity in found)
    assert len(set(names(text))) == len(names(text))


def test_every_kind_of_pattern_in_order_of_appearance() -> None:
    text = "Chose Qdrant over DataStore in src/app/main.py, see https://x.io/a. "
    text += "Ping @bob, THE API, 《三体》 「挪威的森林」."
    assert extract(text) == [
        "Qdrant",
        "DataStore",
        "src/app/main.py",
        "https://x.io/a",
        "@bob",
        "API",
        "三体",
        "挪威的森林",
    ]


def test_technology_names_are_case_sensitive_whole_words() -> None:
    assert extract("Rust and gRPC in Go") == ["Rust", "gRPC", "Go"]
    assert extract("rust on the Rusty gate, we go") == []


def test_numbers_abbreviations_and_common_capitals_are_no_entities() -> None:
    assert extract("Version 3.14, e.g. this, i.e. that, IT IS SO, 5 p.m.") == []


def test_an_address_is_no_path_and_no_mention() -> None:
    assert extract("mail user@example.com") == []


def test_capitalised_words_count_only_if_known() -> None:
    assert extract("We met Caroline") == []
    assert extract("We met Caroline", {"Caroline"}) == ["Caroline"]
    assert extract("We met Caroline", lambda name: name == "Caroline") == ["Caroline"]


def test_known_names_of_several_words_or_other_scripts_are_found_whole() -> None:
    known = {"Acme Corp", "三体", "pgvector"}
    assert extract("Acme Corp reads 三体 with pgvector", known) == ["Acme Corp", "三体", "pgvector"]
    assert extract("Acme Corporation", known) == []


def test_capitals_inside_a_word_begin_nothing() -> None:
    assert extract("aNATO xIntroSpect _IntroSpect éNATO") == []
    assert extract("_NATO (NATO) -IntroSpect", known=["Nato"]) == ["NATO", "IntroSpect"]
    assert names("we met xAlice and @Bob near #Rome but also -Carol and Dana's friend") == ["Dana"]


def test_the_words_of_a_run_keep_their_places() -> None:
    # "But" opens the sentence and is cut off; what follows it stands inside the sentence.
    assert names("it rained. But Alice Smith came on Monday with Bob") == ["Alice Smith", "Bob"]


def test_at_most_fifty() -> None:
    assert len(extract(" ".join(f"file{number}.txt" for number in range(80)))) == MAX_ENTITIES


def test_names_in_mid_sentence_and_owners() -> None:
    text = "Caroline's dog met Melanie Smith in San Francisco last week. Then we saw a play. But I like it."
    assert names(text) == ["Caroline", "Melanie Smith", "San Francisco"]


def test_a_first_word_is_a_name_only_if_it_is_one_elsewhere() -> None:
    assert names("Researching agencies was hard for me") == []
    assert names("Alice came late. We had asked Alice to come early.") == ["Alice"]


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("Bob đang làm API gateway", ["Bob"]),
        ("hôm qua Đức gặp Ánh Tuyết ở chợ", ["Đức", "Ánh Tuyết"]),
        ("вчера Иван решил взять машину у Марии", ["Иван", "Марии"]),
        ("Иван решил взять машину", ["Иван"]),
        ("tegnap este Őrsi és Ödön Édes jött", ["Őrsi", "Ödön Édes"]),
        ("χθες ο Γιώργος πήγε στην αγορά", ["Γιώργος"]),
        ("we saw ǅemal there", ["ǅemal"]),
    ],
)
def test_capitals_are_those_of_unicode(text: str, named: list[str]) -> None:
    """Issue 14, wrong 5: a lower-case letter outside ASCII is no capital."""
    assert names(text) == named


def test_a_first_word_is_a_name_if_it_is_a_given_name_or_known() -> None:
    assert names("Alice decided to use Kafka") == ["Alice", "Kafka"]
    assert names("It rained. Zoë stayed at home.") == ["Zoë"]
    assert names("Xochiquetzin sang a song") == []
    assert names("Xochiquetzin sang a song", {"xochiquetzin"}) == ["Xochiquetzin"]


@pytest.mark.parametrize("word", ["Will", "May", "Mark", "Rose", "Hope", "Grant", "Summer", "April", "Max"])
def test_a_given_name_that_is_an_everyday_word_is_none_at_the_start(word: str) -> None:
    assert names(f"{word} the garden be green this year") == []


def test_the_tables_of_names_stay_small_and_hold_single_words() -> None:
    folder = Path(entities.__file__).parent
    assert sum(path.stat().st_size for path in folder.glob("*/names.json")) <= 60 * 1024
    assert all(name.isalpha() and name == name.lower() for name in given_names())


def test_names_with_accents_and_days_are_told_apart() -> None:
    assert names("we met Nguyễn Văn An in Hà Nội on Monday in May") == ["Nguyễn Văn An", "Hà Nội"]


def test_title_case_and_capitals_tell_nothing() -> None:
    assert names("THIS IS ALL CAPS") == []
    assert names("I Love Rock And Roll") == []
