"""What a statement is about, and values that exclude one another."""

import pytest

from combray.language.states import opposed, states_of, topic_names


def about(text: str) -> set[str]:
    return {name for place, name in enumerate(topic_names()) if states_of(text).topics >> place & 1}


@pytest.mark.parametrize(
    ("text", "topic"),
    [
        ("I live in Leipzig", "home"),
        ("Big news: I moved! Porto it is", "home"),
        ("I’m a vegetarian", "diet"),
        ("The dog ate my sock", "pet"),
        ("Our database is Oracle", "database"),
        ("我吃素已经五年了", "diet"),
        ("我们的数据库是 MySQL", "database"),
        ("Tôi ăn chay năm năm rồi", "diet"),
        ("Hẹn nha sĩ ngày 4 tháng 5", "meeting"),
    ],
)
def test_topics(text: str, topic: str) -> None:
    assert topic in about(text)


def test_a_text_without_such_words_is_about_nothing() -> None:
    assert states_of("Zounds!") == states_of("") == (0, 0, 0)


@pytest.mark.parametrize(
    ("new", "old", "expected"),
    [
        ("Grilled mackerel again tonight", "I'm a vegetarian", True),
        ("I'm a vegetarian these days", "I had a steak", True),
        ("I'm vegetarian, no steak for me", "I'm a vegetarian", False),
        ("The aisle when I fly", "On planes I prefer a window seat", True),
        ("昨晚的红烧肉真香", "我吃素", True),
        ("Tối qua ăn thịt kho", "Tôi ăn chay", True),
        ("The bridge is lovely", "I'm a vegetarian", False),
    ],
)
def test_opposed(new: str, old: str, expected: bool) -> None:
    assert opposed(states_of(new), states_of(old)) is expected


def test_no_table_has_a_topic_of_its_own_name_only() -> None:
    """A name in one language alone is a spelling mistake, except in English, which has the most."""
    from combray.language.states import _tables

    english = set(_tables()["en"].topics)
    assert all(set(table.topics) <= english for table in _tables().values())
