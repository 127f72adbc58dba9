"""The cheap test for a time in a text."""

import pytest

from combray.language.dates import has_time_expression


@pytest.mark.parametrize(
    "text",
    [
        "I went to the park yesterday",
        "We met last week",
        "see you on Friday",
        "it was in 2019",
        "the flight is 12/05/2023",
        "at 10:30",
        "in May we moved",
        "May 8 was fine",
        "hôm qua trời mưa",
        "hom qua troi mua",
        "tuan truoc",
        "昨天下雨",
        "上週五見面",
        "五月八号",
        "I saw the sign 漢字 yesterday",
    ],
)
def test_texts_that_name_a_time(text: str) -> None:
    assert has_time_expression(text)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "I may go with you",
        "He said the sun was hot",
        "I have 3 cats",
        "chị Mai thích mèo",
        "我喜欢吃苹果",
        "Ha, who knows?",
    ],
)
def test_texts_that_name_none(text: str) -> None:
    assert not has_time_expression(text)
