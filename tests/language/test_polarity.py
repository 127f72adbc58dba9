from __future__ import annotations

import pytest

from combray.language.polarity import are_antonyms, changes, negations, same_polarity


@pytest.mark.parametrize(
    "text",
    [
        "We notice the knot in the notebook",
        "Not only fast but cheap",
        "No doubt it works",
        "I can't wait to see it",
        "I can’t wait to see it",
        "这个不错",
        "他不仅聪明",
        "Không chỉ nhanh",
        "Hàng không Việt Nam",
        "Tôi dùng Redis, đúng rồi",
        "toi dung Redis",
        "Nicht nur Lena mag Jazz",
        "Kein Problem, Lena kommt",
        "Pas seulement Lena",
        "No solo Lena",
    ],
)
def test_what_only_looks_negative(text: str) -> None:
    assert not negations(text)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("We do not use it", ["not"]),
        ("We don’t use it, never", ["dont", "never"]),
        ("She failed to come", ["failed to"]),
        ("我没有用", ["没有"]),
        ("Đừng dùng nó", ["đừng"]),
        ("toi khong biet", ["khong"]),
        ("Lena mag keinen Jazz", ["keinen"]),
        ("Lena ne mange jamais", ["jamais"]),
        ("Lena nunca come", ["nunca"]),
    ],
)
def test_negations_are_whole_words_in_order(text: str, words: list[str]) -> None:
    assert list(negations(text)) == words


def test_same_polarity_counts() -> None:
    assert same_polarity("We never use it", "We don't use it")
    assert not same_polarity("We use it", "We use it without a doubt, but not today")


@pytest.mark.parametrize(
    ("text", "marker"),
    [
        ("We switched from A to B", "switched from"),
        ("We no longer use A", "no longer"),
        ("B instead of A", "instead of"),
        ("我们不再使用", "不再"),
        ("không còn dùng", "không còn"),
        ("khong con dung", "khong con"),
    ],
)
def test_changes(text: str, marker: str) -> None:
    assert changes(text) == (marker,)


def test_a_plain_statement_marks_no_change() -> None:
    assert changes("We use A and B for the exchange") == ()


def test_antonyms_by_table_and_by_prefix() -> None:
    assert are_antonyms("Hot", "cold")
    assert are_antonyms("installed", "uninstalled")
    assert are_antonyms("喜欢", "讨厌")
    assert are_antonyms("thích", "ghét")
    assert not are_antonyms("hot", "warm")
    assert not are_antonyms("der", "under"), "too short to be a word with a prefix"
