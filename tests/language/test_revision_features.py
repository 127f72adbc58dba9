"""Features of a pair of texts, by hand."""

import math

import pytest

from combray.language.revisions import (
    OF_PAIR,
    OF_TEXT,
    later,
    pair_features,
    rarity,
    said,
    share_a_thing,
    text_features,
)
from combray.language.tense import claim_of


def pair(new: str, old: str) -> dict[str, float]:
    after, earlier = said(new), said(old)
    values = pair_features(later(after, rarity([after, earlier])), earlier)
    return dict(zip(OF_PAIR, values, strict=True))


def test_rarity_is_the_idf_among_the_texts() -> None:
    """Three texts count as eight: a term in one of them weighs log 8 / log 8, in two log 4 / log 8."""
    found = rarity([said("tea milk sugar"), said("tea milk"), said("tea")])
    expected = {"sugar": 1.05, "milk": 2 / 3 + 0.05, "tea": math.log(8 / 3) / math.log(8) + 0.05}
    assert found == pytest.approx(expected)


def test_one_sentence_with_another_value() -> None:
    """Terms after stop words: {parcel, box, 12} and {parcel, box, 14}."""
    found = pair("The parcel box is 14", "The parcel box is 12")
    shared, own = math.log(3.5) / math.log(7) + 0.05, 1.05
    assert found["of new"] == pytest.approx(2 * shared / (2 * shared + own))
    assert found["weighted"] == pytest.approx(2 * shared / (2 * shared + 2 * own))
    assert found["prefix"] == pytest.approx(4 / 5)
    assert found["pairs"] == pytest.approx(3 / 4)
    assert found["all words"] == pytest.approx(4 / 6)
    assert (found["number differs"], found["number same"], found["old numbers"]) == (True, False, True)


@pytest.mark.parametrize(
    ("new", "old", "name", "expected"),
    [
        ("The dentist is on Friday", "The dentist is on Monday", "date differs", True),
        ("The dentist is on Friday at 9", "The dentist is on Friday", "date differs", False),
        ("Now I live in Porto", "I live in Graz", "name differs", True),
        ("Graz is where I live", "I live in Graz", "name same", True),
    ],
)
def test_values(new: str, old: str, name: str, expected: bool) -> None:
    assert pair(new, old)[name] == expected


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("From now on it is the bus", "changed"),
        ("The bathroom is finished", "ended"),
        ("Sorry, I was wrong about the day", "corrects"),
        ("我搬到深圳了", "changed"),
        ("Em dọn qua Thủ Đức rồi", "changed"),
    ],
)
def test_cues_of_a_text(text: str, name: str) -> None:
    assert dict(zip(OF_TEXT, text_features(text, claim_of(text)), strict=True))[name]


@pytest.mark.parametrize(("new", "old"), [("", ""), ("!", "I live in Graz"), ("。", "🙂")])
def test_texts_without_words_have_features_too(new: str, old: str) -> None:
    assert all(math.isfinite(value) for value in pair(new, old).values())


@pytest.mark.parametrize(
    ("new", "old", "shared"),
    [
        ("In September we move to Bruges.", "Plan: on 15 April we move the backups to Warsaw.", False),
        ("The move of the backups slips to May.", "On 15 April we move the backups to Warsaw.", True),
        ("From 3 June on I start at Hillcrest.", "From 3 June on the gym opens at 6.", False),
    ],
)
def test_two_texts_share_a_thing(new: str, old: str, shared: bool) -> None:
    assert share_a_thing(new, old) is shared
