"""Remembered vectors of words: texts read whole have the rows of their words, however many words are added."""

from __future__ import annotations

import numpy as np
import pytest

from combray.language.caches import forget_texts
from combray.models import wordllama
from combray.models.wordllama import RememberedWords, wordllama_embedder


@pytest.fixture
def words() -> RememberedWords:
    forget_texts()
    return RememberedWords(wordllama_embedder())


TEXTS = (("the", "lift", "is", "serviced", "twice"), (), ("the", "of"), ("lift", "garden"))


def test_the_rows_of_a_text_are_those_of_its_words(words: RememberedWords) -> None:
    sizes, vectors = words.of_texts(TEXTS)
    # "the", "is", "of" are stop words and do not count.
    assert sizes == [3, 0, 0, 2]
    counts, rows = words.rows([word for text in TEXTS for word in text])
    assert counts.sum() == 5
    np.testing.assert_array_equal(vectors, rows)
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1.0, atol=1e-3)


def test_no_texts_have_no_rows(words: RememberedWords) -> None:
    sizes, vectors = words.of_texts(())
    assert sizes == []
    assert vectors.shape == (0, 256)


def test_rows_stay_when_the_table_grows_and_when_it_is_emptied(
    words: RememberedWords, monkeypatch: pytest.MonkeyPatch
) -> None:
    _, before = words.of_texts(TEXTS)
    kept = before.copy()
    words.rows([f"garden{number}" for number in range(1200)])
    np.testing.assert_array_equal(words.of_texts(TEXTS)[1], kept)
    monkeypatch.setattr(wordllama, "MOST_WORDS", 10)
    monkeypatch.setattr(wordllama, "MOST_TEXTS", 3)
    np.testing.assert_array_equal(words.of_texts(TEXTS)[1], kept)
    np.testing.assert_array_equal(before, kept)
