from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from combray.language import lexicon
from combray.language.folding import fold
from combray.language.scripts import language, script
from combray.language.tokens import (
    all_runs,
    content,
    content_terms,
    count,
    is_stop,
    query_terms,
    stem,
    term_set,
    terms,
    word_count,
    words,
)

# Every code point, lone surrogates and NUL included.
any_text = st.text(st.characters(codec=None, exclude_categories=()))
han = st.text(st.sampled_from("数据库用的是向量检索系统我们"), min_size=1)


@given(any_text)
def test_no_text_raises(text: str) -> None:
    assert all(words(text))
    assert word_count(text) >= 0
    assert isinstance(query_terms(text), list)
    assert language(text)
    assert script(text)


def test_a_reading_gives_the_runs_as_written() -> None:
    assert all_runs("Don't stop Café v1.2_b") == ("don", "t", "stop", "café", "v1", "2", "b")
    assert all_runs("It Rains") == ("it", "rains")


@pytest.mark.parametrize(
    ("text", "counted"),
    [
        ("o'clock `don't` it", 3),
        ("l’été à Paris", 3),
        ("數據 and data", 4),  # Two characters of an unspaced script are 2 / 1.6 words, rounded up.
        ("한국어 text", 2),
    ],
)
def test_a_reading_counts_words_as_people_do(text: str, counted: int) -> None:
    assert count(text) == word_count(text) == counted


def test_a_reading_counts_what_carries_meaning() -> None:
    # "con chó cho": the dog is told from "for" by its accent.
    assert content_terms("the cats and the dogs of Caroline's") == ["cat", "dog", "carolin"]
    assert len(content("the cats and the dogs of Caroline's")) == 3
    for text in ("con chó cho tôi", "我们使用缓存", "Où est-ce que nous allons"):
        assert content(text) == tuple(content_terms(text))


@pytest.mark.parametrize("text", ["\ud800", "a\x00b", "👩‍👩‍👧 🇻🇳", "", " \n\t", "\u200b", "'", "''s"])
def test_hostile_texts_give_words_or_nothing(text: str) -> None:
    assert all(word.strip() for word in words(text))


def test_nul_separates_words() -> None:
    assert words("a\x00b") == ["a", "b"]


@given(any_text)
def test_folding_twice_changes_nothing(text: str) -> None:
    assert fold(fold(text)) == fold(text)


@given(any_text)
def test_words_are_folded(text: str) -> None:
    assert all(fold(word) == word for word in words(text))


@given(han, han, han)
def test_the_terms_of_a_substring_are_among_those_of_the_text(before: str, part: str, after: str) -> None:
    assert set(terms(part)) <= set(terms(before + part + after))


@given(any_text)
def test_content_terms_are_terms_and_query_terms_never_vanish(text: str) -> None:
    assert set(content_terms(text)) <= set(terms(text))
    assert bool(query_terms(text)) == bool(terms(text))


def test_fold_strips_case_width_and_accents() -> None:
    assert fold("ＡＢＣ Ｃafé Đà Nẵng STRAẞE") == "abc cafe da nang strasse"


def test_fold_keeps_the_letters_of_other_scripts() -> None:
    assert fold("がぎぐ 한국어 数据库 हिन्दी") == "がぎぐ 한국어 数据库 हिन्दी"
    assert fold("ｶﾞ") == "ガ"


def test_composed_and_decomposed_spellings_are_one_word() -> None:
    assert words("caf\u00e9") == words("cafe\u0301") == ["cafe"]


def test_apostrophes() -> None:
    assert words("Caroline's don't Caroline’s I'm they'll can’t") == [
        "caroline",
        "dont",
        "caroline",
        "i",
        "they",
        "cant",
    ]
    assert words("O'Brien's") == ["o", "brien"]


def test_identifiers_fall_into_their_alphanumeric_parts() -> None:
    text = "i-0abc v1.2.3 foo_bar user@example.com src/app/main.py"
    assert " ".join(words(text)) == "i 0abc v1 2 3 foo bar user example com src app main py"


def test_han_gives_each_character_and_the_pair_it_starts() -> None:
    assert words("数据库ok") == ["数", "数据", "据", "据库", "库", "ok"]


def test_hangul_gives_the_word_and_its_stem_without_the_particle() -> None:
    assert words("데이터베이스를 씁니다") == ["데이터베이스를", "데이터베이스", "씁니다"]
    assert words("나는") == ["나는"], "a stem of one syllable is no stem"


def test_indic_words_stay_whole() -> None:
    assert words("हिन्दी में") == ["हिन्दी", "में"]


def test_vietnamese_is_found_without_its_accents() -> None:
    assert terms("Tôi đã chọn cơ sở dữ liệu") == terms("toi da chon co so du lieu")


def test_only_plain_english_words_are_stemmed() -> None:
    assert [stem(word) for word in ("running", "databases", "was", "v12345s", "naïve")] == [
        "run",
        "databas",
        "was",
        "v12345s",
        "naïve",
    ]


def test_terms_keep_stop_words_in_order_and_content_terms_drop_them() -> None:
    assert terms("We are choosing the databases") == ["we", "are", "choos", "the", "databas"]
    assert content_terms("We are choosing the databases") == ["choos", "databas"]


def test_stop_words_follow_the_language_of_the_text() -> None:
    assert content_terms("die Datenbank ist nicht für uns") == ["datenbank"]
    assert content_terms("They die in the war") == ["die", "war"]
    assert is_stop("The")
    assert is_stop("的")
    assert not is_stop("die")
    assert is_stop("die", "de")


def test_query_terms_are_distinct_and_without_the_asking() -> None:
    assert query_terms("Please tell me about the vector database and the vector index") == [
        "vector",
        "databas",
        "index",
    ]
    assert query_terms("为什么选择数据库") == ["选", "选择", "择", "择数", "数", "数据", "据", "据库", "库"]


def test_requests_are_cut_off_in_front_only() -> None:
    assert query_terms("Could you please remind me: what did Ann find?") == ["ann", "find"]
    assert query_terms("How long is the show?") == ["long", "show"]
    assert query_terms("小明请告诉我天气") == ["小", "小明", "明", "天", "天气", "气"]


def test_characters_without_topic_make_no_terms_with_their_neighbours() -> None:
    assert query_terms("他的钢琴在学校") == ["钢", "钢琴", "琴", "学", "学校", "校"]
    assert "的钢" in terms("他的钢琴"), "a text keeps every pair, so that any substring finds it"
    assert query_terms("是我的") == ["是", "是我", "我", "我的", "的"], "nothing else is left"
    assert "和室" in query_terms("これは和室"), "和 is no filler in Japanese"


def test_accents_tell_words_from_stop_words() -> None:
    """Folded, "chó" (dog) is "cho" (for), "đau" (pain) is "đâu" (where), "mình" (I) is the name Minh."""
    assert query_terms("Chó của Lan đau") == ["cho", "lan", "dau"]
    assert content_terms("Con chó cho Lan") == ["cho", "cho", "lan"]
    assert content_terms("của Lan cho Minh") == ["lan", "minh"]
    assert content_terms("Mình và Lan") == ["lan"]
    assert content_terms("toi da noi gi ve Qdrant") == ["noi", "qdrant"], "folded words, where all are"


def test_irregular_forms_share_a_term_with_their_verb() -> None:
    assert terms("went gone goes going") == ["go"] * 4
    assert content_terms("He bought kids a bike") == ["buy", "child", "bicycl"]
    assert query_terms("Which picture did Mom take?") == query_terms("photo mother took")
    assert term_set("Children sang") == term_set("a child sings")


def test_the_stem_of_a_word_knows_no_irregular_forms() -> None:
    assert [stem(word) for word in ("went", "took", "mom")] == ["went", "took", "mom"]


def test_every_form_stands_for_one_word_and_no_form_is_a_stop_word() -> None:
    for code, table in lexicon.word_lists().items():
        listed = [form for forms in table.forms.values() for form in forms]
        assert len(listed) == len(set(listed)), code
        # A chain (a form that is a base itself) would be followed one step only.
        assert not set(listed) & table.forms.keys(), code
        assert not [form for form in listed if is_stop(form, code)], code


def test_a_query_of_stop_words_keeps_them() -> None:
    assert query_terms("who are the Who") == ["who", "are", "the"]


def test_term_set_ignores_order_and_repetition() -> None:
    assert term_set("Redis cache, redis Cache") == {"redi", "cach"} == term_set("the cache of redis")


def test_word_count_takes_an_unspaced_character_for_less_than_a_word() -> None:
    assert word_count("don't stop me now") == 4
    assert word_count("数据库数据库数据") == 5, "8 / 1.6 = 5"
    assert word_count("用 Qdrant 吧") == 3, "2 / 1.6 = 1.25, rounded up to 2, and one word"


@pytest.mark.parametrize(
    ("text", "lang", "main"),
    [
        ("We moved the data to Berlin", "en", "latin"),
        ("tôi đã chọn Qdrant", "vi", "latin"),
        ("toi da noi gi ve Qdrant", "vi", "latin"),
        ("数据库用的是PostgreSQL吗", "zh", "han"),
        ("検索するシステムです", "ja", "kana"),
        ("서버에서 데이터를 씁니다", "ko", "hangul"),
        ("¿dónde están los datos del cliente?", "es", "latin"),
        ("o banco de dados não está na nuvem", "pt", "latin"),
        ("la base de données est dans le nuage", "fr", "latin"),
        ("die Datenbank ist nicht für uns", "de", "latin"),
        ("Kathi's hens still aren't laying.", "en", "latin"),
        ("Kathi’s and Bob’s hens aren’t laying", "en", "latin"),
        ("d'habitude il n'achète rien", "fr", "latin"),
        ("هل قررنا استخدام قاعدة البيانات؟", "ar", "arabic"),
        ("Мы выбрали базу", "ru", "cyrillic"),
        ("12345 !?", "en", "none"),
    ],
)
def test_language_and_script(text: str, lang: str, main: str) -> None:
    if main == "none":
        assert (language(text), script(text)) == ("und", "none")
    else:
        assert (language(text), script(text)) == (lang, main)


def test_a_question_word_of_another_language_is_a_word() -> None:
    """ "Ai" asks "who" in Vietnamese; in an English question it is what is asked about."""
    assert query_terms("What did we say about the AI budget?")[-2:] == ["ai", "budget"]
    assert query_terms("Ai thích trà sữa trân châu nhất trong nhà?")[0] != "ai"


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Lena bought a car", ["lena", "buy", "car"]),
        ("Ana got a van", ["ana", "get", "van"]),
        ("Tom ate a pear", ["tom", "eat", "pear"]),
        ("Elle dort car elle est malade", ["dort", "malad"]),
        ("Il a une voiture", ["voitur"]),
    ],
)
def test_an_english_word_makes_no_short_text_french_or_vietnamese(text: str, found: list[str]) -> None:
    assert content_terms(text) == found
