"""What a statement is about."""

import pytest

from combray.language.revisions import _topic_tables, topics_of


@pytest.mark.parametrize(
    ("text", "other"),
    [
        ("I live in Leipzig", "home"),
        ("Big news: I moved! Porto it is", "my flat"),
        ("I’m a vegetarian", "diet"),
        ("The dog ate my sock", "cat"),
        ("Our database is Oracle", "database"),
        ("我吃素已经五年了", "diet"),
        ("我们的数据库是 MySQL", "database"),
        ("Tôi ăn chay năm năm rồi", "diet"),
        ("Hẹn nha sĩ ngày 4 tháng 5", "the meeting"),
    ],
)
def test_two_texts_about_one_thing(text: str, other: str) -> None:
    assert topics_of(text) & topics_of(other)


def test_a_text_without_such_words_is_about_nothing() -> None:
    assert topics_of("Zounds!") == topics_of("") == 0


def test_no_table_has_a_topic_of_its_own_name_only() -> None:
    """A name in one language alone is a spelling mistake, except in English, which has the most."""
    assert all(set(table) <= set(_topic_tables()["en"]) for table in _topic_tables().values())
