"""Tokens and number words."""

import pytest

from combray.language.dates.grammar import expand
from combray.language.dates.lexer import NumberWords, numbers_at, tokenize, without_accents

ENGLISH = NumberWords(
    {"one": 1, "two": 2, "eight": 8, "nineteen": 19, "eighteen": 18, "twenty": 20, "seventy": 70, "zero": 0},
    {"hundred": 100, "thousand": 1000},
    frozenset({"and"}),
    frozenset({4}),
)
CHINESE = NumberWords(
    {"零": 0, "一": 1, "二": 2, "三": 3, "四": 4, "两": 2},
    {"十": 10, "百": 100, "千": 1000},
    frozenset(),
    frozenset({2, 3, 4}),
)


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("Oct2, 2016", ["oct", "2", ",", "2016"]),
        ("上周五3点", ["上", "周", "五", "3", "点"]),
        ("hôm qua", ["hôm", "qua"]),
        ("the 70’s", ["the", "70", "'", "s"]),
    ],
)
def test_tokens(text: str, tokens: list[str]) -> None:
    assert [t.text for t in tokenize(text)] == tokens


@pytest.mark.parametrize(
    ("words", "value"),
    [
        ("twenty one", 21),
        ("nineteen seventy eight", 1978),
        ("nineteen zero one", 1901),
        ("two thousand and eighteen", 2018),
        ("one hundred", 100),
    ],
)
def test_english_number_words(words: str, value: int) -> None:
    row = words.split()
    assert (len(row), value) in numbers_at(row, 0, ENGLISH)


@pytest.mark.parametrize(
    ("words", "value"),
    [("十", 10), ("十二", 12), ("二十三", 23), ("二零二三", 2023), ("两千零四", 2004), ("一百二十", 120)],
)
def test_chinese_number_words(words: str, value: int) -> None:
    assert (len(words), value) in numbers_at(list(words), 0, CHINESE)


def test_accents_are_taken_off() -> None:
    assert without_accents("đầu thứ sáu") == "dau thu sau"


def test_patterns_expand_to_all_their_readings() -> None:
    assert expand("the? d=NUM|ORD") == [
        (("", "the"), ("d", "NUM")),
        (("", "the"), ("d", "ORD")),
        (("d", "NUM"),),
        (("d", "ORD"),),
    ]
