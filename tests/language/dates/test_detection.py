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
        "2024",
        "(1999)",
        "née2024 not, but 9/11",
        "on 3.4.2021",
        "5pm",
        "at 11 am",
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
        "v2024 and room x10:30",
        "20245 items",
        "in 1899",
        "see 3.4 and 100:30",
        "5 pmx",
        "chị Mai thích mèo",
        "我喜欢吃苹果",
        "Ha, who knows?",
    ],
)
def test_texts_that_name_none(text: str) -> None:
    assert not has_time_expression(text)
