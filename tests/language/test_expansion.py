"""Keyword expansion: the page's example, every language, and what is never lost."""

from __future__ import annotations

import pytest

from combray.language.expansion import Expansion, expand


def test_the_example_of_the_page() -> None:
    """ "Input: "that thing we discussed about the API""; lower-cased, as the design's code gives it."""
    assert expand("that thing we discussed about the API").keywords == ("discussed", "api")


@pytest.mark.parametrize(
    ("query", "keywords"),
    [
        # "English, Spanish, Portuguese, Arabic, Chinese, Korean, Japanese", and Vietnamese.
        ("please show me everything about the invoices yesterday", ("invoices",)),
        ("qué discutimos ayer sobre la API", ("discutimos", "api")),
        ("o que discutimos ontem sobre o banco de dados", ("discutimos", "banco", "dados")),
        ("ما الذي ناقشناه أمس حول واجهة API", ("ناقشناه", "واجهة", "api")),
        # "For CJK text, extract character unigrams and bigrams."
        ("我们之前讨论的那个API方案", ("讨", "讨论", "论", "api", "方", "方案", "案")),
        # "For Korean, strip trailing particles": the word and its stem.
        ("어제는 우리가 데이터베이스를 선택했어", ("데이터베이스를", "데이터베이스", "선택했어")),
        ("API에서 토론한 그것", ("api", "토론한")),
        # A single kana is a sound, no word.
        ("昨日話したAPIの件", ("話", "話し", "api")),
        ("hôm qua chúng ta nói gì về con chó", ("noi", "cho")),
        ("hom qua noi gi ve tra sua", ("noi", "tra", "sua")),
    ],
)
def test_every_language(query: str, keywords: tuple[str, ...]) -> None:
    assert expand(query) == Expansion(keywords)


def test_korean_particles_are_stripped() -> None:
    """The longest first: "에서" before "에"; a stem of one syllable is none."""
    assert expand("서울에서").keywords == ("서울에서", "서울")
    assert expand("산에서").keywords == ("산에서",)


def test_short_words_and_numbers_lend_weight_beside_a_keyword() -> None:
    """ "too short (<3 chars for English), numeric-only, or punctuation-only" are no keywords."""
    assert expand("invoice 4711, the AI one?") == Expansion(("invoice",), ("4711", "ai"))


@pytest.mark.parametrize(
    ("query", "keywords"),
    [("42", ("42",)), ("AI", ("ai",)), ("what is AI?", ("ai",)), ("PR #12", ("pr", "12")), ("三", ("三",))],
)
def test_an_id_alone_is_not_lost(query: str, keywords: tuple[str, ...]) -> None:
    """SEEDS.md, ask 2: "exact names, ids and dates are findable by keyword"."""
    assert expand(query) == Expansion(keywords)


def test_a_query_of_stop_words_is_searched_as_it_is() -> None:
    assert expand("who are we").keywords == ("who", "are")
    assert expand("something").keywords == ("something",)
    assert expand("?!").keywords == ()


def test_short_words_of_other_languages_are_words() -> None:
    """ "<3 chars for English": Vietnamese "cá" is a fish, and no English word."""
    assert "ca" in expand("cá kho tộ").keywords
    assert expand("ca kho").exact == ("ca",)


def test_a_stop_word_of_another_language_is_a_word() -> None:
    """ "son" is Spanish for "they are"; the question is English."""
    assert expand("my son's birthday").keywords == ("son", "birthday")
    assert expand("cuáles son las facturas").keywords == ("facturas",)
    # Spanish and Portuguese lists hold no word that means something in English.
    assert expand("the todo of the algo, a dime to procure").keywords == ("todo", "algo", "dime", "procure")


def test_keywords_come_once() -> None:
    """ "Deduplicate"."""
    assert expand("API, api and Api: the API budget").keywords == ("api", "budget")
