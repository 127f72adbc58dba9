"""Each word of a question with its nearest word in a text."""

from __future__ import annotations

import numpy as np

from combray.scoring.similarity import aligned_words


def test_the_nearest_word_of_each_text_counts() -> None:
    asked = np.array([[1, 0], [0, 1]], dtype=np.float32)
    held = np.array([[1, 0], [0.6, 0.8], [0.8, 0.6]], dtype=np.float32)
    # The first text has two words, the second none, the third one.
    found = aligned_words(asked, held, [2, 0, 1])
    np.testing.assert_allclose(found, [[1.0, 0.0, 0.8], [0.8, 0.0, 0.6]], atol=1e-6)


def test_opposite_words_count_nothing() -> None:
    found = aligned_words(np.array([[1, 0]], dtype=np.float32), np.array([[-1, 0]], dtype=np.float32), [1])
    assert found.tolist() == [[0.0]]


def test_no_words_give_an_empty_table() -> None:
    none = np.zeros((0, 2), dtype=np.float32)
    assert aligned_words(none, none, [0, 0]).shape == (0, 2)
