from __future__ import annotations

from collections import Counter

import pytest

from combray.language.scripts import language
from combray.language.trivial import LONGEST, noise_class, prototypes

NOISE = {
    "denials": [
        "I don't have any information about your sister.",
        "I don’t recall.",
        "我不记得了。",
        "Tôi không nhớ.",
    ],
    "questions": [
        "Do you remember the name of my dog?",
        "Did I tell you about Rome?",
        "你还记得我的生日吗？",
        "Bạn có nhớ sinh nhật của tôi không?",
        "ban co nho sinh nhat cua toi khong",
    ],
    "boilerplate": ["Hi!", "Hello. How are you?", "HEARTBEAT_OK", "你好", "Xin chào!", "ok"],
    "diagnostics": ["dog name: query -> none", "No results found for 'dog'", "没有搜索结果。"],
    "fragment": ["Tea.", "v1.2", "数"],
}


@pytest.mark.parametrize(("expected", "text"), [(name, text) for name, texts in NOISE.items() for text in texts])
def test_noise_is_told_by_class(expected: str, text: str) -> None:
    assert noise_class(text) == expected


def test_a_text_of_several_sentences_is_noise_when_all_of_them_are_and_the_first_gives_the_class() -> None:
    assert noise_class("Sorry. I have no memory of that.") == "boilerplate"
    assert noise_class("I have no memory of that. Sorry!") == "denials"
    assert noise_class("Sorry. The tram was late.") is None


@pytest.mark.parametrize(
    "text",
    [
        "Do you remember Anna? She moved to Berlin.",
        "Hello, I am Melanie and I paint landscapes.",
        "Remember to buy milk on Friday",
        "I don't have any siblings",
        "I forgot my umbrella on the tram",
        "The heartbeat of the cluster is sent every five seconds",
        "数据库",
        "我不喜欢咖啡",
        "Tôi không thích cà phê",
        "Release v1.2.3 of the parser went out",
    ],
)
def test_what_holds_something_is_no_noise(text: str) -> None:
    assert noise_class(text) is None


def test_a_long_sentence_says_something_however_it_begins() -> None:
    rest = (
        "the exact address, but Anna lives beside the lake in the old mill, with two dogs, one cat and a parrot"
    )
    assert noise_class(f"I don't recall {rest}") is None
    assert noise_class("I don't recall the exact address") == "denials"


def test_a_long_text_is_never_noise() -> None:
    greetings = "Hello! " * 60
    assert len(greetings) > LONGEST
    assert noise_class(greetings) is None
    assert noise_class("Hello! " * 20) == "boilerplate"


def test_at_least_twelve_example_sentences_a_language_each_once() -> None:
    sentences = prototypes()
    assert len(set(sentences)) == len(sentences)
    counted = Counter(language(sentence) for sentence in sentences)
    assert counted.keys() == {"en", "vi", "zh"}
    assert all(number >= 12 for number in counted.values())


def test_every_example_can_be_judged_by_the_bank_itself() -> None:
    """Upstream notes 3.2: "only texts of 9-300 chars"."""
    assert all(9 <= len(sentence) <= LONGEST for sentence in prototypes())
