"""A first hit about a relative yields to one about its author, if the question is about the author."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

import combray
from combray import Engine

TOLD = [
    ("Mira", "My parents live near Antwerp."),
    ("Mira", "I live in Utrecht, on a houseboat with a crooked floor."),
    ("Milos", "My boss speaks five languages, the show-off."),
    ("Milos", "I speak German and some French."),
    ("user", "我爸不吃羊肉，嫌膻。"),
    ("user", "我不吃香菜。"),
    ("Ben", "Ben keeps two goats"),
]


@pytest.fixture(params=["none", "wordllama"])
def engine(request: pytest.FixtureRequest) -> Iterator[Engine]:
    with combray.open(":memory:", embedder=request.param, worker=False) as opened:
        for author, text in TOLD:
            opened.remember(text, author=author, occurred_at="2026-01-01")
        yield opened


@pytest.mark.parametrize(
    ("question", "first"),
    [
        ("Where does Mira live?", "I live in Utrecht, on a houseboat with a crooked floor."),
        ("Where do Mira's parents live?", "My parents live near Antwerp."),
        ("Which languages does the boss of Milos speak?", "My boss speaks five languages, the show-off."),
        ("我有什么不吃的?", "我不吃香菜。"),
        ("我爸不吃什么?", "我爸不吃羊肉，嫌膻。"),
    ],
)
def test_the_author_is_not_a_relative_of_the_author(engine: Engine, question: str, first: str) -> None:
    hits = engine.recall(question)
    assert hits[0].memory.content == first
    assert [hit.score for hit in hits] == sorted((hit.score for hit in hits), reverse=True)
