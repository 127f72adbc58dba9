"""The measures of `bench.think`."""

from __future__ import annotations

import pytest

from bench.think import f1, held, words


def test_dates_in_digits_are_the_dates_in_words() -> None:
    assert words("2023-05-07") == words("May 7 2023")
    assert held("7 May 2023", "“I went yesterday” (Bo, 2023-05-08; yesterday = 2023-05-07) [1]")
    assert not held("6 May 2023", "(Bo, 2023-05-08; yesterday = 2023-05-07) [6]")
    assert held("2022", "last year = 2022")


def test_all_words_of_the_answer_must_be_said() -> None:
    assert held("The adoption agencies", "“Researching adoption agencies”")
    assert not held("adoption agencies", "“adoption”")


def test_f1_weighs_what_was_said_too_much() -> None:
    # 2 of 2 wanted, 2 of 4 said: 2 * 2 / (2 + 4)
    assert f1("red sofa", "red sofa old cat") == pytest.approx(2 / 3)
    assert f1("red sofa", "dog") == 0.0
