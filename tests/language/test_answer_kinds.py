"""The pattern of all questions for a kind of answer finds what the single patterns find."""

from __future__ import annotations

import re

import pytest

from combray.language.answer_kinds import _any_of

PATTERNS = [r"\bhow (?:old|tall)\b", r"\bwhat age\b|\baged\b", r"\bborn|reborn", "^who", r"\b(?:one|two)s?\b"]


@pytest.mark.parametrize(
    "text", ["how old is she", "show old", "she is aged 5", "unborn", "reborn", "who", "and who", "twos", "atone"]
)
def test_patterns_are_found_together_where_one_is_found(text: str) -> None:
    together = _any_of(PATTERNS)
    assert together is not None
    assert bool(together.search(text)) is any(re.search(each, text) for each in PATTERNS)
