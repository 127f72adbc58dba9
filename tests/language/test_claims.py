from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from combray.language.claims import compare

any_text = st.text(st.characters(codec=None, exclude_categories=()), max_size=60)
some_text = st.lists(
    st.sampled_from(["We", "Alice's", "use", "not", "Redis", "100", "ms", "是", "không", "5 May", "?", "might"]),
    max_size=10,
).map(" ".join)
DECIDING = (
    "negation_differs",
    "numbers_differ",
    "dates_differ",
    "names_differ",
    "units_differ",
    "antonyms",
    "word_substitution",
)


@given(any_text, any_text)
def test_no_pair_raises_and_overlap_is_a_share(old: str, new: str) -> None:
    assert 0 <= compare(old, new).overlap <= 1


@given(any_text)
def test_a_text_is_identical_to_itself(text: str) -> None:
    assert compare(text, text).verdict == "identical"


@given(some_text, some_text)
def test_what_may_be_skipped_differs_in_nothing_that_decides(old: str, new: str) -> None:
    found = compare(old, new)
    if found.verdict in ("identical", "paraphrase"):
        differing = [field for field in DECIDING if getattr(found, field)]
        assert differing == []


VERDICTS = [
    ("We use Redis", "we use  Redis.", "identical"),
    ("It costs 1,000 dollars", "It costs 1000 dollars", "identical"),
    ("We use Redis", "We really use Redis", "paraphrase"),
    ("We don't use Redis", "We do not use Redis", "paraphrase"),
    ("Bob's dad bought a couch", "Bob's father bought a sofa", "paraphrase"),
    ("The meeting takes 30 minutes", "The meeting takes thirty min", "paraphrase"),
    ("Tôi thích cà phê", "toi thich ca phe", "paraphrase"),
    ("我喜欢咖啡", "我很喜欢咖啡", "paraphrase"),
    ("We use Redis", "We use Redis for caching", "extends"),
    ("We use Redis", "We do not use Redis", "contradicts"),
    ("我喜欢咖啡", "我不喜欢咖啡", "contradicts"),
    ("我喜欢咖啡", "我讨厌咖啡", "contradicts"),
    ("Chúng tôi dùng Redis", "Chúng tôi không dùng Redis", "contradicts"),
    ("toi thich ca phe", "toi khong thich ca phe", "contradicts"),
    ("The door is locked", "The door is unlocked", "contradicts"),
    ("Lena mag Jazz", "Lena mag keinen Jazz", "contradicts"),
    ("Wir haben keinen Garten", "Wir haben einen Garten", "contradicts"),
    ("Peter trinkt nie Kaffee", "Peter trinkt Kaffee", "contradicts"),
    ("Lena come carne", "Lena nunca come carne", "contradicts"),
    ("Chose SQLite as storage", "Chose PostgreSQL to replace SQLite as the primary database", "update"),
    ("We use Redis", "We no longer use Redis", "update"),
    ("我们使用Redis", "我们不再使用Redis", "update"),
    ("Chúng tôi dùng Redis", "Chúng tôi không còn dùng Redis", "update"),
    ("We use tabs", "We switched from tabs to spaces", "update"),
    ("The API rate limit is 100/min", "The API rate limit is 200/min", "update"),
    ("API限制是100", "API限制是200", "update"),
    ("The timeout is 100 ms", "The timeout is 100 s", "update"),
    ("The launch is on 3 May", "The launch is on 5 May", "update"),
    ("Our cache is Redis", "Our cache is Memcached", "update"),
]

DIFFERENT = [
    ("Alice's favourite language is Rust", "Bob's favourite language is Rust"),
    ("My laptop is a ThinkPad", "Her laptop is a ThinkPad"),
    ("Redis is used for caching", "Memcached is used for caching"),
    ("Alice uses Redis", "Bob switched from Redis to Memcached"),
    ("Bob bought the tyre", "Bob replaced the tyre"),
    ("Alice likes tea", "Alice likes coffee"),
    ("My flight on 3 May is booked", "My flight on 4 May is not booked"),
    ("The meeting on Monday is confirmed", "The meeting on Tuesday is not confirmed"),
    ("Lena mag Jazz", "Lena mag keinen Blues"),
    ("Ben likes tea in the morning", "Ben doesn't like tea in the evening"),
    ("Der erste Zug war pünktlich", "Der zweite Zug war nicht pünktlich"),
    ("La puerta de la cocina está abierta", "La puerta del baño no está abierta"),
    ("Peter trinkt Kaffee", "Anna trinkt keinen Kaffee"),
    ("Lena arbeitet am Montag", "Lena arbeitet nicht am Dienstag"),
    ("Alice is a nurse", "Alice is a vegetarian"),
    ("Met Alice on 3 May", "Met Alice on 5 May"),
    ("Alice beat Bob", "Bob beat Alice"),
    ("Alice hired Bob", "Alice was hired by Bob"),
    ("Alice likes Bob", "Alice likes Bob's dog"),
    ("We use Redis", "We might use Redis"),
    ("We use Redis", "Do we use Redis?"),
    ("We use Redis for caching", "We use Redis"),
    ("We use Redis", "We used Redis"),
    ("The rate limit is 100", "The login rate limit is 100"),
    ("The check is x != 5", "The check is x = 5"),
    ("The parser is in C", "The parser is in C++"),
    ("Bàn đẹp", "Bán đẹp"),
    ("Redis restarts nightly in Berlin", "The Berlin office has a Redis poster"),
]


@pytest.mark.parametrize(("old", "new", "verdict"), VERDICTS)
def test_verdict(old: str, new: str, verdict: str) -> None:
    assert compare(old, new).verdict == verdict


@pytest.mark.parametrize(("old", "new"), DIFFERENT)
def test_what_is_another_fact_is_kept_beside_the_old_one(old: str, new: str) -> None:
    assert compare(old, new).verdict == "different"


def test_what_differs_is_named() -> None:
    found = compare("Alice's laptop has 16 GB", "Bob's laptop has 32 MB")
    assert found.numbers_differ
    assert found.units_differ
    assert found.names_differ
    assert not found.dates_differ
    assert not found.same_subject
    assert found.same_polarity
    assert found.word_substitution == (("alice", "bob"), ("16 gb", "32 mb"))


def test_days_beside_a_month_are_dates_and_no_numbers() -> None:
    found = compare("Met Alice on 3 May 2024", "Met Alice on 5 May 2024")
    assert found.dates_differ
    assert not found.numbers_differ


def test_overlap_is_jaccard_of_content_terms() -> None:
    assert compare("red cat sleeps", "red dog sleeps").overlap == pytest.approx(2 / 4)


def test_very_long_texts_are_compared_by_their_words() -> None:
    old, new = "data " * 2000, "data " * 2001
    assert compare(old, new).verdict != "paraphrase"
    assert compare("a1 b2 " * 600, "b2 a1 " * 600).verdict not in ("identical", "paraphrase")


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("Cái ao trước nhà nuôi cá chép.", "Cái ao sau nhà nuôi vịt."),
        ("女儿对花粉过敏。", "儿子对花粉过敏。"),
    ],
)
def test_an_opposite_that_names_another_thing_is_no_contradiction(old: str, new: str) -> None:
    assert compare(old, new).verdict != "contradicts"
