"""What says nothing, what is internal, what only asks what happened, in three languages."""

from __future__ import annotations

import pytest

from combray.language.trivial import asks_what_happened, internal, letters, says_nothing

# Upstream notes 5.2, "Trivial (exact, anchored, case-insensitive)".
OF_THE_DESIGN = [
    *["ok", "okay", "oke", "ổn", "được", "yes", "no", "không", "có", "ừ", "ờ", "uh", "um"],
    *["thanks", "thank you", "cảm ơn", "cám ơn", "tks", "thx", "ty"],
    *["hello", "hi", "hey", "chào", "xin chào", "yo", "sup"],
    *["bye", "goodbye", "tạm biệt", "bye bye", "bb"],
]
MORE = [
    "tam biet",
    "xin chao",
    "khong",
    "duoc",
    "谢谢",
    "你好",
    "再见",
    "好的",
    "OK!!",
    "Thank you :)",
    "hi, thanks",
    "ＯＫ",
]


@pytest.mark.parametrize("text", [*OF_THE_DESIGN, *MORE, "  Bye.  ", "You’re welcome"])
def test_says_nothing(text: str) -> None:
    assert says_nothing(text)


@pytest.mark.parametrize(
    "text", ["vang", "rồng", "ok computer", "no way out", "byes", "不要", "你好世界", "có gì", "", "👍"]
)
def test_says_something_or_is_not_for_this_rule(text: str) -> None:
    assert not says_nothing(text)


def test_five_of_them_are_a_text() -> None:
    assert says_nothing("ok ok ok ok")
    assert not says_nothing("ok ok ok ok ok")


def test_letters_of_a_dense_script_count_three() -> None:
    assert [letters(text) for text in ("ETA?", "a-1", "猫", "Lan có", "고양이", "…👍")] == [3, 2, 3, 5, 9, 0]


@pytest.mark.parametrize(
    "text",
    [
        *("Which decision …", "an ERROR", "What did I say", "lỗi gì", "loi gi", "我们的决定", "to-do list"),
        *("what do I prefer?", "who am I?", "Where do I live?", "Which editor do I use?", "How old am I?"),
        *(
            "What have I told you?",
            "我是谁？",
            "我喜欢什么？",
            "tôi là ai?",
            "toi thich gi?",
            "Tôi tên gì?",
            "我叫什么名字",
        ),
    ],
)
def test_internal(text: str) -> None:
    assert internal(text)


@pytest.mark.parametrize(
    "text", ["Who runs Kafka?", "terrors", "what did Ivan say", "谁负责", "what do we know about Redis?"]
)
def test_not_internal(text: str) -> None:
    assert not internal(text)


@pytest.mark.parametrize(
    "text",
    ["", "what happened", "What did we do?", "có gì?", "chúng ta đã làm gì", "我们做了什么？", "anything new"],
)
def test_asks_what_happened(text: str) -> None:
    assert asks_what_happened(text)


@pytest.mark.parametrize("text", ["what about elephants", "Where is Alice", "con mèo", "大象怎么样"])
def test_asks_for_something(text: str) -> None:
    assert not asks_what_happened(text)
